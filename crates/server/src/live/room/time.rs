//! The time of a room: what the server owes the player to move, and the timers.
//!
//! A player's turn begins when its event is announced, not when it was decided, so waiting for the
//! store or for a message from another node is part of [`TimeCredit`]. So are a stalled process, a
//! command that the store refused, and the time that players need to reconnect after an outage. The
//! clocks themselves are left to `castellan-game`, which is asked what they showed at an earlier
//! moment.
//!
//! Events carry the time of the node that decided them. The difference from this node's clock is
//! part of the credit and may be negative, so clock skew between nodes costs no player any time.
//!
//! The timers end games: time forfeits, no-shows and abandoned games. They also repeat what the
//! store or an engine has failed to do.

use core::convert::Infallible;
use core::time::Duration;
use std::sync::Arc;

use castellan_game::{Actor, Command, Event, Game, Moment, PlayerId, TimeControl};
use castellan_protocol::ClocksView;
use castellan_rules::Color;

use super::super::hub::Shared;
use super::super::reply::RequestRef;
use super::audience::Subscriber;
use super::commands::PersistError;
use super::{ENGINE_TIMEOUT_MS, RETRY_MS, Room};
use crate::bus::{BusMessage, GamePresence};
use crate::clock::{Arrival, Clock};
use crate::state::Services;

/// Smallest credit that is recorded as soon as it is known, so that players see it on their clocks
/// and it survives a restart. A smaller credit is settled when the turn ends.
const RECORD_FROM_MS: i64 = 1_000;
/// How long the clock stands still after a command was refused because it could not be stored. A
/// person has to see the refusal and to repeat the move.
const REPEAT_MS: u64 = 10_000;
/// Minimum and maximum wait for a first move; in between, it is a quarter of the initial time.
const NO_SHOW_MS: [u64; 2] = [15_000, 60_000];
/// Wait for a first move in games without a clock.
const UNHURRIED_NO_SHOW_MS: u64 = 300_000;
/// Minimum and maximum wait for a disconnected player; in between, it is a fifth of the time for
/// a game of 40 moves.
const GONE_MS: [u64; 2] = [30_000, 300_000];
/// Wait for a disconnected player in games without a clock.
const UNHURRIED_GONE_MS: u64 = 1_800_000;
/// Factor on the wait when both players are disconnected, because neither of them is kept
/// waiting.
const BOTH_GONE: u64 = 4;

/// A period in which no server was running, and the time that players have to reconnect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Downtime {
    /// When the player to move lost the ability to act.
    pub(crate) since: Moment,
    /// When the clock starts again if the player does not reconnect earlier.
    pub(crate) until: Moment,
}

/// The time that the server owes the player to move in the current turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct TimeCredit {
    owed_ms: i64,
    /// Reading of the clock's stall counter up to which `owed_ms` is complete.
    stalled_ms: u64,
    record_from_ms: i64,
    /// Period in which the clock is stopped: its start and its latest end.
    held: Option<(Moment, Moment)>,
    /// When a command of the player was last refused because it could not be stored.
    refused: Option<Arrival>,
    /// Whether this node told the player to move of the turn.
    is_told: bool,
    /// Whether this node stored the event that began the turn, so that no other node can have told
    /// the player earlier.
    is_own: bool,
    /// Reading of the stall counter up to which stalls do not count in this turn, because the room
    /// was not open or the player seemed to be elsewhere.
    uncounted_stalls_ms: Option<u64>,
}

impl TimeCredit {
    /// Creates the credit of a room that opens now.
    pub(super) fn new(clock: &Clock, downtime: Option<Downtime>) -> TimeCredit {
        let Arrival { at: now, stalled_ms } = clock.arrival();
        let (mut owed_ms, mut held) = (0, None);
        if let Some(Downtime { since, until }) = downtime {
            owed_ms = to_signed(now.min(until).since_ms(since));
            held = (now < until).then_some((now, until));
        }
        TimeCredit {
            owed_ms,
            stalled_ms,
            record_from_ms: RECORD_FROM_MS,
            held,
            refused: None,
            is_told: false,
            is_own: downtime.is_some(),
            uncounted_stalls_ms: Some(stalled_ms),
        }
    }

    /// Returns the time owed to a player whose message arrived at `arrival`.
    fn owed_ms(&self, arrival: Arrival) -> i64 {
        let held = self.held.map_or(0, |(since, until)| arrival.at.min(until).since_ms(since));
        let stopped_ms = held.saturating_add(self.repeat_ms(arrival));
        self.written_off_ms(arrival).saturating_add(to_signed(stopped_ms))
    }

