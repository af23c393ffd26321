//! The time of a room: what becomes of the credit of the player to move, and the timers.
//!
//! [`TimeCredit`](super::credit::TimeCredit) computes the size of the credit. This module decides
//! which node owes it, takes over credits that other nodes owe, and records them.
//!
//! The timers end games: time forfeits, no-shows and abandoned games. They also retry operations
//! that failed in the store or in an engine.

use core::convert::Infallible;
use core::time::Duration;
use std::sync::Arc;

use castellan_game::{Actor, Command, Game, Moment, PlayerId, TimeControl};
use castellan_protocol::ClocksView;
use castellan_rules::Color;

use super::super::departures::RETURN_MS;
use super::super::hub::Shared;
use super::super::reply::RequestRef;
use super::audience::Subscriber;
use super::commands::PersistError;
use super::credit::RECORD_FROM_MS;
use super::{ENGINE_TIMEOUT_MS, RETRY_MS, Room};
use crate::bus::{BusMessage, GamePresence};
use crate::clock::{Arrival, Clock};
use crate::state::Services;

/// Minimum and maximum wait for a first move; in between, it is a quarter of the initial time.
const NO_SHOW_MS: [u64; 2] = [15_000, 60_000];
/// Wait for a first move in games without a clock.
const UNHURRIED_NO_SHOW_MS: u64 = 300_000;
/// Minimum and maximum wait for a disconnected player; in between, it is a fifth of the time for
/// a game of 40 moves.
const GONE_MS: [u64; 2] = [30_000, 300_000];
/// Wait for a disconnected player in games without a clock.
const UNHURRIED_GONE_MS: u64 = 1_800_000;
/// How long the room of a game without a clock stays open after all clients have left.
const SLEEP_AFTER_MS: u64 = 60_000;
/// Factor on the wait when both players are disconnected, because neither of them is kept
/// waiting.
const BOTH_GONE: u64 = 4;

/// How long a room waits for an answer of the node to which a player was connected before. A living
/// node answers within milliseconds.
const ANSWER_MS: u64 = 200;
/// Interval at which the room checks for the answer while a move waits for it.
const ANSWER_CHECK_MS: u64 = 10;

/// The player to move, who has joined the game here. If the node to which they were connected before
/// is gone, their time on the way is not charged.
#[derive(Clone, Copy, Debug)]
pub(super) struct ArrivingPlayer {
    player: PlayerId,
    /// Version of the event that began the turn.
    turn: u32,
    /// When the connection was opened.
    opened: Moment,
    /// When the player got the game.
    joined: Moment,
}

/// The credit of the player to move.
impl Room {
    /// Returns the clocks as players should see them.
    pub(super) fn clocks(&self, now: Arrival) -> ClocksView {
        ClocksView::new(self.game.clocks(self.credit.game_time(now)), now.at)
    }

    /// Begins the first turn of a player who did not ask for the game and learns of it only now,
    /// because it started at another node. However long that took, it is not charged. Connections
    /// that are older may be lost, even if their nodes do not know it yet.
    pub(super) fn begin_turn_of(&mut self, subscriber: &Subscriber, request: RequestRef) {
        let player = subscriber.player();
        let is_mover =
            self.game.is_running() && self.game.seats().has(self.game.line().turn(), player);
        let is_first = self.game.ply() < 2;
        let known = [self.audience.newest_here(player), self.audience.newest_elsewhere(player)];
        let is_newest = known.into_iter().flatten().all(|opened| opened < subscriber.opened());
        if request.is_from_client() || !is_mover || !is_first || !is_newest {
            return;
        }
        let now = self.arrival();
        match self.game.turn_since() {
            Some(since) => self.credit.begin_turn(since, now),
            None => self.turn_since = now.at,
        }
    }

    /// Credits the player for the time that a failed command took, if it was their turn.
    pub(super) fn give_time_back(&mut self, subscriber: &Subscriber, received: Arrival) {
        if self.game.is_running()
            && self.game.seats().has(self.game.line().turn(), subscriber.player())
        {
            self.credit.add_refusal(received, self.arrival());
        }
    }

