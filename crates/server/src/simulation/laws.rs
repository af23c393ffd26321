//! The laws that hold in every simulation, whatever goes wrong.
//!
//! - Every event that a client receives was in the store before, with the same version.
//! - No player has two seats: not in one game, and not in two games at once, even if they look for a
//!   game while they have one.
//! - A turn is charged from the moment at which its player is told of it, or could have been told,
//!   until their move arrives, less the time that the servers needed and the time in which the player
//!   was on the way from a node that died.
//! - No game is lost on time, by absence or by a late first move before that time has passed.
//! - Every game ends once the faults have ended.
//!
//! All times are those of the simulation, which no server knows.

use std::collections::{BTreeMap, BTreeSet};

use castellan_game::{End, EndReason, Event, GameId, PlayerId, TimeControl};
use castellan_protocol::{GameEvent, ServerMessage};
use castellan_rules::Color;

use super::node::EPOCH_MS;
use super::orphans::{Mover, Orphans};
use super::tables::{StoredRow, Tables, WriteStamp};

/// Difference that the laws tolerate for a turn on one connection, in milliseconds.
const TOLERANCE_MS: u64 = 15;
/// A credit that is smaller than this is lost if the player reconnects to another node.
const UNRECORDED_MS: u64 = 1_000;
/// Time that a node may need to record a credit.
const RECORDING_MS: u64 = 5_000;
/// Time within which a working node has recorded a credit.
const RECORDED_MS: u64 = 500;
/// Time for which the clock stands still after a move was refused because it could not be stored.
const REPEAT_MS: u64 = 10_000;
/// Least time for a first move.
const NO_SHOW_MS: u64 = 15_000;
/// Least time after which a player who is away loses.
const ABANDONED_MS: u64 = 30_000;

/// A period of the simulation, from its beginning to its end in milliseconds.
pub(super) type Period = (u64, u64);

/// A connection of a player, as the laws see it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct LinkRef {
    pub(super) link: usize,
    /// The run of the node at its other end.
    pub(super) run: usize,
    pub(super) since_ms: u64,
}

/// A move that has reached a node.
#[derive(Clone, Copy, Debug)]
struct Receipt {
    at_ms: u64,
    link: LinkRef,
    ply: u32,
    /// When the node refused it because it could not be stored.
    refused_ms: Option<u64>,
}

/// A turn of a game.
#[derive(Clone, Debug)]
struct Turn {
    version: u32,
    mover: Mover,
    color: Color,
    ply: u32,
    /// The write that began it.
    stamp: WriteStamp,
    /// When the move before it arrived.
    arrived_ms: u64,
    /// When it arrived according to the node, which is later if the process did not run at that
    /// time.
    recorded_ms: u64,
    /// The connection of the player when the turn was stored.
    link: Option<LinkRef>,
    /// When the server sent it there, unless the connection was lost before.
    told_ms: Option<u64>,
    credited_ms: u64,
    receipts: Vec<Receipt>,
}

#[derive(Clone, Debug, Default)]
struct GameLedger {
    seen: usize,
    seats: [Option<PlayerId>; 2],
    turn: Option<Turn>,
    remaining_ms: [Option<u64>; 2],
}

/// Everything that the laws know about a simulation.
#[derive(Debug, Default)]
pub(super) struct Laws {
    games: BTreeMap<GameId, GameLedger>,
    /// Periods in which no node accepted connections.
    pub(super) down: Vec<Period>,
    /// Periods in which the process of a run did not run.
    pub(super) stalls: Vec<(usize, Period)>,
    /// Periods with any other fault.
    pub(super) faults: Vec<Period>,
    /// An outage that is shorter is not noticed.
    pub(super) shortest_outage_ms: u64,
    /// When each run ended.
    pub(super) deaths: BTreeMap<usize, u64>,
    /// Pauses of a process that are too short to be noticed.
    pub(super) hiccups: Vec<(usize, Period)>,
    /// Connections that are lost without their nodes knowing. Messages to them reach no player.
    pub(super) lost: BTreeSet<usize>,
    /// Players whose node died, and the games that each connection follows.
    pub(super) orphans: Orphans,
    pub(super) broken: Vec<String>,
    /// Number of turns whose charge was compared.
    pub(super) turns: u64,
}

