//! The messages of the server on `/ws`.
//!
//! This module defines the messages; the server decides when it sends them. An event of a game is
//! sent only after it is stored, and it is the only acknowledgment of the move or offer that led
//! to it.

use std::str::FromStr;

use castellan_game::{Event, GameId, Moment, Recorded, TimeControl};
use castellan_rules::Color;
use serde::{Deserialize, Deserializer, Serialize};

use crate::client::{ClientMessage, InvitationRef};
use crate::code::{Code, ServerCode};
use crate::envelope::{MAX_SERVER_MESSAGE_BYTES, ParseMessageError, messages};
use crate::feature::Features;
use crate::snapshot::{ClocksView, PresenceView, Snapshot};
use crate::terms::Terms;
use crate::token::{InvitationId, SessionToken};
use crate::{Nothing, spelling};

messages! {
    /// What the server says on `/ws`.
    #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
    pub enum ServerMessage up to MAX_SERVER_MESSAGE_BYTES;
    /// The answer to `hello`.
    Welcome(Welcome) = "welcome",
    /// The client waits for an opponent; also sent when the number of those who wait changes.
    Queued(Queued) = "queued",
    /// The client waits no longer, because it asked so or because its game begins.
    SeekEnded(Nothing) = "seek ended",
    /// An invitation, to whoever made it or asked about it.
    Invitation(Invitation) = "invitation",
    /// An invitation was taken, withdrawn or forgotten.
    InvitationGone(InvitationRef) = "invitation gone",
    /// A whole game: at its beginning for those who play, and whenever somebody begins to watch.
    Game(Box<Snapshot>) = "game",
    /// Something has happened in a game, and is stored.
    Event(GameEvent) = "event",
    /// Who is at a game has changed.
    Presence(Presence) = "presence",
    /// Somebody said something.
    ChatLine(ChatLine) = "chat line",
    /// What was said last at a game, to whoever comes to it or comes back.
    ChatHistory(ChatHistory) = "chat history",
    /// How the ratings have changed after a game.
    Ratings(Ratings) = "ratings",
    /// A request was understood, was not followed and has changed nothing.
    Refused(Refused) = "refused",
    /// A message could not be read, or something is wrong with the whole conversation.
    Error(ErrorReport) = "error",
    /// The answer to `ping`.
    Pong(Pong) = "pong",
    /// The server will stop soon; games go on when it is back.
    ShuttingDown(ShuttingDown) = "shutting down",
}

/// What a client needs to know first.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Welcome {
    /// The version that is spoken from here on.
    pub version: u16,
    /// What the server can do beyond it.
    #[serde(default, skip_serializing_if = "Features::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Features>"))]
    pub features: Features,
    /// Whom the server takes the client for.
    pub you: You,
    /// The secret to come back with, for a client that keeps no cookies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub session: Option<SessionToken>,
    /// The client's games that are not over.
    #[cfg_attr(feature = "typescript", ts(type = "GameId[]"))]
    pub games: Vec<GameId>,
    /// The server's clock, in milliseconds since 1970.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub at: Moment,
}

/// Whom the server takes a client for.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct You {
    /// The name others see.
    pub name: String,
    /// Whether the name is protected by an account.
    pub is_guest: bool,
    /// The rating of an account that has played rated games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub rating: Option<u16>,
}

/// Waiting for an opponent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Queued {
    /// What is sought.
    #[cfg_attr(feature = "typescript", ts(type = "TimeControl"))]
    pub time_control: TimeControl,
    /// Whether it will be rated.
    pub is_rated: bool,
    /// How many wait in the same queue, the client included.
    pub waiting: u32,
}

/// An open invitation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Invitation {
    /// Its secret name; a link contains it.
    pub invitation: InvitationId,
    /// Who invites.
    pub by: String,
    /// To what.
    pub terms: Terms,
    /// The color of whoever invites; drawn at random if it is left out.
    #[serde(with = "spelling::maybe_color", default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "Color"))]
    pub color: Option<Color>,
    /// When it will be forgotten, in milliseconds of the server's clock since 1970.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub until: Moment,
}

/// Something that has happened in a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct GameEvent {
    /// Which game.
    #[cfg_attr(feature = "typescript", ts(type = "GameId"))]
    pub game: GameId,
    /// One more than that of the event before.
    pub version: u32,
    /// When, in milliseconds of the server's clock since 1970.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub at: Moment,
    /// What.
    #[cfg_attr(feature = "typescript", ts(type = "GameHappening"))]
    pub event: Event,
    /// The clocks after it. Left out where several events are sent again after another: only the
    /// last of them then has clocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub clocks: Option<ClocksView>,
}

