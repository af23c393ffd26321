//! How a node reacts to messages from its peers, and what it sends them with every heartbeat.
//!
//! This module handles the greeting at startup and the heartbeat, and passes each message to the
//! part of the server that it concerns. Invariant: no message changes a game. A message about the
//! state of a game only makes the node read the store, so a wrong one wastes some work but does
//! no harm. Presence, ratings, ended sessions, and the time that another node owes a player are taken
//! from the messages themselves.

use core::time::Duration;
use std::sync::{Arc, Weak};

use castellan_game::{GameId, Moment, PlayerId};
use castellan_store::{StoreError, TokenDigest};
use tokio::sync::mpsc;

use super::hub::Shared;
use super::peer_clocks::ClockComparison;
use super::room::{Call, PeerUpdate};
use super::{begin, lock, moderation, pairing};
use crate::bus::{
    BusMessage, Envelope, GamePresence, GameStarted, HeartbeatConfig, NodeId, PER_MESSAGE, PULSES,
};
use crate::state::Services;

/// Number of times a message is sent if no heartbeat repeats its content.
const REPETITIONS: u32 = 3;
/// Maximum number of times the start of a game is announced, if its players do not join.
const GAME_ANNOUNCEMENTS: u32 = 20;
/// How long to wait for a node to report that a player is connected to it.
const SEARCH_TIMEOUT: Duration = Duration::from_millis(700);

/// Finds out which peers are running and then listens until the server stops. Returns `true` if
/// there are any.
pub(crate) async fn join(shared: &Arc<Shared>) -> bool {
    let bus = &shared.services.bus;
    let Some(mut inbox) = bus.take_inbox() else { return false };
    bus.publish(BusMessage::Hello {});
    let greeting = async {
        while let Some(Envelope { from, at, message }) = inbox.recv().await {
            // Of several nodes that start together, the one with the lowest ID counts as the
            // first.
            let is_answer = match message {
                BusMessage::Alive { .. } => true,
                BusMessage::Hello {} => {
                    if from > bus.node() {
                        bus.publish(BusMessage::Alive { at: shared.services.clock.now() });
                    }
                    false
                }
                // This node has no games or players yet. What it will need is in the store.
                BusMessage::Bye {}
                | BusMessage::Games { .. }
                | BusMessage::NewVersion { .. }
                | BusMessage::LostEvents { .. }
                | BusMessage::Rated { .. }
                | BusMessage::NewChat { .. }
                | BusMessage::GameStarted(_)
                | BusMessage::Seeks { .. }
                | BusMessage::SeekOver { .. }
                | BusMessage::Playing { .. }
                | BusMessage::SessionOver { .. }
                | BusMessage::PolicyChanged {}
                | BusMessage::ChatDeleted { .. }
                | BusMessage::GameDeleted { .. }
                | BusMessage::Announcement { .. }
                | BusMessage::WhereIs { .. }
                | BusMessage::IsHere { .. }
                | BusMessage::WhereWas { .. }
                | BusMessage::WasAt { .. } => false,
            };
            if is_answer {
                shared.peers.mark_alive(from, at, shared.services.clock.now());
            }
        }
    };
    // Waits for the whole period, so that every peer has time to respond.
    let _ = shared.services.clock.timeout(bus.heartbeat().greeting(), greeting).await;
    tokio::spawn(listen(Arc::downgrade(shared), inbox));
    tokio::spawn(heartbeats(Arc::downgrade(shared)));
    tokio::spawn(poll_store(Arc::downgrade(shared)));
    shared.peers.has_peers()
}

/// Sends a message several times, because no heartbeat repeats it.
pub(crate) fn publish_repeatedly(shared: &Shared, message: BusMessage) {
    let bus = shared.services.bus.clone();
    bus.publish(message.clone());
    if !bus.is_joined() {
        return;
    }
    let clock = shared.services.clock.clone();
    tokio::spawn(async move {
        for _ in 1..REPETITIONS {
            clock.sleep_until(clock.now().plus_ms(bus.heartbeat().beat_ms() / 2)).await;
            bus.publish(message.clone());
        }
    });
}

