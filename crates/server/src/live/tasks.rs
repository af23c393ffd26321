//! Counts tasks, so that a shutdown can wait for them.

use std::convert::Infallible;
use std::sync::Mutex;

use tokio::sync::mpsc;

use super::lock;

/// Tasks that are waited for.
#[derive(Debug)]
pub(crate) struct Tasks {
    tag: Mutex<Option<mpsc::Sender<Infallible>>>,
    done: tokio::sync::Mutex<mpsc::Receiver<Infallible>>,
}

/// Held by a task for as long as it runs.
#[derive(Clone, Debug)]
pub(crate) struct Tag {
    _alive: mpsc::Sender<Infallible>,
}

impl Tasks {
    pub(crate) fn new() -> Tasks {
        let (tag, done) = mpsc::channel(1);
        Tasks { tag: Mutex::new(Some(tag)), done: tokio::sync::Mutex::new(done) }
    }

    /// For a new task; none once somebody waits for the end of all.
    pub(crate) fn tag(&self) -> Option<Tag> {
        lock(&self.tag).clone().map(|alive| Tag { _alive: alive })
    }

    /// Lets no new task in and waits until all have ended.
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
