//! Descriptions of the JSON of the game types, for TypeScript.
//!
//! `castellan-game` does not know TypeScript, and it stores the same JSON that is sent. The types
//! here only describe that JSON: tests prove that everything a game writes can be read as one of
//! these types and is written back unchanged.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// White or Black.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Color {
    /// Moves first.
    White,
    /// Moves second.
    Black,
}

/// Something that takes two to do.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Proposal {
    /// To end the game in a draw.
    Draw,
    /// To take back so much that the proposer is to move again.
    Takeback,
    /// To play once more with colors reversed.
    Rematch,
}

/// How much time the players have.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum TimeControl {
    /// Time is not kept.
    Unlimited {},
    /// The clocks show the time used and never end a game.
    CountUp {},
    /// So much for the game, and so much more after every move.
    Increment {
        /// What there is at the beginning.
        initial_ms: u32,
        /// What is added after a move.
        increment_ms: u32,
    },
    /// So much for the game; each turn the clock waits before it runs.
    Delay {
        /// What there is at the beginning.
        initial_ms: u32,
        /// How long the clock waits each turn.
        delay_ms: u32,
    },
}

/// When the first clock begins to run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ClockStart {
    /// When both are seated: online.
    Game,
    /// With the first move, which takes no time: at one board.
    FirstMove,
}

/// What is agreed before a game and does not change in it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Where it begins, as a FEN.
    pub start: String,
    /// Whether castling is spelled as in Chess960, the king takes the rook.
    pub is_chess960: bool,
    /// How much time there is.
    pub time_control: TimeControl,
    /// When the first clock begins to run.
    pub clock_start: ClockStart,
    /// Whether the result changes ratings.
    pub is_rated: bool,
    /// Whether a touched piece must be moved or captured.
    pub is_touch_move: bool,
    /// Whether moves may be taken back if the opponent agrees.
    pub allows_takeback: bool,
}

/// A player as seated.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Player {
    /// The server's number for the player.
    #[ts(type = "number")]
    pub id: u64,
    /// The name.
    pub name: String,
    /// The rating when the player sat down; guests have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub rating: Option<u16>,
}

/// Why a game is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// FIDE 5.1.1.
    Checkmate,
    /// FIDE 5.2.1.
    Stalemate,
    /// FIDE 5.2.2: nobody can mate any more.
    DeadPosition,
    /// FIDE 9.6.1.
    FivefoldRepetition,
    /// FIDE 9.6.2.
    SeventyFiveMoves,
    /// FIDE 9.2, claimed.
    ThreefoldRepetition,
    /// FIDE 9.3, claimed.
    FiftyMoves,
    /// FIDE 5.1.2.
    Resignation,
    /// FIDE 5.2.3.
    Agreement,
    /// FIDE 6.9: the time of the loser is up.
    Timeout,
    /// FIDE 6.9: the time of a player is up, but the opponent cannot mate by any legal moves.
    TimeoutAgainstNoMate,
    /// A player left for good; a draw if the opponent cannot mate.
    Abandoned,
    /// The game has as many plies as a game may have.
    PlyLimit,
    /// Called off before both had moved: no result.
    Aborted,
}

/// The end of a game: why, and who won.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// Why.
    pub reason: EndReason,
    /// Who won, if anybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "Color")]
    pub winner: Option<Color>,
}

/// Something that has happened in a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum GameHappening {
    /// A player sat down.
    Seated {
        /// The seat.
        #[ts(type = "Color")]
        color: Color,
        /// The player.
        player: Player,
    },
    /// Both are seated; online the first clock runs from here.
    Started {},
    /// A move was made.
    Moved {
        /// How many plies there were before it.
        ply: u32,
        /// The move.
        #[ts(type = "UciMove")]
        mv: String,
        /// The time it took, compensation already subtracted.
        #[ts(type = "number")]
        spent_ms: u64,
        /// What was forgiven for the time on the wire.
        #[ts(type = "number")]
        compensated_ms: u64,
        /// What the mover's clock shows after it, if it counts down.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, type = "number")]
        remaining_ms: Option<u64>,
    },
    /// The player to move touched a piece.
    Touched {
        /// The piece's square.
        #[ts(type = "Square")]
        square: String,
    },
    /// Something was proposed.
    Offered {
        /// By whom.
        #[ts(type = "Color")]
        by: Color,
        /// What.
        what: Proposal,
    },
    /// A proposal was refused, or withdrawn by the one who made it.
    Declined {
        /// By whom.
        #[ts(type = "Color")]
        by: Color,
        /// What.
        what: Proposal,
    },
    /// Moves were taken back.
    TakenBack {
        /// How many plies are left.
        ply: u32,
    },
    /// A player was given time.
    TimeAdded {
        /// Who received it.
        #[ts(type = "Color")]
        to: Color,
        /// How much.
        #[ts(type = "number")]
        added_ms: u64,
    },
    /// The server was away; the running clock is credited.
    Resumed {
        /// How much of the absence the running clock had seen.
        #[ts(type = "number")]
        credited_ms: u64,
    },
    /// The game is over.
    Ended(End),
    /// Both want to play once more with colors reversed.
    RematchAgreed {},
}
