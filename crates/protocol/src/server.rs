//! The messages of the server on `/ws`.
//!
//! This module defines the messages; the server decides when it sends them. An event of a game is
//! sent only after it is stored, and it is the only acknowledgment of the move or offer that led
//! to it.

use std::str::FromStr;

use castellan_game::{Event, GameId, Moment, Recorded, TimeControl, json};
use castellan_rules::Color;
use serde::{Deserialize, Deserializer, Serialize};

use crate::Nothing;
use crate::client::{ClientMessage, InvitationRef};
use crate::code::{Code, ServerCode};
use crate::envelope::{MAX_SERVER_MESSAGE_BYTES, ParseMessageError, messages};
use crate::feature::Features;
use crate::snapshot::{ClocksView, PresenceView, Snapshot};
use crate::terms::Terms;
use crate::token::{InvitationId, SessionToken};

messages! {
    /// The messages of the server on `/ws`.
    #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
    pub enum ServerMessage up to MAX_SERVER_MESSAGE_BYTES;
    /// The reply to `hello`.
    Welcome(Welcome) = "welcome",
    /// The client is waiting for an opponent; also sent when the number of waiting players
    /// changes.
    Queued(Queued) = "queued",
    /// The client is no longer waiting, because it canceled or because its game starts.
    SeekEnded(Nothing) = "seek ended",
    /// An invitation, sent to the client that created it or asked about it.
    Invitation(Invitation) = "invitation",
    /// An invitation was accepted, withdrawn or expired.
    InvitationGone(InvitationRef) = "invitation gone",
    /// A snapshot of a game, sent to its players at the start and to every new subscriber.
    Game(Box<Snapshot>) = "game",
    /// An event of a game, sent after it has been stored.
    Event(GameEvent) = "event",
    /// The presence at a game has changed.
    Presence(Presence) = "presence",
    /// A chat line.
    ChatLine(ChatLine) = "chat line",
    /// The latest chat lines of a game, sent to a client that joins it or reconnects.
    ChatHistory(ChatHistory) = "chat history",
    /// The rating changes after a game.
    Ratings(Ratings) = "ratings",
    /// A request was understood but refused, and changed nothing.
    Refused(Refused) = "refused",
    /// A message could not be parsed, or the conversation as a whole has failed.
    Error(ErrorReport) = "error",
    /// The reply to `ping`.
    Pong(Pong) = "pong",
    /// The server will shut down soon; games continue when it is back.
    ShuttingDown(ShuttingDown) = "shutting down",
    /// A message from the operator to all clients.
    Announcement(Announcement) = "announcement",
}

/// The first message of the server.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Welcome {
    /// Protocol version used from now on.
    pub version: u16,
    /// Optional features that the server supports.
    #[serde(default, skip_serializing_if = "Features::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Features>"))]
    pub features: Features,
    /// The identity of the client.
    pub you: You,
    /// Secret for reconnecting, for clients without cookies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub session: Option<SessionToken>,
    /// The client's games that are not over.
    pub games: Vec<GameId>,
    /// Current time of the server, in milliseconds since 1970.
    pub at: Moment,
}

/// The identity of a client.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct You {
    /// Name that other players see.
    pub name: String,
    /// Whether the client is a guest, so that no account protects the name.
    pub is_guest: bool,
    /// Rating of an account that has played rated games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub rating: Option<u16>,
}

/// A client's place in the queue.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Queued {
    /// Time control of the requested game.
    pub time_control: TimeControl,
    /// Whether the game will be rated.
    pub is_rated: bool,
    /// Number of players waiting in the same queue, including the client.
    pub waiting: u32,
}

/// An open invitation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Invitation {
    /// Secret identifier, which is part of the link.
    pub invitation: InvitationId,
    /// Name of the player who invites.
    pub by: String,
    /// Terms of the game.
    pub terms: Terms,
    /// Color of the player who invites; chosen at random if omitted.
    #[serde(with = "json::maybe_color", default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "Color"))]
    pub color: Option<Color>,
    /// When the invitation expires, in milliseconds since 1970 on the server's clock.
    pub until: Moment,
}

/// An event of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct GameEvent {
    /// Identifier of the game.
    pub game: GameId,
    /// Sequence number, one more than that of the previous event.
    pub version: u32,
    /// When it happened, in milliseconds since 1970 on the server's clock.
    pub at: Moment,
    /// What happened.
    pub event: Event,
    /// The clocks after the event. When several events are sent again in a row, only the last one
    /// has clocks.
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

    /// Returns the event of the record.
    pub fn recorded(self) -> Recorded {
        Recorded { version: self.version, at: self.at, event: self.event }
    }
}

/// The players and watchers connected to a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Presence {
    /// Identifier of the game.
    pub game: GameId,
    /// The players and watchers that are connected.
    pub presence: PresenceView,
}

/// A chat line that was sent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ChatLine {
    /// Identifier of the game.
    pub game: GameId,
    /// Name of the author.
    pub name: String,
    /// Color of the author; omitted for watchers.
    #[serde(with = "json::maybe_color", default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "Color"))]
    pub color: Option<Color>,
    /// Text of the chat line. It comes from another user and must never be treated as markup.
    pub text: String,
    /// When it was sent, in milliseconds since 1970 on the server's clock.
    pub at: Moment,
}

/// The latest chat lines of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ChatHistory {
    /// Identifier of the game.
    pub game: GameId,
    /// The lines in order. They replace all lines that the client has.
    pub lines: Vec<ChatLine>,
}

/// The rating changes after a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Ratings {
    /// Identifier of the game.
    pub game: GameId,
    /// White's rating change.
    pub white: RatingChange,
    /// Black's rating change.
    pub black: RatingChange,
}

/// A rating before and after a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct RatingChange {
    /// Rating before the game.
    pub before: u16,
    /// Rating after the game.
    pub after: u16,
}

/// A request that was refused.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Refused {
    /// Type of the request.
    pub of: RequestKind,
    /// The game that the request was about, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub game: Option<GameId>,
    /// Reason, as a code for programs.
    pub code: Code,
    /// Reason, as an English message for users.
    pub message: String,
}

/// The type of a client message, as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "ClientMessage[\"type\"]"))]
pub struct RequestKind(&'static str);

/// No client message has this type.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("expected a client message type")]
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
        json::text::deserialize(from)
    }
}

/// An error in a message or in the conversation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ErrorReport {
    /// The error, as a code for programs.
    pub code: Code,
    /// The error, as an English message.
    pub message: String,
    /// Offset of the error in the client's message, in bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub at: Option<u32>,
}

impl From<ServerCode> for ErrorReport {
    fn from(code: ServerCode) -> ErrorReport {
        ErrorReport { code: code.into(), message: code.message().to_owned(), at: None }
    }
}

impl From<&ParseMessageError> for ErrorReport {
    fn from(error: &ParseMessageError) -> ErrorReport {
        let at = u32::try_from(error.at).ok();
        ErrorReport { code: ServerCode::Malformed.into(), message: error.fault.to_string(), at }
    }
}

/// The reply to a ping.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Pong {
    /// The number from the ping.
    pub id: u32,
    /// Current time of the server, in milliseconds since 1970.
    pub at: Moment,
}

/// The announcement of a shutdown.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ShuttingDown {
    /// Approximate length of the downtime, in seconds.
    pub about_s: u32,
}

/// A message from the operator.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Announcement {
    /// The exact text. Clients must escape it before they display it.
    pub text: String,
}
