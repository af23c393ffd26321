//! How a node reacts to messages from its peers, and what it sends them with every heartbeat.
//!
//! This module handles the greeting at startup and the heartbeat, and passes each message to the
//! part of the server that it concerns. Invariant: no message changes a game. A message about the
//! state of a game only makes the node read the store, so a wrong one wastes some work but does
//! no harm. Presence, ratings, and ended sessions are taken from the messages themselves.

use core::time::Duration;
use std::sync::{Arc, Weak};

use castellan_game::{GameId, Moment, PlayerId};
use castellan_store::{StoreError, TokenDigest};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::hub::Shared;
use super::link::Dialect;
use super::reply::Asked;
use super::room::{Call, Hint, Visitor};
use super::{begin, lock, pairing};
use crate::bus::{Attendance, Begun, Letter, News, NodeId, PER_MESSAGE};
use crate::state::Services;

/// Number of times a message is sent if no heartbeat repeats its content.
const TOLD: u32 = 3;
/// Maximum number of times the start of a game is announced, if its players do not join.
const BEGUN_TOLD: u32 = 20;
/// How long to wait for a node to report that a player is connected to it.
const SEARCH: Duration = Duration::from_millis(700);

/// Finds out which peers are running and then listens until the server stops. Returns `true` if
/// there are any.
pub(crate) async fn join(shared: &Arc<Shared>) -> bool {
    let bus = &shared.services.bus;
    let Some(mut inbox) = bus.take_inbox() else { return false };
    bus.tell(News::Hello {});
    let greeting = async {
        while let Some(Letter { from, news }) = inbox.recv().await {
            // Of several nodes that start together, the one with the lowest ID counts as the
            // first.
            let is_answer = match news {
                News::Here {} => true,
                News::Hello {} if from > bus.node() => {
                    bus.tell(News::Here {});
                    false
                }
                _ => false,
            };
            if is_answer {
                shared.nodes.heard(from, shared.services.clock.now());
            }
        }
    };
    // Waits for the whole period, so that every peer has time to respond.
    let _ = timeout(bus.pace().greeting(), greeting).await;
    tokio::spawn(listen(Arc::downgrade(shared), inbox));
    tokio::spawn(beats(Arc::downgrade(shared)));
    tokio::spawn(inquiries(Arc::downgrade(shared)));
    shared.nodes.is_anybody_there()
}

/// Sends a message several times, because no heartbeat repeats it.
pub(crate) fn tell_often(shared: &Shared, news: News) {
    let bus = shared.services.bus.clone();
    bus.tell(news.clone());
    if !bus.is_joined() {
        return;
    }
    let clock = shared.services.clock.clone();
    tokio::spawn(async move {
        for _ in 1..TOLD {
            clock.sleep_until(clock.now().plus_ms(bus.pace().beat_ms() / 2)).await;
            bus.tell(news.clone());
        }
    });
}

/// Announces a new game repeatedly, until its players have joined it or the attempts are used up.
pub(crate) fn tell_begun(shared: &Arc<Shared>, begun: Begun) {
    let bus = shared.services.bus.clone();
    bus.tell(News::Begun(begun.clone()));
    if !bus.is_joined() {
        return;
    }
    let (clock, shared) = (shared.services.clock.clone(), Arc::downgrade(shared));
    tokio::spawn(async move {
        for _ in 1..BEGUN_TOLD {
            clock.sleep_until(clock.now().plus_ms(bus.pace().beat_ms() / 2)).await;
            let Some(shared) = shared.upgrade() else { return };
            let there = shared.nodes.everywhere(begun.game);
            if begun.players.iter().all(|player| there.contains(player)) {
                return;
            }
            bus.tell(News::Begun(begun.clone()));
        }
    });
}

