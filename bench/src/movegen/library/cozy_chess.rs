//! cozy-chess, which generates a set of target squares per piece.

use std::hint::black_box;

use anyhow::{Result, anyhow};
use cozy_chess::{Board, Move, Square};

use super::ChessLibrary;

/// The largest number of moves in a legal position.
const MAX_MOVES: usize = 218;

/// The library.
pub(crate) struct CozyChess;

impl ChessLibrary for CozyChess {
    fn name(&self) -> &'static str {
        "cozy-chess"
    }

    fn count(&self, fen: &str, depth: u32) -> Result<u64> {
        Ok(count(&board(fen)?, depth))
    }

    fn list(&self, fen: &str, depth: u32) -> Result<u64> {
        let filler = Move { from: Square::A1, to: Square::A1, promotion: None };
        Ok(list(&board(fen)?, depth, &mut [filler; MAX_MOVES]))
    }

    fn make(&self, fen: &str, depth: u32) -> Result<u64> {
        Ok(make(&board(fen)?, depth))
    }

    fn read(&self, fens: &[String]) -> usize {
        fens.iter().filter(|fen| black_box(&Board::from_fen(fen, false)).is_ok()).count()
    }
}

fn board(fen: &str) -> Result<Board> {
    Board::from_fen(fen, false).map_err(|error| anyhow!("{fen}: {error}"))
}

/// Counts leaves. Here and below the last half-move has a callback of its own: it is so small that
/// the crate's generator inlines it everywhere, which a check of the depth in it would prevent.
fn count(board: &Board, depth: u32) -> u64 {
    let mut leaves = 0;
    if depth == 1 {
        board.generate_moves(|moves| {
            leaves += moves.len() as u64;
            false
        });
    } else {
        board.generate_moves(|moves| {
            for mv in moves {
                let mut child = board.clone();
                child.play_unchecked(mv);
                leaves += count(&child, depth - 1);
            }
            false
        });
    }
    leaves
}

/// Counts leaves by building lists. One array is reused for all leaves, because initializing a new
/// one would cost more than the moves; it is also faster than a growing list.
fn list(board: &Board, depth: u32, array: &mut [Move; MAX_MOVES]) -> u64 {
    let mut leaves = 0;
    if depth == 1 {
        let mut length = 0;
        board.generate_moves(|moves| {
            for mv in moves {
                array[length] = mv;
                length += 1;
            }
            false
        });
        leaves += black_box(&array[..length]).len() as u64;
    } else {
        board.generate_moves(|moves| {
            for mv in moves {
                let mut child = board.clone();
                child.play_unchecked(mv);
                leaves += list(&child, depth - 1, array);
            }
            false
        });
    }
    leaves
}

/// Makes every move. A board updates its hash with each move, so the hash of each leaf is included.
fn make(board: &Board, depth: u32) -> u64 {
    let mut leaves = 0;
    if depth == 1 {
        board.generate_moves(|moves| {
            for mv in moves {
                let mut child = board.clone();
                child.play_unchecked(mv);
                black_box(&child);
                leaves += 1;
            }
            false
        });
    } else {
        board.generate_moves(|moves| {
            for mv in moves {
                let mut child = board.clone();
                child.play_unchecked(mv);
                leaves += make(&child, depth - 1);
            }
            false
        });
    }
    leaves
}
