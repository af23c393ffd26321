//! Handing out the parts of all files, one after another, to whoever asks.
//!
//! There is no thread for reading: whoever needs work reads the next part. So two threads keep
//! two cores busy, whatever the share of unpacking is.

use std::fs;
use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use castellan_pgn::{Block, Blocks};

use super::limits::{BYTES_UNDER_WAY, LARGE_PART_FACTOR, RECYCLED_BYTES};
use super::source::{self, STDIN, Source};

const NO_PANIC: &str = "no thread panics with the lock in its hand";

/// Whole games of one file, or why there are no more.
pub(super) struct Part {
    /// Its place in the order of all parts, from 0.
    pub(super) number: u64,
    /// The file.
    pub(super) file: Arc<str>,
    /// The games.
    pub(super) content: io::Result<Block>,
}

/// All files, as parts.
pub(super) struct Feed {
    reader: Mutex<Reader>,
    room: Room,
    bytes_read: Arc<AtomicU64>,
    bytes_total: Option<u64>,
}

struct Reader {
    files: std::vec::IntoIter<String>,
    open: Option<(Arc<str>, Blocks<UntilError>)>,
    /// What ended the open file before its time.
    error: Arc<Mutex<Option<io::Error>>>,
    number: u64,
    bytes_read: Arc<AtomicU64>,
}

/// A source that ends where it cannot be read on, so that the games before that are not lost; the
/// error is kept for later.
struct UntilError {
    source: Source,
    error: Arc<Mutex<Option<io::Error>>>,
}

impl Read for UntilError {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.source.read(buffer) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                *self.error.lock().expect(NO_PANIC) = Some(error);
                Ok(0)
            }
            other => other,
        }
    }
}

impl Feed {
    /// The parts of some files.
    pub(super) fn new(files: Vec<String>) -> Feed {
        let sizes = files.iter().map(|file| {
            let metadata = fs::metadata(file).ok().filter(|_| file != STDIN)?;
            metadata.is_file().then_some(metadata.len())
        });
        let bytes_total = sizes.sum();
        let bytes_read = Arc::new(AtomicU64::new(0));
        let reader = Reader {
            files: files.into_iter(),
            open: None,
            error: Arc::default(),
            number: 0,
            bytes_read: Arc::clone(&bytes_read),
        };
        Feed { reader: Mutex::new(reader), room: Room::default(), bytes_read, bytes_total }
    }

    /// The next part, when there is room for it. Its bytes take room until they are given up by
    /// [`release`](Feed::release).
    pub(super) fn take(&self) -> Option<Part> {
        let mut reader = self.reader.lock().expect(NO_PANIC);
        self.room.wait();
        let part = reader.next()?;
        self.room.occupy(part.bytes());
        Some(part)
    }

    /// Takes a used buffer back, to be filled again, unless that means waiting: somebody who
    /// waits for room holds the reader, and room comes of handing in what this buffer was for.
    pub(super) fn recycle(&self, bytes: Vec<u8>) {
        let Ok(mut reader) = self.reader.try_lock() else { return };
        if let Some((_, blocks)) = &mut reader.open
            && bytes.capacity() <= RECYCLED_BYTES
        {
            blocks.recycle(bytes);
        }
    }

    /// Makes the room smaller by what is to be said about a part.
    pub(super) fn occupy(&self, bytes: usize) {
        self.room.occupy(bytes);
    }

    /// Gives room back.
    pub(super) fn release(&self, bytes: usize) {
        self.room.release(bytes);
    }

    /// Hands nothing out any more.
    pub(super) fn stop(&self) {
        let mut reader = self.reader.lock().expect(NO_PANIC);
        reader.files = Vec::new().into_iter();
        reader.open = None;
    }

    /// How much of all files has been read, from 0 to 1; nothing if that cannot be known.
    pub(super) fn share_read(&self) -> Option<f64> {
        let total = self.bytes_total?.max(1);
        Some((self.bytes_read.load(Ordering::Relaxed) as f64 / total as f64).min(1.0))
    }
}

impl Reader {
    fn next(&mut self) -> Option<Part> {
        loop {
            let Some((file, blocks)) = &mut self.open else {
                let name = self.files.next()?;
                let file = Arc::from(if name == STDIN { "stdin" } else { name.as_str() });
                match source::open(&name, &self.bytes_read) {
                    Ok(source) => {
                        let source = UntilError { source, error: Arc::clone(&self.error) };
                        self.open = Some((file, Blocks::new(source)));
                    }
                    Err(error) => return Some(self.part(file, Err(error))),
                }
                continue;
            };
            let file = Arc::clone(file);
            let error = match blocks.next() {
                Ok(Some(block)) => return Some(self.part(file, Ok(block))),
                Ok(None) => self.error.lock().expect(NO_PANIC).take(),
                Err(error) => Some(error),
            };
            self.open = None;
            if let Some(error) = error {
                return Some(self.part(file, Err(error)));
            }
        }
    }

    fn part(&mut self, file: Arc<str>, content: io::Result<Block>) -> Part {
        let number = self.number;
        self.number += 1;
        Part { number, file, content }
    }
}

impl Part {
    /// How much room it takes.
    pub(super) fn bytes(&self) -> usize {
        let bytes = self.content.as_ref().map_or(0, |block| block.bytes.capacity());
        if bytes > RECYCLED_BYTES { bytes * LARGE_PART_FACTOR } else { bytes }
    }
}

/// How many bytes are under way.
#[derive(Default)]
struct Room {
    occupied: Mutex<usize>,
    is_free: Condvar,
}

impl Room {
    fn wait(&self) {
        let is_full = |occupied: &mut usize| *occupied >= BYTES_UNDER_WAY;
        drop(self.is_free.wait_while(self.lock(), is_full).expect(NO_PANIC));
    }

    fn occupy(&self, bytes: usize) {
        *self.lock() += bytes;
    }

    fn release(&self, bytes: usize) {
        let mut occupied = self.lock();
        *occupied = occupied.saturating_sub(bytes);
        self.is_free.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.occupied.lock().expect(NO_PANIC)
    }
}