    /// Credits the player to move, who joins and has not been told of the turn here. If the turn
    /// began while they waited for an answer, it begins for them now: the time that this node
    /// needed to load the game is not charged. Otherwise they are credited for the time until which
    /// their former node is known not to have told them, and for stalls of this process since they
    /// connected.
    pub(super) fn credit_wait(&mut self, subscriber: &Subscriber, received: Arrival) {
        let player = subscriber.player();
        let is_mover = self.game.seats().has(self.game.line().turn(), player);
        let Some(since) = self.game.turn_since() else { return };
        if !is_mover || !self.game.is_running() || self.credit.is_notified {
            return;
        }
        let now = self.arrival();
        let elsewhere = self.audience.newest_elsewhere(player);
        let is_newest = elsewhere.is_none_or(|opened| opened < subscriber.opened());
        if received.at <= since && is_newest {
            return self.credit.begin_turn(since, now);
        }
        let unaware = self.shared.peers.unaware_until(self.id, player, self.turn.version);
        if let Some(until) = unaware {
            self.credit.raise_to(until.since_ms(since), now);
        }
        if let Some(opened) = subscriber.connection.opened() {
            self.credit.add_uncounted_stalls(opened, now.at.since_ms(since));
        }
    }

    /// Asks the other nodes where the player to move was connected before they joined here. The node
    /// that they come from may be gone, and a node that has just started knows of none.
    pub(super) fn ask_for_last_node(&mut self, subscriber: &Subscriber) {
        let bus = &self.shared.services.bus;
        let (player, opened) = (subscriber.player(), subscriber.opened());
        let turn = self.game.line().turn();
        let colors = Color::ALL.into_iter().filter(|color| self.game.seats().has(*color, player));
        let Some(color) = colors.max_by_key(|color| *color == turn) else { return };
        let former = self.audience.note_opened(color, opened);
        let is_held = self.credit.held_until().is_some();
        if !bus.is_joined() || color != turn || !self.game.is_running() || is_held {
            return;
        }
        let now = self.now();
        let last = self.shared.peers.last_connection(self.id, player, None);
        let comes_from_another =
            last.is_some_and(|last| last.opened < opened && former < Some(last.opened));
        let is_new_here = now < self.shared.return_until() && !self.credit.is_notified;
        if !comes_from_another && (last.is_some() || !is_new_here) {
            return;
        }
        bus.publish(BusMessage::WhereWas { game: self.id, player });
        let turn = self.turn.version;
        self.arriving = Some(ArrivingPlayer { player, turn, opened, joined: now });
        self.measure_way();
    }

    /// Determines for how long the player who has just come was on the way. The answers of other nodes
    /// may shorten that time: a node that answers is not gone. Credits it if it is final.
    fn measure_way(&mut self) {
        let Some(ArrivingPlayer { player, turn, opened, joined }) = self.arriving else { return };
        if turn != self.turn.version || !self.game.is_running() {
            self.arriving = None;
            return;
        }
        let last = self.shared.peers.last_connection(self.id, player, None);
        let last = last.filter(|last| last.opened < opened);
        let way = last.map(|last| (last.alive_at, last.alive_at.plus_ms(RETURN_MS).min(joined)));
        self.credit.hold_for_return(way);
        let now = self.arrival();
        let has_answered = last.is_some_and(|last| last.alive_at >= joined);
        if has_answered || now.at >= joined.plus_ms(ANSWER_MS) {
            self.arriving = None;
            self.credit.release(now);
            let running_ms = self.game.turn_since().map_or(0, |since| now.at.since_ms(since));
            self.credit.limit_to(running_ms, now);
        }
    }

    /// Waits until it is known how long the player to move was on the way. What they do meanwhile counts
    /// as of the moment at which it arrived.
    pub(super) async fn finish_arrival(&mut self) {
        self.measure_way();
        while self.arriving.is_some() {
            let clock = self.shared.services.clock.clone();
            clock.sleep_until(clock.now().plus_ms(ANSWER_CHECK_MS)).await;
            self.measure_way();
        }
    }