/// Returns `true` if the player is connected to another node. Takes up to `SEARCH` if they are
/// not.
pub(crate) async fn is_elsewhere(shared: &Shared, player: PlayerId) -> bool {
    if !shared.services.bus.is_joined() {
        return false;
    }
    let (tell, mut told) = mpsc::channel(1);
    lock(&shared.searches).push((player, tell));
    shared.services.bus.tell(News::WhereIs { player });
    let is_found = matches!(timeout(SEARCH, told.recv()).await, Ok(Some(())));
    drop(told);
    lock(&shared.searches).retain(|(_, tell)| !tell.is_closed());
    is_found
}

async fn listen(shared: Weak<Shared>, mut inbox: mpsc::Receiver<Letter>) {
    while let Some(letter) = inbox.recv().await {
        let Some(shared) = shared.upgrade() else { return };
        hear(&shared, letter);
    }
}

fn hear(shared: &Arc<Shared>, Letter { from, news }: Letter) {
    let now = shared.services.clock.now();
    let bus = &shared.services.bus;
    if matches!(news, News::Bye {}) {
        pairing::left(shared, from);
        return shared.nodes.left(from).into_iter().for_each(|game| look_around(shared, game));
    }
    shared.nodes.heard(from, now);
    match news {
        News::Hello {} => {
            bus.tell(News::Here {});
            tell_all(shared);
        }
        News::Here {} | News::Bye {} => {}
        News::Games { games } => {
            for attendance in games.into_iter().take(PER_MESSAGE) {
                hear_attendance(shared, from, attendance);
            }
        }
        News::Kept { game, version } => hint(shared, game, Hint { version, ..Hint::default() }),
        News::Said { game } => {
            // No line is expected to have the hash 0, so the room reads the chat.
            hint(shared, game, Hint { said: Some(0), ..Hint::default() });
        }
        News::Rated { ratings } => pass(shared, ratings.game, Call::Rated(ratings)),
        News::Begun(begun) => hear_begun(shared, begun),
        News::Seeks { seeks } => pairing::hear(shared, from, seeks, now),
        News::SeekOver { seek } => pairing::hear_over(shared, &seek),
        News::SessionOver { session } => {
            if let Some(session) = from_hex(&session) {
                shared.people.end_session(session);
            }
        }
        News::WhereIs { player } => {
            if !full_visitors(shared, player).is_empty() {
                bus.tell(News::IsHere { player });
            }
        }
        News::IsHere { player } => {
            for (sought, tell) in lock(&shared.searches).iter() {
                if *sought == player {
                    // A single report is enough.
                    let _ = tell.try_send(());
                }
            }
        }
    }
}

/// Passes a call to a room, if there is one. If its inbox is full, the call is lost; heartbeats
/// repeat everything but ratings.
fn pass(shared: &Shared, game: GameId, call: Call) {
    if let Some(door) = shared.rooms.get(game) {
        let _ = door.try_send(call);
    }
}

fn hint(shared: &Shared, game: GameId, hint: Hint) {
    pass(shared, game, Call::Elsewhere(hint));
}

fn look_around(shared: &Shared, game: GameId) {
    hint(shared, game, Hint::default());
}

fn hear_attendance(shared: &Shared, from: NodeId, attendance: Attendance) {
    let Attendance { game, version, said, rematch, .. } = attendance;
    let now = shared.services.clock.now();
    shared.nodes.tell_elsewhere(from, attendance, now);
    hint(shared, game, Hint { version, said, rematch });
}

/// Lets players join a game that started at another node.
fn hear_begun(shared: &Arc<Shared>, begun: Begun) {
    let Begun { game, players, seeks, rematch_of } = begun;
    pairing::begun(shared, &seeks, game);
    if !seeks.is_empty() || !shared.nodes.is_new(game) {
        return;
    }
    if let Some(former) = rematch_of {
        return hint(shared, former, Hint { rematch: Some(game), ..Hint::default() });
    }
    for player in players.into_iter().take(2) {
        for visitor in full_visitors(shared, player) {
            shared.call(game, Call::Join { visitor, asked: Asked::default(), since: None });
        }
    }
}

