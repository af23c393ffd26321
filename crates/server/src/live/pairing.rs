//! Pairing of players, whether one node serves the games or several.
//!
//! Every node publishes its own seeks, repeats them with every heartbeat, and knows the seeks of
//! the others. The node with the later of two matching seeks starts the game, and the store lets at
//! most one game claim a seek. So messages may be lost, late, or repeated, and still no player gets
//! two games. A player whose last game from a seek is still running gets no second game either:
//! they join that game instead. If the message that a seek was answered is lost, the node learns it
//! from the store. A standalone server does the same, although no other node is listening. The list
//! of waiting players and their matching are left to [`lobby`](super::lobby).

use std::sync::Arc;

use castellan_game::{GameId, Moment, PlayerId};
use castellan_protocol::{Nothing, Queued, ServerCode, ServerMessage, Terms};
use castellan_store::StoreError;

use super::begin::{GamePlan, SeatPlan, StartError, player_claim, start_claiming};
use super::connection::{ConnectionId, Protocol};
use super::hub::Shared;
use super::lobby::{LocalSeek, Match, SeekEffect, SeekTerms, Seeker, Side};
use super::lock;
use super::reply::{RequestRef, encode};
use super::room::{Call, Subscriber};
use crate::bus::{BusMessage, NodeId, PER_MESSAGE, Seek, SeekId};
use crate::random::Random;
use crate::state::Services;

/// Maximum length of a valid seek ID in bytes.
const SEEK_BYTES: usize = 32;
/// Maximum attempts to withdraw a seek while the store fails.
const WITHDRAWALS: u32 = 60;
/// Delay between these attempts.
const RETRY_MS: u64 = 500;

/// Adds a player's seek, and starts a game if there is an opponent.
pub(crate) fn seek(shared: &Arc<Shared>, seeker: Seeker, terms: SeekTerms) {
    let (connection, request, player) =
        (Arc::clone(&seeker.connection), seeker.request, seeker.who.player);
    let Ok(secret) = Random::secret::<16>() else {
        return request.refuse(&connection, ServerCode::Internal);
    };
    let id = SeekId(hex::encode(secret));
    let seek = LocalSeek::new(id, seeker, terms, shared.services.clock.now());
    let message = seek.to_message();
    let inserted = {
        let mut lobby = lock(&shared.lobby);
        let elsewhere = lobby.take_remote_of(player);
        withdraw_elsewhere(shared, elsewhere, &seek.seeker);
        lobby.insert(seek).map(|former| (former, lobby.find_opponent(player)))
    };
    let (former, found) = match inserted {
        Ok(inserted) => inserted,
        Err(full) => {
            return request.refuse_with_message(&connection, ServerCode::Busy, full.to_string());
        }
    };
    if let Some(former) = former {
        withdraw(shared, former, Ending::Silent);
    }
    shared.services.bus.publish(BusMessage::Seeks { seeks: vec![message] });
    match found {
        Some(found) => spawn_game(shared, found),
        None => send_queued(shared, player),
    }
}

/// Cancels the seek of a connection and returns `true` if there was one.
pub(crate) fn cancel(shared: &Arc<Shared>, player: PlayerId, connection: ConnectionId) -> bool {
    let seek = lock(&shared.lobby).remove_at(player, connection);
    let Some(seek) = seek else { return false };
    withdraw(shared, seek, Ending::Ended);
    true
}

/// What a player is told if no game has claimed their seek.
#[derive(Clone, Copy)]
enum Ending {
    /// Nothing, because the player has begun another seek.
    Silent,
    /// That the seek has ended.
    Ended,
    /// Why no game could be started.
    Refused(ServerCode),
}

impl Ending {
    fn tell(self, seeker: &Seeker) {
        match self {
            Ending::Silent => {}
            Ending::Ended => send_seek_ended(seeker),
            Ending::Refused(code) => seeker.request.refuse(&seeker.connection, code),
        }
    }
}

/// Makes sure that no game can claim a seek any more. If one already has, the player joins it.
fn withdraw(shared: &Arc<Shared>, seek: LocalSeek, ending: Ending) {
    let services = Arc::clone(&shared.services);
    // No other node knows of the seek, and no game is being started for it here.
    if !services.bus.is_joined() && !seek.is_taken {
        return ending.tell(&seek.seeker);
    }
    let for_task = Arc::clone(shared);
    shared.tasks.spawn(async move {
        let LocalSeek { id, seeker, .. } = seek;
        match settle(&services, &id).await {
            Some(game) => join_game(&for_task, &seeker, game),
            None => {
                services.bus.publish(BusMessage::SeekOver { seek: id });
                ending.tell(&seeker);
            }
        }
    });
}

