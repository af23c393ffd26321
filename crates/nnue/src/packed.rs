//! Compressed networks, for the repository and for downloads to the browser.
//!
//! A packed network consists of `CASTPACK`, the length of the plain file in four bytes, and a raw
//! deflate stream of the plain file with its even bytes first and its odd bytes after them. The
//! high bytes of the weights are nearly all 0 or 255, so separated from the low bytes, which look
//! random, they compress to almost nothing. The file shrinks to about half its size.

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

use crate::error::ParseNetworkError as Error;

const MAGIC: &[u8; 8] = b"CASTPACK";
const HEADER: usize = MAGIC.len() + 4;
/// The largest accepted size of a plain file, which is more than the largest network needs.
const MAX_LEN: u32 = 64 << 20;
/// The compression level; 10 is the slowest and best.
const LEVEL: u8 = 10;

/// Packs a network file. [`Network::parse`](crate::Network::parse) accepts the result as well as
/// the plain file.
pub fn pack(file: &[u8]) -> Vec<u8> {
    let even = file.iter().step_by(2);
    let odd = file.iter().skip(1).step_by(2);
    let split: Vec<u8> = even.chain(odd).copied().collect();
    let mut packed = MAGIC.to_vec();
    packed.extend((file.len() as u32).to_le_bytes());
    packed.extend(compress_to_vec(&split, LEVEL));
    packed
}

pub(crate) fn is_packed(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Reverses [`pack`].
pub(crate) fn unpack(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let truncated = Error::Truncated { part: "length", start: MAGIC.len(), len: bytes.len() };
    let len = bytes.get(MAGIC.len()..HEADER).ok_or(truncated)?;
    let len = u32::from_le_bytes([len[0], len[1], len[2], len[3]]);
    if len > MAX_LEN {
        return Err(Error::PackedLength(len));
    }
    let expected = len as usize;
    let split = decompress_to_vec_with_limit(&bytes[HEADER..], expected).ok();
    let split = split.filter(|split| split.len() == expected).ok_or(Error::Packed { expected })?;
    let (even, odd) = split.split_at(expected.div_ceil(2));
    let mut file = Vec::with_capacity(expected);
    for (index, &byte) in even.iter().enumerate() {
        file.push(byte);
        file.extend(odd.get(index));
    }
    Ok(file)
}
