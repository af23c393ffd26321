//! Starting new games, and resuming games that are only in the store.
//!
//! Invariants: a room is reserved before anything is stored, so that there is never a stored game
//! without space for it; and players learn of a game only after it is stored.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use castellan_game::{Actor, Command, Game, GameId, Moment, Player, PlayerId, Recorded, Settings};
use castellan_protocol::{Level, ServerCode};
use castellan_rules::Color;
use castellan_store::{ChatLine, NewGame, NewGameBatch, StoreError, StoredGame};
use futures_util::FutureExt;
use tokio::sync::mpsc;

use super::bus_events;
use super::connection::{CloseReason, Connection};
use super::damaged::Damage;
use super::departures::RETURN_MS;
use super::engines;
use super::hub::Shared;
use super::ratings::{category, standing_of};
use super::room::{CHAT_HISTORY, Call, Downtime, INBOX, Room, RoomInit, Subscriber, TurnRecord};
use super::rooms::OpenRoomError;
use crate::bus::{GameStarted, SeekId};
use crate::identity::Identity;
use crate::random::Random;
use crate::state::Services;

/// Maximum attempts to read a game that no client has asked for.
const UNREQUESTED_ATTEMPTS: u32 = 60;
/// Delay between these attempts.
const RETRY_MS: u64 = 500;

/// The player who will take a seat.
#[derive(Clone, Debug)]
pub(crate) enum SeatPlan {
    /// A person with these connections.
    Person { who: Arc<Identity>, connections: Vec<Arc<Connection>> },
    /// A person whose connection joins once the game exists, at whichever node it is. `address` is
    /// responsible for the game, if it is known and has limits.
    Seeker { who: Arc<Identity>, address: Option<IpAddr> },
    /// An engine at a level.
    Engine(Level),
}

/// A game that is about to start.
#[derive(Clone, Debug)]
pub(crate) struct GamePlan {
    /// The rules and time control.
    pub(crate) settings: Settings,
    /// The seats, White first.
    pub(crate) seats: [SeatPlan; 2],
    /// The game that this one is a rematch of.
    pub(crate) rematch_of: Option<GameId>,
}

/// Why a game did not start.
#[derive(Debug)]
pub(crate) enum StartError {
    /// Another game has already claimed this seek.
    Claimed(String),
    /// This player's last game from a seek is still running.
    Playing(PlayerId),
    /// Any other reason.
    Refused(ServerCode),
}

impl From<ServerCode> for StartError {
    fn from(code: ServerCode) -> StartError {
        StartError::Refused(code)
    }
}

/// Starts a game and sends it to its players.
pub(crate) async fn start_game(shared: &Arc<Shared>, plan: GamePlan) -> Result<GameId, ServerCode> {
    start_claiming(shared, plan, Vec::new()).await.map_err(|error| match error {
        StartError::Refused(code) => code,
        StartError::Claimed(_) | StartError::Playing(_) => ServerCode::Internal,
    })
}

/// Returns the claim that the last game from a seek of a player holds until it ends.
pub(crate) fn player_claim(player: PlayerId) -> String {
    format!("player {}", player.0)
}

/// Starts a game that claims seeks. At most one game can claim a seek, and a player has at most one
/// running game from a seek.
pub(crate) async fn start_claiming(
    shared: &Arc<Shared>,
    plan: GamePlan,
    seeks: Vec<SeekId>,
) -> Result<GameId, StartError> {
    let random = Random::secret().map_err(|_| ServerCode::Internal)?;
    let id = GameId::from_random(random);
    let quota_guard = shared.game_limit.acquire(addresses(&plan)).ok_or(ServerCode::TooMany)?;
    let (sender, inbox) = mpsc::channel(INBOX);
    shared.rooms.open(id, &sender).map_err(|_| ServerCode::Busy)?;
    let guard = shared.tasks.guard().filter(|_| !shared.is_closing());
    let Some(task_guard) = guard else {
        shared.rooms.close(id);
        return Err(ServerCode::ShuttingDown.into());
    };
    let game = match store_new(shared, id, &plan, &seeks).await {
        Ok(game) => game,
        Err(StoreError::AlreadyClaimed { claim }) => {
            shared.rooms.close(id);
            let playing = seekers(&plan).into_iter().find(|it| player_claim(*it) == claim);
            return Err(playing.map_or(StartError::Claimed(claim), StartError::Playing));
        }
        Err(error) => {
            shared.rooms.close(id);
            shared.services.metrics.store_errors.increment(1);
            tracing::warn!("a game could not be started: {error}");
            return Err(ServerCode::NotStored.into());
        }
    };
    let rematch_of = plan.rematch_of;
    let chat = Vec::new();
    let downtime = Some(announcement_delay(shared, &game));
    let turn = TurnRecord { version: game.version(), credited_ms: 0 };
    let init = RoomInit {
        id,
        game,
        turn,
        sender,
        inbox,
        downtime,
        rematch_of,
        chat,
        quota_guard,
        away_since: None,
    };
    let mut room = Room::new(Arc::clone(shared), init, task_guard);
    for seat in &plan.seats {
        if let SeatPlan::Person { who, connections } = seat {
            for connection in connections {
                room.welcome(&Subscriber {
                    connection: Arc::clone(connection),
                    who: Arc::clone(who),
                });
            }
        }
    }
    run_room(room);
    bus_events::announce_game(shared, started_message(id, &plan, seeks));
    Ok(id)
}

