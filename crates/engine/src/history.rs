//! History heuristics: how often moves caused cutoffs, and how far off the evaluation was.
//!
//! This module is responsible for the history tables of one thread. Updates pull every entry
//! toward its limit and never push it past (history gravity), so that recent results outweigh old
//! ones.

use castellan_rules::{Bitboard, Color, Move, Position, Role};

use crate::eval::IncrementalState;
use crate::margins::Margins;
use crate::score::Value;

/// The maximum absolute value of an entry for a move.
pub(crate) const MOVE_LIMIT: i32 = 16_384;

/// Returns the index of a piece and its target square, below 768.
#[inline]
pub(crate) fn piece_to_index(color: Color, mv: Move) -> usize {
    (color.index() * 6 + mv.role().index()) * 64 + mv.to().index()
}

/// The number of combinations of a piece and a square.
const PIECE_TO_COUNT: usize = 768;
/// The row of the continuation history that stands for no move.
pub(crate) const NO_ROW: usize = PIECE_TO_COUNT;
/// The number of entries of a correction table for each color.
const CORRECTIONS: usize = 1 << 14;
/// The maximum absolute value of a correction. An entry at the limit contributes its table's
/// weight in centipawns.
const CORRECTION_LIMIT: i32 = 1024;
/// The divisor that converts the weighted sum of corrections to centipawns.
const CORRECTION_SCALE: i32 = 1024;

/// The history tables of one thread.
pub(crate) struct Histories {
    /// Quiet moves. Indexed by whether the move leaves a threatened square and whether it enters one,
    /// then by color, origin and target.
    quiet: Vec<i16>,
    /// Captures and promotions. Indexed by piece and target, and captured role. A promotion that
    /// captures nothing has the index of the king, which is never captured.
    noisy: Vec<i16>,
    /// Indexed by piece and target of an earlier move, and of this one.
    continuation: Vec<i16>,
    /// Indexed by pawn structure, and piece and target.
    pawn: Vec<i16>,
    /// One table for each key of [`correction_keys`].
    corrections: [Vec<i16>; 4],
    /// Corrections by the piece and target of the last move, and of the one before it.
    move_corrections: Vec<i16>,
}

/// The number of rows of the pawn history. Pawn structures are hashed into them.
const PAWN_ROWS: usize = 512;

/// Adds a bonus to an entry, the less the closer the entry is to the limit on that side.
#[inline]
fn gravitate(entry: &mut i16, bonus: i32, limit: i32) {
    let bonus = bonus.clamp(-limit, limit);
    let old = i32::from(*entry);
    *entry = (old + bonus - old * bonus.abs() / limit) as i16;
}

impl Histories {
    pub(crate) fn new() -> Histories {
        let corrections = || vec![0; 2 * CORRECTIONS];
        Histories {
            quiet: vec![0; 4 * 2 * 64 * 64],
            noisy: vec![0; PIECE_TO_COUNT * 6],
            continuation: vec![0; (PIECE_TO_COUNT + 1) * PIECE_TO_COUNT],
            pawn: vec![0; PAWN_ROWS * PIECE_TO_COUNT],
            corrections: [corrections(), corrections(), corrections(), corrections()],
            move_corrections: vec![0; (PIECE_TO_COUNT + 1) * PIECE_TO_COUNT],
        }
    }

    pub(crate) fn clear(&mut self) {
        *self = Histories::new();
    }

    #[inline]
    fn quiet_index(color: Color, mv: Move, threatened: Bitboard) -> usize {
        let leaves = usize::from(threatened.contains(mv.from()));
        let enters = usize::from(threatened.contains(mv.to()));
        let from_to_index = color.index() << 12 | mv.from().index() << 6 | mv.to().index();
        (leaves << 1 | enters) << 13 | from_to_index
    }

    /// Returns the history score of a quiet move, including continuation histories.
    #[inline]
    pub(crate) fn quiet(&self, color: Color, mv: Move, context: &Context) -> i32 {
        let piece_to_index = piece_to_index(color, mv);
        let after =
            |row: usize| i32::from(self.continuation[row * PIECE_TO_COUNT + piece_to_index]);
        i32::from(self.quiet[Self::quiet_index(color, mv, context.threatened)])
            + i32::from(self.pawn[context.pawn_row * PIECE_TO_COUNT + piece_to_index])
            + after(context.rows[0])
            + after(context.rows[1])
            + after(context.rows[2]) / 2
    }

    /// Returns the history score of a capture or promotion.
    #[inline]
    pub(crate) fn noisy(&self, color: Color, mv: Move, captured: Option<Role>) -> i32 {
        i32::from(self.noisy[noisy_index(color, mv, captured)])
    }