/// Announces a new game repeatedly, until its players have joined it or the attempts are used up.
pub(crate) fn announce_game(shared: &Arc<Shared>, started: GameStarted) {
    let bus = shared.services.bus.clone();
    bus.publish(BusMessage::GameStarted(started.clone()));
    if !bus.is_joined() {
        return;
    }
    let (clock, shared) = (shared.services.clock.clone(), Arc::downgrade(shared));
    tokio::spawn(async move {
        for _ in 1..GAME_ANNOUNCEMENTS {
            clock.sleep_until(clock.now().plus_ms(bus.heartbeat().beat_ms() / 2)).await;
            let Some(shared) = shared.upgrade() else { return };
            let missing = missing_players(&shared, &started);
            if missing.is_empty() {
                return;
            }
            for player in missing {
                pairing::join_unsought(&shared, player, started.game);
            }
            bus.publish(BusMessage::GameStarted(started.clone()));
        }
    });
}

/// Returns the players who have not joined a new game at any node. The connection that sought it may
/// be lost.
fn missing_players(shared: &Shared, started: &GameStarted) -> Vec<PlayerId> {
    let there = shared.peers.everywhere(started.game);
    started.players.iter().filter(|player| !there.contains(player)).take(2).copied().collect()
}

/// Returns `true` if the player is connected to another node. Takes up to
/// `SEARCH_TIMEOUT` if they are not.
pub(crate) async fn is_connected_elsewhere(shared: &Shared, player: PlayerId) -> bool {
    if !shared.services.bus.is_joined() {
        return false;
    }
    let (sender, mut found) = mpsc::channel(1);
    lock(&shared.searches).push((player, sender));
    shared.services.bus.publish(BusMessage::WhereIs { player });
    let search = shared.services.clock.timeout(SEARCH_TIMEOUT, found.recv());
    let is_found = matches!(search.await, Some(Some(())));
    drop(found);
    lock(&shared.searches).retain(|(_, sender)| !sender.is_closed());
    is_found
}

async fn listen(shared: Weak<Shared>, mut inbox: mpsc::Receiver<Envelope>) {
    while let Some(envelope) = inbox.recv().await {
        let Some(shared) = shared.upgrade() else { return };
        handle(&shared, envelope);
    }
}

fn handle(shared: &Arc<Shared>, Envelope { from, at, message }: Envelope) {
    let now = shared.services.clock.now();
    let bus = &shared.services.bus;
    if matches!(message, BusMessage::Bye {}) {
        pairing::node_left(shared, from);
        return shared.peers.left(from, now).into_iter().for_each(|game| reread(shared, game));
    }
    shared.peers.mark_alive(from, at, now);
    match message {
        BusMessage::Hello {} => {
            bus.publish(BusMessage::Alive { at: now });
            publish_games(shared);
        }
        BusMessage::Alive { at } => shared.peers.record_clock(from, at, now),
        BusMessage::Bye {} => {}
        BusMessage::Games { games } => {
            for presence in games.into_iter().take(PER_MESSAGE) {
                handle_presence(shared, from, presence);
            }
        }
        BusMessage::NewVersion { game, version } => {
            update(shared, game, PeerUpdate { version, ..PeerUpdate::default() });
        }
        BusMessage::LostEvents { game } => pass(shared, game, Call::Reload),
        BusMessage::NewChat { game } => {
            // No line is expected to have the hash 0, so the room reads the chat.
            update(shared, game, PeerUpdate { chat_hash: Some(0), ..PeerUpdate::default() });
        }
        BusMessage::Rated { ratings } => pass(shared, ratings.game, Call::Rated(ratings)),
        BusMessage::GameStarted(started) => handle_game_started(shared, started),
        BusMessage::Seeks { seeks } => pairing::handle_seeks(shared, from, seeks, now),
        BusMessage::SeekOver { seek } => pairing::handle_seek_over(shared, &seek),
        BusMessage::Playing { player, game } => pairing::handle_playing(shared, player, game),
        BusMessage::SessionOver { session } => {
            if let Some(session) = from_hex(&session) {
                shared.connections.end_session(session);
            }
        }
        BusMessage::PolicyChanged {} => {
            let shared = Arc::clone(shared);
            tokio::spawn(async move { refresh_policy(&shared).await });
        }
        BusMessage::ChatDeleted { game } => moderation::reload_chat(shared, game),
        BusMessage::GameDeleted { game } => moderation::close_deleted(shared, game),
        BusMessage::Announcement { text } => {
            moderation::announce(shared, &text);
        }
        BusMessage::WhereIs { player } => {
            if !shared.connections.full_of_player(player).is_empty() {
                bus.publish(BusMessage::IsHere { player });
            }
        }
        BusMessage::IsHere { player } => {
            for (sought, sender) in lock(&shared.searches).iter() {
                if *sought == player {
                    // A single report is enough.
                    let _ = sender.try_send(());
                }
            }
        }
        BusMessage::WhereWas { game, player } => tell_where(shared, from, game, player),
        BusMessage::WasAt { game, player, last } => {
            if last.node != bus.node() {
                shared.peers.learn(game, player, last, now);
            }
        }
    }
}

