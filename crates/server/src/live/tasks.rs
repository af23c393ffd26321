//! The running tasks, so that a shutdown can wait for them.

use core::future::Future;

use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

/// The running tasks.
#[derive(Debug, Default)]
pub(crate) struct Tasks(TaskTracker);

/// A token that a task holds for as long as it runs.
pub(crate) type TaskGuard = TaskTrackerToken;

impl Tasks {
    /// Returns a token for a new task, or `None` after [`shut_down`](Tasks::shut_down) was called.
    pub(crate) fn guard(&self) -> Option<TaskGuard> {
        // The token comes before the check, so that a shutdown in between waits for it.
        let guard = self.0.token();
        (!self.0.is_closed()).then_some(guard)
    }

    /// Spawns a task, unless [`shut_down`](Tasks::shut_down) was called.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        if let Some(guard) = self.guard() {
            tokio::spawn(async move {
                task.await;
                drop(guard);
            });
        }
    }

    /// Rejects new tasks and waits until all running ones have ended.
    pub(crate) async fn shut_down(&self) {
        self.0.close();
        self.0.wait().await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_end_comes_after_the_last_task() {
        let tasks = Tasks::default();
        let (tell, mut told) = tokio::sync::oneshot::channel();
        tasks.spawn(async move {
            tokio::task::yield_now().await;
            tell.send(()).unwrap();
        });
        tasks.shut_down().await;
        assert_eq!(told.try_recv(), Ok(()));
        assert!(tasks.guard().is_none());
        tasks.spawn(async { unreachable!("there are no tasks after the end") });
        tokio::task::yield_now().await;
    }
}
