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
const MOST_PEOPLE: usize = 10_000;

#[derive(Clone, Copy, Debug)]
struct Leaves {
    count: u32,
    last: Moment,
}

/// How many games each player has left recently.
#[derive(Debug, Default)]
pub(crate) struct Conduct {
    people: HashMap<PlayerId, Leaves>,
}

impl Conduct {
    /// Records that a player left a game and returns their count.
    pub(crate) fn left(&mut self, player: PlayerId, now: Moment) -> u32 {
        if self.people.len() >= MOST_PEOPLE && !self.people.contains_key(&player) {
            self.forget(now);
        }
        let leaves = self.people.entry(player).or_insert(Leaves { count: 0, last: now });
        leaves.count = leaves.count_at(now) + 1;
        leaves.last = now;
        leaves.count
    }

    /// Returns how long the player has to wait before they may look for a game, or `None` if they
    /// may do so now.
    pub(crate) fn pause(&self, player: PlayerId, now: Moment) -> Option<Duration> {
        let leaves = self.people.get(&player)?;
        let excess = leaves.count.checked_sub(FREE_LEAVES + 1)?;
        let pause_ms = (FIRST_PAUSE_MS << excess.min(16)).min(LONGEST_PAUSE_MS);
        let left_ms = leaves.last.plus_ms(pause_ms).since_ms(now);
        (left_ms > 0).then(|| Duration::from_millis(left_ms))
    }

    fn forget(&mut self, now: Moment) {
        self.people.retain(|_, leaves| leaves.count_at(now) > 0);
        if self.people.len() >= MOST_PEOPLE {
            let oldest = self.people.iter().min_by_key(|(_, leaves)| leaves.last);
            if let Some(player) = oldest.map(|(player, _)| *player) {
                self.people.remove(&player);
            }
        }
    }
}

impl Leaves {
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
        let mut conduct = Conduct::default();
        for count in 1..=3 {
            assert_eq!(conduct.left(ANNA, at(0)), count);
            assert_eq!(conduct.pause(ANNA, at(0)), None);
        }
        conduct.left(ANNA, at(0));
        assert_eq!(conduct.pause(ANNA, at(0)), Some(Duration::from_secs(60)));
        assert_eq!(conduct.pause(ANNA, at(59_000)), Some(Duration::from_secs(1)));
        assert_eq!(conduct.pause(ANNA, at(60_000)), None);
        conduct.left(ANNA, at(60_000));
        assert_eq!(conduct.pause(ANNA, at(60_000)), Some(Duration::from_secs(120)));
        assert_eq!(conduct.pause(PlayerId(2), at(60_000)), None);
        for _ in 0..100 {
            conduct.left(ANNA, at(60_000));
        }
        assert_eq!(conduct.pause(ANNA, at(60_000)), Some(Duration::from_secs(3600)));
    }

    #[test]
    fn leaves_are_forgotten_one_by_one() {
        let mut conduct = Conduct::default();
        for _ in 0..3 {
            conduct.left(ANNA, at(0));
        }
        assert_eq!(conduct.left(ANNA, at(2 * FORGET_MS)), 2);
    }

    #[test]
    fn memory_is_bounded() {
        let mut conduct = Conduct::default();
        for player in 0..=MOST_PEOPLE as u64 {
            conduct.left(PlayerId(player), at(player));
        }
        assert_eq!(conduct.people.len(), MOST_PEOPLE);
        assert!(!conduct.people.contains_key(&PlayerId(0)), "the oldest makes room");
    }
}