/// Passes a call to a room, if there is one. If its inbox is full, the call is lost; heartbeats
/// repeat everything but ratings.
fn pass(shared: &Shared, game: GameId, call: Call) {
    if let Some(sender) = shared.rooms.get(game) {
        let _ = sender.try_send(call);
    }
}

fn update(shared: &Arc<Shared>, game: GameId, update: PeerUpdate) {
    let asleep = shared.rooms.sleeping_version(game);
    if asleep.is_some_and(|version| version < update.version) {
        // Somebody plays the game at another node.
        return shared.call(game, Call::PeerUpdate(update));
    }
    pass(shared, game, Call::PeerUpdate(update));
}

/// Makes a room read the store again because another node no longer serves its game. That node may
/// have stored events whose announcement was lost with it.
fn reread(shared: &Arc<Shared>, game: GameId) {
    update(shared, game, PeerUpdate { version: u32::MAX, ..PeerUpdate::default() });
}

/// Reads again the games in which a player seems to be absent. That player may have played at
/// another node, or ended the game there, while all messages about it were lost.
fn reread_lonely_games(shared: &Arc<Shared>) {
    for presence in shared.peers.all_local() {
        if shared.peers.everywhere(presence.game).len() < 2 {
            reread(shared, presence.game);
        }
    }
}

fn handle_presence(shared: &Arc<Shared>, from: NodeId, presence: GamePresence) {
    let GamePresence { game, version, chat_hash, rematch, .. } = presence;
    let now = shared.services.clock.now();
    let has_players = !presence.players.is_empty();
    shared.peers.set_remote(from, presence, now);
    if has_players && shared.rooms.sleeping_version(game).is_some() {
        // A player is back, so the game is not abandoned.
        return shared.call(game, Call::Wake);
    }
    update(shared, game, PeerUpdate { version, chat_hash, rematch });
}

/// Answers a node that a player has reached: reports which users follow the game here, which also shows
/// that this node is alive, and to which other node the player was connected last.
fn tell_where(shared: &Shared, asker: NodeId, game: GameId, player: PlayerId) {
    let Services { bus, clock, .. } = &*shared.services;
    bus.publish(match shared.peers.local(game) {
        Some(presence) => BusMessage::Games { games: vec![presence] },
        None => BusMessage::Alive { at: clock.now() },
    });
    if let Some(last) = shared.peers.last_connection(game, player, Some(asker)) {
        bus.publish(BusMessage::WasAt { game, player, last });
    }
}

/// Lets players join a game that started at another node.
fn handle_game_started(shared: &Arc<Shared>, started: GameStarted) {
    let game = started.game;
    let answered = pairing::started(shared, &started.seeks, game);
    let is_new = shared.peers.is_new(game);
    if !started.seeks.is_empty() {
        let missing = missing_players(shared, &started);
        let players = started.players.into_iter().take(2);
        for player in players.filter(|player| !answered.contains(player)) {
            // The connection that sought the game may be lost, so those to this node join as well.
            // If the message is repeated, a player has not joined, and a later seek is withdrawn.
            if is_new {
                pairing::join_all(shared, player, game);
            } else if missing.contains(&player) {
                pairing::join_unsought(shared, player, game);
            }
        }
        return;
    }
    if !is_new {
        return;
    }
    if let Some(former) = started.rematch_of {
        return update(shared, former, PeerUpdate { rematch: Some(game), ..PeerUpdate::default() });
    }
    for player in started.players.into_iter().take(2) {
        pairing::join_all(shared, player, game);
    }
}

/// Tells the peers which users follow which game at this node.
fn publish_games(shared: &Shared) {
    for games in shared.peers.all_local().chunks(PER_MESSAGE) {
        shared.services.bus.publish(BusMessage::Games { games: games.to_vec() });
    }
}

/// Sends signs of life and heartbeats at regular intervals. This never waits for the store, so a node
/// with a slow store still counts as alive.
async fn heartbeats(shared: Weak<Shared>) {
    for pulse in 1.. {
        let Some(shared) = next_tick(&shared, HeartbeatConfig::pulse_ms).await else { return };
        let Services { bus, clock, .. } = &*shared.services;
        bus.publish(BusMessage::Alive { at: clock.now() });
        if pulse % PULSES == 0 {
            send_heartbeat(&shared);
        }
    }
}