    /// Returns since when the node of the player to move has been silent, if that is so long that the
    /// player has to be on the way to another one.
    fn mover_lost_since(&self) -> Option<Moment> {
        if !self.shared.services.bus.is_joined() {
            return None;
        }
        let mover = self.game.seats().get(self.game.line().turn())?;
        let last = self.shared.peers.last_connection(self.id, mover.id, None)?;
        let is_silent = self.now() > last.alive_at.plus_ms(self.beat_ms());
        is_silent.then_some(last.alive_at)
    }

    fn beat_ms(&self) -> u64 {
        self.shared.services.bus.heartbeat().beat_ms()
    }

    /// Notes that the player to move knows of the turn, if they are connected here. If their newest
    /// connection is to another node, the one to this node may be lost: this node owes them the time
    /// until the other was opened, and from then on it is up to the other node to tell them.
    pub(super) fn note_notified(&mut self) {
        if self.credit.is_notified || !self.game.is_running() || !self.is_mover_here() {
            return;
        }
        if let Some(opened) = self.mover_newer_elsewhere() {
            let since = self.game.turn_since().filter(|since| *since < opened);
            let Some(since) = since else { return };
            self.credit.limit_to(opened.since_ms(since), self.arrival());
        }
        self.credit.is_notified = true;
    }

    /// Returns what other nodes have to know about the credit, because the player may continue
    /// there before the store has it.
    pub(super) fn debt_ms(&self) -> u64 {
        let owed_ms = self.credit.written_off_ms(self.arrival());
        let is_known = self.credit.is_notified || self.credit.is_own;
        if self.game.is_running() && is_known && owed_ms >= RECORD_FROM_MS {
            u64::try_from(owed_ms).unwrap_or(0)
        } else {
            0
        }
    }

    /// Returns `true` if this node has to record the credit. If this node has only read the event and
    /// the player is connected to another one, that node may have told them of the turn earlier.
    fn owes(&self) -> bool {
        let is_known = self.credit.is_notified || self.credit.is_own;
        let is_ours = (is_known || !self.is_mover_elsewhere()) && self.arriving.is_none();
        self.game.is_running() && is_ours && self.credit.is_due(self.arrival())
    }

    /// Takes over what another node owes the player to move, who may have been connected there. A
    /// player who is connected there and not here does not suffer from stalls of this node.
    pub(super) fn adopt_credit(&mut self) {
        if !self.game.is_running() {
            return;
        }
        let now = self.arrival();
        if self.is_mover_elsewhere() && !self.is_mover_here() {
            self.credit.skip_stalls(now);
        }
        let owed_ms = self.shared.peers.remote_owed_ms(self.id, self.turn);
        self.credit.raise_to(owed_ms, now);
    }

    /// Records the time that the server owes the player to move, if it is large enough. Until the
    /// store has it, other nodes are told repeatedly.
    pub(super) async fn record_credit(&mut self) -> Result<(), PersistError> {
        let now = self.arrival();
        if !self.owes() {
            return Ok(());
        }
        let Some(owed_ms) = self.credit.take_due(now) else { return Ok(()) };
        let away = Duration::from_millis(owed_ms);
        let resume = self.game.decide(Actor::Server, &Command::Resume { away }, now.at);
        let events = resume.unwrap_or_default();
        if events.is_empty() {
            return Ok(());
        }
        let repeated = repeat(Arc::clone(&self.shared), self.publish_presence());
        let result = tokio::select! {
            biased;
            result = self.store_events(events, now.at) => result,
            never = repeated => match never {},
        };
        if result.is_err() {
            self.credit.reset_threshold();
        }
        result
    }
}

