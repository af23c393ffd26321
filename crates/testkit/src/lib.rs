//! A slow and simple implementation of chess for tests, and test data.
//!
//! - [`oracle`]: a second implementation of the rules, written independently of the first; the
//!   two are compared as text.
//! - [`chess960`]: the starting positions of Chess960 by number.
//! - [`random`]: seeded random numbers; [`play`]: seeded random games played with the oracle;
//!   [`scatter`]: seeded random positions that come from no game.
//! - [`perft`]: positions with the number of move sequences that start there.
//! - [`python_chess`]: games with digests computed by python-chess.
//! - [`python_chess_trees`]: the same for game trees with variations and comments.
//! - [`waiting`]: the only time limit of the tests.
//! - [`network`]: untrained network files, with random weights or with weights that count
//!   material.
//! - `online`, with the feature of that name: a server as a process, and clients that play games
//!   against each other.
//!
//! No shipped crate depends on this one.

pub mod chess960;
pub mod network;
#[cfg(feature = "online")]
pub mod online;
pub mod oracle;
pub mod perft;
pub mod play;
pub mod python_chess;
pub mod python_chess_trees;
pub mod random;
pub mod scatter;
pub mod waiting;
