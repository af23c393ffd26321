//! Parses network files.
//!
//! The format, little endian:
//!
//! | bytes | what |
//! |---|---|
//! | 8 | `CASTNNUE` |
//! | 4 | version, 1 |
//! | 4 | H, neurons of the hidden layer for each side: a multiple of 64 |
//! | 4 | B, king buckets |
//! | 4 | output buckets, 8 |
//! | 2, 2, 2, 2 | scale of the first layer 255, of the output weights 64, of the value; zero |
//! | 64 | king bucket of each square from a1 to h8, for a king on the files a to d |
//! | 2 | length of the name in bytes, N |
//! | N | name of the training run, UTF-8 |
//! | 32 | SHA-256 of all that follows |
//! | B · 768 · H · 2 | feature weights, one row of H for each input |
//! | H · 2 | feature bias |
//! | 8 · 2H · 2 | output weights: for each bucket those of the side to move, then the other's |
//! | 8 · 4 | output bias, in units of 255 · 64 |

use sha2::{Digest, Sha256};

use crate::block::{BLOCK, Block};
use crate::error::ParseNetworkError as Error;
use crate::features::INPUTS;
use crate::kernels::QA;
use crate::network::{
    MAX_FEATURE_BIAS, MAX_FEATURE_WEIGHT, MAX_HIDDEN, MAX_KING_BUCKETS, MAX_OUTPUT_WEIGHT, Network,
    OUTPUT_BUCKETS, QB,
};
use crate::packed;

const MAGIC: &[u8; 8] = b"CASTNNUE";
const VERSION: u32 = 1;
/// The width of the hidden layer is a multiple of this.
const WIDTH_STEP: usize = 64;
const MAX_SCALE: u16 = 4096;

impl Network {
    /// Parses a network file, plain or [packed](crate::pack), and validates everything in it.
    ///
    /// # Errors
    ///
    /// Returns an error if anything deviates from the format, if the digest does not match, or if
    /// the weights could make a sum overflow.
    pub fn parse(bytes: &[u8]) -> Result<Network, Error> {
        if packed::is_packed(bytes) {
            return parse_plain(&packed::unpack(bytes)?);
        }
        parse_plain(bytes)
    }
}

fn parse_plain(bytes: &[u8]) -> Result<Network, Error> {
    let mut reader = Reader { bytes, at: 0 };
    if reader.take("magic number", MAGIC.len()).ok() != Some(MAGIC) {
        return Err(Error::Magic);
    }
    let version = reader.u32("version")?;
    if version != VERSION {
        return Err(Error::Version(version));
    }
    let hidden = reader.u32("header")?;
    let king_buckets = reader.u32("header")?;
    let output_buckets = reader.u32("header")?;
    let hidden = Some(hidden as usize)
        .filter(|&width| width > 0 && width <= MAX_HIDDEN && width.is_multiple_of(WIDTH_STEP))
        .ok_or(Error::Hidden(hidden))?;
    let king_buckets = Some(king_buckets as usize)
        .filter(|&count| (1..=MAX_KING_BUCKETS).contains(&count))
        .ok_or(Error::KingBuckets(king_buckets))?;
    if output_buckets as usize != OUTPUT_BUCKETS {
        return Err(Error::OutputBuckets(output_buckets));
    }
    let scale = parse_scale(&mut reader)?;
    let buckets = parse_buckets(&mut reader, king_buckets)?;
    let name_len = reader.u16("name")?;
    let name = reader.take("name", name_len.into())?;
    let name = core::str::from_utf8(name).map_err(|_| Error::Name)?.to_owned();
    let digest = reader.take("digest", 32)?;
    let weights = reader.at;

    let features = reader.numbers("feature weights", king_buckets * INPUTS * hidden)?;
    let bias = reader.numbers("feature bias", hidden)?;
    let output = reader.numbers("output weights", OUTPUT_BUCKETS * 2 * hidden)?;
    let mut output_bias = [0; OUTPUT_BUCKETS];
    for bias in &mut output_bias {
        *bias = reader.u32("output bias")?.cast_signed();
    }
    if reader.at != bytes.len() {
        return Err(Error::TrailingBytes { expected: reader.at, len: bytes.len() });
    }
    if Sha256::digest(&bytes[weights..]).as_slice() != digest {
        return Err(Error::Digest);
    }
    if let Some((index, value)) = excess(&features, MAX_FEATURE_WEIGHT) {
        return Err(Error::FeatureWeight { index, value });
    }
    if let Some((index, value)) = excess(&bias, MAX_FEATURE_BIAS) {
        return Err(Error::FeatureBias { index, value });
    }
    if let Some((index, value)) = excess(&output, MAX_OUTPUT_WEIGHT) {
        return Err(Error::OutputWeight { index, value });
    }
    let row_blocks = hidden / BLOCK;
    Ok(Network {
        name,
        king_buckets,
        buckets,
        row_blocks,
        features,
        bias,
        output,
        output_bias,
        scale,
    })
}