/// Withdraws a seek in the store, and returns the game if one has already claimed it. While the
/// store does not answer, a game may have claimed it or may still do so, so it is asked again.
async fn settle(services: &Services, id: &SeekId) -> Option<GameId> {
    let Services { store, clock, .. } = services;
    for _ in 0..WITHDRAWALS {
        let claimed = match store.withdraw(&id.0, clock.now()).await {
            Ok(true) => return None,
            // Another node withdrew it, or this one did and was not told so.
            Ok(false) => store.claimed_by(&id.0).await,
            Err(error) => Err(error),
        };
        match claimed {
            Ok(game) => return game,
            Err(error) => tracing::warn!("a seek could not be withdrawn: {error}"),
        }
        clock.sleep_until(clock.now().plus_ms(RETRY_MS)).await;
    }
    None
}

/// Withdraws earlier seeks of a player at other nodes, which may have died with the connection. If a
/// game has already claimed one of them, the player joins it.
fn withdraw_elsewhere(shared: &Arc<Shared>, seeks: Vec<SeekId>, seeker: &Seeker) {
    for id in seeks {
        let (for_task, seeker) = (Arc::clone(shared), seeker.clone());
        shared.tasks.spawn(async move {
            match settle(&for_task.services, &id).await {
                Some(game) => join_game(&for_task, &seeker, game),
                None => for_task.services.bus.publish(BusMessage::SeekOver { seek: id }),
            }
        });
    }
}

/// Withdraws a seek whose player has sought again here since. If a game has already claimed it, the
/// player joins it.
fn withdraw_outdated(shared: &Arc<Shared>, id: SeekId, player: PlayerId) {
    let for_task = Arc::clone(shared);
    shared.tasks.spawn(async move {
        match settle(&for_task.services, &id).await {
            Some(game) => join_unsought(&for_task, player, game),
            None => for_task.services.bus.publish(BusMessage::SeekOver { seek: id }),
        }
    });
}

fn send_seek_ended(seeker: &Seeker) {
    if seeker.connection.protocol() == Protocol::Full {
        seeker.connection.send(encode(&ServerMessage::SeekEnded(Nothing {})));
    }
}

/// Tells a player how many players are waiting for the same kind of game, unless a game is being
/// started for this one.
fn send_queued(shared: &Shared, player: PlayerId) {
    let lobby = lock(&shared.lobby);
    let waiting = lobby.get(player).filter(|seek| !seek.is_taken);
    let Some(LocalSeek { seeker, terms, .. }) = waiting else { return };
    if seeker.connection.protocol() == Protocol::Full {
        seeker.connection.send(encode(&ServerMessage::Queued(Queued {
            time_control: terms.time_control,
            is_rated: terms.is_rated,
            waiting: u32::try_from(lobby.count(*terms)).unwrap_or(u32::MAX),
        })));
    }
}

/// Lets a player join the game that started for them. The connection that sought it may be lost
/// without this node knowing, so all the others join as well.
fn join_game(shared: &Arc<Shared>, seeker: &Seeker, game: GameId) {
    send_seek_ended(seeker);
    let Seeker { who, connection, .. } = seeker.clone();
    let player = who.player;
    if connection.protocol() == Protocol::Simple {
        let (subscriber, request) = (Subscriber { connection, who }, RequestRef::default());
        let received = shared.services.clock.arrival();
        shared.call(game, Call::Join { subscriber, request, since: None, received });
    }
    join_all(shared, player, game);
}

/// Lets a player join a game that started for them although no connection here sought it. If the one
/// that did is lost, a later seek of the player is withdrawn.
pub(crate) fn join_unsought(shared: &Arc<Shared>, player: PlayerId, game: GameId) {
    let seek = lock(&shared.lobby).remove_of(player);
    if let Some(seek) = seek {
        withdraw(shared, seek, Ending::Ended);
    }
    join_all(shared, player, game);
}

