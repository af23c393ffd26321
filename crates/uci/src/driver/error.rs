//! What can go wrong with somebody else's engine.

use std::fmt;
use std::io;
use std::process::ExitStatus;
use std::time::Duration;

use castellan_rules::{Refusal, UciMove};

/// What was waited for when something went wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Awaited {
    /// The end of the handshake.
    UciOk,
    /// The answer to `isready`.
    ReadyOk,
    /// The end of a search.
    BestMove,
}

/// How a process ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// By itself, with this to say to the system.
    Ended(ExitStatus),
    /// It had to be killed.
    Killed,
    /// It could not even be killed.
    Unknown,
}

/// What went wrong with an engine.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DriverError {
    /// It is not there or is no program.
    #[error("cannot start {program}")]
    Start {
        /// What was to be started.
        program: String,
        /// Why not.
        source: io::Error,
    },
    /// It said nothing of use in time.
    #[error("no {awaited} came in time{}", Said(last))]
    Silent {
        /// What was waited for.
        awaited: Awaited,
        /// The last line that was not UCI, if there was one.
        last: String,
    },
    /// It ended, or closed its output, before it should.
    #[error("the engine {fate} before {awaited}{}", Said(complaint))]
    Died {
        /// What was waited for.
        awaited: Awaited,
        /// How it ended.
        fate: Fate,
        /// The end of what it printed to its standard error.
        complaint: String,
    },
    /// It takes nothing more from its input.
    #[error("the engine does not read what it is told")]
    NotReading,
    /// It has no such option.
    #[error("the engine has no option {name:?}")]
    UnknownOption {
        /// The name asked for.
        name: String,
    },
    /// The option cannot have this value.
    #[error("option {name:?} cannot be {value:?}: expected {expected}")]
    BadValue {
        /// The option.
        name: String,
        /// The value asked for.
        value: String,
        /// What it can be.
        expected: String,
    },
    /// Its move is against the rules.
    #[error("the engine played {mv}: {refusal}")]
    IllegalMove {
        /// The move.
        mv: UciMove,
        /// Why it is none.
        refusal: Refusal,
    },
    /// Its move is no move.
    #[error("the engine answered {line:?}")]
    UnreadableMove {
        /// What it said.
        line: String,
    },
    /// It says that there is no move where there is one.
    #[error("the engine gave no move, although there is one")]
    NoMove,
    /// It thought longer than it was allowed to.
    #[error("no move within {limit:?}; {}", if *is_stopped { "it was stopped" } else { "it did not stop and was killed" })]
    Overtime {
        /// How long it was allowed to think.
        limit: Duration,
        /// Whether it obeyed `stop`, and so can go on.
        is_stopped: bool,
    },
    /// It is asked for something that it cannot do while it thinks.
    #[error("the engine is still searching")]
    Busy,
    /// It is asked for the end of a search that was not begun.
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
            Fate::Ended(status) => write!(f, "ended ({status})"),
            Fate::Killed => f.write_str("closed its output and was killed"),
            Fate::Unknown => f.write_str("was lost"),
        }
    }
}

/// What it said last, if it said anything.
struct Said<'a>(&'a str);

impl fmt::Display for Said<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.trim() {
            "" => Ok(()),
            said => write!(f, "; it said {said:?}"),
        }
    }
}
