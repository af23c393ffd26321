//! The terms on which a client asks for a game.
//!
//! This module defines what a client may choose, and converts it to the [`Settings`] of a game.
//! Other settings, such as when the clock starts, are not up to the client.

use castellan_game::{ClockStart, Settings, TimeControl};
use castellan_rules::{EnPassantField, FenError, FenStyle, Line, Position};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};

/// Maximum length of a FEN, in bytes.
pub const MAX_FEN_BYTES: usize = 100;

/// The terms on which a client wants to play.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Terms {
    /// Time available to the players.
    #[serde(deserialize_with = "time_control")]
    pub time_control: TimeControl,
    /// Starting position as a FEN; the standard one if omitted.
    #[serde(default, deserialize_with = "fen", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub fen: Option<String>,
    /// Whether castling is written in Chess960 style, as the king taking its own rook.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub is_chess960: bool,
    /// Whether the game is rated, which requires two accounts.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub is_rated: bool,
    /// Whether a touched piece must be moved or captured (FIDE 4.3).
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub is_touch_move: bool,
    /// Whether moves may be taken back if the opponent agrees.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub allows_takeback: bool,
}

/// Why no game can be played on these terms.
#[derive(Clone, Debug, thiserror::Error)]
pub enum TermsError {
    /// The starting position is invalid.
    #[error("invalid starting position: {0}")]
    Fen(#[from] FenError),
    /// The game would be over at its start.
    #[error("the game would be over before the first move")]
    OverAtOnce,
    /// Rated games require the standard starting position and no takebacks.
    #[error("rated games need the standard starting position and no takebacks")]
    NotRateable,
}

impl Terms {
    /// Creates terms with the standard starting position and no extras.
    pub fn new(time_control: TimeControl) -> Terms {
        Terms {
            time_control,
            fen: None,
            is_chess960: false,
            is_rated: false,
            is_touch_move: false,
            allows_takeback: false,
        }
    }

    /// Returns the settings of an online game on these terms, or why there is no such game.
    pub fn settings(&self) -> Result<Settings, TermsError> {
        let start = match &self.fen {
            Some(fen) => Position::from_fen(fen)?,
            None => Position::start(),
        };
        if Line::new(start).outcome().is_some() {
            return Err(TermsError::OverAtOnce);
        }
        if self.is_rated && (self.fen.is_some() || self.allows_takeback) {
            return Err(TermsError::NotRateable);
        }
        Ok(Settings {
            start,
            // Where standard castling notation would be ambiguous, Chess960 notation is used.
            is_chess960: self.is_chess960 || start.is_chess960(),
            time_control: self.time_control,
            clock_start: ClockStart::Game,
            is_rated: self.is_rated,
            is_touch_move: self.is_touch_move,
            allows_takeback: self.allows_takeback,
        })
    }
}

impl From<&Settings> for Terms {
    fn from(settings: &Settings) -> Terms {
        let style = FenStyle { en_passant: EnPassantField::Always, ..FenStyle::default() };
        let fen = settings.start.to_fen_in(style);
        let is_standard_start = fen == Position::start().to_fen_in(style);
        Terms {
            time_control: settings.time_control,
            fen: (!is_standard_start).then_some(fen),
            is_chess960: settings.is_chess960,
            is_rated: settings.is_rated,
            is_touch_move: settings.is_touch_move,
            allows_takeback: settings.allows_takeback,
        }
    }
}

/// Parses a time control within the limits for users.
pub(crate) fn time_control<'de, D: Deserializer<'de>>(from: D) -> Result<TimeControl, D::Error> {
    let time_control = TimeControl::deserialize(from)?;
    time_control.check().map_err(D::Error::custom)?;
    Ok(time_control)
}

/// Parses a text that is short enough for a FEN; it is validated when a game is created from it.
fn fen<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    let fen = Option::<String>::deserialize(from)?;
    match fen {
        Some(fen) if fen.len() > MAX_FEN_BYTES => {
            Err(D::Error::custom(format_args!("a FEN has at most {MAX_FEN_BYTES} bytes")))
        }
        fen => Ok(fen),
    }
}