fn full_visitors(shared: &Shared, player: PlayerId) -> Vec<Visitor> {
    let here = shared.people.visitors_of(player).into_iter();
    let full = here.filter(|(link, _)| link.dialect() == Dialect::Full);
    full.map(|(link, who)| Visitor { link, who }).collect()
}

/// Tells the peers who follows which game at this node.
fn tell_all(shared: &Shared) {
    for games in shared.nodes.all_here().chunks(PER_MESSAGE) {
        shared.services.bus.tell(News::Games { games: games.to_vec() });
    }
}

/// Sends a heartbeat at regular intervals. It never waits for the store, so a node with a slow
/// store still counts as alive.
async fn beats(shared: Weak<Shared>) {
    while let Some(shared) = next_beat(&shared).await {
        beat(&shared);
    }
}

/// Reads from the store at regular intervals what a lost message may have contained.
async fn inquiries(shared: Weak<Shared>) {
    let mut sweep_at = None;
    while let Some(shared) = next_beat(&shared).await {
        let Services { clock, bus, .. } = &*shared.services;
        let (now, gone_ms) = (clock.now(), bus.pace().gone_ms());
        pairing::inquire(&shared).await;
        if now >= *sweep_at.get_or_insert(now.plus_ms(gone_ms)) {
            sweep_at = Some(now.plus_ms(gone_ms));
            if let Err(error) = sweep(&shared).await {
                tracing::warn!("games without a server could not be looked up: {error}");
            }
        }
    }
}

/// Waits for the next heartbeat. Returns `None` if the server is shutting down.
async fn next_beat(shared: &Weak<Shared>) -> Option<Arc<Shared>> {
    let (clock, pace) = {
        let services = &shared.upgrade()?.services;
        (services.clock.clone(), services.bus.pace())
    };
    clock.sleep_until(clock.now().plus_ms(pace.beat_ms())).await;
    shared.upgrade().filter(|shared| !shared.is_closing())
}

fn beat(shared: &Arc<Shared>) {
    let services = &shared.services;
    services.bus.tell(News::Here {});
    tell_all(shared);
    let gone_ms = services.bus.pace().gone_ms();
    let now_ms = services.clock.now().as_millis();
    let since = Moment::from_millis(now_ms.saturating_sub(gone_ms));
    for game in shared.nodes.expire(since) {
        look_around(shared, game);
    }
    if services.bus.connected_for().is_none() {
        // No message can reach this node, so every game is read again.
        for attendance in shared.nodes.all_here() {
            let version = attendance.version.saturating_add(1);
            hint(shared, attendance.game, Hint { version, ..Hint::default() });
        }
    }
    pairing::beat(shared, since);
}

/// Resumes running games that no node serves, such as those of a node that died. Only one node
/// does this, and only after it has been able to hear the others for long enough.
async fn sweep(shared: &Arc<Shared>) -> Result<(), StoreError> {
    let bus = &shared.services.bus;
    if !bus.is_informed() || !shared.nodes.is_first(bus.node()) {
        return Ok(());
    }
    for game in shared.services.store.unfinished().await? {
        if shared.rooms.get(game).is_none() && !shared.nodes.is_served_elsewhere(game) {
            begin::take_up(shared, game).await?;
        }
    }
    Ok(())
}

/// Encodes the digest of a session for the bus.
pub(crate) fn to_hex(session: TokenDigest) -> String {
    session.as_bytes().iter().map(|byte| format!("{byte:02x}")).collect()
}

fn from_hex(text: &str) -> Option<TokenDigest> {
    let mut bytes = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
        *byte = u8::from_str_radix(core::str::from_utf8(digits).ok()?, 16).ok()?;
    }
    Some(TokenDigest::from_bytes(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_reads_back_and_nothing_else_is_one() {
        let digest = TokenDigest::of(b"token");
        assert_eq!(from_hex(&to_hex(digest)), Some(digest));
        for text in ["", "00", &"0".repeat(63), &"g".repeat(64), &"é".repeat(32)] {
            assert_eq!(from_hex(text), None);
        }
    }
}