/// Lets every connection of a player here join a game.
pub(crate) fn join_all(shared: &Arc<Shared>, player: PlayerId, game: GameId) {
    for (connection, who) in shared.connections.full_of_player(player) {
        let (subscriber, request) = (Subscriber { connection, who }, RequestRef::default());
        let received = shared.services.clock.arrival();
        shared.call(game, Call::Join { subscriber, request, since: None, received });
    }
}

/// Starts a game for a player who is waiting here, if there is an opponent. Returns `true` if
/// there is one.
fn pair(shared: &Arc<Shared>, player: PlayerId) -> bool {
    let found = lock(&shared.lobby).find_opponent(player);
    let is_found = found.is_some();
    found.into_iter().for_each(|found| spawn_game(shared, found));
    is_found
}

fn spawn_game(shared: &Arc<Shared>, found: Match) {
    let for_task = Arc::clone(shared);
    shared.tasks.spawn(async move { start_match(&for_task, found).await });
}

async fn start_match(shared: &Arc<Shared>, Match { terms, sides }: Match) {
    let claims: Vec<SeekId> = sides.iter().map(|side| side.id.clone()).collect();
    match begin(shared, terms, &sides).await {
        Ok(game) => {
            started(shared, &claims, game);
            // A player whose seek is at another node may have lost the connection to it.
            for side in sides.iter().filter(|side| !side.is_local) {
                join_all(shared, side.who.player, game);
            }
        }
        Err(StartError::Claimed(claim)) => {
            release(shared, &sides, |side| side.id.0 == claim);
            for side in sides.iter().filter(|side| side.is_local && side.id.0 == claim) {
                check_claim(shared, &side.id, IsClaimed(true)).await;
            }
            pair_again(shared, &sides);
        }
        Err(StartError::Playing(player)) => {
            release(shared, &sides, |side| side.who.player == player);
            return_to_game(shared, player).await;
            pair_again(shared, &sides);
        }
        Err(StartError::Refused(code)) => {
            for side in sides.iter().filter(|side| side.is_local) {
                let seek = lock(&shared.lobby).remove(&side.id);
                if let Some(seek) = seek {
                    withdraw(shared, seek, Ending::Refused(code));
                }
            }
        }
    }
}

/// Releases the players of a game that did not start. The seek that prevented it is forgotten if it
/// is at another node, which repeats it unless it is over.
fn release(shared: &Shared, sides: &[Side; 2], is_obstacle: impl Fn(&Side) -> bool) {
    let [one, other] = sides;
    let mut lobby = lock(&shared.lobby);
    lobby.release([&one.id, &other.id]);
    sides.iter().filter(|side| is_obstacle(side)).for_each(|side| lobby.forget(&side.id));
}

/// Looks for other opponents for the players of a game that did not start. A player who came in the
/// meantime could not be paired with these two.
fn pair_again(shared: &Arc<Shared>, sides: &[Side; 2]) {
    for player in sides.iter().filter(|side| side.is_local).map(|side| side.who.player) {
        if !pair(shared, player) {
            send_queued(shared, player);
        }
    }
}

/// Ends the seek of a player whose last game is still running, at whichever node the seek is, and
/// lets them join that game. They may not know of it, because the connection that sought it is lost.
async fn return_to_game(shared: &Arc<Shared>, player: PlayerId) {
    match running_game(shared, player).await {
        Ok(Some(game)) => {
            shared.services.bus.publish(BusMessage::Playing { player, game });
            handle_playing(shared, player, game);
        }
        // It has ended in the meantime.
        Ok(None) => {}
        Err(error) => {
            tracing::warn!("the game of a player could not be looked up: {error}");
            let seek = lock(&shared.lobby).remove_of(player);
            if let Some(seek) = seek {
                withdraw(shared, seek, Ending::Refused(ServerCode::NotStored));
            }
        }
    }
}

/// Returns the running game from a seek of a player, if there is one. A damaged game never ends, so
/// it no longer keeps the player from another one.
async fn running_game(shared: &Shared, player: PlayerId) -> Result<Option<GameId>, StoreError> {
    let (store, claim) = (&shared.services.store, player_claim(player));
    let last = store.claimed_by(&claim).await?;
    let running = store.unfinished_of(player).await?;
    let Some(game) = last.filter(|game| running.contains(game)) else { return Ok(None) };
    if shared.damaged.contains(game) {
        store.release_claim(&claim, game).await?;
        return Ok(None);
    }
    Ok(Some(game))
}

