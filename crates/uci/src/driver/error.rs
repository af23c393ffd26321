//! Errors that an engine causes, and errors in how the driver is used.

use std::fmt;
use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use castellan_rules::{IllegalMoveReason, UciMove};

/// What the driver was waiting for when an error occurred.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExpectedReply {
    /// The end of the handshake.
    UciOk,
    /// The reply to `isready`.
    ReadyOk,
    /// The end of a search.
    BestMove,
}

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExitOutcome {
    /// The process exited on its own with this status.
    Ended(ExitStatus),
    /// The process had to be killed.
    Killed,
    /// The process could neither be killed nor waited for.
    Unknown,
}

/// An error of an engine or of its use.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DriverError {
    /// The program is missing or cannot be executed.
    #[error("cannot start {program}")]
    Start {
        /// The program that was to be started.
        program: String,
        /// The operating system's error.
        source: io::Error,
    },
    /// The engine did not send the expected reply in time.
    #[error("no {expected_reply} came in time{}", LastOutput(last))]
    Silent {
        /// The reply that the driver was waiting for.
        expected_reply: ExpectedReply,
        /// The last line that was not UCI; empty if there was none.
        last: String,
    },
    /// The engine exited or closed its output too early.
    #[error("the engine {outcome} before {expected_reply}{}", LastOutput(stderr_tail))]
    Died {
        /// The reply that the driver was waiting for.
        expected_reply: ExpectedReply,
        /// How the process ended.
        outcome: ExitOutcome,
        /// The end of its standard error output.
        stderr_tail: String,
    },
    /// The engine does not read its input; the queue of commands is full.
    #[error("the engine is not reading its input")]
    NotReading,
    /// The engine has no such option.
    #[error("the engine has no option {name:?}")]
    UnknownOption {
        /// The requested name.
        name: String,
    },
    /// The option does not accept this value.
    #[error("option {name:?} cannot be {value:?}: expected {expected}")]
    BadValue {
        /// The option's name.
        name: String,
        /// The requested value.
        value: String,
        /// A description of the accepted values.
        expected: String,
    },
    /// The engine's move is illegal.
    #[error("the engine played the illegal move {mv}: {reason}")]
    IllegalMove {
        /// The move.
        mv: UciMove,
        /// Why the move is illegal.
        reason: IllegalMoveReason,
    },
    /// The engine's reply contains no valid move.
    #[error("the engine's reply contains no valid move: {line:?}")]
    UnreadableMove {
        /// The beginning of the engine's reply.
        line: String,
    },
    /// The engine gave no move although a legal move exists.
    #[error("the engine returned no move although it has a legal one")]
    NoMove,
    /// The engine exceeded its time limit.
    #[error("the engine sent no move within {limit:?} and {}", if *is_stopped { "was stopped" } else { "was killed because it did not stop" })]
    Overtime {
        /// The time limit.
        limit: Duration,
        /// Whether the engine obeyed `stop` and so remains usable.
        is_stopped: bool,
    },
    /// The operation is not possible during a search.
    #[error("the engine is still searching")]
    Busy,
    /// The operation requires a search, and none is running.
    #[error("the engine is not searching")]
    Idle,
}

impl fmt::Display for ExpectedReply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ExpectedReply::UciOk => "uciok",
            ExpectedReply::ReadyOk => "readyok",
            ExpectedReply::BestMove => "bestmove",
        })
    }
}

impl fmt::Display for ExitOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExitOutcome::Ended(status) => write!(f, "exited ({status})"),
            ExitOutcome::Killed => f.write_str("closed its output and was killed"),
            ExitOutcome::Unknown => f.write_str("closed its output"),
        }
    }
}

/// Formats the engine's last output, if there is any.
struct LastOutput<'a>(&'a str);

impl fmt::Display for LastOutput<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.trim() {
            "" => Ok(()),
            text => write!(f, "; its last output was {text:?}"),
        }
    }
}
