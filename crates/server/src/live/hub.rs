//! The entry point to games in progress and their connections, and the state that their parts share.
//!
//! This module is responsible for startup and shutdown. Invariant: after a shutdown, every
//! announced event is in the store, and the store has recorded when the server stopped.

use core::fmt;
use core::future::Future;
use core::task::{Context, Waker};
use core::time::Duration;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};

use castellan_game::{Game, GameId, Moment, PlayerId};
use castellan_protocol::{ServerCode, ServerMessage, ShuttingDown};
use castellan_store::{Outage, StoreError, TokenDigest};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{Semaphore, mpsc};
use tokio::time::timeout_at;

use super::begin;
use super::bus_events;
use super::connection::{CloseReason, ConnectionId, Protocol};
use super::connections::Connections;
use super::damaged::DamagedGames;
use super::departures::RETURN_MS;
use super::engines::{EngineShare, Engines};
use super::leave_tracker::LeaveTracker;
use super::lobby::{Lobby, SeekTerms};
use super::lock;
use super::moderation;
use super::mutes::Mutes;
use super::pairing;
use super::peers::Peers;
use super::reply::encode;
use super::room::{Call, Downtime};
use super::rooms::{Rooms, RunningGame};
use super::routes::ConnectionLimit;
use super::tasks::Tasks;
use crate::address_limit::AddressLimit;
use crate::bus::BusMessage;
use crate::state::Services;

/// Interval at which the store records that the server is running.
const HEARTBEAT_MS: u64 = 1_000;
/// In a cluster, how long heartbeats have to be missing before that counts as an outage.
const SILENCE_MS: u64 = 2 * HEARTBEAT_MS;
/// Interval at which sleeping games are checked.
const WAKE_MS: u64 = 5_000;
/// Estimated duration of a restart, as announced to clients.
const ABOUT_S: u32 = 10;
/// Maximum number of games that are read from the store at the same time for clients.
const READERS: usize = 16;
/// Maximum number of clients waiting for a game to be read: enough for all clients of a node when
/// another node dies.
const READERS_QUEUE: usize = 8_192;
/// Maximum number of waiting requests per engine thread.
const REQUESTS_PER_THREAD: usize = 64;

/// Handle to all games in progress and their connections. Cheap to clone.
#[derive(Clone)]
pub struct Hub(Arc<Shared>);

/// Current activity on the server.
pub(crate) struct Activity {
    /// Number of players with an open connection.
    pub(crate) players: usize,
    /// Number of players waiting for an opponent.
    pub(crate) waiting: usize,
    /// Number of running games.
    pub(crate) playing: usize,
    /// The newest running games.
    pub(crate) games: Vec<RunningGame>,
    /// The kinds of games that players wait for, each with their number.
    pub(crate) wanted: Vec<(SeekTerms, usize)>,
}

/// State shared by all parts of the live server.
pub(crate) struct Shared {
    pub(crate) services: Arc<Services>,
    pub(crate) rooms: Rooms,
    /// Games that cannot be played.
    pub(crate) damaged: DamagedGames,
    pub(crate) lobby: Mutex<Lobby>,
    pub(crate) peers: Peers,
    /// Players that this node is looking for at other nodes, each with the channel that reports that
    /// they were found.
    pub(crate) searches: Mutex<Vec<(PlayerId, mpsc::Sender<()>)>>,
    pub(crate) connections: Connections,
    pub(crate) leaves: Mutex<LeaveTracker>,
    pub(crate) mutes: Mutex<Mutes>,
    pub(crate) engines: Engines,
    pub(crate) connection_limit: ConnectionLimit,
    /// Games in memory that each address has started or had loaded from the store.
    pub(crate) game_limit: Arc<AddressLimit>,
    /// Rooms, and tasks that write to the store for them.
    pub(crate) tasks: Tasks,
    pub(crate) sockets: Tasks,
    pub(crate) readers: Arc<Semaphore>,
    pub(crate) readers_queue: Arc<Semaphore>,
    /// The last period in which no server was running.
    outage: Option<Outage>,
    /// When the server became ready for players.
    ready: OnceLock<Moment>,
    /// When a write failed last, in milliseconds since 1970; 0 if none has failed.
    store_failed_ms: AtomicU64,
    is_closing: AtomicBool,
    next_connection: AtomicU64,
}

