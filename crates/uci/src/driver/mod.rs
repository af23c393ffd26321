//! Runs third-party engines.
//!
//! This module is responsible for the engine process, the communication with it, and all its
//! timeouts. It leaves game clocks and the evaluation of moves to the caller.
//!
//! Every call returns within a time limit, whatever the engine does. Memory is bounded, too: long
//! lines are cut off, a full queue blocks the engine, and only the end of its error output is
//! kept. Dropping a driver kills its process.

mod error;
mod lines;
mod process;
mod process_limits;
mod program;
mod search;
mod setting;
mod tail;

use std::time::{Duration, Instant};

use castellan_rules::{CastlingSpelling, Position};

use crate::{EngineOption, EngineReply, Expected, GuiCommand, Id, SetOption};
use process::{Process, ReadResult};

pub use error::{DriverError, ExitOutcome, ExpectedReply};
pub use process_limits::ProcessLimits;
pub use program::{ParseProgramError, Program, parse_args};
pub use search::{SearchEvent, SearchResult};

/// Timeouts for everything an engine does apart from searching.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Timeouts {
    /// From the start of the process to `uciok`; engines load large tables and networks then.
    pub handshake: Duration,
    /// From `isready` to `readyok`.
    pub ready: Duration,
    /// From `stop` to `bestmove`; after that the engine is killed.
    pub stop: Duration,
    /// From `quit` to the exit of the process; after that the engine is killed.
    pub quit: Duration,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts {
            handshake: Duration::from_secs(10),
            ready: Duration::from_secs(10),
            stop: Duration::from_secs(1),
            quit: Duration::from_secs(1),
        }
    }
}

/// Output of an engine that is not UCI.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InvalidOutput {
    /// Number of such lines.
    pub lines: u64,
    /// The beginning of the last such line.
    pub last: String,
}

/// A running engine that has completed the UCI handshake.
///
/// ```no_run
/// use castellan_rules::Line;
/// use castellan_uci::{Driver, Go, Timeouts, Program};
/// use std::time::Duration;
///
/// let mut engine = Driver::start(&Program::new("stockfish"), Timeouts::default())?;
/// engine.set_option("Hash", "64")?;
/// engine.new_game()?;
/// let go = Go { depth: Some(12), ..Go::default() };
/// let answer = engine.search(&Line::default(), &go, Duration::from_secs(60), |_| ())?;
/// println!("{} plays {}", engine.name(), answer.best);
/// # Ok::<(), castellan_uci::DriverError>(())
/// ```
#[derive(Debug)]
pub struct Driver {
    process: Process,
    timeouts: Timeouts,
    name: String,
    author: String,
    options: Vec<EngineOption>,
    castling: CastlingSpelling,
    invalid_output: InvalidOutput,
    searching: Option<Searching>,
}

/// A search that is still running.
#[derive(Debug)]
struct Searching {
    since: Instant,
    position: Position,
}

/// How much of an invalid line is kept, in bytes.
const INVALID_OUTPUT_BYTES: usize = 200;

/// Maximum number of options kept; no engine has so many.
const MAX_OPTIONS: usize = 1000;

impl Driver {
    /// Starts an engine and waits for the end of the UCI handshake.
    pub fn start(program: &Program, timeouts: Timeouts) -> Result<Driver, DriverError> {
        let mut driver = Driver {
            process: Process::start(program, timeouts.quit)?,
            timeouts,
            name: program.to_string(),
            author: String::new(),
            options: Vec::new(),
            castling: CastlingSpelling::KingTwoSquares,
            invalid_output: InvalidOutput::default(),
            searching: None,
        };
        driver.send(&GuiCommand::Uci)?;
        let deadline = Instant::now() + timeouts.handshake;
        loop {
            match driver.reply(deadline, ExpectedReply::UciOk)?.0 {
                EngineReply::Id(Id::Name(name)) => driver.name = name,
                EngineReply::Id(Id::Author(author)) => driver.author = author,
                EngineReply::Option(option) if driver.options.len() < MAX_OPTIONS => {
                    driver.options.push(option);
                }
                EngineReply::UciOk => return Ok(driver),
                _ => {}
            }
        }
    }

    /// Returns the engine's name, or the program that was started if the engine gave no name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the engine's author; empty if the engine did not say.
    pub fn author(&self) -> &str {
        &self.author
    }

