//! Opens files and standard input and decompresses them according to their content. File names do
//! not matter: pipes lose them, and downloads often have the wrong one.

use std::fs::File;
use std::io::{self, BufReader, Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::limits::ZSTD_WINDOW_LOG;

/// The file name that means standard input.
pub(crate) const STDIN: &str = "-";

/// A stream of games that can be sent to another thread.
pub(super) type Source = Box<dyn Read + Send>;

/// The compression format of a stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Compression {
    None,
    Zstd,
    Gzip,
    Bzip2,
}

/// Number of bytes needed to detect the compression.
const HEAD_BYTES: usize = 10;

impl Compression {
    fn of(head: &[u8]) -> Compression {
        match head {
            // A frame, or a skippable frame: files compressed by several threads begin with one.
            [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => Compression::Zstd,
            [0x1f, 0x8b, ..] => Compression::Gzip,
            // The level, then the marker of a block or of the end of an empty file.
            [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A', b'Y', b'&', b'S', b'Y']
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, b'r', b'E', b'8', b'P', 0x90] => {
                Compression::Bzip2
            }
            _ => Compression::None,
        }
    }
}

/// Counts the bytes that are read, before decompression.
struct Counted<R> {
    inner: R,
    bytes: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.bytes.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// Opens a file, or standard input for `-`. The number of bytes read, before decompression, is
/// added to `bytes`.
pub(super) fn open(name: &str, bytes: &Arc<AtomicU64>) -> io::Result<Source> {
    let raw: Source =
        if name == STDIN { Box::new(io::stdin()) } else { Box::new(File::open(name)?) };
    decompressed(Counted { inner: raw, bytes: Arc::clone(bytes) })
}

fn decompressed(mut raw: impl Read + Send + 'static) -> io::Result<Source> {
    let mut head = Vec::with_capacity(HEAD_BYTES);
    raw.by_ref().take(HEAD_BYTES as u64).read_to_end(&mut head)?;
    let compression = Compression::of(&head);
    let whole = Cursor::new(head).chain(raw);
    let buffered = |whole| BufReader::with_capacity(128 * 1024, whole);
    Ok(match compression {
        Compression::None => Box::new(whole),
        Compression::Zstd => {
            let mut decoder = zstd::Decoder::with_buffer(buffered(whole))?;
            decoder.window_log_max(ZSTD_WINDOW_LOG)?;
            Box::new(decoder)
        }
        Compression::Gzip => Box::new(flate2::bufread::MultiGzDecoder::new(buffered(whole))),
        Compression::Bzip2 => Box::new(bzip2::bufread::MultiBzDecoder::new(buffered(whole))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
        let mut out = Vec::new();
        decompressed(Cursor::new(bytes))?.read_to_end(&mut out)?;
        Ok(out)
    }

    fn gzip(text: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        flate2::read::GzEncoder::new(text, flate2::Compression::fast())
            .read_to_end(&mut out)
            .unwrap();
        out
    }

    fn bzip2(text: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        bzip2::read::BzEncoder::new(text, bzip2::Compression::fast())
            .read_to_end(&mut out)
            .unwrap();
        out
    }

    fn zstd(text: &[u8]) -> Vec<u8> {
        zstd::encode_all(text, 3).unwrap()
    }

    #[test]
    fn compressed_files_are_decompressed() {
        for text in [&b""[..], b"1", b"1. e4 *\n", &b"[Event \"?\"]\n".repeat(100_000)] {
            assert_eq!(read_all(text.to_vec()).unwrap(), text);
            for pack in [gzip, bzip2, zstd] {
                assert_eq!(read_all(pack(text)).unwrap(), text);
                // Compressed files may be concatenated.
                let twice = [pack(text), pack(text)].concat();
                assert_eq!(read_all(twice).unwrap(), text.repeat(2));
            }
        }
    }

    #[test]
    fn a_truncated_compressed_file_is_an_error() {
        let text = b"[Event \"?\"]\n\n1. e4 e5 *\n\n".repeat(1000);
        for pack in [gzip, bzip2, zstd] {
            let packed = pack(&text);
            assert!(read_all(packed[..packed.len() - 5].to_vec()).is_err());
        }
    }

    #[test]
    fn text_that_resembles_a_compression_header_is_text() {
        for text in [&b"BZh9"[..], b"BZh9 is no move", b"(\xb5/"] {
            assert_eq!(read_all(text.to_vec()).unwrap(), text);
        }
    }

    #[test]
    fn a_skippable_frame_may_come_first() {
        let mut bytes = vec![0x50, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 7, 7];
        bytes.extend(zstd(b"1. e4 *"));
        assert_eq!(read_all(bytes).unwrap(), b"1. e4 *");
    }
}