fn parse_scale(reader: &mut Reader<'_>) -> Result<u16, Error> {
    let [qa, qb, scale] = [reader.u16("header")?, reader.u16("header")?, reader.u16("header")?];
    let is_known = i32::from(qa) == i32::from(QA) && i32::from(qb) == i32::from(QB);
    if !is_known || scale == 0 || scale > MAX_SCALE {
        return Err(Error::Scales(qa, qb, scale));
    }
    match reader.u16("header")? {
        0 => Ok(scale),
        other => Err(Error::Reserved(other)),
    }
}

fn parse_buckets(reader: &mut Reader<'_>, king_buckets: usize) -> Result<[u8; 64], Error> {
    let mut buckets = [0; 64];
    for (square, &bucket) in reader.take("king buckets", 64)?.iter().enumerate() {
        // After mirroring, no king ever stands on the other half.
        if square % 8 < 4 {
            if usize::from(bucket) >= king_buckets {
                return Err(Error::BucketTable { square, bucket, buckets: king_buckets });
            }
            buckets[square] = bucket;
        }
    }
    Ok(buckets)
}

/// Returns the index and value of the first number beyond a limit.
fn excess(blocks: &[Block], limit: i16) -> Option<(usize, i16)> {
    let numbers = blocks.iter().flat_map(|block| block.0);
    numbers.enumerate().find(|(_, number)| number.unsigned_abs() > limit.unsigned_abs())
}

/// A reader that tracks its position.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn take(&mut self, part: &'static str, len: usize) -> Result<&'a [u8], Error> {
        let rest = &self.bytes[self.at..];
        let taken = rest.get(..len);
        let error = Error::Truncated { part, start: self.at, len: self.bytes.len() };
        self.at += len.min(rest.len());
        taken.ok_or(error)
    }

    fn u16(&mut self, part: &'static str) -> Result<u16, Error> {
        let bytes = self.take(part, 2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    fn u32(&mut self, part: &'static str) -> Result<u32, Error> {
        let bytes = self.take(part, 4)?;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    /// Reads 16-bit numbers. `count` must be a multiple of [`BLOCK`].
    fn numbers(&mut self, part: &'static str, count: usize) -> Result<Vec<Block>, Error> {
        let bytes = self.take(part, 2 * count)?;
        let mut blocks = Vec::with_capacity(count / BLOCK);
        // Rows are accessed randomly.
        castellan_arch::advise_large_pages(blocks.spare_capacity_mut());
        blocks.extend(bytes.chunks_exact(2 * BLOCK).map(block));
        Ok(blocks)
    }
}

fn block(bytes: &[u8]) -> Block {
    let mut block = Block::ZERO;
    for (number, pair) in block.0.iter_mut().zip(bytes.as_chunks::<2>().0) {
        *number = i16::from_le_bytes(*pair);
    }
    block
}
