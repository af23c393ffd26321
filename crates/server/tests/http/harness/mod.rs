//! A server on a loopback port, a minimal HTTP client, and games to read.

mod client;
mod games;
mod mail_server;

use core::time::Duration;
use std::net::SocketAddr;
use std::sync::Arc;

use castellan_game::Moment;
use castellan_server::{
    AdminKey, Clock, Config, PasswordCost, Random, Rate, RateConfig, Services, serve_with,
};
use castellan_store::{Store, sqlite};
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

pub(crate) use client::{Client, Request, Response};
pub(crate) use games::{PlayedGame, store_game};
pub(crate) use mail_server::MailServer;

/// A date in 2026.
pub(crate) const NOW: Moment = Moment::from_millis(1_790_000_000_000);

/// A password that is accepted.
pub(crate) const PASSWORD: &str = "correct horse battery";

/// A server that runs until it is dropped or stopped.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) clock: Clock,
    pub(crate) admin_key: Option<AdminKey>,
    stop: Option<oneshot::Sender<()>>,
    task: JoinHandle<()>,
    _folder: tempfile::TempDir,
}

impl Server {
    /// Starts a server with limits that no test reaches by accident.
    pub(crate) async fn start() -> Server {
        Server::start_with(config()).await
    }

    pub(crate) async fn start_with(config: Config) -> Server {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("test.db");
        let store = sqlite::open(path, sqlite::SqliteOptions::default()).unwrap();
        Server::start_on(config, store, folder).await
    }

    /// Starts a server with what is in a store. The folder lives as long as the server.
    pub(crate) async fn start_on(
        config: Config,
        store: Arc<dyn Store>,
        folder: tempfile::TempDir,
    ) -> Server {
        let clock = Clock::manual(NOW);
        let admin_key = config.admin_key.clone();
        let random = Random::seeded(1);
        let services = Services::new(config, Arc::clone(&store), clock.clone(), random);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn(async move {
            let shutdown = async { drop(stopped.await) };
            serve_with(Arc::new(services), listener, shutdown).await.unwrap();
        });
        Server { address, store, clock, admin_key, stop: Some(stop), task, _folder: folder }
    }

    /// Returns a browser that shows our page and has no cookie yet.
    pub(crate) fn browser(&self) -> Client {
        Client::new(self.address)
    }

    /// Returns a browser that is signed in to a new account.
    pub(crate) async fn account(&self, name: &str) -> Client {
        let mut client = self.browser();
        let body = serde_json::json!({"name": name, "password": PASSWORD});
        client.post("/api/register", &body).await.expect(200);
        client
    }

    /// Sends a command as the operator.
    pub(crate) async fn command(&self, command: &serde_json::Value) -> Response {
        let key = self.admin_key.as_ref().unwrap().reveal();
        let request = Request::new("POST", "/api/admin").json(command);
        request.header("Authorization", &format!("Bearer {key}")).send(self.address).await
    }

    /// Returns a browser that has become a guest.
    pub(crate) async fn guest(&self, name: &str) -> Client {
        let mut client = self.browser();
        client.post("/api/guest", &serde_json::json!({"name": name})).await.expect(200);
        client
    }

    /// Waits until the server stops by itself.
    pub(crate) async fn ended(self) {
        self.task.await.unwrap();
    }

    /// Shuts the server down gracefully and waits for it.
    pub(crate) async fn stop(mut self) {
        drop(self.stop.take());
        self.task.await.unwrap();
    }
}

/// Returns settings with fast password hashing and generous limits.
pub(crate) fn config() -> Config {
    let wide = Rate::per(10_000, Duration::from_secs(1));
    Config {
        is_local: true,
        admin_key: AdminKey::new().ok(),
        password_cost: PasswordCost { memory_kib: 64, passes: 1, at_once: 2, waiting: 64 },
        rates: RateConfig {
            requests: wide,
            guests: wide,
            registrations: wide,
            logins_by_address: wide,
            logins_by_name: wide,
            exports: wide,
            ..RateConfig::default()
        },
        ..Config::default()
    }
}
