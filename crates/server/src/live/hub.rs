//! The door to everything that is live, and what its parts share.
//!
//! Owns: start and shutdown. Invariant: after a shutdown every event that was announced is in
//! the store, and the store knows until when the server was there.

use core::fmt;
use core::time::Duration;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};

use castellan_game::{Game, GameId, Moment, PlayerId};
use castellan_protocol::{ServerCode, ServerMessage, ShuttingDown};
use castellan_store::{Outage, StoreError, TokenDigest};
use tokio::sync::{Semaphore, mpsc};
use tokio::time::timeout_at;

use super::begin;
use super::conduct::Conduct;
use super::engines::Engines;
use super::hearing;
use super::link::{Dialect, Farewell, LinkId};
use super::lobby::Lobby;
use super::lock;
use super::mutes::Mutes;
use super::nodes::Nodes;
use super::owners::Owners;
use super::pairing;
use super::people::People;
use super::reply::encode;
use super::room::{Absence, Call};
use super::rooms::{Rooms, RunningGame};
use super::routes::Places;
use super::tasks::Tasks;
use super::waiting::Waiting;
use crate::bus::News;
use crate::state::Services;

/// How often the store is told that the server is there, while games run.
const HEARTBEAT_MS: u64 = 1_000;
/// Nodes that serve together take an outage for one if no heartbeat came for so long.
const SILENCE_MS: u64 = 2 * HEARTBEAT_MS;
/// For so long after an outage the clock of a player who has not come back stands still. Our page
/// tries again after at most 15 s.
const RETURN_MS: u64 = 20_000;
/// For how long a restart is thought to take.
const ABOUT_S: u32 = 10;
/// How many games may be read from the store at a time because somebody asks for them.
const READERS: usize = 16;
/// How many clients may wait for their turn to have a game read: all that a node has when another
/// one dies.
const READERS_QUEUE: usize = 8_192;
/// How many questions may wait for each engine thread.
const QUESTIONS_PER_THREAD: usize = 64;

/// The door to everything that is live. Cheap to clone.
#[derive(Clone)]
pub struct Hub(Arc<Shared>);

/// What goes on at one moment.
pub(crate) struct Activity {
    /// Players with a socket open.
    pub(crate) people: usize,
    /// Players who wait for an opponent.
    pub(crate) waiting: usize,
    /// Games that run.
    pub(crate) playing: usize,
    /// The newest of them.
    pub(crate) games: Vec<RunningGame>,
}

/// What the parts of it share.
pub(crate) struct Shared {
    pub(crate) services: Arc<Services>,
    pub(crate) rooms: Rooms,
    pub(crate) lobby: Mutex<Lobby>,
    /// The same where several nodes pair their players.
    pub(crate) waiting: Mutex<Waiting>,
    pub(crate) nodes: Nodes,
    /// Players who are looked for at other nodes, and who wants to know.
    pub(crate) searches: Mutex<Vec<(PlayerId, mpsc::Sender<()>)>>,
    pub(crate) people: People,
    pub(crate) conduct: Mutex<Conduct>,
    pub(crate) mutes: Mutex<Mutes>,
    pub(crate) engines: Engines,
    pub(crate) places: Arc<Places>,
    pub(crate) owners: Arc<Owners>,
    /// Rooms, and whatever writes to the store for them.
    pub(crate) tasks: Tasks,
    pub(crate) sockets: Tasks,
    pub(crate) readers: Arc<Semaphore>,
    pub(crate) readers_queue: Arc<Semaphore>,
    /// When there was last no server at all.
    outage: Option<Outage>,
    /// Since when players can come.
    ready: OnceLock<Moment>,
    is_closing: AtomicBool,
    next_link: AtomicU64,
}

