//! Errors in network files.

use thiserror::Error;

use crate::network::{
    MAX_FEATURE_BIAS, MAX_FEATURE_WEIGHT, MAX_HIDDEN, MAX_KING_BUCKETS, MAX_OUTPUT_WEIGHT,
    OUTPUT_BUCKETS,
};

/// Why bytes are not a valid network. Positions are byte offsets in the unpacked file.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ParseNetworkError {
    /// The file ends too early.
    #[error("the file ends at byte {len}, within the {part} (from byte {start})")]
    Truncated {
        /// The part of the file that is incomplete.
        part: &'static str,
        /// The offset where that part begins.
        start: usize,
        /// The length of the file in bytes.
        len: usize,
    },
    /// The file continues after the network.
    #[error("expected the file to end at byte {expected}, but it has {len} bytes")]
    TrailingBytes {
        /// The length that the header implies, in bytes.
        expected: usize,
        /// The length of the file in bytes.
        len: usize,
    },
    /// The first bytes are not those of a network file.
    #[error("the file does not start with CASTNNUE or CASTPACK, so it is not a network")]
    Magic,
    /// The format version is not supported.
    #[error("the file has version {0}; only version 1 is supported")]
    Version(u32),
    /// The width of the hidden layer is not supported.
    #[error("the hidden layer has {0} neurons; expected a multiple of 64 up to {MAX_HIDDEN}")]
    Hidden(u32),
    /// The number of king buckets is not supported.
    #[error("there are {0} king buckets; expected 1 to {MAX_KING_BUCKETS}")]
    KingBuckets(u32),
    /// The number of output buckets is not supported.
    #[error("there are {0} output buckets; expected {OUTPUT_BUCKETS}")]
    OutputBuckets(u32),
    /// The arithmetic does not support these scales.
    #[error("the scales are {0}, {1} and {2}; expected 255, 64 and a number from 1 to 4096")]
    Scales(u16, u16, u16),
    /// Bytes 30 and 31 are not zero.
    #[error("bytes 30 and 31 are reserved and must be zero, but hold {0}")]
    Reserved(u16),
    /// The table of king buckets refers to a bucket that does not exist.
    #[error("the king bucket of square {square} is {bucket}, but there are only {buckets}")]
    BucketTable {
        /// The index of the square, 0 for a1.
        square: usize,
        /// The bucket given for the square.
        bucket: u8,
        /// The number of buckets.
        buckets: usize,
    },
    /// The name of the training run is not valid UTF-8.
    #[error("the name of the training run, at byte 98, is not valid UTF-8")]
    Name,
    /// The weights do not match the digest in the file.
    #[error("the SHA-256 digest does not match the weights: the file is damaged")]
    Digest,
    /// A feature weight is so large that sums could overflow.
    #[error("feature weight {index} is {value}; expected at most {MAX_FEATURE_WEIGHT} either way")]
    FeatureWeight {
        /// The index of the weight.
        index: usize,
        /// The value of the weight.
        value: i16,
    },
    /// A feature bias is so large that sums could overflow.
    #[error("feature bias {index} is {value}; expected at most {MAX_FEATURE_BIAS} either way")]
    FeatureBias {
        /// The index of the bias.
        index: usize,
        /// The value of the bias.
        value: i16,
    },
    /// An output weight is so large that products could overflow.
    #[error("output weight {index} is {value}; expected at most {MAX_OUTPUT_WEIGHT} either way")]
    OutputWeight {
        /// The index of the weight.
        index: usize,
        /// The value of the weight.
        value: i16,
    },
    /// The packed network claims an impossible size.
    #[error("the packed network claims {0} bytes, which no network has")]
    PackedLength(u32),
    /// The packed network cannot be unpacked.
    #[error("the packed network is damaged: it does not unpack to the {expected} bytes it claims")]
    Packed {
        /// The length it claims, in bytes.
        expected: usize,
    },
}
