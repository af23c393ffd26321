//! Errors of third-party engines.

use std::fmt;
use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use castellan_rules::{IllegalMoveReason, UciMove};

/// What the driver was waiting for when an error occurred.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Awaited {
    /// The end of the handshake.
    UciOk,
    /// The reply to `isready`.
    ReadyOk,
    /// The end of a search.
    BestMove,
}

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// The process exited on its own with this status.
    Ended(ExitStatus),
    /// The process had to be killed.
    Killed,
    /// The process could not be killed.
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
    #[error("no {awaited} came in time{}", Said(last))]
    Silent {
        /// The reply that the driver was waiting for.
        awaited: Awaited,
        /// The last line that was not UCI; empty if there was none.
        last: String,
    },
    /// The engine exited or closed its output too early.
    #[error("the engine {fate} before {awaited}{}", Said(complaint))]
    Died {
        /// The reply that the driver was waiting for.
        awaited: Awaited,
        /// How the process ended.
        fate: Fate,
        /// The end of its standard error output.
        complaint: String,
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
    #[error("the engine played the illegal move {mv}: {refusal}")]
    IllegalMove {
        /// The move.
        mv: UciMove,
        /// Why the move is illegal.
        refusal: IllegalMoveReason,
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

impl fmt::Display for Awaited {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Awaited::UciOk => "uciok",
            Awaited::ReadyOk => "readyok",
            Awaited::BestMove => "bestmove",
        })
    }
}

impl fmt::Display for Fate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fate::Ended(status) => write!(f, "exited ({status})"),
            Fate::Killed => f.write_str("closed its output and was killed"),
            Fate::Unknown => f.write_str("closed its output"),
        }
    }
}

/// Formats the engine's last output, if there is any.
struct Said<'a>(&'a str);

impl fmt::Display for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.trim() {
            "" => Ok(()),
            said => write!(f, "; its last output was {said:?}"),
        }
    }
}