    /// Returns for how long the clock has stood still since a command was refused.
    fn repeat_ms(&self, arrival: Arrival) -> u64 {
        self.refused.map_or(0, |refused| waited_ms(refused, arrival).min(REPEAT_MS))
    }

    /// Returns the time owed without the current stop of the clock, which is not over yet.
    fn written_off_ms(&self, arrival: Arrival) -> i64 {
        let stalled_ms = arrival.stalled_ms.saturating_sub(self.stalled_ms);
        self.owed_ms.saturating_add(to_signed(stalled_ms))
    }

    /// Converts an arrival to the moment that the game's clocks had reached by then.
    pub(super) fn game_time(&self, arrival: Arrival) -> Moment {
        shift(arrival.at, self.owed_ms(arrival).saturating_neg())
    }

    /// Converts a moment on the game's clocks to this node's clock, assuming that the credit does
    /// not grow until then.
    fn node_time(&self, moment: Moment, now: Arrival) -> Moment {
        shift(moment, self.owed_ms(now))
    }

    /// Updates the credit for an event that is announced now. `is_own` if this node stored it.
    pub(super) fn announce(&mut self, event: &Event, at: Moment, now: Arrival, is_own: bool) {
        let stalled_ms = now.stalled_ms;
        match event {
            Event::Started {} | Event::Moved { .. } | Event::TakenBack { .. } => {
                self.begin_turn(at, now);
                self.is_own = is_own;
            }
            Event::Resumed { credited_ms } => {
                // Another node may have credited more than this node owes.
                let owed_ms = self.written_off_ms(now);
                let left_ms = owed_ms.saturating_sub(to_signed(*credited_ms));
                *self = TimeCredit { owed_ms: left_ms.max(owed_ms.min(0)), stalled_ms, ..*self };
            }
            Event::Seated { .. }
            | Event::Touched { .. }
            | Event::Offered { .. }
            | Event::Declined { .. }
            | Event::TimeAdded { .. }
            | Event::Ended(_)
            | Event::RematchAgreed {} => {}
        }
    }

    /// Lets a turn begin now whose clock has been running since `since`.
    fn begin_turn(&mut self, since: Moment, now: Arrival) {
        let ahead_ms = to_signed(since.since_ms(now.at));
        let owed_ms = to_signed(now.at.since_ms(since)).saturating_sub(ahead_ms);
        let stalled_ms = now.stalled_ms;
        *self = TimeCredit {
            owed_ms,
            stalled_ms,
            record_from_ms: RECORD_FROM_MS,
            held: None,
            refused: None,
            is_told: false,
            is_own: false,
            uncounted_stalls_ms: None,
        };
    }

    /// Adds the time that a command waited until it was refused, and lets the clock stand still
    /// until the player has repeated it.
    fn add_refusal(&mut self, arrival: Arrival, now: Arrival) {
        let lost_ms = self.repeat_ms(arrival).saturating_add(waited_ms(arrival, now));
        self.owed_ms = self.owed_ms.saturating_add(to_signed(lost_ms));
        self.refused = Some(now);
    }

    /// Adds stalls of this process that did not count, although the player was already connected and
    /// waited for the game. The clock has run for `running_ms`.
    fn add_uncounted_stalls(&mut self, connected: Arrival, running_ms: u64) {
        let Some(stalled_ms) = self.uncounted_stalls_ms.take() else { return };
        let waited_ms = stalled_ms.saturating_sub(connected.stalled_ms).min(running_ms);
        self.owed_ms = self.owed_ms.saturating_add(to_signed(waited_ms));
    }

    /// Notes that this node stored the event that began the turn.
    pub(super) fn note_own(&mut self) {
        self.is_own = true;
    }

    /// Lets the stalls until now count as nothing, unless the player turns out to be here.
    fn skip_stalls(&mut self, now: Arrival) {
        if now.stalled_ms > self.stalled_ms {
            (self.stalled_ms, self.uncounted_stalls_ms) = (now.stalled_ms, Some(now.stalled_ms));
        }
    }

    /// Raises the credit to what another node owes the same player in the same turn.
    fn raise_to(&mut self, owed_ms: u64, now: Arrival) {
        let missing_ms = to_signed(owed_ms).saturating_sub(self.written_off_ms(now));
        self.owed_ms = self.owed_ms.saturating_add(missing_ms.max(0));
    }

    /// Lowers the credit to what was owed until the player could turn to another node.
    fn limit_to(&mut self, owed_ms: u64, now: Arrival) {
        let excess_ms = self.written_off_ms(now).saturating_sub(to_signed(owed_ms));
        self.owed_ms = self.owed_ms.saturating_sub(excess_ms.max(0));
    }