/// The timers.
impl Room {
    /// Runs every timer that is due.
    pub(super) async fn tick(&mut self) {
        let now = self.now();
        if self.presence_at.is_some_and(|at| at <= now) {
            self.send_presence();
        }
        if now < self.not_before || self.gone.is_some() {
            return;
        }
        if self.catch_up().await.is_err() {
            self.not_before = now.plus_ms(RETRY_MS);
            return;
        }
        self.resume_clock();
        self.adopt_credit();
        // A message that is waiting goes first: a move settles the credit itself, and a player who
        // joins does not have to wait for the store.
        if self.inbox.is_empty() && self.record_credit().await.is_err() {
            self.not_before = now.plus_ms(RETRY_MS);
            return;
        }
        if let Some((command, absent_player)) = self.due(now) {
            match self.execute(Actor::Server, &command, self.arrival()).await {
                Ok(_) if matches!(command, Command::Abort) => {
                    absent_player.into_iter().for_each(|player| self.record_leave(player));
                }
                Ok(_) => {}
                // The game's clocks are slightly behind the timer, or the store is unavailable.
                Err(_) => {
                    self.not_before = now.plus_ms(RETRY_MS);
                }
            }
        }
        self.expire_engine_search();
        self.play_engine_choice().await;
        self.run_engine().await;
    }

    /// Returns the server's command that is due now. If it aborts the game, it comes with the player
    /// who never moved.
    fn due(&self, now: Moment) -> Option<(Command, Option<PlayerId>)> {
        // The message waiting in the inbox may have arrived in time, so it goes first.
        if !self.game.is_running() || !self.inbox.is_empty() {
            return None;
        }
        let is_due = |at: Option<Moment>| at.is_some_and(|at| at <= now);
        if is_due(self.no_show()) {
            let idle = self.game.seats().get(self.game.line().turn());
            return Some((Command::Abort, idle.map(|player| player.id)));
        }
        if is_due(self.deadline()) {
            return Some((Command::Flag, None));
        }
        match self.abandonment() {
            Some((at, color)) if at <= now => Some((Command::Abandon { color }, None)),
            _ => None,
        }
    }

    /// Returns when the room has to run its timers even if no call arrives.
    pub(super) fn next_wake(&self) -> Option<Moment> {
        let retry = (!self.is_in_sync || self.owes()).then_some(self.not_before);
        let held = self.credit.held_until().filter(|_| self.game.is_running());
        let wakes = if self.game.is_running() {
            let abandoned = self.abandonment();
            let (engine_search, waiting) = match &self.engine_search {
                Some(search) => {
                    let held = search.held.as_ref().map(|(_, due)| *due);
                    (Some(held.unwrap_or(search.since.plus_ms(ENGINE_TIMEOUT_MS))), None)
                }
                None => (None, self.is_engine_to_move().then_some(self.not_before)),
            };
            [self.no_show(), self.deadline(), abandoned.map(|(at, _)| at), engine_search, waiting]
        } else {
            [self.closes_at, None, None, None, None]
        };
        let arrived = self.arriving.map(|it| it.joined.plus_ms(ANSWER_MS));
        let others = [self.informed_at(), self.sleeps_at(), retry, held, arrived];
        let later = wakes.into_iter().chain(others).flatten().min();
        // Timers do nothing before `not_before`, so there is no point in waking earlier.
        let own = later.map(|at| at.max(self.not_before));
        own.into_iter().chain(self.presence_at).min()
    }

    /// Returns `true` if the game needs no room now.
    pub(super) fn may_sleep(&self) -> bool {
        self.inbox.is_empty() && self.sleeps_at().is_some_and(|at| at <= self.now())
    }

    /// Returns when the game no longer needs a room, unless a client comes back: it has no clock, and
    /// no client follows it. Otherwise a client could fill the memory by leaving many such games.
    fn sleeps_at(&self) -> Option<Moment> {
        let has_clock = self.game.settings().time_control.initial_ms().is_some();
        let is_thinking =
            self.engine_search.is_some() || self.draw_request.is_some() || self.is_engine_to_move();
        // A game that has hardly begun is aborted soon.
        let is_new = no_show_of(&self.game, self.turn_since).is_some();
        let is_busy = has_clock || is_thinking || is_new || !self.is_in_sync || self.owes();
        let since =
            self.audience.deserted_since().filter(|_| self.game.is_running() && !is_busy)?;
        self.shared.rooms.may_sleep().then(|| since.plus_ms(SLEEP_AFTER_MS))
    }

