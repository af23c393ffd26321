//! The probability model of packed games: what the range coder expects of moves and scores.
//!
//! A move is coded as its rank among the legal moves, ordered by how likely they look. A score is
//! coded as its difference from a prediction. One set of functions serves both directions, so that
//! an encoder and a decoder cannot disagree.

use anyhow::{bail, ensure};
use castellan_rules::{Color, Move, MoveKind, Position, Promotion, Role, Square};

use crate::game::{Game, MATE_SCORE, Ply, read_start, start_bytes};
use crate::range_coder::{Chance, Coder};

/// Ranks below this one have separate probabilities; all others share one.
const PLACES: usize = 16;
/// Number of classes of how likely a move looks.
const CLASSES: usize = 24;
/// Number of classes of the size of a number, which is its length in bits.
const SIZES: usize = 18;

/// The adaptive probabilities of moves and scores.
pub(crate) struct Model {
    is_standard: Chance,
    result: [Chance; 2],
    has_score: [Chance; 2],
    is_move: [[Chance; CLASSES]; PLACES],
    size: [[Chance; SIZES]; SIZES],
    sign: [Chance; 3],
    second_bit: [Chance; SIZES],
    /// How often a piece went to a square, by color and role.
    history: [[i32; 64]; 12],
}

impl Default for Model {
    fn default() -> Model {
        let chance = Chance::default();
        Model {
            is_standard: chance,
            result: [chance; 2],
            has_score: [chance; 2],
            is_move: [[chance; CLASSES]; PLACES],
            size: [[chance; SIZES]; SIZES],
            sign: [chance; 3],
            second_bit: [chance; SIZES],
            history: [[0; 64]; 12],
        }
    }
}

/// The preceding scores, from which the next one is predicted.
#[derive(Default)]
struct Scores {
    last: i32,
    one_before: i32,
    /// The size of the last error.
    error_size: usize,
    had_score: bool,
    last_sign: usize,
}

impl Model {
    /// Codes a game. With an encoder `game` is the game to write, with a decoder it is `None`.
    /// Returns the game in both cases.
    pub(crate) fn code(
        &mut self,
        coder: &mut impl Coder,
        game: Option<&Game>,
    ) -> anyhow::Result<Game> {
        let (start, winner) = self.code_start(coder, game)?;
        let count = game.map_or(0, |game| game.plies.len() as u32);
        let count = coder.plain_bits(16, count) as usize;
        let (mut position, mut scores, mut last_to) = (start, Scores::default(), None);
        let mut plies = Vec::new();
        for index in 0..count {
            let ply = game.map(|game| game.plies[index]);
            let mv = self.code_move(coder, &position, last_to, ply.map(|ply| ply.mv))?;
            let score = self.code_score(coder, &mut scores, ply.and_then(|ply| ply.score));
            ensure!(score.is_none_or(|it| it.abs() <= MATE_SCORE), "a score is out of range");
            plies.push(Ply { mv, score });
            last_to = Some(mv.to());
            position = position.play_unchecked(mv);
        }
        Ok(Game { start, winner, plies })
    }

    fn code_start(
        &mut self,
        coder: &mut impl Coder,
        game: Option<&Game>,
    ) -> anyhow::Result<(Position, Option<Color>)> {
        let standard = start_bytes(&Position::default(), None);
        let mut bytes = game.map_or(standard, |game| start_bytes(&game.start, game.winner));
        let (body, result) = bytes.split_at_mut(31);
        if !coder.bit(&mut self.is_standard, body[..] == standard[..31]) {
            for byte in body {
                *byte = coder.plain_bits(8, u32::from(*byte)) as u8;
            }
        }
        let is_draw = coder.bit(&mut self.result[0], result[0] == 1);
        let is_white = !is_draw && coder.bit(&mut self.result[1], result[0] == 2);
        result[0] = if is_draw { 1 } else { u8::from(is_white) * 2 };
        match read_start(&bytes) {
            Ok(start) => Ok(start),
            Err((_, kind)) => bail!("a start position is damaged: {kind}"),
        }
    }

