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

/// A proposal that takes effect only if the opponent accepts it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum Proposal {
    /// Ends the game in a draw.
    Draw,
    /// Takes back moves until the player who proposed it is to move again.
    Takeback,
    /// Starts a new game with colors reversed.
    Rematch,
}

/// How much time the players have.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum TimeControl {
    /// The game has no clocks.
    Unlimited {},
    /// The clocks show the time used and never end the game.
    CountUp {},
    /// Each player has a fixed time for the game plus an increment after every move.
    Increment {
        /// Time at the start, in milliseconds.
        initial_ms: u32,
        /// Time added after each move, in milliseconds.
        increment_ms: u32,
    },
    /// Each player has a fixed time for the game, and the clock waits before it runs on each
    /// turn.
    Delay {
        /// Time at the start, in milliseconds.
        initial_ms: u32,
        /// How long the clock waits on each turn, in milliseconds.
        delay_ms: u32,
    },
}

/// When the first clock starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ClockStart {
    /// When both players are seated, as in online games.
    Game,
    /// With the first move, which is not charged, as in games on a shared screen.
    FirstMove,
}

/// The settings of a game, which are agreed before it and do not change.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Starting position as a FEN.
    pub start: String,
    /// Whether castling is written in Chess960 style, as the king taking its own rook.
    pub is_chess960: bool,
    /// Time available to the players.
    pub time_control: TimeControl,
    /// When the first clock starts.
    pub clock_start: ClockStart,
    /// Whether the result changes ratings.
    pub is_rated: bool,
    /// Whether a touched piece must be moved or captured.
    pub is_touch_move: bool,
    /// Whether moves may be taken back if the opponent agrees.
    pub allows_takeback: bool,
}

/// A player as they were when they took the seat.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct Player {
    /// The number the server assigned to the player.
    #[ts(type = "number")]
    pub id: u64,
    /// Display name.
    pub name: String,
    /// Rating when the player took the seat; omitted for guests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub rating: Option<u16>,
}

/// Why a game is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum EndReason {
    /// The player to move is checkmated (FIDE 5.1.1).
    Checkmate,
    /// The player to move has no legal move and is not in check (FIDE 5.2.1).
    Stalemate,
    /// Neither player can checkmate by any sequence of legal moves (FIDE 5.2.2).
    DeadPosition,
    /// The same position occurred five times (FIDE 9.6.1).
    FivefoldRepetition,
    /// 75 moves by each player without a capture or a pawn move (FIDE 9.6.2).
    SeventyFiveMoves,
    /// A player claimed a draw because the same position occurred three times (FIDE 9.2).
    ThreefoldRepetition,
    /// A player claimed a draw after 50 moves without a capture or a pawn move (FIDE 9.3).
    FiftyMoves,
    /// A player resigned (FIDE 5.1.2).
    Resignation,
    /// The players agreed to a draw (FIDE 5.2.3).
    Agreement,
    /// The loser ran out of time (FIDE 6.9).
    Timeout,
    /// A player ran out of time, but the opponent cannot checkmate by any sequence of legal moves
    /// (FIDE 6.9).
    TimeoutAgainstNoMate,
    /// A player left for good. This is a draw if the opponent cannot checkmate.
    Abandoned,
    /// The game reached the maximum number of plies.
    PlyLimit,
    /// The game was aborted before both players had moved; it has no result.
    Aborted,
    /// The result is known, but not the reason. Only games that were read from a PGN end like this.
    Unstated,
}

/// The end of a game: the reason and the winner.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// Why the game ended.
    pub reason: EndReason,
    /// The winner; omitted for a draw or an aborted game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional, type = "Color")]
    pub winner: Option<Color>,
}

/// An event of a game.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, TS)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum GameHappening {
    /// A player took a seat.
    Seated {
        /// The seat that was taken.
        #[ts(type = "Color")]
        color: Color,
        /// The player who took it.
        player: Player,
    },
    /// Both seats are taken and the game starts. In online games the first clock starts now.
    Started {},
    /// A move was made.
    Moved {
        /// Number of plies played before this move.
        ply: u32,
        /// The move.
        #[ts(type = "UciMove")]
        mv: String,
        /// Time charged for the move, in milliseconds; lag compensation is already subtracted.
        #[ts(type = "number")]
        spent_ms: u64,
        /// Lag compensation granted, in milliseconds.
        #[ts(type = "number")]
        compensated_ms: u64,
        /// Time left on the mover's clock after the move; omitted if it does not count down.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[ts(optional, type = "number")]
        remaining_ms: Option<u64>,
    },
    /// The player to move touched a piece.
    Touched {
        /// Square of the touched piece.
        #[ts(type = "Square")]
        square: String,
    },
    /// A player made a proposal.
    Offered {
        /// The player who made it.
        #[ts(type = "Color")]
        by: Color,
        /// What was proposed.
        what: Proposal,
    },
    /// The opponent declined a proposal, or its author withdrew it.
    Declined {
        /// The player who declined or withdrew it.
        #[ts(type = "Color")]
        by: Color,
        /// What had been proposed.
        what: Proposal,
    },
    /// Moves were taken back.
    TakenBack {
        /// Number of plies that remain.
        ply: u32,
    },
    /// A player received extra time from the opponent.
    TimeAdded {
        /// The player who received it.
        #[ts(type = "Color")]
        to: Color,
        /// Time added, in milliseconds.
        #[ts(type = "number")]
        added_ms: u64,
    },
    /// The server is back after an outage; the running clock is credited.
    Resumed {
        /// Part of the outage during which the clock was running, in milliseconds.
        #[ts(type = "number")]
        credited_ms: u64,
    },
    /// The game is over.
    Ended(End),
    /// Both players want a rematch with colors reversed.
    RematchAgreed {},
}