    /// Returns when the player to move counts as a no-show.
    fn no_show(&self) -> Option<Moment> {
        let at = no_show_of(&self.game, self.turn_since).filter(|_| self.may_decide())?;
        Some(self.decision_time(at))
    }

    /// Returns when the player to move runs out of time, including the time that the server owes
    /// them.
    fn deadline(&self) -> Option<Moment> {
        let at = self.game.deadline().filter(|_| self.may_decide())?;
        Some(self.decision_time(at))
    }

    /// Returns `true` if this node may decide that the player to move was too slow. If its clock
    /// differs from those of other nodes, or the player's node has not told them of the turn yet, it
    /// decides only about players who are connected here.
    fn may_decide(&self) -> bool {
        self.is_mover_here() || !(self.shared.peers.is_clock_off() || self.is_mover_unaware())
    }

    /// Returns `true` if the player to move is connected to another node that does not know of the
    /// turn yet.
    fn is_mover_unaware(&self) -> bool {
        let mover = self.game.seats().get(self.game.line().turn());
        let (peers, version) = (&self.shared.peers, self.turn.version);
        mover.is_some_and(|mover| peers.unaware_until(self.id, mover.id, version).is_some())
    }

    /// Converts a deadline on the game's clocks to the moment at which this room acts on it. The
    /// node to which the player to move is connected knows best what the player is owed and when
    /// messages arrived, so it decides first. While the store fails, that node cannot save what it
    /// knows, and gets the same time afterward.
    fn decision_time(&self, deadline: Moment) -> Moment {
        let at = self.credit.node_time(deadline, self.arrival());
        let bus = &self.shared.services.bus;
        if !bus.is_joined() || self.is_mover_here() {
            return at;
        }
        at.max(self.shared.store_failed()).plus_ms(bus.heartbeat().gone_ms())
    }

    /// Stops the clock while the player to move is on the way from a node that is gone, and starts it
    /// again when the player is back or the wait is over. If the player reaches another node, that one
    /// credits them.
    fn resume_clock(&mut self) {
        if self.arriving.is_some() {
            return self.measure_way();
        }
        let now = self.arrival();
        if self.is_mover_here() {
            return self.credit.release(now);
        }
        if let Some(lost) = self.mover_lost_since() {
            return self.credit.hold_for_return(Some((lost, lost.plus_ms(RETURN_MS))));
        }
        let Some(until) = self.credit.held_until().filter(|_| !self.is_mover_elsewhere()) else {
            return self.credit.forget_hold();
        };
        let until = until.max(self.shared.return_until());
        if now.at < until {
            self.credit.hold_until(until);
        } else {
            self.credit.release(now);
        }
    }

    fn is_mover_here(&self) -> bool {
        let turn = self.game.line().turn();
        let mover = self.game.seats().get(turn).map(|player| player.id);
        let here = self.audience.players_here(&self.game);
        self.engine_color() == Some(turn) || mover.is_some_and(|mover| here.contains(&mover))
    }

    fn is_mover_elsewhere(&self) -> bool {
        let mover = self.game.seats().get(self.game.line().turn());
        mover.is_some_and(|mover| self.audience.is_elsewhere(mover.id))
    }

    /// Returns when the newest connection of the player to move was opened, if it is to another node.
    fn mover_newer_elsewhere(&self) -> Option<Moment> {
        let mover = self.game.seats().get(self.game.line().turn())?;
        let here = self.audience.newest_here(mover.id);
        self.audience.newest_elsewhere(mover.id).filter(|opened| Some(*opened) > here)
    }

    fn is_engine_to_move(&self) -> bool {
        self.engine_color() == Some(self.game.line().turn())
            && !self.audience.is_played_elsewhere(&self.game)
    }

