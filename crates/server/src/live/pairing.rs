//! Pairing of players when several nodes serve the same games.
//!
//! Every node publishes its own seeks, repeats them with every heartbeat, and knows the seeks of
//! the others. The node with the later of two matching seeks starts the game, and the store lets
//! at most one game claim a seek. So messages may be lost, late, or repeated, and still no player
//! gets two games. If the message that a seek was answered is lost, the node learns it from the
//! store. This module leaves to [`waiting`](super::waiting) who is waiting, and who fits whom.

use std::sync::Arc;

use castellan_game::{GameId, Moment, PlayerId};
use castellan_protocol::{Nothing, Queued, ServerCode, ServerMessage, Terms};

use super::begin::{GamePlan, SeatPlan, StartError, start_claiming};
use super::connection::{ConnectionId, Protocol};
use super::hub::Shared;
use super::lobby::{QueueFull, SeekTerms, Seeker};
use super::lock;
use super::reply::{RequestRef, encode};
use super::room::{Call, Subscriber};
use super::waiting::{Heard, Own, Side};
use crate::bus::{BusMessage, NodeId, PER_MESSAGE, Seek, SeekId};
use crate::random::Random;

/// Maximum length of a valid seek ID in bytes.
const SEEK_BYTES: usize = 32;

/// Adds a player's seek, and starts a game if there is an opponent.
pub(crate) fn seek(shared: &Arc<Shared>, seeker: Seeker, terms: SeekTerms) {
    let (connection, request, player) =
        (Arc::clone(&seeker.connection), seeker.request, seeker.who.player);
    let Ok(secret) = Random::secret::<16>() else {
        return request.refuse(&connection, ServerCode::Internal);
    };
    let id = SeekId(secret.iter().map(|byte| format!("{byte:02x}")).collect());
    let since = shared.services.clock.now();
    let own = Own::new(id, seeker, terms, since);
    let told = own.told();
    let (inserted, count) = {
        let mut waiting = lock(&shared.waiting);
        (waiting.insert(own), waiting.count(terms))
    };
    let former = match inserted {
        Ok(former) => former,
        Err(full @ QueueFull) => {
            return request.refuse_with_message(&connection, ServerCode::Busy, full.to_string());
        }
    };
    if let Some(former) = former {
        withdraw(shared, former, Quietly(true));
    }
    if connection.protocol() == Protocol::Full {
        connection.send(encode(&ServerMessage::Queued(Queued {
            time_control: terms.time_control,
            is_rated: terms.is_rated,
            waiting: u32::try_from(count).unwrap_or(u32::MAX),
        })));
    }
    shared.services.bus.publish(BusMessage::Seeks { seeks: vec![told] });
    pair(shared, player);
}

/// Cancels the seek of a connection and returns `true` if there was one.
pub(crate) fn cancel(shared: &Arc<Shared>, player: PlayerId, connection: ConnectionId) -> bool {
    let own = lock(&shared.waiting).remove_at(player, connection);
    let Some(own) = own else { return false };
    withdraw(shared, own, Quietly(false));
    true
}

/// `true` if the player is not told that their seek has ended.
struct Quietly(bool);

/// Makes sure that no game can claim a seek any more. If one already has, the player joins it.
fn withdraw(shared: &Arc<Shared>, own: Own, Quietly(is_quiet): Quietly) {
    let Some(tag) = shared.tasks.tag() else { return };
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        let Own { id, seeker, .. } = own;
        let services = &shared.services;
        match services.store.withdraw(&id.0, services.clock.now()).await {
            Ok(false) => match services.store.claimed_by(&id.0).await {
                Ok(Some(game)) => admit(&shared, &seeker, game),
                _ => tell_over(&seeker),
            },
            // If the store is unavailable, no node can start a game either.
            Ok(true) | Err(_) => {
                services.bus.publish(BusMessage::SeekOver { seek: id });
                if !is_quiet {
                    tell_over(&seeker);
                }
            }
        }
        drop(tag);
    });
}

fn tell_over(seeker: &Seeker) {
    if seeker.connection.protocol() == Protocol::Full {
        seeker.connection.send(encode(&ServerMessage::SeekEnded(Nothing {})));
    }
}

/// Lets a player join the game that started for them.
fn admit(shared: &Arc<Shared>, seeker: &Seeker, game: GameId) {
    tell_over(seeker);
    let subscriber =
        Subscriber { connection: Arc::clone(&seeker.connection), who: Arc::clone(&seeker.who) };
    shared.call(game, Call::Join { subscriber, request: RequestRef::default(), since: None });
}