impl Hub {
    /// Resumes the games that were running when the server stopped, and gets ready for players.
    ///
    /// # Errors
    /// Fails if the store cannot be read or written.
    pub async fn start(services: Arc<Services>) -> Result<Hub, StoreError> {
        // In a cluster, every node records the same outage, whichever starts first.
        let silence_ms = if services.bus.is_joined() { SILENCE_MS } else { 0 };
        let silence = Duration::from_millis(silence_ms);
        services.store.begin_service(services.clock.now(), silence).await?;
        let outage = services.store.last_outage().await?;
        let shared = Arc::new(Shared::new(services, outage));
        moderation::refresh_policy(&shared).await?;
        // If other nodes are running, they have the games, which are loaded here on demand.
        if !bus_events::join(&shared).await {
            for game in shared.services.store.unfinished().await? {
                begin::resume(&shared, game).await?;
            }
        }
        shared.ready.get_or_init(|| shared.services.clock.now());
        tokio::spawn(record_heartbeats(Arc::downgrade(&shared)));
        tokio::spawn(watch_clock(Arc::downgrade(&shared)));
        tokio::spawn(wake_sleepers(Arc::downgrade(&shared)));
        Ok(Hub(shared))
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.0
    }

    /// Closes the connections of a session that has ended: by a logout, a password change, or
    /// from the list of sessions.
    pub fn end_session(&self, session: TokenDigest) {
        self.0.connections.end_session(session);
        let session = bus_events::to_hex(session);
        bus_events::publish_repeatedly(&self.0, BusMessage::SessionOver { session });
    }

    /// Returns `true` if the player has an open connection or a running game at this node.
    pub fn is_present(&self, player: PlayerId) -> bool {
        self.0.connections.is_here(player) || !self.0.rooms.games_of(player).is_empty()
    }

    /// Returns the current activity, with at most `most` games and as many kinds of games.
    pub(crate) fn activity(&self, most: usize) -> Activity {
        let lobby = lock(&self.0.lobby);
        let (waiting, wanted) = (lobby.count_here(), lobby.wanted(most));
        drop(lobby);
        Activity {
            players: self.0.connections.count(),
            waiting,
            wanted,
            playing: self.0.rooms.running_count(),
            games: self.0.rooms.newest(most),
        }
    }

    /// Returns the number of running games.
    pub fn running_games(&self) -> usize {
        self.0.rooms.running_count()
    }

    /// Announces the shutdown to all clients, waits for pending writes, and closes the
    /// connections, all within the given time.
    pub async fn shutdown(&self, within: Duration) {
        let shared = &self.0;
        let deadline = tokio::time::Instant::now() + within;
        let stopped = shared.services.clock.now();
        shared.is_closing.store(true, Ordering::SeqCst);
        shared.engines.stop();
        let notice = encode(&ServerMessage::ShuttingDown(ShuttingDown { about_s: ABOUT_S }));
        for connection in shared.connections.all() {
            if connection.protocol() == Protocol::Full {
                connection.send(notice.clone());
            }
        }
        let rooms = async {
            for sender in shared.rooms.senders() {
                // A room that has already closed needs no call.
                let _ = sender.send(Call::Close).await;
            }
            shared.tasks.shut_down().await;
        };
        // The connections need the rest of the time to close.
        let for_rooms = deadline - within / 4;
        if timeout_at(for_rooms, rooms).await.is_err() {
            tracing::error!("not all games could be closed in time");
        }
        // From then on, moves may have been refused.
        if let Err(error) = shared.services.store.heartbeat(stopped).await {
            tracing::error!("the time of the shutdown could not be saved: {error}");
        }
        shared.services.bus.publish(BusMessage::Bye {});
        for connection in shared.connections.all() {
            connection.close(CloseReason::Shutdown);
        }
        if timeout_at(deadline, shared.sockets.shut_down()).await.is_err() {
            tracing::warn!("not all connections could be closed in time");
        }
    }
}