    /// Returns the latest moment at which the clock starts again, if it is stopped.
    fn held_until(&self) -> Option<Moment> {
        self.held.map(|(_, until)| until)
    }

    /// Sets a new latest end of the stop. Does nothing if the clock is running.
    fn hold_until(&mut self, until: Moment) {
        self.held = self.held.map(|(since, _)| (since, until));
    }

    /// Starts the clock again and adds the time until now to the credit.
    fn release(&mut self, now: Arrival) {
        let (owed_ms, stalled_ms) = (self.owed_ms(now), now.stalled_ms);
        *self = TimeCredit { owed_ms, stalled_ms, held: None, ..*self };
    }

    /// Drops the stop without a credit, because another node now takes care of it.
    fn forget_hold(&mut self) {
        self.held = None;
    }

    /// Returns the credit if it is time to record it. Each further time the credit has to be twice
    /// as large, because recording it takes time as well.
    fn take_due(&mut self, now: Arrival) -> Option<u64> {
        if !self.is_due(now) {
            return None;
        }
        self.record_from_ms = self.record_from_ms.saturating_mul(2);
        u64::try_from(self.written_off_ms(now)).ok()
    }

    /// Returns `true` if the credit is large enough to be recorded.
    fn is_due(&self, now: Arrival) -> bool {
        self.written_off_ms(now) >= self.record_from_ms
    }

    /// Resets the threshold after the credit could not be recorded, so that it is tried again.
    fn reset_threshold(&mut self) {
        self.record_from_ms = RECORD_FROM_MS;
    }
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

    /// Credits the player to move, who joins and has not been told of the turn here: for the time
    /// until which their former node is known not to have told them, and for stalls of this process
    /// since they connected.
    pub(super) fn credit_wait(&mut self, subscriber: &Subscriber) {
        let player = subscriber.player();
        let is_mover = self.game.seats().has(self.game.line().turn(), player);
        let Some(since) = self.game.turn_since() else { return };
        if !is_mover || !self.game.is_running() || self.credit.is_told {
            return;
        }
        let now = self.arrival();
        let untold = self.shared.peers.untold_until(self.id, player, self.turn.version);
        if let Some(until) = untold {
            self.credit.raise_to(until.since_ms(since), now);
        }
        if let Some(opened) = subscriber.connection.opened() {
            self.credit.add_uncounted_stalls(opened, now.at.since_ms(since));
        }
    }

    /// Notes that the player to move knows of the turn, if they are connected here. If their newest
    /// connection is to another node, the one to this node may be lost: this node owes them the time
    /// until the other was opened, and from then on it is up to the other node to tell them.
    pub(super) fn note_told(&mut self) {
        if self.credit.is_told || !self.game.is_running() || !self.is_mover_here() {
            return;
        }
        if let Some(opened) = self.mover_newer_elsewhere() {
            let since = self.game.turn_since().filter(|since| *since < opened);
            let Some(since) = since else { return };
            self.credit.limit_to(opened.since_ms(since), self.arrival());
        }
        self.credit.is_told = true;
    }

    /// Returns what other nodes have to know about the credit, because the player may continue
    /// there before the store has it.
    pub(super) fn debt_ms(&self) -> u64 {
        let owed_ms = self.credit.written_off_ms(self.arrival());
        let is_known = self.credit.is_told || self.credit.is_own;
        if self.game.is_running() && is_known && owed_ms >= RECORD_FROM_MS {
            u64::try_from(owed_ms).unwrap_or(0)
        } else {
            0
        }
    }