impl GameEvent {
    /// Creates a message from an event of the record.
    pub fn new(game: GameId, recorded: &Recorded, clocks: Option<ClocksView>) -> GameEvent {
        let Recorded { version, at, event } = recorded.clone();
        GameEvent { game, version, at, event, clocks }
    }
}

/// Who is at a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Presence {
    /// Which game.
    #[cfg_attr(feature = "typescript", ts(type = "GameId"))]
    pub game: GameId,
    /// Who is there.
    pub presence: PresenceView,
}

/// Something that was said.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ChatLine {
    /// At which game.
    #[cfg_attr(feature = "typescript", ts(type = "GameId"))]
    pub game: GameId,
    /// Who said it.
    pub name: String,
    /// What that player plays; watchers have no color.
    #[serde(with = "spelling::maybe_color", default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "Color"))]
    pub color: Option<Color>,
    /// What was said. It is text of somebody unknown, never markup.
    pub text: String,
    /// When, in milliseconds of the server's clock since 1970.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub at: Moment,
}

/// What was said last at a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ChatHistory {
    /// At which game.
    #[cfg_attr(feature = "typescript", ts(type = "GameId"))]
    pub game: GameId,
    /// In order. They take the place of all that the client knows.
    pub lines: Vec<ChatLine>,
}

/// How ratings have changed after a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Ratings {
    /// Which game.
    #[cfg_attr(feature = "typescript", ts(type = "GameId"))]
    pub game: GameId,
    /// White's.
    pub white: RatingChange,
    /// Black's.
    pub black: RatingChange,
}

/// One rating before and after a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RatingChange {
    /// What it was.
    pub before: u16,
    /// What it is.
    pub after: u16,
}

/// A request that was not followed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Refused {
    /// The type of the request.
    pub of: RequestKind,
    /// The game it was about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "GameId"))]
    pub game: Option<GameId>,
    /// Why, for programs.
    pub code: Code,
    /// Why, in words.
    pub words: String,
}

impl Refused {
    /// Creates a refusal by the server.
    pub fn by_server(request: &ClientMessage, code: ServerCode) -> Refused {
        let words = code.words().to_owned();
        Refused { of: request.into(), game: request.game(), code: code.into(), words }
    }

    /// Creates a refusal by the game.
    pub fn by_game(request: &ClientMessage, refusal: &castellan_game::Refusal) -> Refused {
        let (code, words) = (refusal.into(), refusal.to_string());
        Refused { of: request.into(), game: request.game(), code, words }
    }
}

/// The type of a client's message, as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "ClientMessage[\"type\"]"))]
pub struct RequestKind(&'static str);

/// No client message has this type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected the type of a client's message")]
pub struct NoSuchRequest;

impl RequestKind {
    /// Returns the text.
    pub fn as_str(self) -> &'static str {
        self.0
    }
}

impl From<&ClientMessage> for RequestKind {
    fn from(request: &ClientMessage) -> RequestKind {
        RequestKind(request.kind())
    }
}

impl FromStr for RequestKind {
    type Err = NoSuchRequest;

    fn from_str(text: &str) -> Result<RequestKind, NoSuchRequest> {
        let known = ClientMessage::KINDS.iter().find(|kind| **kind == text);
        known.map(|kind| RequestKind(kind)).ok_or(NoSuchRequest)
    }
}

impl<'de> Deserialize<'de> for RequestKind {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<RequestKind, D::Error> {
        spelling::text::deserialize(from)
    }
}

/// What is wrong with a message or with the conversation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ErrorReport {
    /// What, for programs.
    pub code: Code,
    /// What, in words.
    pub words: String,
    /// At which byte of the message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub at: Option<u32>,
}

impl From<ServerCode> for ErrorReport {
    fn from(code: ServerCode) -> ErrorReport {
        ErrorReport { code: code.into(), words: code.words().to_owned(), at: None }
    }
}

impl From<&ParseMessageError> for ErrorReport {
    fn from(error: &ParseMessageError) -> ErrorReport {
        let at = u32::try_from(error.at).ok();
        ErrorReport { code: ServerCode::Malformed.into(), words: error.fault.to_string(), at }
    }
}

/// The answer to a ping.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Pong {
    /// The number of the ping.
    pub id: u32,
    /// The server's clock, in milliseconds since 1970.
    #[cfg_attr(feature = "typescript", ts(type = "number"))]
    pub at: Moment,
}

/// The end of this server's day.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ShuttingDown {
    /// For about how many seconds it will be away.
    pub about_s: u32,
}
