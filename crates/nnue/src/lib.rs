//! The neural network that evaluates positions.
//!
//! Owns the network file, the sums that follow the pieces (accumulators) and the arithmetic of
//! both layers. Does not own: search, files and scores of the game; the caller reads the file,
//! passes bytes in and takes centipawns out.
//!
//! The network looks at the board twice, once for each color. For a color, every piece on every
//! square is one input, counted from that color's side and mirrored so that its own king stands on
//! the files a to d; the king's square selects a bucket of weights. Each view is a sum of rows, one
//! row per piece, in 16-bit integers. Both views are clamped, squared and multiplied with the
//! output weights that belong to the number of pieces on the board.
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

/// The name of the vector instructions that this build uses, for reports of speed.
pub const INSTRUCTIONS: &str = kernels::NAME;
