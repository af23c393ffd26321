//! A snapshot of a game, for clients that have not seen the events that led to it.
//!
//! This module defines the view of a game, of its clocks and of the connected players. A snapshot
//! of version 7 plus the events from 8 on is equivalent to a snapshot taken later. Clients are
//! lenient, so unlike messages of clients these types ignore fields that they do not know.

use castellan_game::{
    Checkpoint, Clock, Clocks, End, Game, GameId, Moment, Player, PlayerId, Proposal, Settings,
    json,
};
use castellan_rules::{Color, Square, UciMove};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::level::Level;

/// A snapshot of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Snapshot {
    /// Identifier of the game.
    pub game: GameId,
    /// Version of the last event that is included.
    pub version: u32,
    /// Settings of the game.
    pub settings: Settings,
    /// The player with the white pieces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub white: Option<Player>,
    /// The player with the black pieces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub black: Option<Player>,
    /// Seat of the client that receives the snapshot; omitted for watchers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub you: Option<Seat>,
    /// When both players were seated and the game started, in milliseconds since 1970 on the
    /// server's clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub started_at: Option<Moment>,
    /// When the game ended, in milliseconds since 1970 on the server's clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub ended_at: Option<Moment>,
    /// All moves so far.
    pub moves: MoveText,
    /// The clocks at the time of the snapshot.
    pub clocks: ClocksView,
    /// Proposals that are waiting for a reply.
    pub offers: Vec<OfferView>,
    /// Squares of the pieces touched this turn, in order.
    #[serde(with = "squares")]
    #[cfg_attr(feature = "typescript", ts(type = "Square[]"))]
    pub touched: Vec<Square>,
    /// How the game ended, if it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub end: Option<End>,
    /// Whether the game can still be aborted; omitted if not.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub can_abort: bool,
    /// The players and watchers that are connected.
    pub presence: PresenceView,
    /// Strength of the engine, if one is playing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub level: Option<Level>,
    /// The game that this one is a rematch of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub rematch_of: Option<GameId>,
    /// The rematch of this game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
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
            can_abort: game.can_abort(),
            presence: PresenceView::default(),
            level: None,
            rematch_of: None,
            rematch: None,
        }
    }

    /// Returns the part from which a client restores the game ([`Game::restore`]).
    pub fn checkpoint(self) -> Checkpoint {
        let Snapshot { version, settings, white, black, started_at, ended_at, .. } = self;
        Checkpoint {
            settings,
            version,
            white,
            black,
            started_at,
            ended_at,
            moves: self.moves.0,
            clocks: (self.clocks.clocks(), self.clocks.at),
            offers: self.offers.into_iter().map(|offer| (offer.by, offer.what)).collect(),
            touched: self.touched,
            end: self.end,
            can_abort: self.can_abort,
        }
    }
}

/// The side or sides that a client plays.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub enum Seat {
    /// The white pieces.
    White,
    /// The black pieces.
    Black,
    /// Both sides, on a shared screen.
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

/// Moves in UCI notation, separated by spaces. Castling is written as the settings specify.
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

/// The times that both clocks show.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ClocksView {
    /// White's clock.
    pub white: ClockView,
    /// Black's clock.
    pub black: ClockView,
    /// The side whose clock is running; omitted if both are stopped.
    #[serde(with = "json::maybe_color", default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "Color"))]
    pub running: Option<Color>,
    /// When the clocks showed these times, in milliseconds since 1970 on the server's clock.
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

    /// Returns the times without the moment.
    pub fn clocks(&self) -> Clocks {
        let clock =
            |view: ClockView| Clock { remaining_ms: view.remaining_ms, used_ms: view.used_ms };
        Clocks { white: clock(self.white), black: clock(self.black), running: self.running }
    }
}

/// The times that one clock shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ClockView {
    /// Time left, in milliseconds; omitted if the clock does not count down.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub remaining_ms: Option<u64>,
    /// Thinking time used so far, in milliseconds.
    pub used_ms: u64,
}

/// A proposal that is waiting for a reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct OfferView {
    /// The player who made it.
    #[serde(with = "json::color")]
    #[cfg_attr(feature = "typescript", ts(type = "Color"))]
    pub by: Color,
    /// What is proposed.
    pub what: Proposal,
}

/// The players and watchers connected to a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PresenceView {
    /// Whether White is connected.
    pub white: bool,
    /// Whether Black is connected.
    pub black: bool,
    /// Number of watchers.
    pub watchers: u32,
    /// When an absent player will be considered to have left for good.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
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