/// Handles the news that a player who may be waiting here has a running game.
pub(crate) fn handle_playing(shared: &Arc<Shared>, player: PlayerId, game: GameId) {
    if lock(&shared.lobby).get(player).is_some() {
        join_unsought(shared, player, game);
    }
}

async fn begin(
    shared: &Arc<Shared>,
    terms: SeekTerms,
    sides: &[Side; 2],
) -> Result<GameId, StartError> {
    let all_terms = Terms { is_rated: terms.is_rated, ..Terms::new(terms.time_control) };
    let settings = all_terms.settings().map_err(|_| StartError::Refused(ServerCode::BadTerms))?;
    let lot = shared.services.random.number();
    let lot = lot.map_err(|_| StartError::Refused(ServerCode::Internal))?;
    let seat = |side: &Side| SeatPlan::Seeker { who: Arc::clone(&side.who), address: side.address };
    let [one, other] = sides.each_ref().map(seat);
    let seats = if lot & 1 == 0 { [one, other] } else { [other, one] };
    let claims = sides.iter().map(|side| side.id.clone()).collect();
    start_claiming(shared, GamePlan { settings, seats, rematch_of: None }, claims).await
}

/// Lets players who are waiting here join the game that claimed their seeks, and returns them.
pub(crate) fn started(shared: &Arc<Shared>, seeks: &[SeekId], game: GameId) -> Vec<PlayerId> {
    let answered = |id| lock(&shared.lobby).answered(id);
    let answered: Vec<LocalSeek> = seeks.iter().filter_map(answered).collect();
    answered.iter().for_each(|seek| join_game(shared, &seek.seeker, game));
    answered.iter().map(|seek| seek.seeker.who.player).collect()
}

/// `true` if the store has reported that a seek is claimed.
struct IsClaimed(bool);

/// Reads from the store whether a game has claimed a seek.
async fn check_claim(shared: &Arc<Shared>, id: &SeekId, IsClaimed(is_claimed): IsClaimed) {
    match shared.services.store.claimed_by(&id.0).await {
        Ok(Some(game)) => drop(started(shared, core::slice::from_ref(id), game)),
        // The seek was withdrawn.
        Ok(None) if is_claimed => drop(lock(&shared.lobby).remove(id)),
        Ok(None) => {}
        Err(error) => tracing::warn!("a seek could not be looked up: {error}"),
    }
}

/// Handles the seeks of another node.
pub(crate) fn handle_seeks(shared: &Arc<Shared>, node: NodeId, seeks: Vec<Seek>, now: Moment) {
    for seek in seeks.into_iter().take(PER_MESSAGE).filter(|seek| seek.id.0.len() <= SEEK_BYTES) {
        let (id, player) = (seek.id.clone(), seek.player);
        let effect = lock(&shared.lobby).add_remote(node, seek, now);
        let SeekEffect { replaced, candidates, is_outdated } = effect;
        if is_outdated {
            withdraw_outdated(shared, id, player);
        }
        if let Some(seek) = replaced {
            withdraw(shared, seek, Ending::Ended);
        }
        for player in candidates {
            pair(shared, player);
        }
    }
}

/// Handles the end of a seek at another node.
pub(crate) fn handle_seek_over(shared: &Shared, seek: &SeekId) {
    lock(&shared.lobby).forget(seek);
}

/// Handles the departure of a node: its seeks are gone.
pub(crate) fn node_left(shared: &Shared, node: NodeId) {
    lock(&shared.lobby).node_left(node);
}

/// Publishes this node's seeks, and drops seeks of others that were not repeated since a moment.
pub(crate) fn send_heartbeat(shared: &Shared, since: Moment) {
    let seeks = {
        let mut lobby = lock(&shared.lobby);
        lobby.expire(since);
        lobby.all_local()
    };
    for seeks in seeks.chunks(PER_MESSAGE) {
        shared.services.bus.publish(BusMessage::Seeks { seeks: seeks.to_vec() });
    }
}

/// Reads from the store whether a seek was claimed without a message reaching this node.
pub(crate) async fn poll_claims(shared: &Arc<Shared>) {
    let seeks = lock(&shared.lobby).all_local();
    for seek in seeks {
        check_claim(shared, &seek.id, IsClaimed(false)).await;
        pair(shared, seek.player);
    }
}