impl fmt::Debug for Hub {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hub").field("running", &self.running_games()).finish_non_exhaustive()
    }
}

impl Shared {
    fn new(services: Arc<Services>, outage: Option<Outage>) -> Shared {
        let config = &services.config;
        let threads = config.live.engine_threads;
        let share = EngineShare {
            threads,
            percent: config.live.engine_share_percent,
            waiting: REQUESTS_PER_THREAD * threads.max(1),
        };
        Shared {
            rooms: Rooms::new(config.live.max_games),
            damaged: DamagedGames::new(
                services.metrics.damaged_games.clone(),
                services.clock.clone(),
            ),
            lobby: Mutex::new(Lobby::new(config.max_sockets)),
            peers: Peers::default(),
            searches: Mutex::default(),
            connections: Connections::default(),
            leaves: Mutex::default(),
            mutes: Mutex::default(),
            engines: Engines::start(share, &services.metrics.panics),
            connection_limit: ConnectionLimit::new(config),
            game_limit: Arc::new(AddressLimit::new(config.live.max_games_per_address)),
            tasks: Tasks::default(),
            sockets: Tasks::default(),
            readers: Arc::new(Semaphore::new(READERS)),
            readers_queue: Arc::new(Semaphore::new(READERS_QUEUE)),
            outage,
            ready: OnceLock::new(),
            store_failed_ms: AtomicU64::new(0),
            is_closing: AtomicBool::new(false),
            next_connection: AtomicU64::new(1),
            services,
        }
    }

    /// Returns `true` if the server is shutting down.
    pub(crate) fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::SeqCst)
    }

    /// Returns `true` if players can play against the engine.
    pub(crate) fn has_engine(&self) -> bool {
        self.services.config.live.engine_threads > 0
    }

    /// Returns the part of the last outage for which the player to move has to be credited, if
    /// the turn began before the outage ended. Time that other nodes have already credited does
    /// not count, because a credit is an event, and the period starts no earlier than the last
    /// event.
    pub(crate) fn downtime(&self, id: GameId, created: Moment, game: &Game) -> Option<Downtime> {
        let outage = self.outage?;
        let turn_began = game.played().last().map_or(created, |played| played.at);
        if !game.is_running() || turn_began >= outage.until {
            return None;
        }
        let mover = game.seats().get(game.line().turn())?.id;
        let is_back = self.peers.remote_audience(id).players.contains_key(&mover);
        let until = if is_back { outage.until } else { outage.until.plus_ms(RETURN_MS) };
        let since = outage.from.max(game.last_at());
        (since < until).then_some(Downtime { since, until })
    }

    /// Returns until when players may still be reconnecting after an outage.
    pub(crate) fn return_until(&self) -> Moment {
        let ready = self.ready.get().copied();
        ready.unwrap_or_else(|| self.services.clock.now()).plus_ms(RETURN_MS)
    }

    /// Records that the store could not save something.
    pub(crate) fn note_store_failure(&self) {
        self.services.metrics.store_errors.increment(1);
        let now_ms = self.services.clock.now().as_millis();
        self.store_failed_ms.fetch_max(now_ms, Ordering::Relaxed);
    }

    /// Returns when the store last failed to save something, which is long ago if it never has.
    pub(crate) fn store_failed(&self) -> Moment {
        Moment::from_millis(self.store_failed_ms.load(Ordering::Relaxed))
    }

    /// Returns the ID for a new connection.
    pub(crate) fn next_connection(&self) -> ConnectionId {
        ConnectionId(self.next_connection.fetch_add(1, Ordering::Relaxed))
    }

    /// Passes a call to a game's room or refuses it, without waiting. A game that is not in
    /// memory is read from the store.
    pub(crate) fn call(self: &Arc<Shared>, game: GameId, call: Call) {
        let Some(sender) = self.rooms.get(game) else {
            return begin::open_for(self, game, call);
        };
        match sender.try_send(call) {
            Ok(()) => {}
            Err(TrySendError::Closed(call)) if self.is_closing() => {
                call.refuse(ServerCode::ShuttingDown);
            }
            Err(error) => self.refuse_busy(error.into_inner()),
        }
    }

    /// Refuses a call because something is full.
    pub(crate) fn refuse_busy(&self, call: Call) {
        if call.is_from_client() {
            self.services.metrics.busy.increment(1);
        }
        call.refuse(ServerCode::Busy);
    }

    /// Removes a connection from a game's audience. If the room's inbox is full, the call waits for
    /// its turn, because the client would otherwise keep receiving events.
    pub(crate) fn leave(&self, game: GameId, connection: ConnectionId) {
        let Some(sender) = self.rooms.get(game) else { return };
        let sent = sender.try_send(Call::Leave(connection));
        let Err(TrySendError::Full(call)) = sent else { return };
        let Some(guard) = self.tasks.guard() else { return };
        let mut sending = Box::pin(async move {
            // A room that closes in the meantime drops all its connections anyway.
            let _ = sender.send(call).await;
            drop(guard);
        });
        // The first poll takes a place in the inbox's queue, so that no later call of the same
        // client comes before this one.
        if sending.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {
            tokio::spawn(sending);
        }
    }

    /// Cleans up after a closed connection: cancels its seek and leaves its games.
    pub(crate) async fn disconnect(
        self: &Arc<Shared>,
        connection: &super::connection::Connection,
        player: Option<PlayerId>,
    ) {
        self.connections.close(connection.id());
        if let Some(player) = player {
            pairing::cancel(self, player, connection.id());
        }
        for game in connection.leave_all() {
            if let Some(sender) = self.rooms.get(game) {
                // A room that closes in the meantime drops all its connections anyway.
                let _ = sender.send(Call::Leave(connection.id())).await;
            }
        }
    }
}

