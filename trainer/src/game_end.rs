//! How a game between engines ends: by the rules, or early by the scores.

use castellan_engine::Score;
use castellan_rules::{Color, Line, Position, Role};

use crate::game::{MATE_SCORE, MAX_GAME_PLIES};

/// The number of plies for which an advantage has to last to win.
const WON_PLIES: usize = 5;
/// A score up to this counts as drawn if it lasts, in centipawns.
const DRAWN: i32 = 8;
/// The number of plies for which such a score has to last.
const DRAWN_PLIES: usize = 12;
/// The first ply at which a game can be adjudicated as drawn by its score.
const DRAWN_FROM: usize = 80;
/// Games that reach this ply are drawn.
const MAX_PLIES: usize = 500;
const _: () = assert!(MAX_PLIES < MAX_GAME_PLIES);

/// Adjudicates games early by the scores of the engine.
pub(crate) struct Adjudicator {
    /// The score from which a side wins if it lasts, in centipawns.
    winning_score: i32,
    /// How many plies in a row the leader has had such a score.
    won_plies: usize,
    /// 1 if White has such a score, -1 if Black has, and 0 if neither has.
    leader: i32,
    /// How many plies in a row the score has been drawn.
    drawn_plies: usize,
}

impl Adjudicator {
    pub(crate) fn new(winning_score: i32) -> Adjudicator {
        Adjudicator { winning_score, won_plies: 0, leader: 0, drawn_plies: 0 }
    }

    /// Adds the score of the ply before `ply`, from White's point of view. Returns `None` while the game is
    /// undecided, `Some(None)` for a draw, and otherwise the winner.
    pub(crate) fn winner(&mut self, score: i32, ply: usize) -> Option<Option<Color>> {
        let leader = if score.abs() >= self.winning_score { score.signum() } else { 0 };
        self.won_plies = if leader != 0 && leader == self.leader { self.won_plies + 1 } else { 1 };
        self.leader = leader;
        self.drawn_plies = if score.abs() <= DRAWN { self.drawn_plies + 1 } else { 0 };
        if leader != 0 && self.won_plies >= WON_PLIES {
            return Some(Some(if leader > 0 { Color::White } else { Color::Black }));
        }
        let is_drawn = self.drawn_plies >= DRAWN_PLIES && ply > DRAWN_FROM;
        (is_drawn || ply >= MAX_PLIES).then_some(None)
    }
}

/// Returns the winner of a game that is over or in which a draw can be claimed. The inner `None`
/// is a draw.
pub(crate) fn winner_by_rules(line: &Line) -> Option<Option<Color>> {
    if let Some(outcome) = line.outcome() {
        return Some(outcome.winner);
    }
    (line.claims().any() || is_bare(line.position())).then_some(None)
}

/// Returns whether neither side can mate: there are only the kings and at most one minor piece.
fn is_bare(position: &Position) -> bool {
    let minors = position.role(Role::Knight) | position.role(Role::Bishop);
    position.occupied().count() <= 3 && (position.occupied() & !minors).count() == 2
}

/// Returns the score in the encoding of a games file.
pub(crate) fn written_score(score: Score) -> i16 {
    let limit = i32::from(MATE_SCORE);
    let value = match score {
        Score::Centipawns(value) => value,
        Score::Mate(moves) if moves > 0 => limit - (2 * moves - 1),
        Score::Mate(moves) => -(limit + 2 * moves),
    };
    value.clamp(-limit, limit) as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_advantage_wins_when_it_lasts_for_one_side() {
        let mut adjudicator = Adjudicator::new(1000);
        for score in [1000, 1500, 999, 1200, 1200, -1200, 1200, 1200, 1200, 1200] {
            assert_eq!(adjudicator.winner(score, 10), None);
        }
        assert_eq!(adjudicator.winner(1000, 10), Some(Some(Color::White)));
        let mut adjudicator = Adjudicator::new(1000);
        let winners: Vec<_> = (0..5).map(|_| adjudicator.winner(-2000, 10)).collect();
        assert_eq!(winners[3..], [None, Some(Some(Color::Black))]);
    }

    #[test]
    fn a_level_game_is_drawn_late_and_a_long_game_always() {
        let mut adjudicator = Adjudicator::new(1000);
        let early = (0..40).map(|ply| adjudicator.winner(0, ply));
        assert!(early.into_iter().all(|winner| winner.is_none()));
        assert_eq!(adjudicator.winner(0, DRAWN_FROM + 1), Some(None));
        assert_eq!(Adjudicator::new(1000).winner(300, MAX_PLIES), Some(None));
    }

    #[test]
    fn mates_are_written_by_their_plies() {
        for (score, expected) in [
            (Score::Mate(1), 31_999),
            (Score::Mate(3), 31_995),
            (Score::Mate(0), -32_000),
            (Score::Mate(-2), -31_996),
            (Score::Centipawns(-87), -87),
        ] {
            assert_eq!(written_score(score), expected);
        }
    }
}
