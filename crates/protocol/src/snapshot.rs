//! A snapshot of a game, for clients that have not seen the events that led to it.
//!
//! This module defines the view of a game, of its clocks and of the connected players. A snapshot
//! of version 7 plus the events from 8 on is equivalent to a snapshot taken later.

use castellan_game::{Clocks, End, Game, GameId, Moment, Player, PlayerId, Proposal, Settings};
use castellan_rules::{Color, Square, UciMove};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::level::Level;
use crate::spelling;

/// A whole game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Snapshot {
    /// Which game.
    #[cfg_attr(feature = "typescript", ts(type = "GameId"))]
    pub game: GameId,
    /// The version of the last event that is part of it.
    pub version: u32,
    /// What was agreed.
    #[cfg_attr(feature = "typescript", ts(type = "Settings"))]
    pub settings: Settings,
    /// Who plays White.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "Player"))]
    pub white: Option<Player>,
    /// Who plays Black.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "Player"))]
    pub black: Option<Player>,
    /// The seat of whoever receives this; watchers have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub you: Option<Seat>,
    /// When the game began, in milliseconds of the server's clock since 1970: both were seated.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "number"))]
    pub started_at: Option<Moment>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "number"))]
    pub ended_at: Option<Moment>,
    /// All moves.
    pub moves: MoveText,
    /// The clocks.
    pub clocks: ClocksView,
    /// What waits for an answer.
    pub offers: Vec<OfferView>,
    /// The pieces touched this turn, in order.
    #[serde(with = "squares")]
    #[cfg_attr(feature = "typescript", ts(type = "Square[]"))]
    pub touched: Vec<Square>,
    /// How it ended, if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "End"))]
    pub end: Option<End>,
    /// Who is there.
    pub presence: PresenceView,
    /// How strong the engine is, if one plays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub level: Option<Level>,
    /// The game this one is the rematch of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "GameId"))]
    pub rematch_of: Option<GameId>,
    /// The rematch of this game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "GameId"))]
    pub rematch: Option<GameId>,
}

impl Snapshot {
    /// Creates a snapshot from the game itself, with no players connected and no rematch.
    pub fn of(id: GameId, game: &Game, viewer: Option<PlayerId>, now: Moment) -> Snapshot {
        let offers = Proposal::ALL
            .into_iter()
            .filter_map(|what| Some(OfferView { by: game.offer(what)?, what }))
            .collect();
        Snapshot {
            game: id,
            version: game.version(),
            settings: game.settings().clone(),
            white: game.seats().get(Color::White).cloned(),
            black: game.seats().get(Color::Black).cloned(),
            you: viewer.and_then(|viewer| Seat::of(game, viewer)),
            started_at: game.started_at(),
            ended_at: game.ended_at(),
            moves: MoveText::of(game),
            clocks: ClocksView::new(game.clocks(now), now),
            offers,
            touched: game.touched().to_vec(),
            end: game.end(),
            presence: PresenceView::default(),
            level: None,
            rematch_of: None,
            rematch: None,
        }
    }
}

/// Whose moves somebody makes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Seat {
    /// White's.
    White,
    /// Black's.
    Black,
    /// Those of both, at one screen.
    Both,
}

impl Seat {
    /// Returns the seat of a player in a game.
    pub fn of(game: &Game, player: PlayerId) -> Option<Seat> {
        match Color::ALL.map(|color| game.seats().has(color, player)) {
            [true, true] => Some(Seat::Both),
            [true, false] => Some(Seat::White),
            [false, true] => Some(Seat::Black),
            [false, false] => None,
        }
    }
}

/// Moves as in UCI with spaces between them, castling as the settings spell it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "string"))]
pub struct MoveText(pub Vec<UciMove>);

impl MoveText {
    /// Returns the moves of a game.
    pub fn of(game: &Game) -> MoveText {
        let spelling = game.settings().castling();
        let moves = game.line().moves().iter();
        MoveText(moves.map(|&mv| UciMove::from_move(mv, spelling)).collect())
    }
}

impl Serialize for MoveText {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let words: Vec<String> = self.0.iter().map(UciMove::to_string).collect();
        to.serialize_str(&words.join(" "))
    }
}

impl<'de> Deserialize<'de> for MoveText {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<MoveText, D::Error> {
        let text = String::deserialize(from)?;
        if text.is_empty() {
            return Ok(MoveText::default());
        }
        let moves = text.split(' ').enumerate().map(|(ply, word)| {
            word.parse().map_err(|error| D::Error::custom(format_args!("move {ply}: {error}")))
        });
        moves.collect::<Result<_, _>>().map(MoveText)
    }
}

/// What both clocks show.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ClocksView {
    /// White's.
    pub white: ClockView,
    /// Black's.
    pub black: ClockView,
    /// Whose is running.
    #[serde(with = "spelling::maybe_color", default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "Color"))]
    pub running: Option<Color>,
    /// When they showed this, in milliseconds of the server's clock since 1970.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub at: Moment,
}

impl ClocksView {
    /// Creates the view of the clocks of a game at a moment.
    pub fn new(clocks: Clocks, at: Moment) -> ClocksView {
        let view = |color| {
            let clock = clocks.of(color);
            ClockView { remaining_ms: clock.remaining_ms, used_ms: clock.used_ms }
        };
        ClocksView {
            white: view(Color::White),
            black: view(Color::Black),
            running: clocks.running,
            at,
        }
    }
}

/// What one clock shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ClockView {
    /// The time left, if it counts down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "number"))]
    pub remaining_ms: Option<u64>,
    /// The time used so far.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub used_ms: u64,
}

/// A proposal that waits for an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OfferView {
    /// Who made it.
    #[serde(with = "spelling::color")]
    #[cfg_attr(feature = "typescript", ts(type = "Color"))]
    pub by: Color,
    /// What it is.
    #[cfg_attr(feature = "typescript", ts(type = "Proposal"))]
    pub what: Proposal,
}

/// Who is at a game at the moment.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PresenceView {
    /// Whether White is connected.
    pub white: bool,
    /// Whether Black is connected.
    pub black: bool,
    /// How many others look on.
    pub watchers: u32,
    /// When an absent player will have left for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "number"))]
    pub abandoned_at: Option<Moment>,
}

mod squares {
    use super::*;

    pub(super) fn serialize<S: Serializer>(squares: &[Square], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(squares.iter().map(Square::to_string))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Square>, D::Error> {
        let words = Vec::<String>::deserialize(from)?;
        words.iter().map(|word| word.parse().map_err(D::Error::custom)).collect()
    }
}
