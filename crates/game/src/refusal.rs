//! Why a game did not do what it was asked, and why a record is not one of a game.
//!
//! Owns: the reasons, their words and their codes. A refused command changes nothing.

use castellan_rules::{Color, Square};

use crate::Obligation;

/// Why a command was refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refusal {
    /// Only players with a seat may do this.
    #[error("you do not play in this game")]
    NotSeated,
    /// A player seats only himself.
    #[error("only the server seats somebody else")]
    NotYou,
    /// Somebody else sits there.
    #[error("the seat of {0} is taken")]
    SeatTaken(Color),
    /// Nobody plays himself for a rating.
    #[error("a rated game needs two players")]
    SamePlayer,
    /// Players cannot say this.
    #[error("only the server may say this")]
    ServerOnly,
    /// A seat is empty.
    #[error("the game has not begun")]
    NotStarted,
    /// The game has ended.
    #[error("the game is over")]
    Over,
    /// Only after the end.
    #[error("the game is not over")]
    NotOver,
    /// It is for the other player to move.
    #[error("it is not your turn")]
    NotYourTurn,
    /// Meant for a ply that has been played otherwise.
    #[error("meant for ply {ply}, but {next} is next")]
    Stale {
        /// The ply it was meant for.
        ply: u32,
        /// The next ply.
        next: u32,
    },
    /// Meant for a ply that cannot be played yet.
    #[error("meant for ply {ply}, but {next} is next")]
    Ahead {
        /// The ply it was meant for.
        ply: u32,
        /// The next ply.
        next: u32,
    },
    /// The rules of the board do not allow it.
    #[error(transparent)]
    Illegal(castellan_rules::Refusal),
    /// A touched piece demands another move.
    #[error("{0}")]
    TouchedPiece(Obligation),
    /// Touch-move is not played here.
    #[error("touched pieces do not count in this game")]
    TouchMoveOff,
    /// Nothing was touched.
    #[error("there is no piece on {0}")]
    EmptySquare(Square),
    /// Neither repetition nor fifty moves.
    #[error("there is no draw to claim")]
    NothingToClaim,
    /// FIDE 9.4: after touching a piece it is too late for a claim.
    #[error("a draw must be claimed before a piece is touched")]
    TouchedBeforeClaim,
    /// Not agreed for this game.
    #[error("moves are not taken back in this game")]
    TakebackOff,
    /// The proposer has not moved yet, or moves have been taken back often enough.
    #[error("there is no move to take back")]
    NothingToTakeBack,
    /// Enough of them for one game.
    #[error("moves have been taken back often enough in this game")]
    TakebacksSpent,
    /// There is no such proposal by the opponent.
    #[error("nothing of the kind has been offered")]
    NothingOffered,
    /// One's own proposal waits for an answer.
    #[error("this has been offered and waits for an answer")]
    AlreadyOffered,
    /// The opponent's proposal waits for an answer.
    #[error("the opponent has asked for the same and waits for an answer")]
    AnswerFirst,
    /// Asked again too soon.
    #[error("this has been offered not long ago")]
    OfferedTooOften,
    /// FIDE 9.1.2.1: a draw offer cannot be withdrawn.
    #[error("a draw offer cannot be withdrawn")]
    CannotWithdraw,
    /// Both have moved.
    #[error("both have moved, the game counts")]
    TooLateToAbort,
    /// No clock counts down.
    #[error("no clock is counting down")]
    NoClock,
    /// There is time left, or might be once the time on the wire is subtracted.
    #[error("there is time left")]
    TimeNotUp,
    /// The opponent has been given enough.
    #[error("no more time can be given in this game")]
    GiftsSpent,
    /// There will be another game.
    #[error("another game has been agreed on already")]
    RematchAgreed,
}

impl Refusal {
    /// A word for programs, which will not change.
    pub fn code(&self) -> &'static str {
        match self {
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
    }
}

/// Why a recorded event cannot follow what is there.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReplayError {
    /// An event is missing or stands there twice.
    #[error("event {found} follows where {expected} should")]
    Version {
        /// The version that would fit.
        expected: u32,
        /// The version there is.
        found: u32,
    },
    /// It would have happened before its predecessor.
    #[error("event {version} happens before the one it follows")]
    TimeGoesBack {
        /// The version of the event.
        version: u32,
    },
    /// A move that is not legal.
    #[error("event {version}: {reason}")]
    Illegal {
        /// The version of the event.
        version: u32,
        /// What the rules say.
        reason: castellan_rules::Refusal,
    },
    /// Such a thing cannot happen in this state.
    #[error("event {version} cannot happen: {why}")]
    Impossible {
        /// The version of the event.
        version: u32,
        /// Why not.
        why: &'static str,
    },
}