/// Reads the clock regularly, so that a gap between readings reveals that this process was
/// stalled, and reports if the system's clock was set.
async fn watch_clock(shared: Weak<Shared>) {
    while let Some(shared) = shared.upgrade() {
        let clock = &shared.services.clock;
        let Some(pause) = clock.watch_pause() else { return };
        if let Some(step_ms) = clock.wall_step_ms() {
            shared.services.metrics.clock_steps.increment(1);
            tracing::warn!(
                "the system clock was set by {step_ms} ms, or the machine was suspended; games \
                 keep their time, and new dates are wrong by as much until the server is restarted"
            );
        }
        drop(shared);
        tokio::time::sleep(pause).await;
    }
}

/// Opens the rooms of sleeping games that a player has abandoned, so that they end.
async fn wake_sleepers(shared: Weak<Shared>) {
    loop {
        let Some(clock) = shared.upgrade().map(|shared| shared.services.clock.clone()) else {
            return;
        };
        clock.sleep_until(clock.now().plus_ms(WAKE_MS)).await;
        let Some(shared) = shared.upgrade().filter(|shared| !shared.is_closing()) else { return };
        for game in shared.rooms.due(clock.now()) {
            shared.call(game, Call::Wake);
        }
    }
}

/// Records in the store every second that the server is running, while game clocks depend on it.
async fn record_heartbeats(shared: Weak<Shared>) {
    loop {
        let Some(clock) = shared.upgrade().map(|shared| shared.services.clock.clone()) else {
            return;
        };
        clock.sleep_until(clock.now().plus_ms(HEARTBEAT_MS)).await;
        let Some(shared) = shared.upgrade() else { return };
        if shared.is_closing() {
            return;
        }
        // A starting node checks whether any server was running, so nodes in a cluster always
        // record it.
        let is_needed = shared.services.bus.is_joined() || shared.rooms.running_count() > 0;
        if is_needed && let Err(error) = shared.services.store.heartbeat(clock.now()).await {
            shared.note_store_failure();
            tracing::warn!("the heartbeat could not be saved: {error}");
        }
    }
}