/// What the laws need to know about the players.
pub(super) trait Players {
    fn find(&self, name: &str) -> Option<usize>;
    /// Returns the connection on which a player follows or awaits games.
    fn link_of(&self, player: usize) -> Option<LinkRef>;
    /// Returns when a player lost its last working connection, if it has none now.
    fn away_since_ms(&self, player: usize) -> Option<u64>;
    fn seeks_of(&self, player: usize) -> usize;
}

impl Laws {
    fn complain(&mut self, now_ms: u64, message: impl core::fmt::Display) {
        self.broken.push(format!("{now_ms} ms: {message}"));
    }

    /// Checks what a server sends to a client.
    pub(super) fn sent(
        &mut self,
        player: usize,
        link: LinkRef,
        message: &ServerMessage,
        tables: &Tables,
        now_ms: u64,
    ) {
        let (game, version) = match message {
            ServerMessage::Event(event) => {
                self.check_event(event, tables, now_ms);
                (event.game, event.version)
            }
            ServerMessage::Game(snapshot) => {
                let stored = tables.games.get(&snapshot.game).map_or(0, |row| row.events.len());
                if snapshot.version as usize > stored {
                    let message = format!("a snapshot of {} is ahead of the store", snapshot.game);
                    self.complain(now_ms, message);
                }
                (snapshot.game, snapshot.version)
            }
            ServerMessage::Refused(refused) => {
                let Some(game) = refused.game else { return };
                if refused.of.as_str() == "make move" && refused.code.as_str() == "not_stored" {
                    self.refused(game, link, now_ms);
                }
                return;
            }
            _ => return,
        };
        self.orphans.joined(player, link, game, now_ms);
        let turn = self.games.get_mut(&game).and_then(|game| game.turn.as_mut());
        if let Some(turn) = turn
            && turn.mover.player == player
            && version >= turn.version
            && turn.link == Some(link)
            && !self.lost.contains(&link.link)
        {
            turn.told_ms.get_or_insert(now_ms);
        }
    }

    fn check_event(&mut self, event: &GameEvent, tables: &Tables, now_ms: u64) {
        let row = tables.games.get(&event.game);
        let stored = row.and_then(|row| row.events.get(event.version as usize - 1));
        if stored.is_none_or(|stored| *stored != event.clone().recorded()) {
            self.complain(now_ms, format!("not in the store: {event:?}; stored: {stored:?}"));
        }
    }

    /// Records that a move has reached a node.
    pub(super) fn received(&mut self, game: GameId, ply: u32, link: LinkRef, at_ms: u64) {
        let turn = self.games.get_mut(&game).and_then(|game| game.turn.as_mut());
        if let Some(turn) = turn {
            turn.receipts.push(Receipt { at_ms, link, ply, refused_ms: None });
        }
    }

    fn refused(&mut self, game: GameId, link: LinkRef, now_ms: u64) {
        let turn = self.games.get_mut(&game).and_then(|game| game.turn.as_mut());
        let receipts = turn.map(|turn| &mut turn.receipts).into_iter().flatten();
        let mut open = receipts.filter(|it| it.link == link && it.refused_ms.is_none());
        if let Some(receipt) = open.next() {
            receipt.refused_ms = Some(now_ms);
        }
    }

    /// Checks what has been stored since the last call.
    pub(super) fn stored(&mut self, tables: &Tables, players: &impl Players, now_ms: u64) {
        for (id, row) in &tables.games {
            let seen = self.games.entry(*id).or_default().seen;
            for index in seen..row.events.len() {
                self.stored_event(*id, row, index, tables, players, now_ms);
            }
            self.games.entry(*id).or_default().seen = row.events.len();
        }
    }