impl Hub {
    /// Takes up the games that were running when the server went away, and is ready for players.
    ///
    /// # Errors
    /// If the store does not answer.
    pub async fn start(services: Arc<Services>) -> Result<Hub, StoreError> {
        // Nodes that serve together all know the same outage, whoever starts first.
        let silence_ms = if services.bus.is_joined() { SILENCE_MS } else { 0 };
        let silence = Duration::from_millis(silence_ms);
        services.store.begin_service(services.clock.now(), silence).await?;
        let outage = services.store.last_outage().await?;
        let shared = Arc::new(Shared::new(services, outage));
        // If others are there, the games are with them and come here when they are asked for.
        if !hearing::join(&shared).await {
            for game in shared.services.store.unfinished().await? {
                begin::take_up(&shared, game).await?;
            }
        }
        shared.ready.get_or_init(|| shared.services.clock.now());
        tokio::spawn(beat(Arc::downgrade(&shared)));
        tokio::spawn(watch_clock(Arc::downgrade(&shared)));
        Ok(Hub(shared))
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.0
    }

    /// Closes the sockets of a session that has been ended elsewhere: by a logout, a password
    /// change, or from the list of sessions.
    pub fn end_session(&self, session: TokenDigest) {
        self.0.people.end_session(session);
        let session = hearing::to_hex(session);
        hearing::tell_often(&self.0, News::SessionOver { session });
    }

    /// Whether the player has a socket open or a game running.
    pub fn is_present(&self, player: PlayerId) -> bool {
        self.0.people.is_here(player) || !self.0.rooms.games_of(player).is_empty()
    }

    /// What goes on right now, with at most so many games.
    pub(crate) fn activity(&self, most: usize) -> Activity {
        Activity {
            people: self.0.people.count(),
            waiting: lock(&self.0.lobby).len() + lock(&self.0.waiting).count_here(),
            playing: self.0.rooms.running_count(),
            games: self.0.rooms.newest(most),
        }
    }

    /// How many games are running.
    pub fn running_games(&self) -> usize {
        self.0.rooms.running_count()
    }

