//! Starting new games, and resuming games that are only in the store.
//!
//! Invariants: a room is reserved before anything is stored, so that there is never a stored game
//! without space for it; and players learn of a game only after it is stored.

use std::net::IpAddr;
use std::sync::Arc;

use castellan_game::{Actor, Command, Game, GameId, Player, Recorded, Settings};
use castellan_protocol::{Level, ServerCode};
use castellan_rules::Color;
use castellan_store::{ChatLine, NewGame, NewGameBatch, StoreError, StoredGame};
use tokio::sync::mpsc;

use super::engines;
use super::hearing;
use super::hub::Shared;
use super::link::Link;
use super::room::{
    Absence, Call, INBOX, Opening, REMEMBERED, Room, Visitor, category, standing_of,
};
use super::rooms::NoRoom;
use crate::bus::{Begun, SeekId};
use crate::identity::Identity;
use crate::random::Random;
use crate::state::Services;

/// Maximum attempts to read a game that no client has asked for.
const UNASKED_ATTEMPTS: u32 = 60;
/// Delay between these attempts.
const BREATH_MS: u64 = 500;

/// Who will take a seat.
#[derive(Clone, Debug)]
pub(crate) enum SeatPlan {
    /// A person with these connections.
    Person { who: Arc<Identity>, links: Vec<Arc<Link>> },
    /// An engine at a level.
    Engine(Level),
}

/// A game that is about to start.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    /// The rules and time control.
    pub(crate) settings: Settings,
    /// The seats, White first.
    pub(crate) seats: [SeatPlan; 2],
    /// The game that this one is a rematch of.
    pub(crate) rematch_of: Option<GameId>,
}

/// Why a game did not start.
#[derive(Debug)]
pub(crate) enum NotBegun {
    /// Another game has already claimed this seek.
    Claimed(String),
    /// Any other reason.
    Refused(ServerCode),
}

impl From<ServerCode> for NotBegun {
    fn from(code: ServerCode) -> NotBegun {
        NotBegun::Refused(code)
    }
}

/// Starts a game and sends it to its players.
pub(crate) async fn begin(shared: &Arc<Shared>, plan: Plan) -> Result<GameId, ServerCode> {
    begin_claiming(shared, plan, Vec::new()).await.map_err(|not_begun| match not_begun {
        NotBegun::Refused(code) => code,
        NotBegun::Claimed(_) => ServerCode::Internal,
    })
}

/// Starts a game that claims seeks. At most one game can claim a seek.
pub(crate) async fn begin_claiming(
    shared: &Arc<Shared>,
    plan: Plan,
    seeks: Vec<SeekId>,
) -> Result<GameId, NotBegun> {
    let random = Random::secret().map_err(|_| ServerCode::Internal)?;
    let id = GameId::from_random(random);
    let charge = shared.owners.charge(addresses(&plan)).ok_or(ServerCode::TooMany)?;
    let (door, inbox) = mpsc::channel(INBOX);
    shared.rooms.open(id, &door).map_err(|_| ServerCode::Busy)?;
    let tag = shared.tasks.tag().filter(|_| !shared.is_closing());
    let Some(tag) = tag else {
        shared.rooms.close(id);
        return Err(ServerCode::ShuttingDown.into());
    };
    let game = match store_new(shared, id, &plan, &seeks).await {
        Ok(game) => game,
        Err(StoreError::AlreadyClaimed { claim }) => {
            shared.rooms.close(id);
            return Err(NotBegun::Claimed(claim));
        }
        Err(error) => {
            shared.rooms.close(id);
            shared.services.metrics.store_errors.increment(1);
            tracing::warn!("a game could not be started: {error}");
            return Err(ServerCode::NotStored.into());
        }
    };
    let rematch_of = plan.rematch_of;
    let talk = Vec::new();
    let (absence, charge) = (Some(late_news(shared, &game)), Some(charge));
    let opening = Opening { id, game, door, inbox, absence, rematch_of, talk, charge };
    let mut room = Room::new(Arc::clone(shared), opening, tag);
    for seat in &plan.seats {
        if let SeatPlan::Person { who, links } = seat {
            for link in links {
                room.welcome(&Visitor { link: Arc::clone(link), who: Arc::clone(who) });
            }
        }
    }
    tokio::spawn(room.run());
    hearing::tell_begun(shared, begun(id, &plan, seeks));
    Ok(id)
}

/// Returns the time from the start of a game until its players learn of it. Neither player is
/// charged for it.
fn late_news(shared: &Shared, game: &Game) -> Absence {
    Absence { since: game.last_at(), until: shared.services.clock.now() }
}

/// Returns the addresses that are responsible for a game.
fn addresses(plan: &Plan) -> Vec<IpAddr> {
    let links = plan.seats.iter().flat_map(|seat| match seat {
        SeatPlan::Person { links, .. } => links.as_slice(),
        SeatPlan::Engine(_) => &[],
    });
    links.filter_map(|link| link.address()).collect()
}

/// Returns what other nodes are told about a new game.
fn begun(game: GameId, plan: &Plan, seeks: Vec<SeekId>) -> Begun {
    let people = plan.seats.iter().filter_map(|seat| match seat {
        SeatPlan::Person { who, .. } => Some(who.player),
        SeatPlan::Engine(_) => None,
    });
    Begun { game, players: people.collect(), seeks, rematch_of: plan.rematch_of }
}

