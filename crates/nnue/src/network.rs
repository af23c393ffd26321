//! A network: its weights and the arithmetic of its output layer.

use core::fmt;

use castellan_rules::{Color, Position, Square};

use crate::block::{BLOCK, Block};
use crate::features::View;
use crate::kernels::{Best, MAX_BLOCKS, QA, output};

/// The maximum width of the hidden layer.
pub(crate) const MAX_HIDDEN: usize = MAX_BLOCKS * BLOCK;
/// The maximum number of king buckets.
pub(crate) const MAX_KING_BUCKETS: usize = 16;
/// The number of output buckets.
pub(crate) const OUTPUT_BUCKETS: usize = 8;

/// The scale of the output weights.
pub(crate) const QB: i16 = 64;

/// The maximum number of pieces in a position: the rules refuse more than 16 per color.
const MAX_PIECES: usize = 32;

/// The limit of a first-layer weight: 1.98 before quantization.
pub(crate) const MAX_FEATURE_WEIGHT: i16 = 505;
/// The limit of a first-layer bias: what [`MAX_PIECES`] weights leave of the 16-bit range.
pub(crate) const MAX_FEATURE_BIAS: i16 = i16::MAX - MAX_PIECES as i16 * MAX_FEATURE_WEIGHT;
/// The limit of an output weight: its product with a clamped neuron must fit into 16 bits.
pub(crate) const MAX_OUTPUT_WEIGHT: i16 = i16::MAX / QA - 1;

const _: () = assert!(MAX_OUTPUT_WEIGHT == 127);

/// A network that has passed all the checks of [`Network::parse`].
pub struct Network {
    pub(crate) name: String,
    pub(crate) king_buckets: usize,
    /// The king bucket of each square, for a king on files a to d.
    pub(crate) buckets: [u8; 64],
    /// The number of blocks in a row.
    pub(crate) row_blocks: usize,
    /// One row for each input.
    pub(crate) features: Vec<Block>,
    pub(crate) bias: Vec<Block>,
    /// Two rows for each output bucket: one for the side to move and one for the other side.
    pub(crate) output: Vec<Block>,
    pub(crate) output_bias: [i32; OUTPUT_BUCKETS],
    pub(crate) scale: u16,
}

impl Network {
    /// Returns the name of the training run.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the number of neurons in the hidden layer, per side.
    pub fn hidden(&self) -> usize {
        self.row_blocks * BLOCK
    }

    /// Returns the number of king buckets.
    pub fn king_buckets(&self) -> usize {
        self.king_buckets
    }

    /// Returns a color's view of the board while its king stands on a square.
    #[inline]
    pub(crate) fn view(&self, color: Color, king: Square) -> View {
        View::new(color, king, &self.buckets)
    }

    /// Returns the index of the first block of a row.
    #[inline(always)]
    pub(crate) fn start(&self, row: u32) -> usize {
        row as usize * self.row_blocks
    }

    /// Returns the weights of a row.
    #[inline(always)]
    pub(crate) fn row(&self, row: u32) -> &[Block] {
        &self.features[self.start(row)..][..self.row_blocks]
    }

    /// Returns the evaluation of a position in centipawns for the side to move, given the
    /// accumulators of both views, that of the side to move first.
    #[inline]
    pub(crate) fn value(&self, position: &Position, views: [&[Block]; 2]) -> i32 {
        let bucket = output_bucket(position.occupied().count());
        let len = 2 * self.row_blocks;
        let sum = output::<Best>(views, &self.output[bucket * len..][..len]);
        self.scaled(bucket, sum)
    }

    /// Converts a sum of the output layer to centipawns.
    #[inline]
    pub(crate) fn scaled(&self, bucket: usize, sum: i64) -> i32 {
        let (qa, qb) = (i64::from(QA), i64::from(QB));
        let value = (sum / qa + i64::from(self.output_bias[bucket])) * i64::from(self.scale);
        let limit = i64::from(i32::MAX);
        (value / (qa * qb)).clamp(-limit, limit) as i32
    }
}

/// Returns the output bucket for a number of pieces.
pub(crate) fn output_bucket(pieces: usize) -> usize {
    (pieces.saturating_sub(2) / 4).min(OUTPUT_BUCKETS - 1)
}

impl fmt::Debug for Network {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shape = (self.king_buckets, self.hidden());
        f.debug_struct("Network").field("name", &self.name).field("shape", &shape).finish()
    }
}
