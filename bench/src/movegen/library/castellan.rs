//! Castellan as a library to measure.

use std::hint::black_box;

use anyhow::{Context, Result};
use castellan_rules::{MoveList, Position, perft};

use super::ChessLibrary;

/// The library.
pub(crate) struct Castellan;

impl ChessLibrary for Castellan {
    fn name(&self) -> &'static str {
        "castellan"
    }

    fn count(&self, fen: &str, depth: u32) -> Result<u64> {
        Ok(perft(&position(fen)?, depth))
    }

    fn list(&self, fen: &str, depth: u32) -> Result<u64> {
        Ok(list(&position(fen)?, &mut lists(depth)))
    }

    fn make(&self, fen: &str, depth: u32) -> Result<u64> {
        Ok(make(&position(fen)?, &mut lists(depth)))
    }

    fn read(&self, fens: &[String]) -> usize {
        fens.iter().filter(|fen| black_box(&Position::from_fen(fen)).is_ok()).count()
    }
}

fn position(fen: &str) -> Result<Position> {
    Position::from_fen(fen).with_context(|| fen.to_owned())
}

/// Creates one move list for each half-move. Each is created once and filled many times.
fn lists(depth: u32) -> Vec<MoveList> {
    (0..depth).map(|_| MoveList::new()).collect()
}

/// Counts leaves by building move lists, as deep as there are lists.
fn list(position: &Position, lists: &mut [MoveList]) -> u64 {
    let Some((moves, deeper)) = lists.split_first_mut() else {
        return 1;
    };
    position.legal_moves_into(moves);
    if deeper.is_empty() {
        return black_box(&*moves).len() as u64;
    }
    moves.iter().map(|&mv| list(&position.play_unchecked(mv), deeper)).sum()
}

/// Makes every move, as deep as there are lists. A position updates its hash with each move, so the
/// hash of each leaf is included.
fn make(position: &Position, lists: &mut [MoveList]) -> u64 {
    let Some((moves, deeper)) = lists.split_first_mut() else {
        return 1;
    };
    position.legal_moves_into(moves);
    let mut leaves = 0;
    for &mv in &*moves {
        let child = position.play_unchecked(mv);
        if deeper.is_empty() {
            black_box(&child);
            leaves += 1;
        } else {
            leaves += make(&child, deeper);
        }
    }
    leaves
}