    /// Returns when to check again whether other nodes can be reached, agree about the time, and have
    /// told the player to move of the turn.
    fn informed_at(&self) -> Option<Moment> {
        let bus = &self.shared.services.bus;
        let gone_ms = bus.heartbeat().gone_ms();
        let is_unsure =
            !bus.is_informed() || self.shared.peers.is_clock_off() || self.is_mover_unaware();
        (self.game.is_running() && is_unsure).then(|| self.now().plus_ms(gone_ms))
    }

    /// Returns when a player counts as having abandoned the game, and which color. `None` while
    /// other nodes cannot be reached, because the player may be connected there.
    fn abandonment(&self) -> Option<(Moment, Color)> {
        if !self.shared.services.bus.is_informed() {
            return None;
        }
        self.local_abandonment()
    }

    /// Returns the same without checking whether other nodes can be reached. Time in which this
    /// process was stalled does not count, because no player could reconnect then.
    pub(super) fn local_abandonment(&self) -> Option<(Moment, Color)> {
        let (at, color) = abandonment_of(&self.game, self.audience.away_since())?;
        let stalled_ms = self.arrival().stalled_ms.saturating_sub(self.stalled_ms);
        Some((at.plus_ms(stalled_ms), color))
    }
}

/// Publishes the presence of a game until it is dropped, because a message may be lost.
async fn repeat(shared: Arc<Shared>, presence: Option<GamePresence>) -> Infallible {
    let Some(presence) = presence else { return std::future::pending().await };
    let Services { bus, clock, .. } = &*shared.services;
    loop {
        clock.sleep_until(clock.now().plus_ms(RETRY_MS)).await;
        bus.publish(BusMessage::Games { games: vec![presence.clone()] });
    }
}

/// Sleeps until a moment, or forever if it is `None`.
pub(super) async fn sleep(clock: &Clock, until: Option<Moment>) {
    match until {
        Some(moment) => clock.sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// Returns when a game that has hardly begun is aborted because the player to move is a no-show.
fn no_show_of(game: &Game, turn_since: Moment) -> Option<Moment> {
    if !game.is_running() || !game.can_abort() {
        return None;
    }
    let wait_ms = match game.settings().time_control.initial_ms() {
        None => UNHURRIED_NO_SHOW_MS,
        Some(initial_ms) => (u64::from(initial_ms) / 4).clamp(NO_SHOW_MS[0], NO_SHOW_MS[1]),
    };
    Some(turn_since.plus_ms(wait_ms))
}

/// Returns when a player counts as having abandoned the game, and which color, given the moments
/// at which the players disconnected.
fn abandonment_of(game: &Game, away_since: [Option<Moment>; 2]) -> Option<(Moment, Color)> {
    if !game.is_running() {
        return None;
    }
    let wait_ms = gone_ms(game.settings().time_control);
    match away_since {
        [None, None] => None,
        [Some(since), None] => Some((since.plus_ms(wait_ms), Color::White)),
        [None, Some(since)] => Some((since.plus_ms(wait_ms), Color::Black)),
        [Some(white), Some(black)] => {
            Some((white.max(black).plus_ms(BOTH_GONE * wait_ms), game.line().turn()))
        }
    }
}

fn gone_ms(time_control: TimeControl) -> u64 {
    match time_control.initial_ms() {
        None => UNHURRIED_GONE_MS,
        Some(initial_ms) => {
            let game_ms = u64::from(initial_ms) + 40 * u64::from(time_control.step_ms());
            (game_ms / 5).clamp(GONE_MS[0], GONE_MS[1])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_for_an_absent_player_grows_with_the_time_control_up_to_a_limit() {
        let increment =
            |initial_ms, increment_ms| TimeControl::Increment { initial_ms, increment_ms };
        assert_eq!(gone_ms(increment(60_000, 0)), 30_000);
        assert_eq!(gone_ms(increment(600_000, 0)), 120_000);
        assert_eq!(gone_ms(increment(600_000, 5_000)), 160_000);
        assert_eq!(gone_ms(increment(86_400_000, 600_000)), 300_000);
        assert_eq!(gone_ms(TimeControl::Unlimited {}), 1_800_000);
    }
}
