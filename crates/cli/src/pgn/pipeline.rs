//! Work on all parts of all files by several threads, with results in the order of the input.
//!
//! Each thread takes the next part, works on it and hands the result in. Whoever hands in the
//! one that is due passes it on, with all that waited for it. Memory is bounded by the room of
//! the [`Feed`]: a part takes room until its result has been passed on, and the thread that works
//! on the part that is due never waits for room.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::sync::Mutex;
use std::thread;

use castellan_pgn::Block;

use super::feed::{Feed, Part};
use super::progress::Progress;

/// Whether all files could be read to their end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reading {
    Complete,
    Incomplete,
}

/// What came out of a part.
pub(super) struct Done<R> {
    /// How many games it had.
    pub(super) games: u64,
    /// About how much memory the result takes.
    pub(super) bytes: usize,
    /// The result.
    pub(super) result: R,
}

/// Works on every part, given the name of its file, and passes the results to the sink, one
/// after another. An error of the sink ends it all.
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
        progress: Progress::new(),
        reading: Reading::Complete,
        error: None,
    });
    let worker = || {
        while let Some(part) = feed.take() {
            work_on(part, &feed, &order, &work);
        }
    };
    thread::scope(|scope| {
        // The calling thread works, too.
        for _ in 1..threads {
            scope.spawn(worker);
        }
        worker();
    });
    let order = order.into_inner().expect("no thread panicked, or the scope would have");
    order.progress.clear();
    order.error.map_or(Ok(order.reading), Err)
}

/// A result that waits for those before it.
struct Waiting<R> {
    /// The room it takes.
    bytes: usize,
    /// The result, or why the file could not be read.
    done: Result<Done<R>, String>,
}

struct Order<R, S> {
    /// The number of the part whose result comes next.
    due: u64,
    waiting: BTreeMap<u64, Waiting<R>>,
    sink: S,
    progress: Progress,
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
    let is_over = order.pass_on(feed);
    drop(order);
    if is_over {
        feed.stop();
    }
}

impl<R, S: FnMut(R) -> io::Result<()>> Order<R, S> {
    /// Passes on what is due; whether an error has ended it all.
    fn pass_on(&mut self, feed: &Feed) -> bool {
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
                    // Nobody is left to be told that the message could not be written.
                    let _ = writeln!(io::stderr(), "{why}");
                }
            }
            feed.release(bytes);
        }
        self.error.is_some()
    }
}
