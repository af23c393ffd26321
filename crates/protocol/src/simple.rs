//! The plain protocol of `/ws/simple`: enough to play a whole game, and nothing else.
//!
//! Owns: its messages in both directions. There is one game at a time per socket, always of
//! ordinary chess, so no message names a game, and none tells of clocks. Does not own: what the
//! server does with them.
//!
//! Where a word could be spelled in several ways, all of these are read and the first is written:
//! squares in small or large letters; a promotion as `queen`, `q` and so on in small or large
//! letters; no promotion by leaving it out, as null or as an empty text; data that hold nothing
//! as `{}`, as null or not at all.

use castellan_rules::{Color, Promotion, Square, UciMove};
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::envelope::{MAX_MESSAGE_BYTES, messages};
use crate::name::Name;
use crate::{Nothing, spelling};

messages! {
    /// What a client of `/ws/simple` says.
    pub enum SimpleClientMessage up to MAX_MESSAGE_BYTES;
    /// Asks for a game against whoever asks next.
    MatchmakeRequest(MatchmakeRequest) = "matchmake request",
    /// Moves.
    MakeMove(SimpleMove) = "make move",
    /// Offers a draw.
    DrawOffer(Nothing) = "draw offer",
    /// Answers an offer.
    ResponseToOffer(ResponseToOffer) = "response to offer",
    /// Gives up.
    Surrender(Nothing) = "surrender",
    /// Reports how the game ended, as the client sees it. The server decides; it stays silent if
    /// the report is true.
    GameEnd(GameEnd) = "game end",
}

messages! {
    /// What the server says on `/ws/simple`.
    pub enum SimpleServerMessage up to MAX_MESSAGE_BYTES;
    /// An opponent was found; White is to move.
    GameStart(GameStart) = "game start",
    /// The opponent has moved.
    MakeMove(SimpleMove) = "make move",
    /// The opponent offers a draw.
    DrawOffer(Nothing) = "draw offer",
    /// The opponent answers the offer.
    ResponseToOffer(ResponseToOffer) = "response to offer",
    /// The opponent has given up; `game end` follows.
    Surrender(Nothing) = "surrender",
    /// The game is over.
    GameEnd(GameEnd) = "game end",
    /// The last message could not be followed, and has changed nothing. This is our one
    /// addition; a client may ignore it.
    Error(SimpleError) = "error",
}

/// Who asks for a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MatchmakeRequest {
    /// The name the opponent will see.
    pub username: Name,
}

/// Against whom, and with which pieces.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameStart {
    /// The opponent's name.
    pub opponent: String,
    /// The color of whoever receives this.
    #[serde(with = "spelling::color")]
    pub color: Color,
}

/// A move: castling is the king's two squares.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimpleMove {
    /// Where the piece stands.
    #[serde(with = "square")]
    pub from: Square,
    /// Where it goes.
    #[serde(with = "square")]
    pub to: Square,
    /// What a pawn becomes on the last rank.
    #[serde(with = "promotion", default, skip_serializing_if = "Option::is_none")]
    pub promotion: Option<Promotion>,
}

impl SimpleMove {
    /// The same as a move in UCI.
    pub fn to_uci(self) -> UciMove {
        UciMove::Normal { from: self.from, to: self.to, promotion: self.promotion }
    }

    /// A move of UCI; the null move has no squares.
    pub fn from_uci(mv: UciMove) -> Option<SimpleMove> {
        match mv {
            UciMove::Null => None,
            UciMove::Normal { from, to, promotion } => Some(SimpleMove { from, to, promotion }),
        }
    }
}

/// Yes or no to an offer of a draw.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResponseToOffer {
    /// Whether the game is a draw now.
    pub accepted: bool,
}

/// How the game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameEnd {
    /// Who won; null for a draw and for a game that was called off.
    #[serde(with = "spelling::maybe_color")]
    pub winner: Option<Color>,
}

/// What was wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SimpleError {
    /// In words.
    pub words: String,
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
