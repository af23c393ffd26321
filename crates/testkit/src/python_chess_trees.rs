//! Game trees that python-chess has grown, with a digest of each.
//!
//! `data/python_chess_trees.pgn` and `data/python_chess_trees.digests` are written by the script
//! of the same name beside them: games as the exporter of python-chess spells them, and for each
//! game a line with the digest of its tree in hexadecimal.
//!
//! The digest is FNV-1a with 64 bits over a text that says everything about a tree:
//!
//! ```text
//! Name=value                              each tag, sorted by name
//! 1-0                                     the result
//! |nags||comment                          what stands before the first move
//! ply sibling uci|nags|before|after       each move
//! ```
//!
//! with a line feed after each line.
//!
//! - The tag `Result` and tags whose value is `?` or `????.??.??` are left out, because
//!   python-chess adds the seven tags of the standard where they are missing.
//! - The moves come depth first, the main move of a node before its variations. Plies count from 1
//!   at the first move, siblings from 0; with the order these two tell the shape of the tree.
//! - A move is in UCI, castling as king takes rook, the null move as `0000`.
//! - Numeric annotation glyphs are sorted and joined by `,`, each once.
//! - `before` is the comment between the opening of a variation and its first move, `after` what
//!   is said after a move. Several comments in one place are joined by a blank. Any white space
//!   counts as one blank, at the ends as nothing; see [`normal`].

use crate::python_chess::{FNV_OFFSET, fnv1a};

/// All recorded games, one after the other.
pub const PGN: &str = include_str!("../data/python_chess_trees.pgn");

/// The digests of the recorded games, in their order.
pub fn digests() -> Vec<u64> {
    parse_digests(include_str!("../data/python_chess_trees.digests"))
        .expect("the file is built in, and a test reads it all")
}

/// Digests from text, one on a line; nothing if a line is not one.
#[must_use]
pub fn parse_digests(text: &str) -> Option<Vec<u64>> {
    text.lines().map(|line| u64::from_str_radix(line, 16).ok()).collect()
}

/// The digest of a tree that is described as the module says.
#[must_use]
pub fn digest(description: &str) -> u64 {
    fnv1a(FNV_OFFSET, description.as_bytes())
}

/// A comment as the digest sees it.
#[must_use]
pub fn normal(comment: &str) -> String {
    comment.split_whitespace().collect::<Vec<_>>().join(" ")
}
