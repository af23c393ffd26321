//! The simple protocol of `/ws/simple`: just enough to play a whole game.
//!
//! This module defines its messages in both directions. Each connection has one game at a time,
//! always standard chess, so no message names a game, and none mentions clocks. The server
//! decides what to do with them.
//!
//! Where several spellings are accepted, the first one is written: squares in lowercase or
//! uppercase; a promotion as `queen`, `q` and so on in lowercase or uppercase; no promotion by
//! omitting it, as null or as an empty string; empty data as `{}`, as null, or omitted.

use castellan_game::json;
use castellan_rules::{Color, Promotion, Square, UciMove};
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::Nothing;
use crate::envelope::{MAX_MESSAGE_BYTES, messages};
use crate::name::Name;

messages! {
    /// The messages of a client on `/ws/simple`.
    pub enum SimpleClientMessage up to MAX_MESSAGE_BYTES;
    /// Asks for a game against the next player who asks.
    MatchmakeRequest(MatchmakeRequest) = "matchmake request",
    /// Makes a move.
    MakeMove(SimpleMove) = "make move",
    /// Offers a draw.
    DrawOffer(Nothing) = "draw offer",
    /// Answers a draw offer.
    ResponseToOffer(ResponseToOffer) = "response to offer",
    /// Resigns.
    Surrender(Nothing) = "surrender",
    /// Reports the end of the game as the client sees it. The server decides; it does not reply
    /// if the report is correct.
    GameEnd(GameEnd) = "game end",
}

messages! {
    /// The messages of the server on `/ws/simple`.
    pub enum SimpleServerMessage up to MAX_MESSAGE_BYTES;
    /// An opponent has been found; White is to move.
    GameStart(GameStart) = "game start",
    /// The opponent has made a move.
    MakeMove(SimpleMove) = "make move",
    /// The opponent offers a draw.
    DrawOffer(Nothing) = "draw offer",
    /// The opponent answers the draw offer.
    ResponseToOffer(ResponseToOffer) = "response to offer",
    /// The opponent has resigned; `game end` follows.
    Surrender(Nothing) = "surrender",
    /// The game is over.
    GameEnd(GameEnd) = "game end",
    /// The last message was refused and changed nothing. This message is our only addition to the
    /// protocol; a client may ignore it.
    Error(SimpleError) = "error",
}

/// A request for a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchmakeRequest {
    /// The name that the opponent will see.
    pub username: Name,
}

/// The opponent and the color of the client.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameStart {
    /// The opponent's name.
    pub opponent: String,
    /// The color of the client that receives this message.
    #[serde(with = "json::color")]
    pub color: Color,
}

/// A move. Castling is written as the king moving two squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimpleMove {
    /// The square where the piece stands.
    #[serde(with = "square")]
    pub from: Square,
    /// The square it moves to.
    #[serde(with = "square")]
    pub to: Square,
    /// The piece that a pawn promotes to on the last rank.
    #[serde(with = "promotion", default, skip_serializing_if = "Option::is_none")]
    pub promotion: Option<Promotion>,
}

impl SimpleMove {
    /// Converts to a UCI move.
    pub fn to_uci(self) -> UciMove {
        UciMove::Normal { from: self.from, to: self.to, promotion: self.promotion }
    }

    /// Converts from a UCI move; `None` for the null move.
    pub fn from_uci(mv: UciMove) -> Option<SimpleMove> {
        match mv {
            UciMove::Null => None,
            UciMove::Normal { from, to, promotion } => Some(SimpleMove { from, to, promotion }),
        }
    }
}

/// The answer to a draw offer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResponseToOffer {
    /// Whether the player accepts the draw.
    pub accepted: bool,
}

/// How the game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameEnd {
    /// The winner; null for a draw and for an aborted game.
    #[serde(with = "json::maybe_color")]
    pub winner: Option<Color>,
}

/// Why a message was refused.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimpleError {
    /// An error message in English.
    pub message: String,
}

mod square {
    use super::*;

    pub(super) fn serialize<S: Serializer>(square: &Square, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(square)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Square, D::Error> {
        let text = String::deserialize(from)?;
        text.to_ascii_lowercase()
            .parse()
            .map_err(|_| D::Error::invalid_value(Unexpected::Str(&text), &"a square such as e2"))
    }
}

mod promotion {
    use super::*;

    pub(super) fn serialize<S: Serializer>(
        promotion: &Option<Promotion>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        promotion.map(word).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<Promotion>, D::Error> {
        let Some(text) = Option::<String>::deserialize(from)? else {
            return Ok(None);
        };
        match text.to_ascii_lowercase().as_str() {
            "" => Ok(None),
            "queen" | "q" => Ok(Some(Promotion::Queen)),
            "rook" | "r" => Ok(Some(Promotion::Rook)),
            "bishop" | "b" => Ok(Some(Promotion::Bishop)),
            "knight" | "n" => Ok(Some(Promotion::Knight)),
            _ => {
                let expected = "queen, rook, bishop or knight";
                Err(D::Error::invalid_value(Unexpected::Str(&text), &expected))
            }
        }
    }

    fn word(promotion: Promotion) -> &'static str {
        match promotion {
            Promotion::Queen => "queen",
            Promotion::Rook => "rook",
            Promotion::Bishop => "bishop",
            Promotion::Knight => "knight",
        }
    }
}