/// Reads from the store at regular intervals what a lost message may have contained.
async fn poll_store(shared: Weak<Shared>) {
    let mut resume_at = None;
    while let Some(shared) = next_heartbeat(&shared).await {
        let Services { clock, bus, .. } = &*shared.services;
        let (now, gone_ms) = (clock.now(), bus.heartbeat().gone_ms());
        pairing::poll_claims(&shared).await;
        refresh_policy(&shared).await;
        if now >= *resume_at.get_or_insert(now.plus_ms(gone_ms)) {
            resume_at = Some(now.plus_ms(gone_ms));
            reread_lonely_games(&shared);
            if let Err(error) = resume_orphans(&shared).await {
                tracing::warn!("games without a server could not be looked up: {error}");
            }
        }
    }
}

/// Reads the bans again, which another node or `castellan admin` may have changed.
async fn refresh_policy(shared: &Shared) {
    if let Err(error) = moderation::refresh_policy(shared).await {
        tracing::warn!("the bans could not be read: {error}");
    }
}

/// Waits for the next heartbeat. Returns `None` if the server is shutting down.
async fn next_heartbeat(shared: &Weak<Shared>) -> Option<Arc<Shared>> {
    next_tick(shared, HeartbeatConfig::beat_ms).await
}

/// Waits for a part of the heartbeat's interval. Returns `None` if the server is shutting down.
async fn next_tick(
    shared: &Weak<Shared>,
    pause_ms: fn(HeartbeatConfig) -> u64,
) -> Option<Arc<Shared>> {
    let (clock, heartbeat) = {
        let services = &shared.upgrade()?.services;
        (services.clock.clone(), services.bus.heartbeat())
    };
    clock.sleep_until(clock.now().plus_ms(pause_ms(heartbeat))).await;
    shared.upgrade().filter(|shared| !shared.is_closing())
}

fn send_heartbeat(shared: &Arc<Shared>) {
    let services = &shared.services;
    publish_games(shared);
    let gone_ms = services.bus.heartbeat().gone_ms();
    let now_ms = services.clock.now().as_millis();
    let since = Moment::from_millis(now_ms.saturating_sub(gone_ms));
    for game in shared.peers.expire(since, services.clock.now()) {
        reread(shared, game);
    }
    check_clock(shared);
    if services.bus.connected_for().is_none() {
        // No message can reach this node, so every game is read again.
        for presence in shared.peers.all_local() {
            let version = presence.version.saturating_add(1);
            update(shared, presence.game, PeerUpdate { version, ..PeerUpdate::default() });
        }
    }
    pairing::send_heartbeat(shared, since);
}

/// Compares this node's clock with the others, and reports if it begins or ceases to differ.
fn check_clock(shared: &Shared) {
    let (comparison, has_changed) = shared.peers.compare_clocks();
    let ClockComparison { peers, differing, largest_ms } = comparison;
    let metrics = &shared.services.metrics;
    metrics.clock_offset.set(largest_ms as f64 / 1000.0);
    if !has_changed {
        return;
    }
    if comparison.is_with_majority() {
        tracing::info!("the clock agrees with those of the other nodes again");
    } else {
        metrics.clock_disagreements.increment(1);
        tracing::warn!(
            "the clock differs from those of {differing} of {peers} other nodes, by up to \
             {largest_ms} ms; until they agree, this node ends no game on time for players who are \
             not connected to it; synchronize the clocks and restart the nodes that are wrong"
        );
    }
}

/// Resumes running games that no node serves, such as those of a node that died. Only one node
/// does this, and only after it has been able to reach the others for long enough.
async fn resume_orphans(shared: &Arc<Shared>) -> Result<(), StoreError> {
    let bus = &shared.services.bus;
    if !bus.is_informed() || !shared.peers.is_first(bus.node()) {
        return Ok(());
    }
    for game in shared.services.store.unfinished().await? {
        let is_here = shared.rooms.get(game).is_some();
        let is_asleep = shared.rooms.sleeping_version(game).is_some();
        if !is_here && !is_asleep && !shared.peers.is_served_elsewhere(game) {
            begin::resume(shared, game).await?;
        }
    }
    Ok(())
}

/// Encodes the digest of a session for the bus.
pub(crate) fn to_hex(session: TokenDigest) -> String {
    hex::encode(session.as_bytes())
}

fn from_hex(text: &str) -> Option<TokenDigest> {
    let mut bytes = [0; 32];
    hex::decode_to_slice(text, &mut bytes).ok()?;
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
