//! The database of one test, which the test can open several times.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use castellan_store::{OpenError, Store, postgres, sqlite};
use castellan_testkit::waiting::LIMIT;
use tempfile::TempDir;

/// The location of the database.
pub(crate) enum Rig {
    Sqlite(TempDir),
    Postgres { url: String },
}

impl Rig {
    pub(crate) fn sqlite() -> Rig {
        Rig::Sqlite(tempfile::tempdir().expect("a temporary folder"))
    }

    /// Returns the file of a SQLite database.
    pub(crate) fn path(&self) -> PathBuf {
        match self {
            Rig::Sqlite(folder) => database_in(folder.path()),
            Rig::Postgres { .. } => panic!("a server has no file"),
        }
    }

    pub(crate) async fn open(&self) -> Arc<dyn Store> {
        self.try_open().await.expect("the store opens")
    }

    pub(crate) async fn try_open(&self) -> Result<Arc<dyn Store>, OpenError> {
        match self {
            Rig::Sqlite(_) => sqlite::open(self.path(), sqlite::SqliteOptions::default()),
            Rig::Postgres { url } => {
                // In a task of its own, as in a server: the future has to be `Send`.
                let url = url.clone();
                let options = postgres::PostgresOptions::default();
                let opening = async move { postgres::connect(&url, options).await };
                tokio::spawn(opening).await.expect("connecting does not panic")
            }
        }
    }
}

pub(crate) fn database_in(folder: &Path) -> PathBuf {
    folder.join("games.db")
}

/// Waits for a future, and panics with a description if it takes too long.
pub(crate) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(LIMIT, future).await;
    waited.unwrap_or_else(|_| panic!("timed out: {what}"))
}

/// Waits until a condition holds, and panics if that takes too long.
pub(crate) async fn wait_until(what: &str, condition: impl Fn() -> bool) {
    soon(what, async {
        while !condition() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}
