//! shakmaty, which always builds a list of moves.

use std::hint::black_box;

use anyhow::{Context, Result};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, Move, Position, perft};

use super::ChessLibrary;

/// The library.
pub(crate) struct Shakmaty;

impl ChessLibrary for Shakmaty {
    fn name(&self) -> &'static str {
        "shakmaty"
    }

    fn count(&self, fen: &str, depth: u32) -> Result<u64> {
        Ok(perft(&position(fen)?, depth))
    }

    fn list(&self, fen: &str, depth: u32) -> Result<u64> {
        Ok(list(&position(fen)?, depth))
    }

    fn make(&self, fen: &str, depth: u32) -> Result<u64> {
        Ok(make(&position(fen)?, depth))
    }

    fn read(&self, fens: &[String]) -> usize {
        fens.iter().filter(|fen| black_box(&read(fen)).is_some()).count()
    }
}

fn position(fen: &str) -> Result<Chess> {
    read(fen).with_context(|| format!("{fen}: refused"))
}

/// Counts the moves of a position. This function is not inlined, because inlined into the caller's
/// loop it takes a sixth longer.
#[inline(never)]
fn read(fen: &str) -> Option<Chess> {
    Fen::from_ascii(fen.as_bytes()).ok()?.into_position(CastlingMode::Standard).ok()
}

fn list(position: &Chess, depth: u32) -> u64 {
    let moves = position.legal_moves();
    if depth == 1 {
        return black_box(&moves).len() as u64;
    }
    let leaves_after = |&mv: &Move| {
        let mut child = position.clone();
        child.play_unchecked(mv);
        list(&child, depth - 1)
    };
    moves.iter().map(leaves_after).sum()
}

/// Makes every move. A position of shakmaty has no hash, so this does less work than the other
/// libraries; a user who needs a hash computes it separately.
fn make(position: &Chess, depth: u32) -> u64 {
    let mut leaves = 0;
    for mv in position.legal_moves() {
        let mut child = position.clone();
        child.play_unchecked(mv);
        if depth == 1 {
            black_box(&child);
            leaves += 1;
        } else {
            leaves += make(&child, depth - 1);
        }
    }
    leaves
}
