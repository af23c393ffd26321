//! The queue in which writes wait for the single writer.
//!
//! This module provides the bounded queue, the time limit for waiting in it, and its metrics. The
//! backends take the writes out in groups and reply to them. Invariant: a write that timed out in
//! the queue is never stored, so its caller may rely on that.

use core::time::Duration;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use tokio::sync::{mpsc, oneshot, watch};

use crate::error::StoreError;
use crate::statement::Write;
use crate::store::StoreMetrics;

/// Maximum number of writes that share a commit.
///
/// A larger group would only make its first write wait longer: at this size the sync is already a
/// small part of the work.
const MAX_GROUP: usize = 2048;

/// The number that a write returns, or why it was not stored. Valid once the transaction of its
/// group is committed.
pub(crate) type WriteOutcome = Result<u64, StoreError>;

/// A write that is waiting.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) write: Write,
    deadline: Instant,
    queued: Instant,
    answer: oneshot::Sender<WriteOutcome>,
}

/// The sending half of the queue.
#[derive(Debug)]
pub(crate) struct Queue {
    sender: Mutex<Option<mpsc::Sender<Job>>>,
    timeout: Duration,
    counters: Arc<Counters>,
    is_done: watch::Receiver<bool>,
}

/// The receiving half of the queue, from which the writer takes groups.
#[derive(Debug)]
pub(crate) struct QueueReceiver {
    receiver: mpsc::Receiver<Job>,
    counters: Arc<Counters>,
    done: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct Counters {
    commits: AtomicU64,
    writes: AtomicU64,
    failures: AtomicU64,
    queued: AtomicU64,
    last_commit_ns: AtomicU64,
}

/// Creates a queue for `capacity` writes, each of which waits at most `timeout`.
pub(crate) fn queue(capacity: usize, timeout: Duration) -> (Queue, QueueReceiver) {
    let (sender, receiver) = mpsc::channel(capacity.max(1));
    let (done, is_done) = watch::channel(false);
    let counters = Arc::new(Counters::default());
    let receiver = QueueReceiver { receiver, counters: Arc::clone(&counters), done };
    (Queue { sender: Mutex::new(Some(sender)), timeout, counters, is_done }, receiver)
}

impl Queue {
    /// Waits for a free slot in the queue, then for the writer's reply.
    pub(crate) async fn submit(&self, write: Write) -> WriteOutcome {
        let queued = Instant::now();
        let deadline = queued + self.timeout;
        let sender = self.lock().clone().ok_or(StoreError::Closed)?;
        let place = tokio::time::timeout_at(deadline.into(), sender.reserve_owned()).await;
        let Ok(place) = place else {
            self.counters.failures.fetch_add(1, Ordering::Relaxed);
            return Err(StoreError::Overloaded { waited: queued.elapsed() });
        };
        let place = place.map_err(|_| StoreError::Closed)?;
        let (answer, answered) = oneshot::channel();
        self.counters.queued.fetch_add(1, Ordering::Relaxed);
        place.send(Job { write, deadline, queued, answer });
        answered.await.unwrap_or_else(|_| {
            Err(StoreError::Uncertain { why: "the writer stopped without a response".to_owned() })
        })
    }

    /// Rejects new writes and waits until the writer has finished.
    pub(crate) async fn close(&self) {
        self.lock().take();
        let mut is_done = self.is_done.clone();
        // An error means that the writer has already ended, which is just as good.
        let _ = is_done.wait_for(|&is_done| is_done).await;
    }

    /// Returns the counters of the writes; those of the queries are left at 0.
    pub(crate) fn metrics(&self) -> StoreMetrics {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        StoreMetrics {
            commits: read(&self.counters.commits),
            writes: read(&self.counters.writes),
            failures: read(&self.counters.failures),
            queued: read(&self.counters.queued),
            last_commit: Duration::from_nanos(read(&self.counters.last_commit_ns)),
            ..StoreMetrics::default()
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<mpsc::Sender<Job>>> {
        self.sender.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QueueReceiver {
    /// Waits for the next group. Returns `None` once the queue is closed and empty.
    pub(crate) fn blocking_next(&mut self) -> Option<Vec<Job>> {
        let first = self.receiver.blocking_recv()?;
        Some(self.gather(first))
    }

    /// Waits for the next group. Returns `None` once the queue is closed and empty.
    pub(crate) async fn next(&mut self) -> Option<Vec<Job>> {
        let first = self.receiver.recv().await?;
        Some(self.gather(first))
    }

    /// Takes all waiting writes, and fails those whose deadline has passed.
    fn gather(&mut self, first: Job) -> Vec<Job> {
        let mut group = vec![first];
        while group.len() < MAX_GROUP
            && let Ok(job) = self.receiver.try_recv()
        {
            group.push(job);
        }
        self.counters.queued.fetch_sub(group.len() as u64, Ordering::Relaxed);
        let now = Instant::now();
        let (late, in_time): (Vec<Job>, Vec<Job>) =
            group.into_iter().partition(|job| job.deadline < now);
        for job in late {
            let waited = now - job.queued;
            self.fail(job, StoreError::Overloaded { waited });
        }
        in_time
    }

    /// Replies that a write was not stored.
    pub(crate) fn fail(&self, job: Job, error: StoreError) {
        self.counters.failures.fetch_add(1, Ordering::Relaxed);
        job.reply(Err(error));
    }

    /// Replies to every write of a group after its commit.
    pub(crate) fn committed(&self, answered: Vec<(Job, WriteOutcome)>, took: Duration) {
        let stored = answered.iter().filter(|(_, result)| result.is_ok()).count() as u64;
        let refused = answered.len() as u64 - stored;
        let took_ns = u64::try_from(took.as_nanos()).unwrap_or(u64::MAX);
        // A group in which every write was rejected is not committed either.
        self.counters.commits.fetch_add(u64::from(stored > 0), Ordering::Relaxed);
        self.counters.writes.fetch_add(stored, Ordering::Relaxed);
        self.counters.failures.fetch_add(refused, Ordering::Relaxed);
        self.counters.last_commit_ns.store(took_ns, Ordering::Relaxed);
        for (job, result) in answered {
            job.reply(result);
        }
    }
}

impl Job {
    fn reply(self, result: WriteOutcome) {
        // The caller may have stopped waiting in the meantime.
        let _ = self.answer.send(result);
    }
}

impl Drop for QueueReceiver {
    fn drop(&mut self) {
        self.done.send_replace(true);
    }
}