    fn stored_event(
        &mut self,
        id: GameId,
        row: &StoredRow,
        index: usize,
        tables: &Tables,
        players: &impl Players,
        now_ms: u64,
    ) {
        let recorded = &row.events[index];
        if recorded.version as usize != index + 1 {
            self.complain(now_ms, format!("{id} has version {} at {index}", recorded.version));
        }
        match &recorded.event {
            Event::Seated { player, color } => {
                self.games.entry(id).or_default().seats[color.index()] = Some(player.id);
                self.check_seat(id, row, &player.name, tables, players, now_ms);
            }
            Event::Started {} => {
                let initial_ms = row.settings.time_control.initial_ms().map(u64::from);
                self.games.entry(id).or_default().remaining_ms = [initial_ms; 2];
                let requested_ms = row.stamps[index].requested_ms;
                self.begin_turn(id, row, index, (0, requested_ms), players);
            }
            Event::Moved { ply, spent_ms, compensated_ms, remaining_ms, .. } => {
                let charged_ms = spent_ms + compensated_ms;
                let arrived_ms = self.check_charge(id, row.stamps[index], charged_ms, now_ms);
                let color = Color::ALL[*ply as usize % 2];
                self.games.entry(id).or_default().remaining_ms[color.index()] = *remaining_ms;
                self.begin_turn(id, row, index, (ply + 1, arrived_ms), players);
            }
            Event::Resumed { credited_ms } => {
                let turn = self.games.get_mut(&id).and_then(|game| game.turn.as_mut());
                turn.into_iter().for_each(|turn| turn.credited_ms += credited_ms);
            }
            Event::Ended(end) => {
                self.check_end(id, row, row.stamps[index], *end, players, now_ms);
            }
            _ => {}
        }
    }

    fn check_seat(
        &mut self,
        id: GameId,
        row: &StoredRow,
        name: &str,
        tables: &Tables,
        players: &impl Players,
        now_ms: u64,
    ) {
        if row.seats().filter(|(_, seated)| *seated == name).count() > 1 {
            self.complain(now_ms, format!("{name} has both seats of {id}"));
        }
        let has_seat = |row: &StoredRow| row.seats().any(|(_, seated)| seated == name);
        let others = tables.games.iter().filter(|(other, row)| **other != id && has_seat(row));
        let running: Vec<&GameId> =
            others.clone().filter(|(_, row)| row.finish.is_none()).map(|(id, _)| id).collect();
        let total = others.count() + 1;
        if !running.is_empty() {
            self.complain(now_ms, format!("{name} is seated in {id} and in {running:?}"));
        }
        let seeks = players.find(name).map_or(0, |player| players.seeks_of(player));
        if total > seeks {
            self.complain(now_ms, format!("{name} has {total} games for {seeks} seeks"));
        }
    }

    fn begin_turn(
        &mut self,
        id: GameId,
        row: &StoredRow,
        index: usize,
        (ply, arrived_ms): (u32, u64),
        players: &impl Players,
    ) {
        let color = Color::ALL[ply as usize % 2];
        let name = row.seats().find(|(seat, _)| *seat == color).map_or("", |(_, name)| name);
        let mover_id = self.games.entry(id).or_default().seats[color.index()];
        let mover = players.find(name).zip(mover_id);
        let mover =
            mover.map(|(player, id_of_player)| Mover { game: id, player, id: id_of_player });
        let turn = mover.map(|mover| Turn {
            version: row.events[index].version,
            mover,
            color,
            ply,
            stamp: row.stamps[index],
            arrived_ms,
            recorded_ms: row.events[index].at.as_millis().saturating_sub(EPOCH_MS).max(arrived_ms),
            link: players
                .link_of(mover.player)
                .filter(|it| ply == 0 || self.orphans.joined_ms(mover.player, *it, id).is_some()),
            told_ms: None,
            credited_ms: 0,
            receipts: Vec::new(),
        });
        self.games.entry(id).or_default().turn = turn;
    }

    /// Returns when a turn began, as a run may know it at a moment: when its player was told of it, or
    /// could have been told. If the node that told them died before it could record the delay, the
    /// turn began when the move before it arrived. To other nodes, a process that does not run is
    /// dead until it continues.
    fn began_ms(&self, turn: &Turn, run: usize, at_ms: u64) -> u64 {
        let told = turn.link.zip(turn.told_ms).map(|(link, told_ms)| (link.run, told_ms));
        let (teller, told_ms) = told.unwrap_or((turn.stamp.run, turn.stamp.stored_ms));
        let died_ms = self.deaths.get(&teller).copied().unwrap_or(u64::MAX);
        let is_stalled = self.stalls.iter().any(|(stalled, (from_ms, to_ms))| {
            *stalled == teller && *from_ms < told_ms + RECORDING_MS && *to_ms > at_ms
        });
        let is_lost = died_ms < told_ms + RECORDING_MS || is_stalled;
        if is_lost && teller != run { turn.arrived_ms } else { told_ms }
    }

