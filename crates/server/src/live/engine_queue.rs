//! The queue of requests to the engines, and the tickets of the callers that wait for an answer.
//!
//! Invariants: the queue is bounded, and a request whose ticket was dropped is never started. If it
//! is being searched, the search is stopped.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use castellan_engine::Signals;

/// State of a request that its ticket and the worker share.
#[derive(Debug, Default)]
struct RequestState {
    signals: Signals,
    is_over: AtomicBool,
}

/// A place in the queue. Dropping it cancels the request.
#[must_use = "dropping the ticket cancels the request"]
#[derive(Debug)]
pub(crate) struct EngineTicket(Arc<RequestState>);

impl EngineTicket {
    /// Returns `true` once the request was answered or failed; `false` while it waits or is being
    /// searched.
    pub(crate) fn is_over(&self) -> bool {
        self.0.is_over.load(Ordering::Acquire)
    }
}

impl Drop for EngineTicket {
    fn drop(&mut self) {
        self.0.signals.stop.store(true, Ordering::Relaxed);
    }
}

/// A request in the queue, or in the hands of a worker.
#[derive(Debug)]
pub(crate) struct Queued<T> {
    state: Arc<RequestState>,
    pub(crate) request: Option<T>,
}

impl<T> Queued<T> {
    /// Returns `true` if no client waits for the answer any longer.
    pub(crate) fn is_canceled(&self) -> bool {
        self.state.signals.stop.load(Ordering::Relaxed)
    }

    /// Returns the signals for the search of this request.
    pub(crate) fn signals(&self) -> &Signals {
        &self.state.signals
    }
}

impl<T> Drop for Queued<T> {
    fn drop(&mut self) {
        self.state.is_over.store(true, Ordering::Release);
    }
}

/// All engines are busy and the queue is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EnginesBusy;

/// Requests that wait for a worker.
#[derive(Debug)]
pub(crate) struct EngineQueue<T> {
    inner: Mutex<QueueState<T>>,
    changed: Condvar,
    capacity: usize,
}

#[derive(Debug)]
struct QueueState<T> {
    waiting: VecDeque<Queued<T>>,
    /// The requests that workers are searching.
    running: Vec<Arc<RequestState>>,
    is_closed: bool,
}

impl<T> EngineQueue<T> {
    /// Creates an empty queue for at most `capacity` requests.
    pub(crate) fn new(capacity: usize) -> EngineQueue<T> {
        let state = QueueState { waiting: VecDeque::new(), running: Vec::new(), is_closed: false };
        EngineQueue { inner: Mutex::new(state), changed: Condvar::new(), capacity }
    }

    /// Adds a request. Canceled requests make room for it.
    pub(crate) fn push(&self, request: T) -> Result<EngineTicket, EnginesBusy> {
        let mut inner = self.lock();
        if inner.waiting.len() >= self.capacity {
            inner.waiting.retain(|queued| !queued.is_canceled());
        }
        if inner.is_closed || inner.waiting.len() >= self.capacity {
            return Err(EnginesBusy);
        }
        let state = Arc::new(RequestState::default());
        inner.waiting.push_back(Queued { state: Arc::clone(&state), request: Some(request) });
        drop(inner);
        self.changed.notify_one();
        Ok(EngineTicket(state))
    }

    /// Waits for the next request that is not canceled. Returns `None` once the queue is closed.
    pub(crate) fn next(&self) -> Option<Queued<T>> {
        let mut inner = self.lock();
        loop {
            if inner.is_closed {
                return None;
            }
            match inner.waiting.pop_front() {
                Some(queued) if queued.is_canceled() => {}
                Some(queued) => {
                    inner.running.retain(|state| !state.is_over.load(Ordering::Acquire));
                    inner.running.push(Arc::clone(&queued.state));
                    return Some(queued);
                }
                None => {
                    inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }

    /// Waits for a time, or until the queue is closed.
    pub(crate) fn rest(&self, time: Duration) {
        let until = Instant::now() + time;
        let mut inner = self.lock();
        while !inner.is_closed {
            let Some(left) = until.checked_duration_since(Instant::now()) else { return };
            let waited = self.changed.wait_timeout(inner, left);
            inner = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Number of requests that wait for a worker, including canceled ones.
    pub(crate) fn len(&self) -> usize {
        self.lock().waiting.len()
    }

    /// Drops the waiting requests, stops the searches, and rejects further requests.
    pub(crate) fn close(&self) {
        let mut inner = self.lock();
        inner.is_closed = true;
        inner.waiting.clear();
        for state in inner.running.drain(..) {
            state.signals.stop.store(true, Ordering::Relaxed);
        }
        drop(inner);
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, QueueState<T>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn submitting_never_waits_and_canceling_makes_room() {
        let queue = EngineQueue::new(2);
        let first = queue.push(1).unwrap();
        let second = queue.push(2).unwrap();
        assert_eq!(queue.push(3).unwrap_err(), EnginesBusy);
        drop(first);
        let third = queue.push(3).unwrap();
        assert_eq!(queue.len(), 2);
        let next = queue.next().unwrap();
        assert_eq!(next.request, Some(2), "the first was canceled");
        assert!(!second.is_over() && !next.is_canceled());
        drop(second);
        assert!(next.is_canceled(), "a search in progress is stopped, too");
        let next = queue.next().unwrap();
        assert_eq!(next.request, Some(3));
        drop(next);
        assert!(third.is_over());
    }

    #[test]
    fn a_closed_queue_stops_searches_and_takes_nothing() {
        let queue = EngineQueue::new(2);
        let (first, second) = (queue.push(1).unwrap(), queue.push(2).unwrap());
        let running = queue.next().unwrap();
        queue.close();
        assert!(running.is_canceled() && second.is_over() && !first.is_over());
        assert_eq!(queue.push(3).unwrap_err(), EnginesBusy);
        assert!(queue.next().is_none());
        queue.rest(Duration::from_secs(100_000));
    }
}
