//! Processes all parts of all files on several threads, and delivers the results in input order.
//!
//! Each thread takes the next part, processes it and hands in the result. The thread that hands
//! in the next result in order delivers it, with all later results that were waiting for it.
//! Memory is bounded by the room of the [`Feed`]: a part occupies room until its result is
//! delivered, and the thread that processes the next part in order never waits for room.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Mutex;
use std::thread;

use castellan_pgn::Block;

use super::feed::{Feed, Part};
use super::progress::PgnProgress;

/// Whether all files could be read completely.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reading {
    Complete,
    Incomplete,
}

/// The result of a part.
pub(super) struct Done<R> {
    /// Number of games in the part.
    pub(super) games: u64,
    /// Approximate memory use of the result, in bytes.
    pub(super) bytes: usize,
    /// The result itself.
    pub(super) result: R,
}

/// Processes every part, given the name of its file, and passes the results to the sink, one
/// after another. An error of the sink ends the processing.
pub(super) fn run<R: Send>(
    files: Vec<String>,
    threads: usize,
    work: impl Fn(&str, &Block) -> Done<R> + Sync,
    sink: impl FnMut(R) -> io::Result<()> + Send,
) -> io::Result<Reading> {
    let feed = Feed::new(files);
    let order = Mutex::new(Order {
        due: 0,
        waiting: BTreeMap::new(),
        sink,
        progress: PgnProgress::new(),
        reading: Reading::Complete,
        error: None,
    });
    let worker = || {
        while let Some(part) = feed.take() {
            work_on(part, &feed, &order, &work);
        }
    };
    thread::scope(|scope| {
        // The calling thread is a worker, too.
        for _ in 1..threads {
            scope.spawn(worker);
        }
        worker();
    });
    let order = order.into_inner().expect("no thread panicked, or the scope would have");
    order.progress.clear();
    order.error.map_or(Ok(order.reading), Err)
}

/// A result that waits for earlier ones.
struct Waiting<R> {
    /// The room it occupies, in bytes.
    bytes: usize,
    /// The result, or why the file could not be read.
    done: Result<Done<R>, String>,
}

struct Order<R, S> {
    /// The number of the part whose result is delivered next.
    due: u64,
    waiting: BTreeMap<u64, Waiting<R>>,
    sink: S,
    progress: PgnProgress,
    reading: Reading,
    error: Option<io::Error>,
}

fn work_on<R, S: FnMut(R) -> io::Result<()>>(
    part: Part,
    feed: &Feed,
    order: &Mutex<Order<R, S>>,
    work: &impl Fn(&str, &Block) -> Done<R>,
) {
    let mut bytes = part.bytes();
    let number = part.number;
    let done = match part.content {
        Ok(block) => {
            let done = work(&part.file, &block);
            feed.recycle(block.bytes);
            feed.occupy(done.bytes);
            bytes += done.bytes;
            Ok(done)
        }
        Err(error) => Err(format!("error: {}: {error}", part.file)),
    };
    let mut order = order.lock().expect("no thread panics with the lock in its hand");
    order.waiting.insert(number, Waiting { bytes, done });
    let is_over = order.deliver_ready(feed);
    drop(order);
    if is_over {
        feed.stop();
    }
}

impl<R, S: FnMut(R) -> io::Result<()>> Order<R, S> {
    /// Delivers the results that are next in order. Returns whether an error has ended the
    /// processing.
    fn deliver_ready(&mut self, feed: &Feed) -> bool {
        while let Some(Waiting { bytes, done }) = self.waiting.remove(&self.due) {
            self.due += 1;
            self.progress.clear();
            match done {
                Ok(done) if self.error.is_none() => {
                    self.error = (self.sink)(done.result).err();
                    self.progress.show(done.games, feed.share_read());
                }
                Ok(_) => {}
                Err(why) => {
                    self.reading = Reading::Incomplete;
                    // If the message cannot be printed, there is no way left to report it.
                    let _ = writeln!(io::stderr(), "{why}");
                }
            }
            feed.release(bytes);
        }
        self.error.is_some()
    }
}