    /// Returns the time within a turn that the servers needed, and that is not charged: the store
    /// refused a move, no node was up, the process of the player's node did not run, or the player was
    /// on the way from a node that died.
    fn server_ms(&self, turn: &Turn, link: LinkRef, until_ms: u64) -> u64 {
        let run = link.run;
        let period = (self.began_ms(turn, run, until_ms), until_ms);
        // A node that is killed may not have recorded yet what it owed. After a refusal, the clock
        // stands still until the player has repeated the move.
        let own = turn.receipts.iter().filter(|it| it.link.run == run && it.ply == turn.ply);
        let refused = own.filter_map(|it| Some((it.at_ms, it.refused_ms? + REPEAT_MS)));
        let stalls = self.stalls.iter().filter(|(stalled, _)| *stalled == run);
        let stalls = stalls.map(|(_, (from, to))| (*from.max(&link.since_ms), *to));
        let is_noticed = |(from, to): &Period| to - from >= self.shortest_outage_ms;
        let down = self.down.iter().copied().filter(is_noticed);
        let way = self.orphans.way(turn.mover, run, until_ms);
        total(refused.chain(down).chain(stalls).chain(way), period)
    }

    /// Returns `true` if a turn began while its player was on the way from a node that died, so that
    /// the node that the player has reached knows everything about it.
    fn began_on_the_way(&self, turn: &Turn, link: LinkRef, until_ms: u64) -> bool {
        let way = self.orphans.way(turn.mover, link.run, until_ms);
        way.is_some_and(|(from_ms, to_ms)| {
            (from_ms..to_ms).contains(&turn.arrived_ms)
                && !self.deaths.contains_key(&turn.stamp.run)
                && link.since_ms >= from_ms
        })
    }

    /// Checks what a move was charged. Returns when the move arrived.
    fn check_charge(&mut self, id: GameId, stamp: WriteStamp, charged_ms: u64, now_ms: u64) -> u64 {
        let Some(turn) = self.games.get(&id).and_then(|game| game.turn.clone()) else {
            return now_ms;
        };
        let arrived = |it: &&Receipt| {
            it.link.run == stamp.run && it.ply == turn.ply && it.at_ms <= stamp.requested_ms
        };
        let Some(receipt) = turn.receipts.iter().rfind(arrived) else {
            self.complain(now_ms, format!("a move in {id} that no node has received"));
            return now_ms;
        };
        let receipt = *receipt;
        self.turns += 1;
        let began_ms = self.began_ms(&turn, stamp.run, receipt.at_ms);
        let fair_ms = receipt.at_ms.saturating_sub(began_ms);
        let server_ms = self.server_ms(&turn, receipt.link, receipt.at_ms);
        let is_same_link = turn.link == Some(receipt.link) && turn.told_ms.is_some();
        let hiccups = self.hiccups.iter().filter(|(run, _)| *run == stamp.run).map(|(_, at)| *at);
        let hiccups_ms = total(hiccups, (began_ms, stamp.requested_ms));
        let tolerance_ms = hiccups_ms
            + match is_same_link {
                true => TOLERANCE_MS,
                false if self.began_on_the_way(&turn, receipt.link, receipt.at_ms) => TOLERANCE_MS,
                false => UNRECORDED_MS + turn.credited_ms,
            };
        if charged_ms > fair_ms.saturating_sub(server_ms) + tolerance_ms {
            let message = format!(
                "{id} ply {}: {charged_ms} ms charged for {fair_ms} ms, of which the servers took \
                 {server_ms} ms: {turn:?}",
                turn.ply,
            );
            self.complain(now_ms, message);
        }
        let period = (began_ms.saturating_sub(UNRECORDED_MS), receipt.at_ms);
        let is_clean = is_same_link && total(self.faults.iter().copied(), period) == 0;
        // A client may have sent the move more than once; the first one counts.
        let first_ms = turn.receipts.iter().find(arrived).map_or(0, |first| first.at_ms);
        let fair_ms = first_ms.saturating_sub(began_ms);
        if is_clean && charged_ms + TOLERANCE_MS < fair_ms {
            let message = format!(
                "{id} ply {}: only {charged_ms} ms charged for {fair_ms} ms: {turn:?}",
                turn.ply
            );
            self.complain(now_ms, message);
        }
        // A credit of a second or more is recorded at once, so that it survives the node.
        let late_ms = began_ms.saturating_sub(turn.recorded_ms);
        let owed_ms = late_ms.saturating_sub(turn.credited_ms);
        let is_due = owed_ms >= UNRECORDED_MS + 100 && fair_ms >= RECORDED_MS;
        if is_clean && is_due {
            let message = format!("{id} ply {}: a delay of {owed_ms} ms not recorded", turn.ply);
            self.complain(now_ms, message);
        }
        receipt.at_ms
    }

