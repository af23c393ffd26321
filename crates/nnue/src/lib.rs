//! The neural network that evaluates positions.
//!
//! This crate is responsible for the network file, the accumulators that follow the pieces, and
//! the arithmetic of both layers. It leaves search, file access and game scores to others: the
//! caller reads the file, passes in bytes and receives centipawns.
//!
//! The network looks at the board twice, once from each color's point of view. For a color, every
//! piece on every square is one input, seen from that color's side and mirrored so that its own
//! king stands on files a to d; the king's square selects a bucket of weights. The accumulator of
//! each view is a sum of rows, one row per piece, in 16-bit integers. Both accumulators are
//! clamped, squared and multiplied by the output weights for the number of pieces on the board.
//!
//! ```no_run
//! use std::sync::Arc;
//! use castellan_nnue::{Accumulators, Network};
//! use castellan_rules::Position;
//!
//! # let bytes: Vec<u8> = Vec::new();
//! let network = Arc::new(Network::parse(&bytes)?);
//! let position = Position::start();
//! let mut accumulators = Accumulators::new(network, &position);
//! let centipawns = accumulators.evaluate(&position);
//! # Ok::<(), castellan_nnue::ParseNetworkError>(())
//! ```

mod accumulators;
mod block;
mod cache;
mod changes;
mod embedded;
mod error;
mod features;
mod kernels;
mod network;
mod packed;
mod parse;

pub use accumulators::Accumulators;
pub use changes::Changes;
pub use embedded::embedded;
pub use error::ParseNetworkError;
pub use network::Network;
pub use packed::pack;
