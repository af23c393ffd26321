//! Distributes the parts of all files, in order, to the worker threads.
//!
//! There is no reader thread: a worker that needs work reads the next part itself. So two threads
//! keep two cores busy, however much of the work is decompression.

use std::fs;
use std::io::{self, Read};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard};

use castellan_pgn::{Block, Blocks};

use super::limits::{BYTES_UNDER_WAY, LARGE_PART_FACTOR, RECYCLED_BYTES};
use super::source::{self, STDIN, Source};

const NO_PANIC: &str = "no thread panics with the lock in its hand";

/// Whole games of one file, or the error that ended the file.
pub(crate) struct Part {
    /// The position in the order of all parts, from 0.
    pub(crate) number: u64,
    /// The name of the file.
    pub(crate) file: Arc<str>,
    /// The games, or why the file could not be read further.
    pub(crate) content: io::Result<Block>,
}

/// All files, split into parts.
pub(crate) struct Feed {
    reader: Mutex<Reader>,
    budget: ByteBudget,
    bytes_read: Arc<AtomicU64>,
    bytes_total: Option<u64>,
}

struct Reader {
    files: std::vec::IntoIter<String>,
    open: Option<(Arc<str>, Blocks<UntilError>)>,
    /// The error that ended the open file early.
    error: Arc<Mutex<Option<io::Error>>>,
    number: u64,
    bytes_read: Arc<AtomicU64>,
}

/// A source that ends at the first read error, so that the games before it are not lost; the
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
    /// Creates the feed of some files.
    pub(crate) fn new(files: Vec<String>) -> Feed {
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
        Feed { reader: Mutex::new(reader), budget: ByteBudget::default(), bytes_read, bytes_total }
    }

    /// Returns the next part once there is room for it. Its bytes occupy room until
    /// [`release`](Feed::release) is called.
    pub(crate) fn take(&self) -> Option<Part> {
        let mut reader = self.reader.lock().expect(NO_PANIC);
        self.budget.wait();
        let part = reader.next()?;
        self.budget.occupy(part.bytes());
        Some(part)
    }

    /// Takes back a used buffer for reuse, unless that would block: a thread that waits for room
    /// holds the reader lock, and room appears only when the result of this buffer is delivered.
    pub(super) fn recycle(&self, bytes: Vec<u8>) {
        let Ok(mut reader) = self.reader.try_lock() else { return };
        if let Some((_, blocks)) = &mut reader.open
            && bytes.capacity() <= RECYCLED_BYTES
        {
            blocks.recycle(bytes);
        }
    }

    /// Occupies room for the result of a part.
    pub(super) fn occupy(&self, bytes: usize) {
        self.budget.occupy(bytes);
    }

    /// Frees room.
    pub(crate) fn release(&self, bytes: usize) {
        self.budget.release(bytes);
    }

    /// Stops handing out parts.
    pub(super) fn stop(&self) {
        let mut reader = self.reader.lock().expect(NO_PANIC);
        reader.files = Vec::new().into_iter();
        reader.open = None;
    }

    /// Returns the share of all bytes read so far, from 0 to 1; `None` if the total is unknown.
    pub(crate) fn share_read(&self) -> Option<f64> {
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
    /// Returns how much room the part occupies, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let bytes = self.content.as_ref().map_or(0, |block| block.bytes.capacity());
        if bytes > RECYCLED_BYTES { bytes * LARGE_PART_FACTOR } else { bytes }
    }
}

/// Tracks the number of bytes in progress.
#[derive(Default)]
struct ByteBudget {
    occupied: Mutex<usize>,
    is_free: Condvar,
}

impl ByteBudget {
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