    fn code_move(
        &mut self,
        coder: &mut impl Coder,
        position: &Position,
        last_to: Option<Square>,
        played: Option<Move>,
    ) -> anyhow::Result<Move> {
        let mut moves: Vec<(i32, Move)> = position
            .legal_moves()
            .iter()
            .map(|&mv| (self.likelihood(position, mv, last_to), mv))
            .collect();
        moves.sort_by_key(|&(likelihood, _)| -likelihood);
        let Some(last) = moves.len().checked_sub(1) else {
            bail!("a game continues after its end")
        };
        let mut place = 0;
        while place < last {
            let (likelihood, mv) = moves[place];
            let class = ((likelihood + 4000) / 700).clamp(0, CLASSES as i32 - 1) as usize;
            if coder.bit(&mut self.is_move[place.min(PLACES - 1)][class], played == Some(mv)) {
                break;
            }
            place += 1;
        }
        for &(_, passed) in &moves[..place] {
            let history = self.history_of(position, passed);
            *history -= *history / 32;
        }
        let mv = moves[place].1;
        let history = self.history_of(position, mv);
        *history += (4096 - *history) / 16;
        Ok(mv)
    }

    /// Returns how likely a move looks; only the order and a rough size count.
    fn likelihood(&mut self, position: &Position, mv: Move, last_to: Option<Square>) -> i32 {
        let turn = position.turn();
        let role = |square| position.piece_at(square).map_or(Role::Pawn, |piece| piece.role);
        let mover = role(mv.from());
        let occupied = position.occupied();
        let threatens = |square| {
            let attackers = position.pieces().attackers(!turn, square, occupied);
            let by_pawn = !(attackers & position.pieces().role(Role::Pawn)).is_empty();
            (!attackers.is_empty(), by_pawn && mover != Role::Pawn)
        };
        let mut likelihood = *self.history_of(position, mv);
        let is_capture = position.color(!turn).contains(mv.to());
        if is_capture || mv.kind() == MoveKind::EnPassant {
            let victim = if is_capture { role(mv.to()) } else { Role::Pawn };
            likelihood += 2500 + 900 * victim as i32 - 150 * mover as i32;
            likelihood += if last_to == Some(mv.to()) { 3500 } else { 0 };
        }
        match mv.promotion() {
            Some(Promotion::Queen) => likelihood += 5000,
            Some(_) => likelihood -= 3000,
            None => {}
        }
        let (from_attacked, from_by_pawn) = threatens(mv.from());
        let (to_attacked, to_by_pawn) = threatens(mv.to());
        likelihood += 1800 * i32::from(from_by_pawn) - 2500 * i32::from(to_by_pawn);
        if matches!(mover, Role::Queen | Role::Rook) {
            likelihood += 700 * i32::from(from_attacked);
            likelihood -= 1500 * i32::from(to_attacked && !is_capture);
        }
        likelihood
    }

    fn history_of(&mut self, position: &Position, mv: Move) -> &mut i32 {
        let piece = position.piece_at(mv.from());
        let row = piece.map_or(0, |piece| piece.role as usize + piece.color.fold(0, 6));
        &mut self.history[row][mv.to().index()]
    }

    fn code_score(
        &mut self,
        coder: &mut impl Coder,
        scores: &mut Scores,
        score: Option<i16>,
    ) -> Option<i16> {
        let chance = &mut self.has_score[usize::from(scores.had_score)];
        scores.had_score = coder.bit(chance, score.is_some());
        if !scores.had_score {
            return None;
        }
        // The opponent's score before this one, and the own one before that.
        let expected = (scores.one_before - 2 * scores.last) / 3;
        let error = self.code_error(coder, scores, i32::from(score.unwrap_or(0)) - expected);
        let score = (expected + error).clamp(i32::from(i16::MIN) + 1, i32::from(i16::MAX));
        scores.one_before = scores.last;
        scores.last = score;
        Some(score as i16)
    }

    fn code_error(&mut self, coder: &mut impl Coder, scores: &mut Scores, error: i32) -> i32 {
        let magnitude = error.unsigned_abs();
        let known = (u32::BITS - magnitude.leading_zeros()) as usize;
        let row = &mut self.size[scores.error_size];
        let mut size = 0;
        while size < SIZES - 1 && !coder.bit(&mut row[size], size == known) {
            size += 1;
        }
        scores.error_size = size;
        if size == 0 {
            scores.last_sign = 0;
            return 0;
        }
        let is_negative = coder.bit(&mut self.sign[scores.last_sign], error < 0);
        scores.last_sign = 1 + usize::from(is_negative);
        let mut read = 1;
        if size >= 2 {
            let second = magnitude >> (size - 2) & 1 == 1;
            read = 2 | u32::from(coder.bit(&mut self.second_bit[size], second));
        }
        if size >= 3 {
            let rest = size as u32 - 2;
            let low = magnitude & ((1 << rest) - 1);
            read = read << rest | coder.plain_bits(rest, low);
        }
        if is_negative { -(read as i32) } else { read as i32 }
    }
}
