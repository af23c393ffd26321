//! Checks a finished game, and adds up what the players measured.

use std::fmt;
use std::time::Duration;

use castellan_game::Event;
use castellan_store::StoredGame;
use tokio::time::Instant;

use super::player::{Player, Turn};
use crate::crash::proof;

/// Tolerance for the clocks of different nodes. They agree with that of the database when they
/// start, and complain about a difference of more than this.
const CLOCK_MS: i64 = 500;

/// A difference that cannot be the way of messages between two processes of one machine.
const LONG_MS: i64 = 100;

/// Number of slow turns that are described.
const SHOWN: usize = 10;

/// What all players measured.
pub(super) struct Report {
    kills: usize,
    time: Duration,
    games: usize,
    moves: usize,
    reconnects: usize,
    sent_again: usize,
    refusals: usize,
    /// Time until the mover heard of their own move, in microseconds.
    acknowledged: Vec<i64>,
    /// Time until the opponent saw the move, in microseconds.
    seen: Vec<i64>,
    /// Time that the servers counted, before they compensated for lag, less the time that the player
    /// measured, in milliseconds, for each turn on one connection.
    excess: Vec<i64>,
    /// Those of them that take long, each with its story.
    slow: Vec<(i64, String)>,
    /// The same for turns during which the connection was lost.
    excess_broken: Vec<i64>,
    /// The same for turns that began while the player was not connected.
    excess_missed: Vec<i64>,
    /// Time without a connection during such a turn, in milliseconds.
    offline: Vec<i64>,
    /// The same difference, added up for each player.
    excess_total: Vec<i64>,
    /// Charged time, after lag compensation, less the time that the player measured, added up for
    /// each player.
    charged_total: Vec<i64>,
}

/// What a server stored about the time of a turn, in milliseconds.
#[derive(Clone, Copy)]
struct StoredTime {
    spent_ms: i64,
    compensated_ms: i64,
}

impl Report {
    pub(super) fn new(kills: usize, time: Duration) -> Report {
        Report {
            kills,
            time,
            games: 0,
            moves: 0,
            reconnects: 0,
            sent_again: 0,
            refusals: 0,
            acknowledged: Vec::new(),
            seen: Vec::new(),
            excess: Vec::new(),
            slow: Vec::new(),
            excess_broken: Vec::new(),
            excess_missed: Vec::new(),
            offline: Vec::new(),
            excess_total: Vec::new(),
            charged_total: Vec::new(),
        }
    }

    /// Checks a game against what its players know, and adds it.
    pub(super) fn add(&mut self, pair: &[Player], stored: &StoredGame) {
        for player in pair {
            proof::assert_stored(player.memory(), stored, &format!("{:?}", player.seat()));
            self.reconnects += player.reconnects;
            self.sent_again += player.sent_again;
            self.refusals += player.refusals;
        }
        let times: Vec<StoredTime> =
            stored.events.iter().filter_map(|it| stored_time(&it.event)).collect();
        self.games += 1;
        self.moves += times.len();
        for (mover, opponent) in [(&pair[0], &pair[1]), (&pair[1], &pair[0])] {
            let (mut excess, mut compensated) = (0, 0);
            for turn in mover.turns() {
                let StoredTime { spent_ms, compensated_ms } = times[turn.ply];
                let counted_ms = spent_ms + compensated_ms;
                let before = opponent.turns().iter().find(|it| it.ply + 1 == turn.ply);
                excess += self.add_turn(mover, turn, before, counted_ms);
                compensated += compensated_ms;
                // Whatever happens, a turn lasts no longer than from the opponent's move to the
                // acknowledgment.
                if let Some(before) = before {
                    let most = ms(turn.heard - before.sent) + CLOCK_MS;
                    assert!(counted_ms <= most, "{:?}: {counted_ms} of {most}", mover.seat());
                }
                let seen = opponent.seen().iter().find(|(ply, _)| *ply == turn.ply);
                let (_, seen) = seen.expect("the opponent has seen every move");
                self.seen.push(us(seen.saturating_duration_since(turn.sent)));
            }
            self.excess_total.push(excess);
            self.charged_total.push(excess - compensated);
        }
    }

