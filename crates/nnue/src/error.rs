//! Why bytes are not a network.

use thiserror::Error;

use crate::network::{
    MAX_FEATURE_BIAS, MAX_FEATURE_WEIGHT, MAX_HIDDEN, MAX_KING_BUCKETS, MAX_OUTPUT_WEIGHT,
    OUTPUT_BUCKETS,
};

/// Why bytes are not a network. Positions are byte offsets in the file, counted after unpacking.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum ParseNetworkError {
    /// The file ends too early.
    #[error("the file ends at byte {len}, within the {part} (from byte {start})")]
    Truncated {
        /// The part of the file that is incomplete.
        part: &'static str,
        /// Where that part begins.
        start: usize,
        /// The length of the file.
        len: usize,
    },
    /// The file goes on after the network.
    #[error("expected the file to end at byte {expected}, but it has {len} bytes")]
    TrailingBytes {
        /// The length that the header implies.
        expected: usize,
        /// The length of the file.
        len: usize,
    },
    /// The first bytes are not those of a network file.
    #[error("the file does not start with CASTNNUE or CASTPACK, so it is not a network")]
    Magic,
    /// A version that this program does not know.
    #[error("the file has version {0}; only version 1 is supported")]
    Version(u32),
    /// A width that is not supported.
    #[error("the hidden layer has {0} neurons; expected a multiple of 64 up to {MAX_HIDDEN}")]
    Hidden(u32),
    /// A number of king buckets that is not supported.
    #[error("there are {0} king buckets; expected 1 to {MAX_KING_BUCKETS}")]
    KingBuckets(u32),
    /// A number of output buckets that is not supported.
    #[error("there are {0} output buckets; expected {OUTPUT_BUCKETS}")]
    OutputBuckets(u32),
    /// Scales that the arithmetic is not made for.
    #[error("the scales are {0}, {1} and {2}; expected 255, 64 and a number from 1 to 4096")]
    Scales(u16, u16, u16),
    /// Bytes 30 and 31 are not zero.
    #[error("bytes 30 and 31 are reserved and must be zero, but hold {0}")]
    Reserved(u16),
    /// The table of king buckets names one that does not exist.
    #[error("the king bucket of square {square} is {bucket}, but there are only {buckets}")]
    BucketTable {
        /// The square, 0 for a1.
        square: usize,
        /// Its bucket.
        bucket: u8,
        /// How many buckets there are.
        buckets: usize,
    },
    /// The name of the training run is not text.
    #[error("the name of the training run, at byte 98, is not valid UTF-8")]
    Name,
    /// The weights are not those that were written.
    #[error("the SHA-256 digest does not match the weights: the file is damaged")]
    Digest,
    /// A weight with which sums could overflow.
    #[error("feature weight {index} is {value}; expected at most {MAX_FEATURE_WEIGHT} either way")]
    FeatureWeight {
        /// Which weight.
        index: usize,
        /// Its value.
        value: i16,
    },
    /// A bias with which sums could overflow.
    #[error("feature bias {index} is {value}; expected at most {MAX_FEATURE_BIAS} either way")]
    FeatureBias {
        /// Which bias.
        index: usize,
        /// Its value.
        value: i16,
    },
    /// A weight with which products could overflow.
    #[error("output weight {index} is {value}; expected at most {MAX_OUTPUT_WEIGHT} either way")]
    OutputWeight {
        /// Which weight.
        index: usize,
        /// Its value.
        value: i16,
    },
    /// A packed network that claims an impossible size.
    #[error("the packed network claims {0} bytes, which no network has")]
    PackedLength(u32),
    /// A packed network that cannot be unpacked.
    #[error("the packed network is damaged: it does not unpack to the {expected} bytes it claims")]
    Packed {
        /// The length that it claims.
        expected: usize,
    },
}
