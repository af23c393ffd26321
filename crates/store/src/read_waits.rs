//! Counts how long queries wait for a connection, so that operators notice when there are too few.

use core::time::Duration;
use std::future::Future;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::store::ReadMetrics;

/// The waits of one kind of query.
#[derive(Debug, Default)]
pub(crate) struct ReadWaits {
    served: AtomicU64,
    refused: AtomicU64,
    waiting: AtomicU64,
    waited_ns: AtomicU64,
}

impl ReadWaits {
    /// Waits for a connection, and counts how long that takes.
    pub(crate) async fn measure<T, E>(
        &self,
        connection: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let wait = Wait::begin(self);
        let result = connection.await;
        drop(wait);
        let counter = if result.is_ok() { &self.served } else { &self.refused };
        counter.fetch_add(1, Ordering::Relaxed);
        result
    }

    pub(crate) fn metrics(&self) -> ReadMetrics {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        ReadMetrics {
            served: read(&self.served),
            refused: read(&self.refused),
            waiting: read(&self.waiting),
            waited: Duration::from_nanos(read(&self.waited_ns)),
        }
    }
}

/// A query that waits. It stops waiting when it is dropped, because its caller may give up.
struct Wait<'a> {
    waits: &'a ReadWaits,
    began: Instant,
}

impl Wait<'_> {
    fn begin(waits: &ReadWaits) -> Wait<'_> {
        waits.waiting.fetch_add(1, Ordering::Relaxed);
        Wait { waits, began: Instant::now() }
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        let waited_ns = u64::try_from(self.began.elapsed().as_nanos()).unwrap_or(u64::MAX);
        self.waits.waited_ns.fetch_add(waited_ns, Ordering::Relaxed);
        self.waits.waiting.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use core::task::{Context, Waker};

    use super::*;

    #[tokio::test]
    async fn queries_that_wait_are_counted_until_they_are_served_refused_or_given_up() {
        let waits = ReadWaits::default();
        let (free, is_free) = tokio::sync::oneshot::channel::<()>();
        let mut context = Context::from_waker(Waker::noop());
        let mut waiting = Box::pin(waits.measure(is_free));
        assert!(waiting.as_mut().poll(&mut context).is_pending());
        assert_eq!(waits.metrics().waiting, 1);
        free.send(()).expect("it is waiting");
        waiting.await.expect("a connection is free");
        waits.measure(async { Err::<(), ()>(()) }).await.expect_err("there is none");
        let mut given_up = Box::pin(waits.measure(std::future::pending::<Result<(), ()>>()));
        assert!(given_up.as_mut().poll(&mut context).is_pending());
        drop(given_up);
        let metrics = waits.metrics();
        assert_eq!((metrics.served, metrics.refused, metrics.waiting), (1, 1, 0));
        assert!(metrics.waited > Duration::ZERO);
    }
}