    /// Returns `true` if this node has to record the credit. If this node has only read the event and
    /// the player is connected to another one, that node may have told them of the turn earlier.
    fn owes(&self) -> bool {
        let is_known = self.credit.is_told || self.credit.is_own;
        let is_ours = is_known || !self.is_mover_elsewhere();
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
        if now < self.not_before {
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
        self.play_engine_move().await;
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
                    let held = search.held.map(|(_, due)| due);
                    (Some(held.unwrap_or(search.since.plus_ms(ENGINE_TIMEOUT_MS))), None)
                }
                None => (None, self.is_engine_to_move().then_some(self.not_before)),
            };
            [self.no_show(), self.deadline(), abandoned.map(|(at, _)| at), engine_search, waiting]
        } else {
            [self.closes_at, None, None, None, None]
        };
        let later =
            wakes.into_iter().flatten().chain(retry).chain(held).chain(self.informed_at()).min();
        // Timers do nothing before `not_before`, so there is no point in waking earlier.
        let own = later.map(|at| at.max(self.not_before));
        own.into_iter().chain(self.presence_at).min()
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
        self.is_mover_here() || !(self.shared.peers.is_clock_off() || self.is_mover_untold())
    }

    /// Returns `true` if the player to move is connected to another node that does not know of the
    /// turn yet.
    fn is_mover_untold(&self) -> bool {
        let mover = self.game.seats().get(self.game.line().turn());
        let (peers, version) = (&self.shared.peers, self.turn.version);
        mover.is_some_and(|mover| peers.untold_until(self.id, mover.id, version).is_some())
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

    /// Starts the clock again after an outage when the player to move is back or the wait is
    /// over.
    fn resume_clock(&mut self) {
        let Some(until) = self.credit.held_until() else { return };
        let now = self.arrival();
        let until = until.max(self.shared.return_until());
        if self.is_mover_here() {
            self.credit.release(now);
        } else if self.is_mover_elsewhere() {
            self.credit.forget_hold();
        } else if now.at < until {
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
            !bus.is_informed() || self.shared.peers.is_clock_off() || self.is_mover_untold();
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

/// Returns the time between two readings of the clock without stalls, which are counted separately.
fn waited_ms(from: Arrival, to: Arrival) -> u64 {
    to.at.since_ms(from.at).saturating_sub(to.stalled_ms.saturating_sub(from.stalled_ms))
}

fn to_signed(ms: u64) -> i64 {
    i64::try_from(ms).unwrap_or(i64::MAX)
}

fn shift(moment: Moment, by_ms: i64) -> Moment {
    Moment::from_millis(moment.as_millis().saturating_add_signed(by_ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64, stalled_ms: u64) -> Arrival {
        Arrival { at: Moment::from_millis(ms), stalled_ms }
    }

    fn moment(ms: u64) -> Moment {
        Moment::from_millis(ms)
    }

    fn new(now_ms: u64, downtime: Option<Downtime>) -> TimeCredit {
        TimeCredit::new(&Clock::manual(moment(now_ms)), downtime)
    }

    #[test]
    fn a_turn_begins_when_its_event_is_announced() {
        let mut credit = new(0, None);
        credit.announce(&Event::Started {}, moment(100), at(350, 0), true);
        assert_eq!(credit.game_time(at(1_000, 0)), moment(750));
        assert_eq!(credit.node_time(moment(750), at(1_000, 0)), moment(1_000));
        assert_eq!(credit.take_due(at(1_000, 0)), None);
        credit.announce(&Event::Started {}, moment(2_000), at(2_000, 0), true);
        assert_eq!(credit.game_time(at(3_000, 0)), moment(3_000));
    }

    #[test]
    fn a_clock_that_is_ahead_or_behind_costs_nothing() {
        for event_ms in [5_000, 10_000, 15_000] {
            let mut credit = new(0, None);
            credit.announce(&Event::Started {}, moment(event_ms), at(10_000, 0), true);
            assert_eq!(credit.game_time(at(12_000, 0)), moment(event_ms + 2_000));
        }
    }

    #[test]
    fn stalls_and_waits_are_counted_once() {
        let mut credit = new(0, None);
        // The message arrived at 1,000; then the process was stalled for 500 of the next 800 ms.
        credit.add_refusal(at(1_000, 0), at(1_800, 500));
        assert_eq!(credit.owed_ms(at(1_800, 500)), 800);
        // Nothing is owed for a stall that came after the message.
        assert_eq!(credit.owed_ms(at(1_000, 0)), 300);
    }

    #[test]
    fn what_was_credited_is_owed_no_more() {
        let mut credit = new(0, None);
        credit.announce(&Event::Started {}, moment(0), at(3_000, 0), true);
        assert_eq!(credit.take_due(at(3_000, 0)), Some(3_000));
        credit.announce(&Event::Resumed { credited_ms: 3_000 }, moment(3_000), at(3_100, 0), true);
        assert_eq!(credit.owed_ms(at(3_100, 0)), 0);
        credit.announce(&Event::Resumed { credited_ms: 9_000 }, moment(3_200), at(3_200, 0), true);
        assert_eq!(
            credit.owed_ms(at(3_200, 0)),
            0,
            "a credit of another node is no credit of ours"
        );
        credit.add_refusal(at(4_000, 0), at(5_500, 0));
        assert_eq!(
            credit.take_due(at(5_500, 0)),
            None,
            "twice the former threshold is not reached"
        );
    }

    #[test]
    fn the_clock_stands_still_until_a_refused_move_is_repeated() {
        let mut credit = new(0, None);
        credit.add_refusal(at(1_000, 0), at(1_200, 0));
        assert_eq!(credit.owed_ms(at(3_000, 0)), 2_000);
        credit.add_refusal(at(3_000, 0), at(3_100, 0));
        assert_eq!(credit.owed_ms(at(4_000, 0)), 3_000);
        assert_eq!(credit.owed_ms(at(60_000, 0)), 2_100 + to_signed(REPEAT_MS), "not forever");
        assert_eq!(credit.take_due(at(4_000, 0)), Some(2_100), "only what is certain is recorded");
    }

    #[test]
    fn a_player_who_waited_for_the_room_is_owed_the_stalls_before_it_opened() {
        let clock = Clock::manual(moment(0));
        clock.stall(Duration::from_secs(7));
        let mut credit = TimeCredit::new(&clock, None);
        let mut short = credit;
        credit.add_uncounted_stalls(at(0, 1_000), 20_000);
        credit.add_uncounted_stalls(at(0, 1_000), 20_000);
        assert_eq!(credit.owed_ms(at(7_000, 7_000)), 6_000);
        short.add_uncounted_stalls(at(0, 1_000), 2_500);
        assert_eq!(short.owed_ms(at(7_000, 7_000)), 2_500, "no longer than the turn");
        credit.announce(&Event::Started {}, moment(7_000), at(7_000, 7_000), true);
        credit.add_uncounted_stalls(at(0, 1_000), 20_000);
        assert_eq!(credit.owed_ms(at(7_000, 7_000)), 0, "only the turn in which it opened");
    }

    #[test]
    fn a_stall_counts_after_all_for_a_player_who_turns_out_to_be_here() {
        let mut credit = new(0, None);
        credit.announce(&Event::Started {}, moment(0), at(0, 0), false);
        credit.skip_stalls(at(9_000, 7_000));
        assert_eq!(credit.owed_ms(at(9_000, 7_000)), 0);
        credit.add_uncounted_stalls(at(500, 0), 9_000);
        assert_eq!(credit.owed_ms(at(9_000, 7_000)), 7_000);
        credit.skip_stalls(at(9_500, 7_000));
        credit.add_uncounted_stalls(at(500, 0), 9_500);
        assert_eq!(credit.owed_ms(at(9_500, 7_000)), 7_000, "they count once");
    }

    #[test]
    fn a_debt_of_another_node_is_owed_once() {
        let mut credit = new(0, None);
        credit.announce(&Event::Started {}, moment(0), at(400, 0), true);
        credit.raise_to(3_000, at(500, 0));
        credit.raise_to(3_000, at(500, 0));
        credit.raise_to(1_000, at(500, 0));
        assert_eq!(credit.owed_ms(at(500, 0)), 3_000);
        // A stall of this node that comes later is owed in addition.
        credit.raise_to(3_000, at(1_700, 1_200));
        assert_eq!(credit.owed_ms(at(1_700, 1_200)), 4_200);
        for (limit_ms, owed_ms) in [(5_000, 4_200), (600, 600)] {
            credit.limit_to(limit_ms, at(1_700, 1_200));
            assert_eq!(credit.owed_ms(at(1_700, 1_200)), owed_ms);
        }
    }

    #[test]
    fn after_an_absence_the_clock_waits_for_the_player() {
        let downtime = Downtime { since: moment(1_000), until: moment(9_000) };
        let mut credit = new(5_000, Some(downtime));
        assert_eq!(credit.game_time(at(7_000, 0)), moment(1_000));
        assert_eq!(credit.take_due(at(5_000, 0)), Some(4_000));
        credit.announce(&Event::Resumed { credited_ms: 4_000 }, moment(5_000), at(5_000, 0), true);
        assert_eq!(credit.game_time(at(7_000, 0)), moment(5_000));
        let mut late = credit;
        credit.release(at(7_000, 0));
        assert_eq!((credit.game_time(at(8_000, 0)), credit.held_until()), (moment(6_000), None));
        assert_eq!(late.game_time(at(10_000, 0)), moment(6_000), "the wait has an end");
        late.release(at(10_000, 0));
        assert_eq!(late.game_time(at(10_000, 0)), moment(6_000));
    }

    #[test]
    fn an_absence_that_is_long_over_is_owed_without_a_wait() {
        let downtime = Downtime { since: moment(1_000), until: moment(9_000) };
        let credit = new(20_000, Some(downtime));
        assert_eq!((credit.owed_ms(at(20_000, 0)), credit.held_until()), (8_000, None));
    }

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