    /// Rewards a quiet move, or penalizes it if the bonus is negative.
    pub(crate) fn update_quiet(&mut self, color: Color, mv: Move, context: &Context, bonus: i32) {
        self.update_squares(color, mv, context, bonus);
        let piece_to_index = piece_to_index(color, mv);
        gravitate(
            &mut self.pawn[context.pawn_row * PIECE_TO_COUNT + piece_to_index],
            bonus,
            MOVE_LIMIT,
        );
        self.update_continuation(color, mv, context, bonus);
    }

    /// Rewards a quiet move by its squares alone, or penalizes it if the bonus is negative.
    pub(crate) fn update_squares(&mut self, color: Color, mv: Move, context: &Context, bonus: i32) {
        let index = Self::quiet_index(color, mv, context.threatened);
        gravitate(&mut self.quiet[index], bonus, MOVE_LIMIT);
    }

    /// Rewards a move as a reply to the moves that led to it, or penalizes it.
    pub(crate) fn update_continuation(
        &mut self,
        color: Color,
        mv: Move,
        context: &Context,
        bonus: i32,
    ) {
        let piece_to_index = piece_to_index(color, mv);
        for row in context.rows {
            if row != NO_ROW {
                gravitate(
                    &mut self.continuation[row * PIECE_TO_COUNT + piece_to_index],
                    bonus,
                    MOVE_LIMIT,
                );
            }
        }
    }

    /// Rewards a capture or promotion, or penalizes it if the bonus is negative.
    pub(crate) fn update_noisy(
        &mut self,
        color: Color,
        mv: Move,
        captured: Option<Role>,
        bonus: i32,
    ) {
        gravitate(&mut self.noisy[noisy_index(color, mv, captured)], bonus, MOVE_LIMIT);
    }

    /// Returns how much too low the evaluation has been in similar positions, in centipawns.
    pub(crate) fn correction(
        &self,
        position: &Position,
        state: &IncrementalState,
        context: &Context,
        margins: &Margins,
    ) -> Value {
        let Margins { correction_pawns, correction_minors, correction_pieces, .. } = *margins;
        let weights = [correction_pawns, correction_minors, correction_pieces, correction_pieces];
        let offset = position.turn().index() * CORRECTIONS;
        let mut sum = 0;
        for ((table, key), weight) in
            self.corrections.iter().zip(correction_keys(state)).zip(weights)
        {
            sum += i32::from(table[offset + key as usize % CORRECTIONS]) * weight;
        }
        sum +=
            i32::from(self.move_corrections[context.correction_index()]) * margins.correction_moves;
        sum / CORRECTION_SCALE
    }

    /// Records how much too low the evaluation was.
    pub(crate) fn update_correction(
        &mut self,
        position: &Position,
        state: &IncrementalState,
        context: &Context,
        bonus: i32,
    ) {
        let offset = position.turn().index() * CORRECTIONS;
        for (table, key) in self.corrections.iter_mut().zip(correction_keys(state)) {
            gravitate(&mut table[offset + key as usize % CORRECTIONS], bonus, CORRECTION_LIMIT);
        }
        gravitate(&mut self.move_corrections[context.correction_index()], bonus, CORRECTION_LIMIT);
    }
}

/// Returns the keys of the correction histories: pawns, minor pieces, and each color's pieces.
fn correction_keys(state: &IncrementalState) -> [u64; 4] {
    [state.pawns, state.minors, state.pieces[0], state.pieces[1]]
}

#[inline]
fn noisy_index(color: Color, mv: Move, captured: Option<Role>) -> usize {
    piece_to_index(color, mv) * 6 + captured.unwrap_or(Role::King).index()
}

/// The keys for looking up a position in the history tables: previous moves, pawns and threats.
#[derive(Clone, Copy)]
pub(crate) struct Context {
    /// Continuation history rows of the moves one, two and four plies ago.
    pub(crate) rows: [usize; 3],
    /// The row of the pawn structure in the pawn history.
    pub(crate) pawn_row: usize,
    /// The squares the opponent attacks; empty where they are not worth computing.
    pub(crate) threatened: Bitboard,
}

impl Context {
    pub(crate) fn pawn_row(state: &IncrementalState) -> usize {
        state.pawns as usize % PAWN_ROWS
    }

    fn correction_index(&self) -> usize {
        let before = if self.rows[1] == NO_ROW { 0 } else { self.rows[1] };
        self.rows[0] * PIECE_TO_COUNT + before
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_entry_passes_its_limit() {
        let mut entry = 0;
        for _ in 0..1000 {
            gravitate(&mut entry, 5000, MOVE_LIMIT);
            assert!((0..=MOVE_LIMIT).contains(&i32::from(entry)));
        }
        assert!(i32::from(entry) > MOVE_LIMIT - 10);
        for _ in 0..1000 {
            gravitate(&mut entry, -40_000, MOVE_LIMIT);
            assert!(i32::from(entry).abs() <= MOVE_LIMIT);
        }
        assert!(i32::from(entry) < 10 - MOVE_LIMIT);
    }
}
