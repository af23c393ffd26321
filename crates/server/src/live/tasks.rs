//! A counter for running tasks, so that a shutdown can wait for them.

use std::convert::Infallible;
use std::sync::Mutex;

use tokio::sync::mpsc;

use super::lock;

/// The running tasks.
#[derive(Debug)]
pub(crate) struct Tasks {
    tag: Mutex<Option<mpsc::Sender<Infallible>>>,
    done: tokio::sync::Mutex<mpsc::Receiver<Infallible>>,
}

/// A token that a task holds for as long as it runs.
#[derive(Clone, Debug)]
pub(crate) struct Tag {
    _alive: mpsc::Sender<Infallible>,
}

impl Tasks {
    pub(crate) fn new() -> Tasks {
        let (tag, done) = mpsc::channel(1);
        Tasks { tag: Mutex::new(Some(tag)), done: tokio::sync::Mutex::new(done) }
    }

    /// Returns a token for a new task, or `None` after [`ended`](Tasks::ended) was called.
    pub(crate) fn tag(&self) -> Option<Tag> {
        lock(&self.tag).clone().map(|alive| Tag { _alive: alive })
    }

    /// Rejects new tasks and waits until all running ones have ended.
    pub(crate) async fn ended(&self) {
        lock(&self.tag).take();
        while self.done.lock().await.recv().await.is_some() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_end_comes_after_the_last_task() {
        let tasks = Tasks::new();
        let tag = tasks.tag().unwrap();
        let (tell, mut told) = tokio::sync::oneshot::channel();
        tokio::spawn(async move {
            tokio::task::yield_now().await;
            tell.send(()).unwrap();
            drop(tag);
        });
        tasks.ended().await;
        assert_eq!(told.try_recv(), Ok(()));
        assert!(tasks.tag().is_none());
    }
}
