//! chess (by Jordan Bray), whose generator is an iterator that knows its length.

use std::hint::black_box;
use std::str::FromStr;

use anyhow::{Result, anyhow};
use chess::{Board, ChessMove, MoveGen};

use super::ChessLibrary;

/// The largest number of moves in a legal position.
const MAX_MOVES: usize = 218;

/// The library.
pub(crate) struct Chess;

impl ChessLibrary for Chess {
    fn name(&self) -> &'static str {
        "chess"
    }

    fn count(&self, fen: &str, depth: u32) -> Result<u64> {
        Ok(MoveGen::movegen_perft_test(&board(fen)?, depth as usize) as u64)
    }

    fn list(&self, fen: &str, depth: u32) -> Result<u64> {
        Ok(list(&board(fen)?, depth, &mut [ChessMove::default(); MAX_MOVES]))
    }

    fn make(&self, fen: &str, depth: u32) -> Result<u64> {
        Ok(make(&board(fen)?, depth))
    }

    fn read(&self, fens: &[String]) -> usize {
        fens.iter().filter(|fen| black_box(&Board::from_str(fen)).is_ok()).count()
    }
}

fn board(fen: &str) -> Result<Board> {
    Board::from_str(fen).map_err(|error| anyhow!("{fen}: {error}"))
}

/// Counts leaves by building lists. One array is reused for all leaves and one board for all
/// children, which is faster than a growing list and boards returned by value.
fn list(board: &Board, depth: u32, array: &mut [ChessMove; MAX_MOVES]) -> u64 {
    let moves = MoveGen::new_legal(board);
    if depth == 1 {
        let mut length = 0;
        for mv in moves {
            array[length] = mv;
            length += 1;
        }
        return black_box(&array[..length]).len() as u64;
    }
    let mut child = *board;
    let mut leaves = 0;
    for mv in moves {
        board.make_move(mv, &mut child);
        leaves += list(&child, depth - 1, array);
    }
    leaves
}

/// Makes every move. A board updates its hash with each move, so the hash of each leaf is included.
fn make(board: &Board, depth: u32) -> u64 {
    let mut child = *board;
    let mut leaves = 0;
    for mv in MoveGen::new_legal(board) {
        board.make_move(mv, &mut child);
        if depth == 1 {
            black_box(&child);
            leaves += 1;
        } else {
            leaves += make(&child, depth - 1);
        }
    }
    leaves
}
