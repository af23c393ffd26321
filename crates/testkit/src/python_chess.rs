//! Games played by python-chess, with a digest of their positions.
//!
//! `data/python_chess_games.txt` is written by the script of the same name next to it. Each line
//! is a game:
//!
//! ```text
//! start FEN | UCI moves, castling as king takes rook | digest in hexadecimal
//! ```
//!
//! The digest is 64-bit FNV-1a over one text per position, including the starting position and
//! the last one:
//!
//! ```text
//! FEN|legal moves in UCI, sorted by bytes, joined by ','|1 in check, else 0
//! ```
//!
//! followed by a line feed. The FEN is X-FEN with both counters, and names the en passant square
//! only where a capture is legal. Code that computes the same digest agrees with python-chess on
//! every legal move, every check, every castling right and every counter of the game. The
//! counters of python-chess follow the laws of chess: captures and pawn moves reset the halfmove
//! clock, and castling, although written as one piece taking another, does not.

/// A recorded game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedGame {
    /// The position before the first move.
    pub start_fen: &'static str,
    /// The moves in UCI, castling as king takes rook.
    pub moves: Vec<&'static str>,
    /// The value that [`digest`] must return for all positions of the game.
    pub digest: u64,
}

/// Returns the recorded games, in the order of the file.
pub fn games() -> impl Iterator<Item = RecordedGame> {
    let lines = include_str!("../data/python_chess_games.txt").lines();
    lines.map(|line| parse_game(line).expect("the file is built in, and a test reads it all"))
}

/// Returns the digest over the positions of a game: for each, its FEN, its legal moves in any
/// order, and whether the side to move is in check.
pub fn digest(positions: impl IntoIterator<Item = (String, Vec<String>, bool)>) -> u64 {
    positions.into_iter().fold(FNV_OFFSET, |hash, (fen, mut moves, is_check)| {
        moves.sort_unstable();
        let line = format!("{fen}|{}|{}\n", moves.join(","), u8::from(is_check));
        fnv1a(hash, line.as_bytes())
    })
}

pub(crate) const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0000_0100_0000_01b3;

pub(crate) fn fnv1a(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME))
}

fn parse_game(line: &'static str) -> Option<RecordedGame> {
    let mut parts = line.split(" | ");
    let (start_fen, moves, digest) = (parts.next()?, parts.next()?, parts.next()?);
    let digest = u64::from_str_radix(digest, 16).ok()?;
    let moves = moves.split(' ').collect();
    parts.next().is_none().then_some(RecordedGame { start_fen, moves, digest })
}
