//! Mutes: which players a player does not want to hear.
//!
//! Mutes are kept in memory until the server stops, for a bounded number of players.

use std::collections::HashMap;

use castellan_game::PlayerId;

/// Maximum number of names that one player may mute.
const MOST_MUTED: usize = 50;
/// Maximum number of players who have muted someone.
const MOST_PLAYERS: usize = 20_000;

/// The limit on mutes is reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct TooManyMuted;

/// The muted names of each player, in normalized form.
#[derive(Debug, Default)]
pub(crate) struct Mutes {
    lists: HashMap<PlayerId, Vec<String>>,
}

impl Mutes {
    /// Mutes or unmutes a name for a player.
    pub(crate) fn set(
        &mut self,
        player: PlayerId,
        name: &str,
        is_muted: bool,
    ) -> Result<(), TooManyMuted> {
        let name = castellan_store::fold(name);
        if !is_muted {
            if let Some(list) = self.lists.get_mut(&player) {
                list.retain(|muted| *muted != name);
                if list.is_empty() {
                    self.lists.remove(&player);
                }
            }
            return Ok(());
        }
        if self.is_muted(player, &name) {
            return Ok(());
        }
        if self.lists.len() >= MOST_PLAYERS && !self.lists.contains_key(&player) {
            return Err(TooManyMuted);
        }
        let list = self.lists.entry(player).or_default();
        if list.len() >= MOST_MUTED {
            return Err(TooManyMuted);
        }
        list.push(name);
        Ok(())
    }

    /// Returns `true` if the player has muted this normalized name.
    pub(crate) fn is_muted(&self, player: PlayerId, folded: &str) -> bool {
        self.lists.get(&player).is_some_and(|list| list.iter().any(|name| name == folded))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_muted_player_stays_muted_however_the_name_is_written() {
        let mut mutes = Mutes::default();
        let (anna, ben) = (PlayerId(1), PlayerId(2));
        mutes.set(anna, "Réti", true).unwrap();
        assert!(mutes.is_muted(anna, &castellan_store::fold("RETI")));
        assert!(!mutes.is_muted(ben, "reti"));
        mutes.set(anna, "reti", false).unwrap();
        assert!(!mutes.is_muted(anna, "reti"));
        assert!(mutes.lists.is_empty());
    }

    #[test]
    fn lists_are_bounded() {
        let mut mutes = Mutes::default();
        for number in 0..MOST_MUTED {
            mutes.set(PlayerId(1), &format!("somebody {number}"), true).unwrap();
        }
        assert_eq!(mutes.set(PlayerId(1), "one more", true), Err(TooManyMuted));
        assert_eq!(mutes.set(PlayerId(1), "somebody 7", true), Ok(()));
    }
}