    fn add_turn(
        &mut self,
        mover: &Player,
        turn: &Turn,
        before: Option<&Turn>,
        counted_ms: i64,
    ) -> i64 {
        self.acknowledged.push(us(turn.heard - turn.sent));
        let excess = counted_ms - ms(turn.sent - turn.learned);
        if !turn.offline.is_zero() {
            self.excess_broken.push(excess);
            self.offline.push(ms(turn.offline));
        } else if before.is_some_and(|before| before.sent < turn.connected) {
            self.excess_missed.push(excess);
        } else {
            self.excess.push(excess);
            if excess > LONG_MS {
                self.slow.push((excess, story(mover, turn, before)));
            }
        }
        excess
    }
}

/// Says how a turn went, for those that take longer than they should.
fn story(mover: &Player, turn: &Turn, before: Option<&Turn>) -> String {
    let Turn { ply, learned, sent, heard, connected, refusals, .. } = turn;
    let since = |earlier: Instant| ms(learned.saturating_duration_since(earlier));
    let opponent = before.map_or_else(String::new, |before| {
        let [move_ms, ack_ms] = [since(before.sent), since(before.heard)];
        let lost_ms = ms(before.offline);
        format!(
            "{move_ms} ms after it was sent, {ack_ms} ms after it was acknowledged, by an opponent \
             who was offline for {lost_ms} ms and refused {} times; ",
            before.refusals
        )
    });
    format!(
        "{:?} ply {ply}: learned of the move {opponent}connected {} ms before; thought {} ms, \
         acknowledged after {} ms, {refusals} refusals",
        mover.seat(),
        since(*connected),
        ms(*sent - *learned),
        ms(*heard - *sent),
    )
}

fn stored_time(event: &Event) -> Option<StoredTime> {
    let signed = |time_ms: u64| i64::try_from(time_ms).expect("not that long");
    match *event {
        Event::Moved { spent_ms, compensated_ms, .. } => {
            let (spent_ms, compensated_ms) = (signed(spent_ms), signed(compensated_ms));
            Some(StoredTime { spent_ms, compensated_ms })
        }
        _ => None,
    }
}

fn ms(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).expect("not that long")
}

fn us(time: Duration) -> i64 {
    i64::try_from(time.as_micros()).expect("not that long")
}

/// Writes percentiles of values, after dividing them.
fn percentiles(values: &[i64], divisor: f64) -> String {
    let mut values = values.to_vec();
    values.sort_unstable();
    let at = |percent: usize| {
        let rank = (values.len() * percent).div_ceil(100).max(1);
        values.get(rank - 1).map_or(0.0, |&value| value as f64 / divisor)
    };
    format!("p50 {:.1}, p99 {:.1}, most {:.1} ms", at(50), at(99), at(100))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { kills, games, moves, reconnects, sent_again, refusals, .. } = self;
        let seconds = self.time.as_secs_f64();
        writeln!(f, "{games} games, {moves} moves in {seconds:.0} s, {kills} nodes killed")?;
        writeln!(f, "every announced event is stored once, as it was announced")?;
        writeln!(
            f,
            "{reconnects} reconnections, {sent_again} moves sent again, {refusals} refused"
        )?;
        writeln!(f, "move to acknowledgment: {}", percentiles(&self.acknowledged, 1e3))?;
        writeln!(f, "move to opponent: {}", percentiles(&self.seen, 1e3))?;
        writeln!(f, "counted beyond what the player measured, before lag compensation:")?;
        let [one, lost] = [&self.excess, &self.excess_broken];
        writeln!(f, "  a turn on one connection ({}): {}", one.len(), percentiles(one, 1.0))?;
        let mut slow: Vec<_> = self.slow.iter().collect();
        slow.sort_unstable();
        writeln!(f, "    of these, more than {LONG_MS} ms: {}", slow.len())?;
        for (excess, story) in slow.into_iter().rev().take(SHOWN) {
            writeln!(f, "      {excess} ms: {story}")?;
        }
        let missed = &self.excess_missed;
        let count = missed.len();
        writeln!(f, "  a turn that began without one ({count}): {}", percentiles(missed, 1.0))?;
        writeln!(f, "  a turn in which it was lost ({}): {}", lost.len(), percentiles(lost, 1.0))?;
        writeln!(f, "    and the time without a connection: {}", percentiles(&self.offline, 1.0))?;
        writeln!(f, "  a player in the whole game: {}", percentiles(&self.excess_total, 1.0))?;
        let charged = percentiles(&self.charged_total, 1.0);
        write!(
            f,
            "charged beyond it, after lag compensation, a player in the whole game: {charged}"
        )
    }
}
