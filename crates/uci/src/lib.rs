//! The Universal Chess Interface (UCI), for both sides of a connection.
//!
//! This crate parses and writes the commands of a GUI ([`GuiCommand`]) and the replies of an
//! engine ([`EngineReply`]), one line each, and runs third-party engines ([`Driver`]). It leaves
//! the rules of chess to `castellan-rules` and does not search.
//!
//! ```
//! use castellan_uci::{EngineReply, GuiCommand};
//!
//! let GuiCommand::Position(position) = GuiCommand::parse("position startpos moves e2e4")? else {
//!     panic!("it begins with `position`");
//! };
//! assert_eq!(position.to_line()?.moves().len(), 1);
//! let EngineReply::BestMove(best) = EngineReply::parse("bestmove e7e5 ponder g1f3")? else {
//!     panic!("it begins with `bestmove`");
//! };
//! assert_eq!(best.to_string(), "bestmove e7e5 ponder g1f3");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod command;
mod driver;
mod error;
mod limits;
mod reply;
mod words;

pub use command::{Go, GuiCommand, PlayMovesError, PositionCommand, Register, SetOption, Start};
pub use driver::{
    Driver, DriverError, ExitOutcome, ExpectedReply, InvalidOutput, ParseProgramError,
    ProcessLimits, Program, SearchEvent, SearchResult, Timeouts, parse_args,
};
pub use error::{Expected, ParseUciError};
pub use limits::*;
pub use reply::{
    BestMove, Bound, CheckState, CurrentLine, EngineOption, EngineReply, Id, OptionKind, Report,
    Score, ScoreValue, WinDrawLoss,
};