/// Stores a new game with both players seated.
async fn store_new(
    shared: &Shared,
    id: GameId,
    plan: &Plan,
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
    store.begin_game(NewGameBatch { game: new, events: record, claims }).await?;
    Ok(game)
}

/// Returns the player for a seat, with a rating if they have an account.
async fn player(
    shared: &Shared,
    seat: &SeatPlan,
    settings: &Settings,
) -> Result<Player, StoreError> {
    let who = match seat {
        SeatPlan::Engine(level) => return Ok(engines::player(*level)),
        SeatPlan::Person { who, .. } => who,
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
pub(crate) async fn take_up(shared: &Arc<Shared>, id: GameId) -> Result<(), StoreError> {
    let stored = match fetch(shared, id).await {
        Ok(Some(stored)) => stored,
        Ok(None) => return Ok(()),
        Err(StoreError::Damaged { what }) => {
            // A game that cannot be read does not prevent the others from being played.
            tracing::error!(game = %id, "the game is corrupt and was skipped: {what}");
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    if open(shared, stored, None).is_err() {
        // The game stays in the store and is loaded when a client asks for it.
        tracing::warn!(game = %id, "the game could not be resumed: too many games are running");
    }
    Ok(())
}

/// A stored game with its most recent chat lines.
struct Fetched {
    game: StoredGame,
    talk: Vec<ChatLine>,
}

async fn fetch(shared: &Shared, id: GameId) -> Result<Option<Fetched>, StoreError> {
    let store = &shared.services.store;
    let Some(game) = store.load_game(id).await? else { return Ok(None) };
    Ok(Some(Fetched { game, talk: store.chat(id, REMEMBERED).await? }))
}

/// Opens a room for a call whose game is not in memory, and passes the call on. A few games are
/// read at a time, and a bounded number of clients wait for their turn. A call without a client's
/// request, as when a game has started at another node, would not be repeated, so it always
/// waits.
pub(crate) fn open_for(shared: &Arc<Shared>, id: GameId, call: Call) {
    let place = Arc::clone(&shared.readers_queue).try_acquire_owned().ok();
    let may_wait = place.is_some() || !call.is_asked();
    let Some(tag) = shared.tasks.tag().filter(|_| may_wait) else {
        return call.refuse(ServerCode::Busy);
    };
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        let permit = Arc::clone(&shared.readers).acquire_owned().await;
        // Another client may have asked for the same game in the meantime.
        match shared.rooms.get(id) {
            Some(_) => shared.call(id, call),
            None => read_and_open(&shared, id, call).await,
        }
        drop((permit, place, tag));
    });
}

async fn read_and_open(shared: &Arc<Shared>, id: GameId, call: Call) {
    let attempts = if call.is_asked() { 1 } else { UNASKED_ATTEMPTS };
    for attempt in 1.. {
        let error = match fetch(shared, id).await {
            Ok(Some(stored)) => {
                if let Err(call) = open(shared, stored, Some(call)) {
                    call.into_iter().for_each(|call| call.refuse(ServerCode::Busy));
                }
                return;
            }
            Ok(None) => return call.refuse(ServerCode::UnknownGame),
            Err(error) => error,
        };
        tracing::warn!(game = %id, "the game could not be loaded: {error}");
        if attempt >= attempts || shared.is_closing() {
            return call.refuse(ServerCode::Busy);
        }
        let clock = &shared.services.clock;
        clock.sleep_until(clock.now().plus_ms(BREATH_MS)).await;
    }
}

/// Opens a room for a stored game, unless it has one by now, and passes the call on. Returns the
/// call if it could not be passed on.
fn open(shared: &Arc<Shared>, fetched: Fetched, call: Option<Call>) -> Result<(), Option<Call>> {
    let Fetched { game: StoredGame { id, settings, created, events }, talk } = fetched;
    let game = match Game::replay(settings, created, &events) {
        Ok(game) => game,
        Err(error) => {
            tracing::error!(game = %id, "the saved game is corrupt: {error}");
            return Err(call);
        }
    };
    let (door, inbox) = mpsc::channel(INBOX);
    let door = match shared.rooms.open(id, &door) {
        Ok(()) => {
            let Some(tag) = shared.tasks.tag().filter(|_| !shared.is_closing()) else {
                shared.rooms.close(id);
                return Err(call);
            };
            let address = call.as_ref().and_then(Call::asker).and_then(Link::address);
            let Some(charge) = shared.owners.charge(address) else {
                shared.rooms.close(id);
                shared.services.metrics.limited.increment(1);
                call.into_iter().for_each(|call| call.refuse(ServerCode::TooMany));
                return Ok(());
            };
            let charge = Some(charge);
            // A game that started at another node, and that no client here has asked for.
            let is_news = call.as_ref().is_some_and(|call| !call.is_asked())
                && game.is_running()
                && game.played().is_empty();
            let absence = match is_news {
                true => Some(late_news(shared, &game)),
                false => shared.absence(id, created, &game),
            };
            let way_in = door.clone();
            let rematch_of = None;
            let opening = Opening { id, game, door, inbox, absence, rematch_of, talk, charge };
            tokio::spawn(Room::new(Arc::clone(shared), opening, tag).run());
            way_in
        }
        Err(NoRoom::Open(door)) => door,
        Err(NoRoom::Full) => return Err(call),
    };
    match call {
        Some(call) => door.try_send(call).map_err(|error| Some(error.into_inner())),
        None => Ok(()),
    }
}
