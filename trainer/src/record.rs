//! Training records: 32 bytes for a position, seen from the side to move.
//!
//! This module defines the layout, which `docs/NETWORK.md` describes and `train.py` reads, and
//! decides which positions are worth learning from.

use castellan_rules::{Color, Position};

use crate::game::{Ply, is_noisy, piece_bytes};

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

/// Packs a position with its score for the side to move, the winner of its game, and the number of
/// plies played before.
pub(crate) fn record(position: &Position, score: i16, winner: Option<Color>, ply: usize) -> Record {
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
    bytes[30..].copy_from_slice(&(ply.min(usize::from(u16::MAX)) as u16).to_le_bytes());
    bytes
}