    fn check_end(
        &mut self,
        id: GameId,
        row: &StoredRow,
        stamp: WriteStamp,
        end: End,
        players: &impl Players,
        now_ms: u64,
    ) {
        let Some(ledger) = self.games.get(&id) else { return };
        let Some(turn) = ledger.turn.clone() else { return };
        let began_ms = self.began_ms(&turn, stamp.run, stamp.requested_ms);
        let passed_ms = stamp.requested_ms.saturating_sub(began_ms);
        // The node that ends the game has to know only of its own connection.
        let none = LinkRef { link: usize::MAX, run: stamp.run, since_ms: u64::MAX };
        let own = players.link_of(turn.mover.player).filter(|link| link.run == stamp.run);
        let server_ms = self.server_ms(&turn, own.unwrap_or(none), stamp.requested_ms);
        let used_ms = passed_ms.saturating_sub(server_ms);
        let needed_ms = match end.reason {
            EndReason::Timeout | EndReason::TimeoutAgainstNoMate => {
                let delay_ms = match row.settings.time_control {
                    TimeControl::Delay { delay_ms, .. } => u64::from(delay_ms),
                    _ => 0,
                };
                ledger.remaining_ms[turn.color.index()].unwrap_or(u64::MAX / 2) + delay_ms
            }
            EndReason::Aborted => NO_SHOW_MS,
            EndReason::Abandoned => {
                let loser = end.winner.map_or(turn.color, |winner| !winner);
                let name = row.seats().find(|(seat, _)| *seat == loser).map(|(_, name)| name);
                let loser = name.and_then(|name| players.find(name));
                let away = loser.and_then(|loser| players.away_since_ms(loser));
                let away_ms = away.map_or(0, |since_ms| stamp.requested_ms - since_ms);
                if away_ms + TOLERANCE_MS < ABANDONED_MS {
                    let message = format!("{id} was lost after an absence of {away_ms} ms");
                    self.complain(now_ms, message);
                }
                return;
            }
            _ => return,
        };
        let is_told = turn.told_ms.is_some() && turn.link.is_some_and(|it| it.run == stamp.run);
        let tolerance_ms = if is_told { TOLERANCE_MS } else { UNRECORDED_MS + turn.credited_ms };
        if used_ms + tolerance_ms < needed_ms {
            let message = format!(
                "{id} ended by {:?} after {used_ms} ms of {needed_ms} ms, without {server_ms} ms \
                 of the servers: {turn:?}",
                end.reason
            );
            self.complain(now_ms, message);
        }
        let in_time = |it: &&Receipt| {
            let server_ms = self.server_ms(&turn, it.link, it.at_ms);
            let used_ms = it.at_ms.saturating_sub(began_ms + server_ms);
            let is_waiting = it.refused_ms.is_none() && it.link.run == stamp.run;
            it.ply == turn.ply && is_waiting && used_ms + tolerance_ms < needed_ms
        };
        if let Some(receipt) = turn.receipts.iter().find(in_time).copied() {
            let message = format!("{id} ended although a move had come: {receipt:?} of {turn:?}");
            self.complain(now_ms, message);
        }
    }
}

/// Returns how much of a period is covered by others, which may overlap.
fn total(parts: impl Iterator<Item = Period>, (from, to): Period) -> u64 {
    let mut parts: Vec<Period> = parts
        .map(|(start, end)| (start.max(from), end.min(to)))
        .filter(|(start, end)| start < end)
        .collect();
    parts.sort_unstable();
    let (mut sum, mut covered) = (0, from);
    for (start, end) in parts {
        let start = start.max(covered);
        if end > start {
            sum += end - start;
            covered = end;
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlapping_periods_count_once() {
        let parts = [(0, 10), (5, 20), (30, 40), (32, 35), (90, 200)];
        assert_eq!(total(parts.into_iter(), (2, 100)), 18 + 10 + 10);
        assert_eq!(total([].into_iter(), (2, 100)), 0);
    }
}
