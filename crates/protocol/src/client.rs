//! The messages of a client on `/ws`.
//!
//! This module defines the messages and the limits of their fields. The server and the game
//! decide whether the sender may do what they ask for. No message carries a time, because the
//! server does not trust what a client says about clocks.

use castellan_game::{GameId, Proposal, TimeControl, json};
use castellan_rules::{Color, Square, UciMove};
use serde::{Deserialize, Serialize};

use crate::Nothing;
use crate::chat_text::ChatText;
use crate::envelope::{MAX_MESSAGE_BYTES, messages};
use crate::feature::Features;
use crate::level::Level;
use crate::name::Name;
use crate::terms::{self, Terms};
use crate::token::{InvitationId, SessionToken};

messages! {
    /// The messages of a client on `/ws`.
    #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
    pub enum ClientMessage up to MAX_MESSAGE_BYTES;
    /// Opens the conversation; the server accepts nothing else before it.
    Hello(Hello) = "hello",
    /// Asks for a game against any player who wants the same.
    Seek(Seek) = "seek",
    /// Leaves the queue.
    CancelSeek(Nothing) = "cancel seek",
    /// Creates an invitation link to share with a friend.
    CreateInvitation(CreateInvitation) = "create invitation",
    /// Asks for the terms of an invitation.
    ShowInvitation(InvitationRef) = "show invitation",
    /// Accepts an invitation; the game starts.
    AcceptInvitation(InvitationRef) = "accept invitation",
    /// Withdraws the client's own invitation.
    CancelInvitation(InvitationRef) = "cancel invitation",
    /// Starts a game against the engine.
    PlayEngine(PlayEngine) = "play engine",
    /// Subscribes to a game: asks for its snapshot and for its events from then on.
    Watch(GameRef) = "watch",
    /// Unsubscribes from a game. This does not give up a seat.
    Leave(GameRef) = "leave",
    /// Asks for the events after a version.
    Resync(Resync) = "resync",
    /// Makes a move.
    MakeMove(MakeMove) = "make move",
    /// Touches a piece, in games with touch-move.
    Touch(Touch) = "touch",
    /// Resigns.
    Resign(GameRef) = "resign",
    /// Offers a draw, asks for a takeback, or asks for a rematch.
    Offer(ProposalRef) = "offer",
    /// Accepts the opponent's offer.
    Accept(ProposalRef) = "accept",
    /// Declines the opponent's offer.
    Decline(ProposalRef) = "decline",
    /// Claims a draw by repetition or by the fifty-move rule.
    Claim(Claim) = "claim",
    /// Aborts the game before both players have moved.
    Abort(GameRef) = "abort",
    /// Gives the opponent more time.
    AddTime(GameRef) = "add time",
    /// Sends a chat line to everyone at a game.
    Chat(Chat) = "chat",
    /// Mutes another player's chat, or unmutes it.
    Mute(Mute) = "mute",
    /// Checks that the server is responding.
    Ping(Ping) = "ping",
}

impl ClientMessage {
    /// Returns the game the message is about, if any.
    pub fn game(&self) -> Option<GameId> {
        match self {
            ClientMessage::Watch(one)
            | ClientMessage::Leave(one)
            | ClientMessage::Resign(one)
            | ClientMessage::Abort(one)
            | ClientMessage::AddTime(one) => Some(one.game),
            ClientMessage::Offer(one)
            | ClientMessage::Accept(one)
            | ClientMessage::Decline(one) => Some(one.game),
            ClientMessage::Resync(resync) => Some(resync.game),
            ClientMessage::MakeMove(mv) => Some(mv.game),
            ClientMessage::Touch(touch) => Some(touch.game),
            ClientMessage::Claim(claim) => Some(claim.game),
            ClientMessage::Chat(chat) => Some(chat.game),
            ClientMessage::Hello(_)
            | ClientMessage::Seek(_)
            | ClientMessage::CancelSeek(_)
            | ClientMessage::CreateInvitation(_)
            | ClientMessage::ShowInvitation(_)
            | ClientMessage::AcceptInvitation(_)
            | ClientMessage::CancelInvitation(_)
            | ClientMessage::PlayEngine(_)
            | ClientMessage::Mute(_)
            | ClientMessage::Ping(_) => None,
        }
    }
}

/// The first message of a client.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Hello {
    /// Newest protocol version that the client supports.
    pub version: u16,
    /// Name that a guest wants to use. Ignored if the session already has a name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub name: Option<Name>,
    /// Session to continue, for clients without cookies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub session: Option<SessionToken>,
    /// Optional features that the client supports.
    #[serde(default, skip_serializing_if = "Features::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Features>"))]
    pub features: Features,
}

/// A request to be paired with an opponent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Seek {
    /// Time control; only players with the same one are paired.
    #[serde(deserialize_with = "terms::time_control")]
    pub time_control: TimeControl,
    /// Whether the game is rated, which requires an account.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub is_rated: bool,
}

/// A request for an invitation.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CreateInvitation {
    /// The terms of the game.
    pub terms: Terms,
    /// Color of the player who invites; chosen at random if omitted.
    #[serde(with = "json::maybe_color", default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "Color"))]
    pub color: Option<Color>,
}

/// A reference to an invitation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct InvitationRef {
    /// Secret identifier of the invitation.
    pub invitation: InvitationId,
}

/// A request for a game against the engine.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PlayEngine {
    /// Strength of the engine.
    pub level: Level,
    /// The terms of the game.
    pub terms: Terms,
    /// Color of the human player; chosen at random if omitted.
    #[serde(with = "json::maybe_color", default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "Color"))]
    pub color: Option<Color>,
}

/// A reference to a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct GameRef {
    /// Identifier of the game.
    pub game: GameId,
}

/// A request for the events that the client has missed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Resync {
    /// Identifier of the game.
    pub game: GameId,
    /// Version of the last event that the client has; 0 if it has none.
    pub version: u32,
}

/// A move for a specific ply, so that sending it again is harmless.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MakeMove {
    /// Identifier of the game.
    pub game: GameId,
    /// Number of moves made before this one.
    pub ply: u32,
    /// The move in UCI notation: `e2e4`, `e7e8q`, `e1g1`.
    #[serde(with = "json::text")]
    #[cfg_attr(feature = "typescript", ts(type = "UciMove"))]
    pub mv: UciMove,
}

/// A touched piece (FIDE 4.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Touch {
    /// Identifier of the game.
    pub game: GameId,
    /// Number of moves made so far.
    pub ply: u32,
    /// Square of the touched piece.
    #[serde(with = "json::text")]
    #[cfg_attr(feature = "typescript", ts(type = "Square"))]
    pub square: Square,
}

/// A proposal in a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ProposalRef {
    /// Identifier of the game.
    pub game: GameId,
    /// What is proposed.
    pub what: Proposal,
}

/// A draw claim (FIDE 9.2, 9.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Claim {
    /// Identifier of the game.
    pub game: GameId,
    /// Number of moves made so far.
    pub ply: u32,
    /// Move that will produce the claimed position; omitted to claim the current one.
    #[serde(with = "json::maybe_text", default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "UciMove"))]
    pub announced: Option<UciMove>,
}

/// A chat line to send.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Chat {
    /// Identifier of the game.
    pub game: GameId,
    /// Text of the chat line.
    pub text: ChatText,
}

/// A request to mute or unmute a player.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Mute {
    /// Name of the other player.
    pub name: Name,
    /// `true` to mute, `false` to unmute.
    pub is_muted: bool,
}

/// A ping.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Ping {
    /// Any number; the reply carries the same number.
    pub id: u32,
}
