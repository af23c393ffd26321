//! Players who leave games.
//!
//! This module counts the games that a player aborted, did not show up for, or abandoned, and
//! imposes the pause that follows, so that players cannot abort until they get the color or
//! opponent they like. Counts fade with time, and the number of players remembered is bounded.

use core::time::Duration;
use std::collections::HashMap;

use castellan_game::{Moment, PlayerId};

/// Number of games that a player may leave without consequence.
const FREE_LEAVES: u32 = 3;
/// Time after which one left game is forgotten.
const FORGET_MS: u64 = 10 * 60_000;
/// Length of the first pause. Every further left game doubles it.
const FIRST_PAUSE_MS: u64 = 60_000;
/// Maximum length of a pause.
const LONGEST_PAUSE_MS: u64 = 60 * 60_000;
/// Maximum number of players remembered. Above it, the oldest entry is forgotten.
const MAX_PLAYERS: usize = 10_000;

#[derive(Clone, Copy, Debug)]
struct LeaveCount {
    count: u32,
    last: Moment,
}

/// How many games each player has left recently.
#[derive(Debug, Default)]
pub(crate) struct LeaveTracker {
    connections: HashMap<PlayerId, LeaveCount>,
}

impl LeaveTracker {
    /// Records that a player left a game and returns their count.
    pub(crate) fn left(&mut self, player: PlayerId, now: Moment) -> u32 {
        if self.connections.len() >= MAX_PLAYERS && !self.connections.contains_key(&player) {
            self.forget(now);
        }
        let leaves = self.connections.entry(player).or_insert(LeaveCount { count: 0, last: now });
        leaves.count = leaves.count_at(now) + 1;
        leaves.last = now;
        leaves.count
    }

    /// Returns how long the player has to wait before they may look for a game, or `None` if they
    /// may do so now.
    pub(crate) fn pause(&self, player: PlayerId, now: Moment) -> Option<Duration> {
        let leaves = self.connections.get(&player)?;
        let excess = leaves.count.checked_sub(FREE_LEAVES + 1)?;
        let pause_ms = (FIRST_PAUSE_MS << excess.min(16)).min(LONGEST_PAUSE_MS);
        let left_ms = leaves.last.plus_ms(pause_ms).since_ms(now);
        (left_ms > 0).then(|| Duration::from_millis(left_ms))
    }

    fn forget(&mut self, now: Moment) {
        self.connections.retain(|_, leaves| leaves.count_at(now) > 0);
        if self.connections.len() >= MAX_PLAYERS {
            let oldest = self.connections.iter().min_by_key(|(_, leaves)| leaves.last);
            if let Some(player) = oldest.map(|(player, _)| *player) {
                self.connections.remove(&player);
            }
        }
    }
}

impl LeaveCount {
    fn count_at(self, now: Moment) -> u32 {
        let forgotten = now.since_ms(self.last) / FORGET_MS;
        self.count.saturating_sub(u32::try_from(forgotten).unwrap_or(u32::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANNA: PlayerId = PlayerId(1);

    fn at(ms: u64) -> Moment {
        Moment::from_millis(ms)
    }

    #[test]
    fn the_fourth_leave_has_a_pause_and_each_further_one_doubles_it() {
        let mut tracker = LeaveTracker::default();
        for count in 1..=3 {
            assert_eq!(tracker.left(ANNA, at(0)), count);
            assert_eq!(tracker.pause(ANNA, at(0)), None);
        }
        tracker.left(ANNA, at(0));
        assert_eq!(tracker.pause(ANNA, at(0)), Some(Duration::from_secs(60)));
        assert_eq!(tracker.pause(ANNA, at(59_000)), Some(Duration::from_secs(1)));
        assert_eq!(tracker.pause(ANNA, at(60_000)), None);
        tracker.left(ANNA, at(60_000));
        assert_eq!(tracker.pause(ANNA, at(60_000)), Some(Duration::from_secs(120)));
        assert_eq!(tracker.pause(PlayerId(2), at(60_000)), None);
        for _ in 0..100 {
            tracker.left(ANNA, at(60_000));
        }
        assert_eq!(tracker.pause(ANNA, at(60_000)), Some(Duration::from_secs(3600)));
    }

    #[test]
    fn leaves_are_forgotten_one_by_one() {
        let mut tracker = LeaveTracker::default();
        for _ in 0..3 {
            tracker.left(ANNA, at(0));
        }
        assert_eq!(tracker.left(ANNA, at(2 * FORGET_MS)), 2);
    }

    #[test]
    fn memory_is_bounded() {
        let mut tracker = LeaveTracker::default();
        for player in 0..=MAX_PLAYERS as u64 {
            tracker.left(PlayerId(player), at(player));
        }
        assert_eq!(tracker.connections.len(), MAX_PLAYERS);
        assert!(!tracker.connections.contains_key(&PlayerId(0)), "the oldest makes room");
    }
}
