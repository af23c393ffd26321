//! Incrementally updated evaluation state.
//!
//! This module is responsible for the sum of piece-square weights, the game phase, and hash keys
//! of parts of the board. Invariant: the incremental values equal those computed from scratch.

use castellan_rules::{Color, Observer, Piece, Position, Role, Square};

use super::generated::weights::WEIGHTS;
use super::pair::Pair;
use super::terms::PIECE_SQUARE;

/// The incrementally updated state of one position.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct IncrementalState {
    /// The sum of piece-square weights, White's minus Black's.
    pub(crate) weights: Pair,
    /// The game phase: [`FULL_PHASE`] with all pieces, 0 with only kings and pawns.
    pub(crate) phase: i32,
    /// The hash key of the pawns.
    pub(crate) pawns: u64,
    /// The hash key of the knights, bishops and kings.
    pub(crate) minors: u64,
    /// The hash key of each color's pieces other than pawns.
    pub(crate) pieces: [u64; 2],
}

/// The phase of the start position.
pub(crate) const FULL_PHASE: i32 = 24;

const PHASES: [i32; 6] = [0, 1, 1, 2, 4, 0];

/// What one piece on one square contributes.
#[derive(Clone, Copy)]
struct Row {
    key: u64,
    weight: Pair,
    phase: i32,
}

static ROWS: [[[Row; 64]; 6]; 2] = rows();

const fn rows() -> [[[Row; 64]; 6]; 2] {
    let mut rows = [[[Row { key: 0, weight: Pair::ZERO, phase: 0 }; 64]; 6]; 2];
    let mut key = 0x0c45_7e11_a9f3_0b1d_u64;
    let mut index = 0;
    while index < 2 * 6 * 64 {
        let (color, role, square) = (index / 384, index / 64 % 6, index % 64);
        // White's a1 corresponds to Black's a8.
        let seen = if color == 0 { square } else { square ^ 56 };
        let weight = WEIGHTS[PIECE_SQUARE + role * 64 + seen];
        key = scrambled(key);
        rows[color][role][square] = Row {
            key,
            weight: if color == 0 { weight } else { weight.negated() },
            phase: PHASES[role],
        };
        index += 1;
    }
    rows
}

/// Returns the next number of an xorshift random number generator.
const fn scrambled(mut word: u64) -> u64 {
    word ^= word << 13;
    word ^= word >> 7;
    word ^ word << 17
}

impl IncrementalState {
    /// Computes the state from scratch.
    pub(crate) fn new(position: &Position) -> IncrementalState {
        let mut state = IncrementalState::default();
        for (square, piece) in position.pieces().iter() {
            state.placed(piece, square);
        }
        state
    }

    #[inline(always)]
    fn toggle(&mut self, piece: Piece, key: u64) {
        match piece.role {
            Role::Pawn => self.pawns ^= key,
            Role::Knight | Role::Bishop | Role::King => {
                self.minors ^= key;
                self.pieces[piece.color.index()] ^= key;
            }
            Role::Rook | Role::Queen => self.pieces[piece.color.index()] ^= key,
        }
    }
}

#[inline(always)]
fn row(piece: Piece, square: Square) -> &'static Row {
    &ROWS[piece.color.index()][piece.role.index()][square.index()]
}

impl Observer for IncrementalState {
    #[inline(always)]
    fn removed(&mut self, piece: Piece, square: Square) {
        let row = row(piece, square);
        self.weights -= row.weight;
        self.phase -= row.phase;
        self.toggle(piece, row.key);
    }

    #[inline(always)]
    fn placed(&mut self, piece: Piece, square: Square) {
        let row = row(piece, square);
        self.weights += row.weight;
        self.phase += row.phase;
        self.toggle(piece, row.key);
    }
}

/// Returns the sign of a color's contribution to a score for White.
#[inline]
pub(crate) fn sign(color: Color) -> i32 {
    color.fold(1, -1)
}