/// Starts a game for a player who is waiting here, if there is an opponent.
fn pair(shared: &Arc<Shared>, player: PlayerId) {
    let table = lock(&shared.waiting).table(player);
    let Some((terms, sides)) = table else { return };
    let Some(tag) = shared.tasks.tag() else { return };
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        sit_down(&shared, terms, sides).await;
        drop(tag);
    });
}

async fn sit_down(shared: &Arc<Shared>, terms: SeekTerms, sides: [Side; 2]) {
    let claims: Vec<SeekId> = sides.iter().map(|side| side.id.clone()).collect();
    match begin(shared, terms, &sides).await {
        Ok(game) => begun(shared, &claims, game),
        Err(StartError::Claimed(claim)) => {
            let [partner, me] = sides;
            lock(&shared.waiting).give_up([&partner.id, &me.id], &claim);
            for side in [&partner, &me].into_iter().filter(|it| it.is_own && it.id.0 == claim) {
                look_up(shared, &side.id, IsClaimed(true)).await;
            }
            pair(shared, me.who.player);
        }
        Err(StartError::Refused(code)) => {
            for side in sides.iter().filter(|side| side.is_own) {
                let own = lock(&shared.waiting).remove(&side.id);
                if let Some(own) = own {
                    withdraw(shared, own.clone(), Quietly(true));
                    own.seeker.request.refuse(&own.seeker.connection, code);
                }
            }
        }
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
    // The players' connections join once the game exists, at whichever node they are.
    let seat =
        |side: &Side| SeatPlan::Person { who: Arc::clone(&side.who), connections: Vec::new() };
    let [one, other] = sides.each_ref().map(seat);
    let seats = if lot & 1 == 0 { [one, other] } else { [other, one] };
    let claims = sides.iter().map(|side| side.id.clone()).collect();
    start_claiming(shared, GamePlan { settings, seats, rematch_of: None }, claims).await
}

/// Lets players who are waiting here join the game that claimed their seeks.
pub(crate) fn begun(shared: &Arc<Shared>, seeks: &[SeekId], game: GameId) {
    for id in seeks {
        let own = lock(&shared.waiting).answered(id);
        if let Some(own) = own {
            admit(shared, &own.seeker, game);
        }
    }
}

/// `true` if the store has reported that a seek is claimed.
struct IsClaimed(bool);

/// Reads from the store whether a game has claimed a seek.
async fn look_up(shared: &Arc<Shared>, id: &SeekId, IsClaimed(is_claimed): IsClaimed) {
    match shared.services.store.claimed_by(&id.0).await {
        Ok(Some(game)) => begun(shared, core::slice::from_ref(id), game),
        // The seek was withdrawn.
        Ok(None) if is_claimed => drop(lock(&shared.waiting).remove(id)),
        Ok(None) => {}
        Err(error) => tracing::warn!("a seek could not be looked up: {error}"),
    }
}

/// Handles the seeks of another node.
pub(crate) fn handle_seeks(shared: &Arc<Shared>, node: NodeId, seeks: Vec<Seek>, now: Moment) {
    for seek in seeks.into_iter().take(PER_MESSAGE).filter(|seek| seek.id.0.len() <= SEEK_BYTES) {
        let Heard { forgotten, later } = lock(&shared.waiting).hear(node, seek, now);
        if let Some(own) = forgotten {
            withdraw(shared, own, Quietly(false));
        }
        for player in later {
            pair(shared, player);
        }
    }
}

/// Handles the end of a seek at another node.
pub(crate) fn handle_seek_over(shared: &Shared, seek: &SeekId) {
    lock(&shared.waiting).forget(seek);
}

/// Handles the departure of a node: its seeks are gone.
pub(crate) fn left(shared: &Shared, node: NodeId) {
    lock(&shared.waiting).left(node);
}

/// Publishes this node's seeks, and drops seeks of others that were not repeated since a moment.
pub(crate) fn beat(shared: &Shared, since: Moment) {
    let seeks = {
        let mut waiting = lock(&shared.waiting);
        waiting.expire(since);
        waiting.all_own()
    };
    for seeks in seeks.chunks(PER_MESSAGE) {
        shared.services.bus.publish(BusMessage::Seeks { seeks: seeks.to_vec() });
    }
}

/// Reads from the store whether a seek was claimed without a message reaching this node.
pub(crate) async fn poll_claims(shared: &Arc<Shared>) {
    let seeks = lock(&shared.waiting).all_own();
    for seek in seeks {
        look_up(shared, &seek.id, IsClaimed(false)).await;
        pair(shared, seek.player);
    }
}
