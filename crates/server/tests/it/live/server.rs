//! A server for one test.

use core::time::Duration;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::Path;
use std::sync::Arc;

use castellan_game::{GameId, Moment, Recorded, TimeControl};
use castellan_server::{
    AdminKey, AdminReply, AdminRequest, Bus, Clock, Config, PasswordCost, Random, Services,
    serve_with,
};
use castellan_store::{Store, sqlite};
use castellan_testkit::waiting::LIMIT;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::client::Client;

/// One minute per player, without an increment.
pub(crate) const MINUTE: TimeControl =
    TimeControl::Increment { initial_ms: 60_000, increment_ms: 0 };

/// Waits until a condition holds. Panics if it does not hold within the time limit of all tests.
pub(crate) async fn wait_until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let deadline = Instant::now() + LIMIT;
    while !is_so().await {
        assert!(Instant::now() < deadline, "waited in vain: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Settings of a test server.
pub(crate) struct Setup {
    pub(crate) config: Config,
    pub(crate) store: sqlite::SqliteOptions,
    pub(crate) seed: u64,
    pub(crate) now_ms: u64,
}

impl Default for Setup {
    /// Returns settings without limits, so that unrelated tests do not reach them.
    fn default() -> Setup {
        let unlimited = vec![IpAddr::V4(Ipv4Addr::LOCALHOST)];
        let password_cost = PasswordCost { memory_kib: 64, passes: 1, ..PasswordCost::default() };
        let admin_key = AdminKey::new().ok();
        let config = Config { unlimited, password_cost, admin_key, ..Config::default() };
        Setup {
            config,
            store: sqlite::SqliteOptions::default(),
            seed: 1,
            now_ms: 1_800_000_000_000,
        }
    }
}

impl Setup {
    /// Returns settings with the limits of an ordinary client.
    pub(crate) fn limited() -> Setup {
        let mut setup = Setup::default();
        setup.config.unlimited.clear();
        setup
    }

    pub(crate) async fn start(self) -> TestServer {
        self.start_in(TempDir::new().unwrap()).await
    }

    /// Starts a server with the database in a folder.
    pub(crate) async fn start_in(self, folder: TempDir) -> TestServer {
        let store = sqlite::open(folder.path().join("games.db"), self.store).unwrap();
        let clock = Clock::manual(Moment::from_millis(self.now_ms));
        let place = Place { store, clock, bus: Bus::alone(), folder };
        place.start(self.config, Random::seeded(self.seed)).await
    }

    /// Starts one of several nodes that share a store and a clock.
    pub(crate) async fn start_node(
        self,
        store: &Arc<dyn Store>,
        clock: &Clock,
        bus: Bus,
    ) -> TestServer {
        let (store, folder) = (Arc::clone(store), TempDir::new().unwrap());
        let place = Place { store, clock: clock.clone(), bus, folder };
        place.start(self.config, Random::seeded(self.seed)).await
    }
}

/// What a server needs to start.
struct Place {
    store: Arc<dyn Store>,
    clock: Clock,
    bus: Bus,
    folder: TempDir,
}

impl Place {
    async fn start(self, config: Config, random: Random) -> TestServer {
        let Place { store, clock, bus, folder } = self;
        let services = Services::new(config, Arc::clone(&store), clock.clone(), random);
        let services = Arc::new(services.joined(bus));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let task = tokio::spawn({
            let services = Arc::clone(&services);
            async move {
                let stopped = async { drop(stopped.await) };
                serve_with(services, listener, stopped).await.unwrap();
            }
        });
        TestServer { address, clock, store, services, folder, stop, task }
    }
}

/// A running server.
pub(crate) struct TestServer {
    pub(crate) address: SocketAddr,
    pub(crate) clock: Clock,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) services: Arc<Services>,
    folder: TempDir,
    stop: oneshot::Sender<()>,
    task: JoinHandle<()>,
}

impl TestServer {
    pub(crate) async fn start() -> TestServer {
        Setup::default().start().await
    }

    /// Stops the server as an operator would, and returns its folder.
    pub(crate) async fn stop(self) -> TempDir {
        let (store, folder) = self.leave().await;
        store.close().await.unwrap();
        folder
    }

    /// Stops one of several nodes. The store stays open.
    pub(crate) async fn leave(self) -> (Arc<dyn Store>, TempDir) {
        let TestServer { store, folder, stop, task, services, .. } = self;
        stop.send(()).unwrap();
        tokio::time::timeout(LIMIT, task).await.expect("it stops in time").unwrap();
        drop(services);
        (store, folder)
    }

    /// Returns the folder with the database.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Advances the clock.
    pub(crate) fn pass(&self, time: Duration) {
        self.clock.advance(time);
    }

    pub(crate) fn now(&self) -> Moment {
        self.clock.now()
    }

    /// Connects a guest.
    pub(crate) async fn guest(&self, name: &str) -> Client {
        Client::guest(self, name).await
    }

    /// Starts a one-minute game between two guests. Returns White and Black.
    pub(crate) async fn game(&self) -> (Client, Client, GameId) {
        self.game_of(MINUTE).await
    }

    /// Starts a game between two guests. Returns White and Black.
    pub(crate) async fn game_of(&self, time_control: TimeControl) -> (Client, Client, GameId) {
        let (mut one, mut other) = (self.guest("Anna").await, self.guest("Ben").await);
        let game = pair(&mut one, &mut other, time_control).await;
        let (white, black) = in_order(one, other, game);
        (white, black, game)
    }

    /// Returns the stored events of a game.
    pub(crate) async fn record(&self, game: GameId) -> Vec<Recorded> {
        self.store.load_game(game).await.unwrap().unwrap().events
    }

    /// Sends a request with a body. Returns the status and the cookie that the response sets.
    pub(crate) async fn post(&self, path: &str, body: &str) -> (u16, Option<String>) {
        let answer = self.request("POST", path, body, "").await;
        let status = answer.split(' ').nth(1).unwrap().parse().unwrap();
        let cookie = answer.lines().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            let is_cookie = name.eq_ignore_ascii_case("set-cookie");
            is_cookie.then(|| value.split(';').next().unwrap().to_owned())
        });
        (status, cookie)
    }

    /// Sends a request with a cookie, as our page would. Returns the status.
    pub(crate) async fn post_with_cookie(&self, path: &str, body: &str, cookie: &str) -> u16 {
        let headers = format!("cookie: {cookie}\r\norigin: http://{}\r\n", self.address);
        let answer = self.request("POST", path, body, &headers).await;
        answer.split(' ').nth(1).unwrap().parse().unwrap()
    }

    /// Returns the whole response to a request with a cookie.
    pub(crate) async fn get_with_cookie(&self, path: &str, cookie: &str) -> String {
        self.request("GET", path, "", &format!("cookie: {cookie}\r\n")).await
    }

    /// Returns the whole response to a request.
    pub(crate) async fn get(&self, path: &str) -> String {
        self.request("GET", path, "", "").await
    }

    /// Sends a command as the operator. Fails with the whole response if it is refused.
    pub(crate) async fn command(&self, request: &AdminRequest) -> Result<AdminReply, String> {
        let key = self.services.config.admin_key.as_ref().unwrap().reveal();
        let body = serde_json::to_string(request).unwrap();
        let headers = format!("authorization: Bearer {key}\r\n");
        let answer = self.request("POST", "/api/admin", &body, &headers).await;
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        if head.contains(" 200 ") { Ok(serde_json::from_str(body).unwrap()) } else { Err(answer) }
    }

    async fn request(&self, method: &str, path: &str, body: &str, headers: &str) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\n\
             content-length: {}\r\n{headers}connection: close\r\n\r\n{body}",
            self.address,
            body.len(),
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    /// Creates an account and returns its cookie.
    pub(crate) async fn account(&self, name: &str) -> String {
        let body = format!(r#"{{"name": "{name}", "password": "correct horse battery {name}"}}"#);
        let (status, cookie) = self.post("/api/register", &body).await;
        assert_eq!(status, 200);
        cookie.expect("an account comes with a session")
    }
}

/// Pairs two clients.
pub(crate) async fn pair(
    one: &mut Client,
    other: &mut Client,
    time_control: TimeControl,
) -> GameId {
    one.seek(time_control).await;
    one.queued().await;
    other.seek(time_control).await;
    let game = one.game().await.game;
    assert_eq!(other.game().await.game, game);
    game
}

/// Returns White and Black.
pub(crate) fn in_order(one: Client, other: Client, game: GameId) -> (Client, Client) {
    match one.seat(game) {
        castellan_protocol::Seat::White => (one, other),
        _ => (other, one),
    }
}
