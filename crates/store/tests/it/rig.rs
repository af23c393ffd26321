//! A database for one test, which can be opened again and again.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use castellan_store::{OpenError, Store, postgres, sqlite};
use castellan_testkit::waiting::LIMIT;
use tempfile::TempDir;

/// Where the store of a test is.
pub(crate) enum Rig {
    Sqlite(TempDir),
    Postgres { url: String },
}

impl Rig {
    pub(crate) fn sqlite() -> Rig {
        Rig::Sqlite(tempfile::tempdir().expect("a temporary folder"))
    }

    /// The file of the database.
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
                // Spawned, because servers do so, and it must be possible.
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

/// Waits for what must come some time, or fails with words.
pub(crate) async fn soon<T>(what: &str, future: impl Future<Output = T>) -> T {
    let waited = tokio::time::timeout(LIMIT, future).await;
    waited.unwrap_or_else(|_| panic!("waited in vain: {what}"))
}

/// Waits until a condition holds, which it must some time.
pub(crate) async fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    soon(what, async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
}
