//! The messages of a client on `/ws`.
//!
//! This module defines the messages and the limits of their fields. The server and the game
//! decide whether the sender may do what they ask for. No message carries a time, because the
//! server does not trust what a client says about clocks.

use castellan_game::{GameId, Proposal, TimeControl};
use castellan_rules::{Color, Square, UciMove};
use serde::{Deserialize, Serialize};

use crate::chat_text::ChatText;
use crate::envelope::{MAX_MESSAGE_BYTES, messages};
use crate::feature::Features;
use crate::level::Level;
use crate::name::Name;
use crate::terms::{self, Terms};
use crate::token::{InvitationId, SessionToken};
use crate::{Nothing, spelling};

messages! {
    /// What a client says on `/ws`.
    #[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
    pub enum ClientMessage up to MAX_MESSAGE_BYTES;
    /// Opens the conversation; nothing else is understood before it.
    Hello(Hello) = "hello",
    /// Asks for a game against whoever wants the same.
    Seek(Seek) = "seek",
    /// Leaves the queue.
    CancelSeek(Nothing) = "cancel seek",
    /// Asks for a link that a friend can follow.
    CreateInvitation(CreateInvitation) = "create invitation",
    /// Asks what an invitation is about.
    ShowInvitation(InvitationRef) = "show invitation",
    /// Takes an invitation: the game begins.
    AcceptInvitation(InvitationRef) = "accept invitation",
    /// Withdraws an own invitation.
    CancelInvitation(InvitationRef) = "cancel invitation",
    /// Begins a game against the engine.
    PlayEngine(PlayEngine) = "play engine",
    /// Asks for a game's snapshot and for its events from then on.
    Watch(GameRef) = "watch",
    /// Wants no more events of a game. A seat is not given up by it.
    Leave(GameRef) = "leave",
    /// Asks for the events after a version.
    Resync(Resync) = "resync",
    /// Moves.
    MakeMove(MakeMove) = "make move",
    /// Touches a piece, where touch-move is played.
    Touch(Touch) = "touch",
    /// Gives up.
    Resign(GameRef) = "resign",
    /// Offers a draw, asks to take back, or asks for a rematch.
    Offer(ProposalRef) = "offer",
    /// Takes the opponent's offer.
    Accept(ProposalRef) = "accept",
    /// Declines the opponent's offer.
    Decline(ProposalRef) = "decline",
    /// Claims a draw by repetition or by fifty moves.
    Claim(Claim) = "claim",
    /// Calls the game off before it has really begun.
    Abort(GameRef) = "abort",
    /// Gives the opponent more time.
    AddTime(GameRef) = "add time",
    /// Says something to everybody at a game.
    Chat(Chat) = "chat",
    /// Wants to hear nothing more from somebody, or to hear it again.
    Mute(Mute) = "mute",
    /// Asks whether the server is there.
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

/// The first message.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Hello {
    /// The newest version of the protocol the client speaks.
    pub version: u16,
    /// How a guest wants to be called. A session already has a name, which then counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub name: Option<Name>,
    /// The session to go on with, for clients that keep no cookies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub session: Option<SessionToken>,
    /// What the client can do beyond the version.
    #[serde(default, skip_serializing_if = "Features::is_empty")]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Features>"))]
    pub features: Features,
}

/// What kind of game is sought.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Seek {
    /// The time control; only players with the same one are paired.
    #[serde(deserialize_with = "terms::time_control")]
    #[cfg_attr(feature = "typescript", ts(type = "TimeControl"))]
    pub time_control: TimeControl,
    /// Whether the game counts for the ratings, which needs an account.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<bool>"))]
    pub is_rated: bool,
}

/// On what terms somebody is invited.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CreateInvitation {
    /// The terms of the game.
    pub terms: Terms,
    /// The color of whoever invites; drawn at random if it is left out.
    #[serde(with = "spelling::maybe_color", default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "Color"))]
    pub color: Option<Color>,
}

/// One invitation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct InvitationRef {
    /// Which.
    pub invitation: InvitationId,
}

/// A game against the engine.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct PlayEngine {
    /// How strong it shall be.
    pub level: Level,
    /// The terms of the game.
    pub terms: Terms,
    /// The color of the person; drawn at random if it is left out.
    #[serde(with = "spelling::maybe_color", default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "Color"))]
    pub color: Option<Color>,
}

/// One game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct GameRef {
    /// Which.
    #[cfg_attr(feature = "typescript", ts(type = "GameId"))]
    pub game: GameId,
}

/// What a client has seen of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Resync {
    /// Which game.
    #[cfg_attr(feature = "typescript", ts(type = "GameId"))]
    pub game: GameId,
    /// The version of the last event the client has; 0 for none.
    pub version: u32,
}

/// A move for a certain ply, so that sending it again is harmless.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MakeMove {
    /// Which game.
    #[cfg_attr(feature = "typescript", ts(type = "GameId"))]
    pub game: GameId,
    /// How many moves were made before this one.
    pub ply: u32,
    /// The move, as in UCI: `e2e4`, `e7e8q`, `e1g1`.
    #[serde(with = "spelling::text")]
    #[cfg_attr(feature = "typescript", ts(type = "UciMove"))]
    pub mv: UciMove,
}

/// A piece that was touched (FIDE 4.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Touch {
    /// Which game.
    #[cfg_attr(feature = "typescript", ts(type = "GameId"))]
    pub game: GameId,
    /// How many moves were made before.
    pub ply: u32,
    /// Where the piece stands.
    #[serde(with = "spelling::text")]
    #[cfg_attr(feature = "typescript", ts(type = "Square"))]
    pub square: Square,
}

/// One kind of offer in one game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ProposalRef {
    /// Which game.
    #[cfg_attr(feature = "typescript", ts(type = "GameId"))]
    pub game: GameId,
    /// What is proposed.
    #[cfg_attr(feature = "typescript", ts(type = "Proposal"))]
    pub what: Proposal,
}

/// A claim (FIDE 9.2, 9.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Claim {
    /// Which game.
    #[cfg_attr(feature = "typescript", ts(type = "GameId"))]
    pub game: GameId,
    /// How many moves were made before.
    pub ply: u32,
    /// The move that will bring the position about, if it is not on the board yet.
    #[serde(with = "spelling::maybe_text", default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional, type = "UciMove"))]
    pub announced: Option<UciMove>,
}

/// Something said at a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Chat {
    /// Which game.
    #[cfg_attr(feature = "typescript", ts(type = "GameId"))]
    pub game: GameId,
    /// What is said.
    pub text: ChatText,
}

/// Whom not to hear.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Mute {
    /// The other player.
    pub name: Name,
    /// True to mute, false to hear again.
    pub is_muted: bool,
}

/// A number that comes back.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Ping {
    /// Any number; the answer carries the same.
    pub id: u32,
}
