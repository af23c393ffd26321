//! Training records: 32 bytes for a position, seen from the side to move.
//!
//! This module defines the layout, which `docs/NETWORK.md` describes and `train.py` reads, and
//! decides which positions are worth learning from.

use castellan_rules::{Color, Position};

use crate::game::{Game, Ply, is_noisy, move_code, piece_bytes};

/// The size of a record in bytes.
pub(crate) const RECORD_BYTES: usize = 32;

/// A position with its labels.
pub(crate) type Record = [u8; RECORD_BYTES];

/// Why a position is not in the training data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dropped {
    /// The position belongs to the random opening and has no score.
    Unscored,
    /// The side to move is in check.
    Check,
    /// The best move captures or promotes, so a static evaluation cannot be right.
    Noisy,
    /// The score is beyond the limit.
    Extreme,
}

impl Dropped {
    pub(crate) const ALL: [Dropped; 4] =
        [Dropped::Unscored, Dropped::Check, Dropped::Noisy, Dropped::Extreme];
}

/// Returns the score of a position that is worth learning from: the side to move is not in check,
/// its best move is quiet, and neither side is ahead by more than `max_score` centipawns.
pub(crate) fn useful_score(position: &Position, ply: Ply, max_score: u16) -> Result<i16, Dropped> {
    let score = ply.score.ok_or(Dropped::Unscored)?;
    if position.is_check() {
        Err(Dropped::Check)
    } else if is_noisy(position, ply.mv) {
        Err(Dropped::Noisy)
    } else if score.unsigned_abs() > max_score {
        Err(Dropped::Extreme)
    } else {
        Ok(score)
    }
}

/// The centipawns per logistic unit when scores become expected points, as in `train.py`.
const SCORE_SCALE: f64 = 154.0;
/// The limit of a blended score in centipawns.
const MAX_BLENDED: f64 = 3000.0;

/// Returns the label of each ply: its score, blended with the scores that the game reached later.
///
/// Shallow searches err in both directions, and the scores of the next plies correct that. The
/// blend is of expected points: `1 - lookahead` of the ply's own score and `lookahead` of the next
/// ply's label. After the last ply, the result takes the place of a label. A ply without a score
/// has no label.
pub(crate) fn blended_scores(game: &Game, lookahead: f64) -> Vec<Option<i16>> {
    if lookahead == 0.0 {
        return game.plies.iter().map(|ply| ply.score).collect();
    }
    let last =
        if game.plies.len().is_multiple_of(2) { game.start.turn() } else { !game.start.turn() };
    // The expected points of the side to move.
    let mut points = game.winner.map_or(0.5, |winner| if winner == last { 1.0 } else { 0.0 });
    let mut labels = vec![None; game.plies.len()];
    for (ply, label) in game.plies.iter().zip(&mut labels).rev() {
        points = 1.0 - points;
        if let Some(score) = ply.score {
            let own = 1.0 / (1.0 + (-f64::from(score) / SCORE_SCALE).exp());
            points = (1.0 - lookahead) * own + lookahead * points;
            let score = SCORE_SCALE * (points / (1.0 - points)).ln();
            *label = Some(score.clamp(-MAX_BLENDED, MAX_BLENDED).round() as i16);
        }
    }
    labels
}

/// Packs a position with the move that was played in it, its score for the side to move, and the
/// winner of its game.
pub(crate) fn record(position: &Position, ply: Ply, score: i16, winner: Option<Color>) -> Record {
    let turn = position.turn();
    let oriented = |color: Color| {
        let king = position.king(color);
        turn.fold(king, king.flip()) as u8
    };
    let mut bytes = [0; RECORD_BYTES];
    bytes[..24].copy_from_slice(&piece_bytes(position.pieces(), turn));
    bytes[24..26].copy_from_slice(&score.to_le_bytes());
    bytes[26] = winner.map_or(1, |winner| if winner == turn { 2 } else { 0 });
    bytes[27] = oriented(turn);
    bytes[28] = oriented(!turn);
    bytes[29] = position.occupied().count() as u8;
    bytes[30..].copy_from_slice(&move_code(ply.mv, turn).to_le_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a game with these scores for the side to move, White first, and moves that do not
    /// matter.
    fn game(scores: &[Option<i16>], winner: Option<Color>) -> Game {
        let start = Position::start();
        let mv = start.legal_moves()[0];
        let plies = scores.iter().map(|&score| Ply { mv, score }).collect();
        Game { start, winner, plies }
    }

    #[test]
    fn without_lookahead_a_label_is_the_score() {
        let scores = [None, Some(30), Some(-2500), Some(31_990)];
        assert_eq!(blended_scores(&game(&scores, Some(Color::White)), 0.0), scores);
    }

    #[test]
    fn scores_that_agree_keep_their_value() {
        let scores = [None, None, Some(80), Some(-80), Some(80), Some(-80)];
        let labels = blended_scores(&game(&scores, None), 0.5);
        assert_eq!(labels[..2], [None, None]);
        // The draw at the end pulls the last label halfway toward zero, and each one before it less.
        let values: Vec<i16> = labels.into_iter().flatten().collect();
        let from_white = [values[0], -values[1], values[2], -values[3]];
        assert!(from_white.is_sorted_by(|a, b| a > b), "{from_white:?}");
        assert!((39..=41).contains(&from_white[3]), "{from_white:?}");
    }

    #[test]
    fn a_label_follows_a_later_mate() {
        let scores = [Some(0), Some(-31_998), Some(31_999)];
        let labels = blended_scores(&game(&scores, Some(Color::White)), 0.6);
        assert_eq!(labels[1..], [Some(-3000), Some(3000)]);
        // 0.4 of half a point and 0.6 of a whole one are 0.8 points.
        assert_eq!(labels[0], Some((SCORE_SCALE * 4.0_f64.ln()).round() as i16));
        let lost = [Some(0), Some(31_998), Some(-31_999)];
        let labels = blended_scores(&game(&lost, Some(Color::Black)), 0.6);
        assert_eq!(labels[0], Some(-(SCORE_SCALE * 4.0_f64.ln()).round() as i16));
    }
}