/// Runs a room in a task of its own. If it panics, its place is freed, and its clients reconnect and
/// load the game from the store, which has everything that was announced.
fn run_room(room: Room) {
    let (shared, id, players) = (Arc::clone(room.shared()), room.id(), room.players());
    tokio::spawn(async move {
        if AssertUnwindSafe(room.run()).catch_unwind().await.is_ok() {
            return;
        }
        tracing::error!(game = %id, "the task of a game panicked; its clients are disconnected");
        shared.services.metrics.panics.increment(1);
        shared.rooms.close(id);
        shared.peers.remove_local(id);
        if shared.rooms.ended(id, &players) {
            shared.services.metrics.games.decrement(1.0);
        }
        for connection in shared.connections.all() {
            if connection.games().contains(&id) {
                connection.close(CloseReason::RoomFailed);
            }
        }
    });
}

/// Returns the time from the start of a game until its players learn of it. Neither player is
/// charged for it.
fn announcement_delay(shared: &Shared, game: &Game) -> Downtime {
    Downtime { since: game.last_at(), until: shared.services.clock.now() }
}

/// Returns the addresses that are responsible for a game.
fn addresses(plan: &GamePlan) -> Vec<IpAddr> {
    let of_seat = |seat: &SeatPlan| match seat {
        SeatPlan::Person { connections, .. } => {
            connections.iter().filter_map(|connection| connection.address()).collect()
        }
        SeatPlan::Seeker { address, .. } => address.iter().copied().collect(),
        SeatPlan::Engine(_) => Vec::new(),
    };
    plan.seats.iter().flat_map(of_seat).collect()
}

/// Returns the players who found each other by seeks.
fn seekers(plan: &GamePlan) -> Vec<PlayerId> {
    let of_seat = |seat: &SeatPlan| match seat {
        SeatPlan::Seeker { who, .. } => Some(who.player),
        SeatPlan::Person { .. } | SeatPlan::Engine(_) => None,
    };
    plan.seats.iter().filter_map(of_seat).collect()
}

/// Returns what other nodes are told about a new game.
fn started_message(game: GameId, plan: &GamePlan, seeks: Vec<SeekId>) -> GameStarted {
    let players = plan.seats.iter().filter_map(|seat| match seat {
        SeatPlan::Person { who, .. } | SeatPlan::Seeker { who, .. } => Some(who.player),
        SeatPlan::Engine(_) => None,
    });
    GameStarted { game, players: players.collect(), seeks, rematch_of: plan.rematch_of }
}

/// Stores a new game with both players seated.
async fn store_new(
    shared: &Shared,
    id: GameId,
    plan: &GamePlan,
    seeks: &[SeekId],
) -> Result<Game, StoreError> {
    let store = &shared.services.store;
    let mut players = Vec::new();
    for seat in &plan.seats {
        players.push(player(shared, seat, &plan.settings).await?);
    }
    let now = shared.services.clock.now();
    let mut game = Game::new(plan.settings.clone(), now);
    let mut record: Vec<Recorded> = Vec::new();
    for (color, player) in Color::ALL.into_iter().zip(players) {
        let command = Command::Seat { color, player };
        // Refused only if the same player would have both seats of a rated game.
        let events = game
            .decide(Actor::Server, &command, now)
            .map_err(|refusal| StoreError::MalformedBatch { game: id, why: refusal.code() })?;
        for recorded in game.record(events, now) {
            game.evolve(&recorded)
                .map_err(|error| StoreError::Damaged { what: error.to_string() })?;
            record.push(recorded);
        }
    }
    let new = NewGame { id, settings: plan.settings.clone(), created: now };
    let claims = seeks.iter().map(|seek| seek.0.clone()).collect();
    let claims_while_running = seekers(plan).into_iter().map(player_claim).collect();
    let batch = NewGameBatch { game: new, events: record, claims, claims_while_running };
    let stored = store.begin_game(batch).await;
    match stored {
        Err(error @ StoreError::Uncertain { .. }) if !is_stored(shared, id).await => Err(error),
        Ok(()) | Err(StoreError::Uncertain { .. }) => Ok(game),
        Err(error) => Err(error),
    }
}