    /// Tells everybody that the server goes away for a while, waits for what is still being
    /// stored and closes the sockets, at most this long.
    pub async fn shutdown(&self, within: Duration) {
        let shared = &self.0;
        let deadline = tokio::time::Instant::now() + within;
        shared.is_closing.store(true, Ordering::SeqCst);
        shared.engines.stop();
        let farewell = encode(&ServerMessage::ShuttingDown(ShuttingDown { about_s: ABOUT_S }));
        for link in shared.people.links() {
            if link.dialect() == Dialect::Full {
                link.say(farewell.clone());
            }
        }
        let rooms = async {
            for door in shared.rooms.doors() {
                // A room that has closed by itself needs no telling.
                let _ = door.send(Call::Close).await;
            }
            shared.tasks.ended().await;
        };
        // Players need the rest of the time to hear of it.
        let for_rooms = deadline - within / 4;
        if timeout_at(for_rooms, rooms).await.is_err() {
            tracing::error!("not all games could be closed in time");
        }
        if let Err(error) = shared.services.store.heartbeat(shared.services.clock.now()).await {
            tracing::error!("the end of this run could not be written down: {error}");
        }
        shared.services.bus.tell(News::Bye {});
        for link in shared.people.links() {
            link.close(Farewell::Shutdown);
        }
        if timeout_at(deadline, shared.sockets.ended()).await.is_err() {
            tracing::warn!("not all sockets could be closed in time");
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
        Shared {
            rooms: Rooms::new(config.live.max_games),
            lobby: Mutex::new(Lobby::new(config.max_sockets)),
            waiting: Mutex::new(Waiting::new(config.max_sockets)),
            nodes: Nodes::default(),
            searches: Mutex::default(),
            people: People::default(),
            conduct: Mutex::default(),
            mutes: Mutex::default(),
            engines: Engines::start(threads, QUESTIONS_PER_THREAD * threads.max(1)),
            places: Arc::default(),
            owners: Arc::new(Owners::new(config.live.max_games_per_address)),
            tasks: Tasks::new(),
            sockets: Tasks::new(),
            readers: Arc::new(Semaphore::new(READERS)),
            readers_queue: Arc::new(Semaphore::new(READERS_QUEUE)),
            outage,
            ready: OnceLock::new(),
            is_closing: AtomicBool::new(false),
            next_link: AtomicU64::new(1),
            services,
        }
    }

    /// Whether the server is about to go away.
    pub(crate) fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::SeqCst)
    }

    /// Whether there is an engine to play against.
    pub(crate) fn has_engine(&self) -> bool {
        self.services.config.live.engine_threads > 0
    }

    /// The outage as far as the player to move has to be credited for it, if the turn began
    /// before its end. What others have credited by now has moved the last event of the game.
    pub(crate) fn absence(&self, id: GameId, created: Moment, game: &Game) -> Option<Absence> {
        let outage = self.outage?;
        let turn_began = game.played().last().map_or(created, |played| played.at);
        if !game.is_running() || turn_began >= outage.until {
            return None;
        }
        let mover = game.seats().get(game.line().turn())?.id;
        let is_back = self.nodes.elsewhere(id).players.contains(&mover);
        let until = if is_back { outage.until } else { outage.until.plus_ms(RETURN_MS) };
        let since = outage.from.max(game.last_at());
        (since < until).then_some(Absence { since, until })
    }

    /// Until when players may be on their way back after an outage.
    pub(crate) fn return_until(&self) -> Moment {
        let ready = self.ready.get().copied();
        ready.unwrap_or_else(|| self.services.clock.now()).plus_ms(RETURN_MS)
    }

    /// A number for a new socket.
    pub(crate) fn next_link(&self) -> LinkId {
        LinkId(self.next_link.fetch_add(1, Ordering::Relaxed))
    }

    /// Passes a call on to the room of a game, or refuses it; nobody waits. A game that is not
    /// in memory is read from the store.
    pub(crate) fn call(self: &Arc<Shared>, game: GameId, call: Call) {
        use tokio::sync::mpsc::error::TrySendError;
        let Some(door) = self.rooms.get(game) else {
            return begin::open_for(self, game, call);
        };
        match door.try_send(call) {
            Ok(()) => {}
            Err(TrySendError::Full(call)) => call.refuse(ServerCode::Busy),
            Err(TrySendError::Closed(call)) => {
                let code =
                    if self.is_closing() { ServerCode::ShuttingDown } else { ServerCode::Busy };
                call.refuse(code);
            }
        }
    }

    /// Takes back what a socket asked for; whether it will be told when that is done.
    pub(crate) fn cancel_seek(self: &Arc<Shared>, player: PlayerId, link: LinkId) -> bool {
        if self.services.bus.is_joined() {
            return pairing::cancel(self, player, link);
        }
        lock(&self.lobby).cancel(player, link);
        false
    }

    /// A socket is closed: its wish is taken back, and its games are told.
    pub(crate) async fn disconnect(
        self: &Arc<Shared>,
        link: &super::link::Link,
        player: Option<PlayerId>,
    ) {
        self.people.close(link.id());
        if let Some(player) = player {
            self.cancel_seek(player, link.id());
        }
        for game in link.leave_all() {
            if let Some(door) = self.rooms.get(game) {
                // A room that closes meanwhile lets everybody go anyway.
                let _ = door.send(Call::Leave(link.id())).await;
            }
        }
    }
}

/// Reads the clock again and again, so that a pause in it shows that this process stood still.
async fn watch_clock(shared: Weak<Shared>) {
    while let Some(shared) = shared.upgrade() {
        let clock = shared.services.clock.clone();
        let Some(pause) = clock.watch_pause() else { return };
        drop(shared);
        tokio::time::sleep(pause).await;
        clock.now();
    }
}

/// Tells the store every second that the server is there, as long as that matters to a clock.
async fn beat(shared: Weak<Shared>) {
    loop {
        let Some(clock) = shared.upgrade().map(|shared| shared.services.clock.clone()) else {
            return;
        };
        clock.sleep_until(clock.now().plus_ms(HEARTBEAT_MS)).await;
        let Some(shared) = shared.upgrade() else { return };
        if shared.is_closing() {
            return;
        }
        // Nodes that start ask whether anybody was there, so those that serve together always say.
        let matters = shared.services.bus.is_joined() || shared.rooms.running_count() > 0;
        if matters && let Err(error) = shared.services.store.heartbeat(clock.now()).await {
            shared.services.metrics.store_errors.increment(1);
            tracing::warn!("the heartbeat could not be written: {error}");
        }
    }
}
