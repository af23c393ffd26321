//! Slow, obvious chess for tests, and what tests are fed with.
//!
//! - [`oracle`]: a second implementation of the rules, written without a look at
//!   the first; the two are compared as text.
//! - [`chess960`]: the start positions of Chess960 by number.
//! - [`random`]: seeded random numbers, [`play`]: seeded random games over the
//!   oracle, [`scatter`]: seeded positions from no game.
//! - [`perft`]: positions with the number of move sequences that start there.
//! - [`python_chess`]: games with digests that python-chess has computed.
//! - [`python_chess_trees`]: the same for game trees with variations and comments.
//! - [`waiting`]: the only time limit of the tests.
//! - [`network`]: network files without training, random ones and one that counts material.
//! - `online`, with the feature of that name: a server as a process, and clients
//!   that play games against each other.
//!
//! Nothing that ships depends on this crate.

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