/// Finds out whether a game was stored although the store could not tell. Otherwise the players
/// could be told that it was not, and begin another one.
async fn is_stored(shared: &Shared, id: GameId) -> bool {
    let Services { store, clock, .. } = &*shared.services;
    for _ in 0..UNREQUESTED_ATTEMPTS {
        match store.events_after(id, 0).await {
            Ok(events) => return events.is_some(),
            Err(error) => tracing::warn!(game = %id, "the game could not be looked up: {error}"),
        }
        clock.sleep_until(clock.now().plus_ms(RETRY_MS)).await;
    }
    false
}

/// Returns the player for a seat, with a rating if they have an account.
async fn player(
    shared: &Shared,
    seat: &SeatPlan,
    settings: &Settings,
) -> Result<Player, StoreError> {
    let who = match seat {
        SeatPlan::Engine(level) => return Ok(engines::player(*level)),
        SeatPlan::Person { who, .. } | SeatPlan::Seeker { who, .. } => who,
    };
    let rating = if who.is_account {
        let Services { store, clock, .. } = &*shared.services;
        let category = category(settings.time_control);
        Some(standing_of(&**store, who.player, category, clock.now()).await?.rating.shown())
    } else {
        None
    };
    Ok(Player { id: who.player, name: who.name.clone(), rating })
}

/// Resumes a game that was running when the server stopped.
pub(crate) async fn resume(shared: &Arc<Shared>, id: GameId) -> Result<(), StoreError> {
    let fetched = match fetch(shared, id).await {
        Ok(Some(fetched)) => fetched,
        // A game that cannot be read does not prevent the others from being played.
        Ok(None) | Err(StoreError::Damaged { .. }) => return Ok(()),
        Err(error) => return Err(error),
    };
    if open(shared, fetched, None).is_err() {
        // The game stays in the store and is loaded when a client asks for it.
        tracing::warn!(game = %id, "the game could not be resumed: too many games are running");
    }
    Ok(())
}

/// A game as the store has it, with its most recent chat lines.
struct Fetched {
    id: GameId,
    created: Moment,
    game: Game,
    turn: TurnRecord,
    chat: Vec<ChatLine>,
    /// When it was first found unreadable, if it has been unreadable until now.
    damaged_since: Option<Moment>,
}

/// Reads a game from the store. One that cannot be read or replayed is set aside.
async fn fetch(shared: &Shared, id: GameId) -> Result<Option<Fetched>, StoreError> {
    let mut result = read_game(shared, id).await;
    match &mut result {
        Ok(Some(fetched)) => fetched.damaged_since = shared.damaged.note_readable(id),
        Ok(None) => forget_sleeping(shared, id),
        Err(StoreError::Damaged { what }) => {
            shared.damaged.add(id, Damage::Unreadable, what);
            forget_sleeping(shared, id);
        }
        Err(_) => {}
    }
    result
}

/// Forgets a sleeping game that cannot be woken, because it is damaged or was deleted.
fn forget_sleeping(shared: &Shared, id: GameId) {
    if let Some(note) = shared.rooms.wake(id)
        && shared.rooms.ended(id, &note.players)
    {
        shared.services.metrics.games.decrement(1.0);
    }
}

async fn read_game(shared: &Shared, id: GameId) -> Result<Option<Fetched>, StoreError> {
    let store = &shared.services.store;
    let Some(stored) = store.load_game(id).await? else { return Ok(None) };
    let StoredGame { settings, created, events, .. } = stored;
    let game = Game::replay(settings, created, &events)
        .map_err(|error| StoreError::Damaged { what: error.to_string() })?;
    let (turn, chat) = (TurnRecord::of(&events), store.chat(id, CHAT_HISTORY).await?);
    Ok(Some(Fetched { id, created, game, turn, chat, damaged_since: None }))
}