    /// Returns the options that the engine declared.
    pub fn options(&self) -> &[EngineOption] {
        &self.options
    }

    /// Returns the option with the given name, ignoring ASCII case.
    pub fn option(&self, name: &str) -> Option<&EngineOption> {
        self.options.iter().find(|option| option.is_named(name))
    }

    /// Returns the engine's output that is not UCI.
    pub fn invalid_output(&self) -> &InvalidOutput {
        &self.invalid_output
    }

    /// Returns the end of the engine's standard error output.
    pub fn stderr_tail(&self) -> String {
        self.process.stderr_tail()
    }

    /// Returns whether the process is still running.
    pub fn is_alive(&mut self) -> bool {
        self.process.is_alive()
    }

    /// Sets an option to a value that the engine accepts. A button has no value, so `value` must
    /// be empty.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), DriverError> {
        let option = self.option(name);
        let option = option.ok_or_else(|| DriverError::UnknownOption { name: name.to_owned() })?;
        let value = setting::check(option, value)?;
        let name = option.name.clone();
        self.send(&GuiCommand::SetOption(SetOption { name, value }))
    }

    /// Tells the engine whether the next games are Chess960, which changes how castling is
    /// written. For an engine without this option, only `false` is possible.
    pub fn set_chess960(&mut self, is_chess960: bool) -> Result<(), DriverError> {
        if is_chess960 || self.option("UCI_Chess960").is_some() {
            self.set_option("UCI_Chess960", if is_chess960 { "true" } else { "false" })?;
        }
        self.castling = CastlingSpelling::for_game(is_chess960);
        Ok(())
    }

    /// Waits until the engine has processed all earlier commands.
    pub fn ready(&mut self) -> Result<(), DriverError> {
        self.send(&GuiCommand::IsReady)?;
        let deadline = Instant::now() + self.timeouts.ready;
        while self.reply(deadline, ExpectedReply::ReadyOk)?.0 != EngineReply::ReadyOk {}
        Ok(())
    }

    /// Tells the engine that a new game starts, and waits until it is ready.
    pub fn new_game(&mut self) -> Result<(), DriverError> {
        if self.searching.is_some() {
            return Err(DriverError::Busy);
        }
        self.send(&GuiCommand::UciNewGame)?;
        self.ready()
    }

    /// Asks the engine to quit, and kills it if it does not.
    pub fn quit(mut self) -> ExitOutcome {
        // If the command cannot be sent, the engine is killed below.
        let _ = self.send(&GuiCommand::Quit);
        self.process.end()
    }

    fn send(&mut self, command: &GuiCommand) -> Result<(), DriverError> {
        self.process.send(command.to_string())
    }

    /// Returns the next reply and when it arrived. Lines that are not replies are counted and
    /// skipped.
    fn reply(
        &mut self,
        deadline: Instant,
        expected_reply: ExpectedReply,
    ) -> Result<(EngineReply, Instant), DriverError> {
        loop {
            let (line, at) = match self.process.read_line(deadline) {
                ReadResult::Line(line, at) => (line, at),
                ReadResult::TimedOut => {
                    let last = self.invalid_output.last.clone();
                    return Err(DriverError::Silent { expected_reply, last });
                }
                ReadResult::End => {
                    let outcome = self.process.end();
                    let stderr_tail = self.process.stderr_tail();
                    return Err(DriverError::Died { expected_reply, outcome, stderr_tail });
                }
            };
            match EngineReply::parse(&line) {
                Ok(reply) => return Ok((reply, at)),
                Err(error) if error.expected == Expected::Move && is_best_move(&line) => {
                    self.searching = None;
                    return Err(DriverError::UnreadableMove { line: beginning(&line) });
                }
                Err(_) => self.note_invalid_output(&line),
            }
        }
    }

    fn note_invalid_output(&mut self, line: &str) {
        if !line.trim().is_empty() {
            self.invalid_output =
                InvalidOutput { lines: self.invalid_output.lines + 1, last: beginning(line) };
        }
    }
}

fn is_best_move(line: &str) -> bool {
    line.split_ascii_whitespace().next() == Some("bestmove")
}

/// Returns the beginning of a line.
fn beginning(line: &str) -> String {
    line[..line.floor_char_boundary(INVALID_OUTPUT_BYTES)].to_owned()
}
