//! The messages between server and clients, as types and as JSON.
//!
//! This crate defines the messages of `/ws` ([`ClientMessage`], [`ServerMessage`]) and of
//! `/ws/simple` ([`simple`]), their limits, searches by engines ([`SearchTask`]), and the validated
//! texts that users enter: [`Name`], [`ChatText`]. It does not handle connections or sessions, nor
//! does it decide what a message leads to. `docs/PROTOCOL.md` describes the same in prose.
//!
//! Parsing is strict: a text is parsed to its end, an unknown type or field is an error that
//! gives the byte offset, and everything has a limit. A parsed message needs no further
//! validation of its form.
//!
//! ```
//! use castellan_protocol::ClientMessage;
//! let text = r#"{"type": "ping", "data": {"id": 7}}"#;
//! assert_eq!(ClientMessage::parse(text)?.kind(), "ping");
//! assert_eq!(ClientMessage::parse(r#"{"type": "pong"}"#).unwrap_err().to_string(),
//!     "at byte 1: unknown message type \"pong\"");
//! # Ok::<(), castellan_protocol::ParseMessageError>(())
//! ```

mod characters;
mod chat_text;
mod checked_text;
mod client;
mod code;
mod envelope;
mod feature;
mod level;
mod name;
mod outline;
mod search;
mod server;
pub mod simple;
mod snapshot;
mod terms;
mod token;
#[cfg(feature = "typescript")]
pub mod typescript;

use serde::{Deserialize, Serialize};

pub use chat_text::{ChatText, MAX_CHAT_CHARACTERS, ParseChatError};
pub use client::{
    Chat, Claim, ClientMessage, CreateInvitation, GameRef, Hello, InvitationRef, MakeMove, Mute,
    Ping, PlayEngine, ProposalRef, Resync, Seek, Touch,
};
pub use code::{CloseCode, Code, ParseCodeError, ServerCode};
pub use envelope::{
    MAX_DEPTH, MAX_MESSAGE_BYTES, MAX_SERVER_MESSAGE_BYTES, MessageFault, ParseMessageError,
};
pub use feature::{Feature, FeatureError, Features, MAX_FEATURE_LETTERS, MAX_FEATURES};
pub use level::{Level, LevelError, MAX_LEVEL, MIN_LEVEL};
pub use name::{MAX_NAME_CHARACTERS, MIN_NAME_CHARACTERS, Name, ParseNameError};
pub use search::{
    MAX_SEARCH_LINES, SearchClock, SearchError, SearchLine, SearchMessage, SearchReport,
    SearchResult, SearchScore, SearchTask,
};
pub use server::{
    Announcement, ChatHistory, ChatLine, ErrorReport, GameEvent, Invitation, NoSuchRequest, Pong,
    Presence, Queued, RatingChange, Ratings, Refused, RequestKind, ServerMessage, ShuttingDown,
    Welcome, You,
};
pub use snapshot::{ClockView, ClocksView, MoveText, OfferView, PresenceView, Seat, Snapshot};
pub use terms::{MAX_FEN_BYTES, Terms, TermsError};
pub use token::{
    InvitationId, MAX_TOKEN_CHARACTERS, MIN_TOKEN_CHARACTERS, ParseTokenError, SessionToken,
};

/// The newest version of the protocol of `/ws`, and so far the only one.
pub const PROTOCOL_VERSION: u16 = 1;

/// The data of a message that has none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(type = "Record<string, never>"))]
pub struct Nothing {}