/// Opens a room for a call whose game is not in memory, and passes the call on. A few games are
/// read at a time, and a bounded number of clients wait for their turn. A call without a client's
/// request, as when a game has started at another node, would not be repeated, so it always
/// waits.
pub(crate) fn open_for(shared: &Arc<Shared>, id: GameId, call: Call) {
    let place = Arc::clone(&shared.readers_queue).try_acquire_owned().ok();
    let may_wait = place.is_some() || !call.is_from_client();
    let Some(guard) = shared.tasks.guard().filter(|_| may_wait) else {
        return shared.refuse_busy(call);
    };
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        let permit = Arc::clone(&shared.readers).acquire_owned().await;
        // Another client may have asked for the same game in the meantime.
        match shared.rooms.get(id) {
            Some(_) => shared.call(id, call),
            None => read_and_open(&shared, id, call).await,
        }
        drop((permit, place, guard));
    });
}

async fn read_and_open(shared: &Arc<Shared>, id: GameId, call: Call) {
    let attempts = if call.is_from_client() { 1 } else { UNREQUESTED_ATTEMPTS };
    for attempt in 1.. {
        let error = match fetch(shared, id).await {
            Ok(Some(fetched)) => {
                if let Err(call) = open(shared, fetched, Some(call)) {
                    call.into_iter().for_each(|call| shared.refuse_busy(call));
                }
                return;
            }
            Ok(None) => return call.refuse(ServerCode::UnknownGame),
            Err(StoreError::Damaged { .. }) => return call.refuse(ServerCode::DamagedGame),
            Err(error) => error,
        };
        tracing::warn!(game = %id, "the game could not be loaded: {error}");
        if attempt >= attempts || shared.is_closing() {
            return shared.refuse_busy(call);
        }
        let clock = &shared.services.clock;
        clock.sleep_until(clock.now().plus_ms(RETRY_MS)).await;
    }
}

/// Returns the period in which the player to move could not play, because no server was running or
/// the game could not be read.
fn downtime(shared: &Shared, fetched: &Fetched) -> Option<Downtime> {
    let Fetched { id, created, game, damaged_since, .. } = fetched;
    let outage = shared.downtime(*id, *created, game);
    let Some(damaged_since) = damaged_since.filter(|_| game.is_running()) else { return outage };
    let since = outage.map_or(damaged_since.max(game.last_at()), |outage| outage.since);
    Some(Downtime { since, until: shared.services.clock.now().plus_ms(RETURN_MS) })
}

/// Opens a room for a stored game, unless it has one by now, and passes the call on. Returns the
/// call if it could not be passed on.
fn open(shared: &Arc<Shared>, fetched: Fetched, call: Option<Call>) -> Result<(), Option<Call>> {
    let downtime = downtime(shared, &fetched);
    let Fetched { id, game, turn, chat, .. } = fetched;
    let (sender, inbox) = mpsc::channel(INBOX);
    let sender = match shared.rooms.open(id, &sender) {
        Ok(()) => {
            let Some(task_guard) = shared.tasks.guard().filter(|_| !shared.is_closing()) else {
                shared.rooms.close(id);
                return Err(call);
            };
            let asleep = shared.rooms.wake(id).map(|note| {
                // If a player has moved at another node, the players left later than noted here.
                let now = shared.services.clock.now();
                let is_current = note.version == game.version();
                let away_since = if is_current { note.away_since } else { [Some(now); 2] };
                (away_since, note.quota_guard)
            });
            let (away_since, quota_guard) = asleep.unzip();
            let address = call.as_ref().and_then(Call::requester).and_then(Connection::address);
            let Some(quota_guard) = quota_guard.or_else(|| shared.game_limit.acquire(address))
            else {
                shared.rooms.close(id);
                shared.services.metrics.limited.increment(1);
                call.into_iter().for_each(|call| call.refuse(ServerCode::TooMany));
                return Ok(());
            };
            let (to_room, rematch_of) = (sender.clone(), None);
            let init = RoomInit {
                id,
                game,
                turn,
                sender,
                inbox,
                downtime,
                rematch_of,
                chat,
                quota_guard,
                away_since,
            };
            run_room(Room::new(Arc::clone(shared), init, task_guard));
            to_room
        }
        Err(OpenRoomError::Open(sender)) => sender,
        Err(OpenRoomError::Full) => return Err(call),
    };
    match call {
        Some(call) => sender.try_send(call).map_err(|error| Some(error.into_inner())),
        None => Ok(()),
    }
}
