//! Which squares a piece attacks, for every piece and every occupation of the board.
//!
//! All tables are constants or written by the build script; nothing is initialised at run time.

#[cfg(fast_pext)]
mod pext;
// Only the tests and the build script walk whole boards.
#[cfg_attr(not(test), allow(dead_code))]
mod ray;
#[cfg_attr(fast_pext, allow(dead_code))]
mod small;
#[cfg(test)]
mod tests;

use crate::{Bitboard, Color, Piece, Role, Square};

#[cfg(fast_pext)]
use pext as sliders;
#[cfg(not(fast_pext))]
use small as sliders;

const KNIGHT_STEPS: [(i32, i32); 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];
const KING_STEPS: [(i32, i32); 8] =
    [(1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1), (0, -1), (1, -1)];

const fn step_table<const N: usize>(steps: [(i32, i32); N]) -> [Bitboard; 64] {
    let mut table = [Bitboard::EMPTY; 64];
    let mut index = 0;
    while index < 64 {
        let mut step = 0;
        while step < N {
            if let Some(to) = Square::ALL[index].offset(steps[step].0, steps[step].1) {
                table[index] = table[index].with(to);
            }
            step += 1;
        }
        index += 1;
    }
    table
}

static KNIGHT: [Bitboard; 64] = step_table(KNIGHT_STEPS);
static KING: [Bitboard; 64] = step_table(KING_STEPS);
static PAWN: [[Bitboard; 64]; 2] = [step_table([(-1, 1), (1, 1)]), step_table([(-1, -1), (1, -1)])];

/// By role, the squares attacked from each square with nothing in the way; none for pawns.
static EMPTY_BOARD: [[Bitboard; 64]; 6] = {
    let (mut bishop, mut rook) = ([Bitboard::EMPTY; 64], [Bitboard::EMPTY; 64]);
    let mut queen = [Bitboard::EMPTY; 64];
    let mut square = 0;
    while square < 64 {
        bishop[square] = Bitboard(ray::rays(square, &ray::BISHOP, 0));
        rook[square] = Bitboard(ray::rays(square, &ray::ROOK, 0));
        queen[square] = Bitboard(bishop[square].0 | rook[square].0);
        square += 1;
    }
    [[Bitboard::EMPTY; 64], step_table(KNIGHT_STEPS), bishop, rook, queen, step_table(KING_STEPS)]
};

/// The squares a piece attacks with nothing in the way; none for a pawn.
#[inline(always)]
pub(crate) fn on_empty_board(role: Role, square: Square) -> Bitboard {
    EMPTY_BOARD[role.index()][square.index()]
}

/// The squares a knight attacks.
#[inline]
pub fn knight(square: Square) -> Bitboard {
    KNIGHT[square.index()]
}

/// The squares a king attacks.
#[inline]
pub fn king(square: Square) -> Bitboard {
    KING[square.index()]
}

/// The squares a pawn attacks, whether or not there is something to capture.
#[inline]
pub fn pawn(color: Color, square: Square) -> Bitboard {
    PAWN[color.index()][square.index()]
}

/// The squares a rook attacks, up to and including the first occupied one each way.
#[inline(always)]
pub fn rook(square: Square, occupied: Bitboard) -> Bitboard {
    sliders::rook(square, occupied)
}

/// The squares a bishop attacks, up to and including the first occupied one each way.
#[inline(always)]
pub fn bishop(square: Square, occupied: Bitboard) -> Bitboard {
    sliders::bishop(square, occupied)
}

/// The squares a queen attacks, up to and including the first occupied one each way.
#[inline]
pub fn queen(square: Square, occupied: Bitboard) -> Bitboard {
    rook(square, occupied) | bishop(square, occupied)
}

/// The squares that any piece attacks.
#[inline]
pub fn of_piece(piece: Piece, square: Square, occupied: Bitboard) -> Bitboard {
    match piece.role {
        Role::Pawn => pawn(piece.color, square),
        Role::Knight => knight(square),
        Role::Bishop => bishop(square, occupied),
        Role::Rook => rook(square, occupied),
        Role::Queen => queen(square, occupied),
        Role::King => king(square),
    }
}

/// The squares strictly between two squares of one rank, file or diagonal, else none.
#[inline]
pub fn between(one: Square, other: Square) -> Bitboard {
    sliders::between(one, other)
}
