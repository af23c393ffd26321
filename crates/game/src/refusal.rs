//! Why a game refused a command, and why a record cannot be replayed.
//!
//! This module defines the reasons, their messages and their codes. A refused command changes
//! nothing.

use castellan_rules::{Color, Square};

use crate::Obligation;

/// Why a command was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// The sender has no seat, but the command needs one.
    #[error("you are not a player in this game")]
    NotSeated,
    /// A player tried to seat another player.
    #[error("you can only take a seat for yourself")]
    NotYou,
    /// Another player has the seat.
    #[error("{0}'s seat is taken")]
    SeatTaken(Color),
    /// A player cannot play against themselves for a rating.
    #[error("you cannot play a rated game against yourself")]
    SamePlayer,
    /// Only the server may send this command.
    #[error("only the server can send this command")]
    ServerOnly,
    /// The game has not started, because a seat is empty.
    #[error("the game has not started")]
    NotStarted,
    /// The game is over.
    #[error("the game is over")]
    Over,
    /// The command is allowed only after the game is over.
    #[error("the game is not over")]
    NotOver,
    /// It is the opponent's turn.
    #[error("it is not your turn")]
    NotYourTurn,
    /// The command is meant for a ply that was already played with a different move.
    #[error("this command is for ply {ply}, but the next ply is {next}")]
    Stale {
        /// Ply the command was meant for.
        ply: u32,
        /// Next ply to be played.
        next: u32,
    },
    /// The command is meant for a ply that cannot be played yet.
    #[error("this command is for ply {ply}, but the next ply is {next}")]
    Ahead {
        /// Ply the command was meant for.
        ply: u32,
        /// Next ply to be played.
        next: u32,
    },
    /// The move is not legal.
    #[error(transparent)]
    Illegal(castellan_rules::IllegalMoveReason),
    /// A touched piece requires a different move.
    #[error("{0}")]
    TouchedPiece(Obligation),
    /// The game is not played with touch-move.
    #[error("this game is not played with touch-move")]
    TouchMoveOff,
    /// The touched square is empty.
    #[error("there is no piece on {0}")]
    EmptySquare(Square),
    /// Neither repetition nor the fifty-move rule allows a claim.
    #[error("there is no draw to claim")]
    NothingToClaim,
    /// A draw cannot be claimed after touching a piece (FIDE 9.4).
    #[error("a draw must be claimed before touching a piece")]
    TouchedBeforeClaim,
    /// The settings of the game do not allow takebacks.
    #[error("takebacks are not allowed in this game")]
    TakebackOff,
    /// The player who asks has not moved yet.
    #[error("you have no move to take back")]
    NothingToTakeBack,
    /// The game has reached its maximum number of takebacks.
    #[error("no more takebacks are allowed in this game")]
    TakebacksSpent,
    /// The opponent has not made this proposal.
    #[error("your opponent has not offered this")]
    NothingOffered,
    /// The player's own proposal is still waiting for a reply.
    #[error("you have already offered this; wait for a reply")]
    AlreadyOffered,
    /// The opponent has made the same proposal, which the player must answer first.
    #[error("your opponent has offered the same; answer that first")]
    AnswerFirst,
    /// The player has proposed this too recently or too often.
    #[error("you offered this recently; try again later")]
    OfferedTooOften,
    /// A draw offer cannot be withdrawn (FIDE 9.1.2.1).
    #[error("a draw offer cannot be withdrawn")]
    CannotWithdraw,
    /// Both players have moved, so the game can no longer be aborted.
    #[error("both players have moved; the game can no longer be aborted")]
    TooLateToAbort,
    /// No clock counts down.
    #[error("no clock is counting down")]
    NoClock,
    /// The player to move has time left, or may have once lag compensation is subtracted.
    #[error("the player to move still has time")]
    TimeNotUp,
    /// The player has already given time as often as the game allows.
    #[error("you cannot add more time in this game")]
    GiftsSpent,
    /// A rematch has already been agreed.
    #[error("a rematch has already been agreed")]
    RematchAgreed,
}

/// Defines the codes of all refusals, in one table.
macro_rules! codes {
    ($($refusal:pat => $code:literal,)*) => {
        impl Refusal {
            /// All codes, in the order of the refusals.
            pub const CODES: &[&str] = &[$($code,)*];

            /// Returns a stable code for programs.
            pub fn code(&self) -> &'static str {
                match self {
                    $($refusal => $code,)*
                }
            }
        }
    };
}

codes! {
    Refusal::NotSeated => "not_seated",
    Refusal::NotYou => "not_you",
    Refusal::SeatTaken(_) => "seat_taken",
    Refusal::SamePlayer => "same_player",
    Refusal::ServerOnly => "server_only",
    Refusal::NotStarted => "not_started",
    Refusal::Over => "over",
    Refusal::NotOver => "not_over",
    Refusal::NotYourTurn => "not_your_turn",
    Refusal::Stale { .. } => "stale",
    Refusal::Ahead { .. } => "ahead",
    Refusal::Illegal(_) => "illegal_move",
    Refusal::TouchedPiece(_) => "touched_piece",
    Refusal::TouchMoveOff => "touch_move_off",
    Refusal::EmptySquare(_) => "empty_square",
    Refusal::NothingToClaim => "nothing_to_claim",
    Refusal::TouchedBeforeClaim => "touched_before_claim",
    Refusal::TakebackOff => "takeback_off",
    Refusal::NothingToTakeBack => "nothing_to_take_back",
    Refusal::TakebacksSpent => "takebacks_spent",
    Refusal::NothingOffered => "nothing_offered",
    Refusal::AlreadyOffered => "already_offered",
    Refusal::AnswerFirst => "answer_first",
    Refusal::OfferedTooOften => "offered_too_often",
    Refusal::CannotWithdraw => "cannot_withdraw",
    Refusal::TooLateToAbort => "too_late_to_abort",
    Refusal::NoClock => "no_clock",
    Refusal::TimeNotUp => "time_not_up",
    Refusal::GiftsSpent => "gifts_spent",
    Refusal::RematchAgreed => "rematch_agreed",
}

/// Why an event cannot be applied to a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReplayError {
    /// An event is missing or duplicated.
    #[error("expected event {expected}, found event {found}")]
    Version {
        /// The version that should come next.
        expected: u32,
        /// The version that was found.
        found: u32,
    },
    /// The event is dated earlier than the one before it.
    #[error("event {version} is dated before the previous event")]
    TimeGoesBack {
        /// The version of the event.
        version: u32,
    },
    /// The event contains an illegal move.
    #[error("event {version}: {reason}")]
    Illegal {
        /// The version of the event.
        version: u32,
        /// Why the move is illegal.
        reason: castellan_rules::IllegalMoveReason,
    },
    /// The event cannot happen in the current state.
    #[error("event {version} cannot happen: {why}")]
    Impossible {
        /// The version of the event.
        version: u32,
        /// Why it cannot happen.
        why: &'static str,
    },
}
