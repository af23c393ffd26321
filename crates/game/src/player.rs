//! The players of a game, and the sources of commands.
//!
//! This module defines players as they are seated, and the two seats. The server knows the person
//! behind a player's number and checks that names are fit to be shown.

use castellan_rules::Color;
use serde::{Deserialize, Serialize};

use crate::PlayerId;

/// A player as they were when they took the seat; later changes to the account do not affect it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Player {
    /// The number the server assigned to the player.
    pub id: PlayerId,
    /// Display name, already checked by the server.
    pub name: String,
    /// Rating when the player took the seat; `None` for guests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub rating: Option<u16>,
}

/// The source of a command.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Actor {
    /// A person or an engine, whether seated or not.
    Player(PlayerId),
    /// The server itself.
    Server,
}

/// The two seats. One player may have both, for example when friends share a screen.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Seats {
    players: [Option<Player>; 2],
}

impl Seats {
    /// Returns the player in this seat.
    pub fn get(&self, color: Color) -> Option<&Player> {
        self.players[color.index()].as_ref()
    }

    /// Returns `true` if both seats are taken.
    pub fn are_taken(&self) -> bool {
        self.players.iter().all(Option::is_some)
    }

    /// Returns `true` if this player has this seat.
    pub fn has(&self, color: Color, id: PlayerId) -> bool {
        self.get(color).is_some_and(|player| player.id == id)
    }

    /// Returns the player's seat; `None` if the player has both seats or neither.
    pub fn only_seat(&self, id: PlayerId) -> Option<Color> {
        let [white, black] = Color::ALL.map(|color| self.has(color, id));
        match (white, black) {
            (true, false) => Some(Color::White),
            (false, true) => Some(Color::Black),
            _ => None,
        }
    }

    /// Returns `true` if the player has at least one seat.
    pub fn is_seated(&self, id: PlayerId) -> bool {
        Color::ALL.into_iter().any(|color| self.has(color, id))
    }

    pub(crate) fn set(&mut self, color: Color, player: Player) {
        self.players[color.index()] = Some(player);
    }
}
