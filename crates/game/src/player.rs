//! Who plays, and who may say something to a game.
//!
//! Owns: players as they are seated, and the two seats. Leaves to the server who is behind a
//! number, and whether a name is fit to be shown.

use castellan_rules::Color;
use serde::{Deserialize, Serialize};

use crate::PlayerId;

/// A player as seated: what is true now, even if the account changes later.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Player {
    /// The server's number for the player.
    pub id: PlayerId,
    /// The name, already checked by the server.
    pub name: String,
    /// The rating when the player sat down; guests have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rating: Option<u16>,
}

/// Who gives a command.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Actor {
    /// A person or an engine, seated or not.
    Player(PlayerId),
    /// The server itself.
    Server,
}

/// The two seats; a player may have both, as friends at one screen do.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Seats {
    players: [Option<Player>; 2],
}

impl Seats {
    /// Who has this seat.
    pub fn get(&self, color: Color) -> Option<&Player> {
        self.players[color.index()].as_ref()
    }

    /// Whether both seats are taken.
    pub fn are_taken(&self) -> bool {
        self.players.iter().all(Option::is_some)
    }

    /// Whether this player has this seat.
    pub fn has(&self, color: Color, id: PlayerId) -> bool {
        self.get(color).is_some_and(|player| player.id == id)
    }

    /// The seat of a player, if it is one and not both or none.
    pub fn only_seat(&self, id: PlayerId) -> Option<Color> {
        let [white, black] = Color::ALL.map(|color| self.has(color, id));
        match (white, black) {
            (true, false) => Some(Color::White),
            (false, true) => Some(Color::Black),
            _ => None,
        }
    }

    /// Whether the player has any seat.
    pub fn is_seated(&self, id: PlayerId) -> bool {
        Color::ALL.into_iter().any(|color| self.has(color, id))
    }

    pub(crate) fn set(&mut self, color: Color, player: Player) {
        self.players[color.index()] = Some(player);
    }
}
