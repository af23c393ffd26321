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
mod program;
mod search;
mod setting;
mod tail;

use std::time::{Duration, Instant};

use castellan_rules::{CastlingSpelling, Position};

use crate::{EngineOption, EngineReply, Expected, GuiCommand, Id, SetOption};
use process::{Heard, Process};

pub use error::{Awaited, DriverError, Fate};
pub use program::{ParseProgramError, Program};
pub use search::{Answer, SearchEvent};

/// Timeouts for everything an engine does apart from searching.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// From the start of the process to `uciok`; engines load large tables and networks then.
    pub handshake: Duration,
    /// From `isready` to `readyok`.
    pub ready: Duration,
    /// From `stop` to `bestmove`; after that the engine is killed.
    pub stop: Duration,
    /// From `quit` to its exit; after that the engine is killed.
    pub quit: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        Patience {
            handshake: Duration::from_secs(10),
            ready: Duration::from_secs(10),
            stop: Duration::from_secs(1),
            quit: Duration::from_secs(1),
        }
    }
}

/// Output of an engine that is not UCI.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Garbage {
    /// Number of such lines.
    pub lines: u64,
    /// The beginning of the last such line.
    pub last: String,
}

/// A running engine that has completed the UCI handshake.
///
/// ```no_run
/// use castellan_rules::Line;
/// use castellan_uci::{Driver, Go, Patience, Program};
/// use std::time::Duration;
///
/// let mut engine = Driver::start(&Program::new("stockfish"), Patience::default())?;
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
    patience: Patience,
    name: String,
    author: String,
    options: Vec<EngineOption>,
    castling: CastlingSpelling,
    garbage: Garbage,
    searching: Option<Searching>,
}

/// A search that is still running.
#[derive(Debug)]
struct Searching {
    since: Instant,
    position: Position,
}

/// How much of an invalid line is kept, in bytes.
const GARBAGE_BYTES: usize = 200;

/// Maximum number of options kept; no engine has so many.
const MAX_OPTIONS: usize = 1000;

impl Driver {
    /// Starts an engine and waits for the end of the UCI handshake.
    pub fn start(program: &Program, patience: Patience) -> Result<Driver, DriverError> {
        let mut driver = Driver {
            process: Process::start(program, patience.quit)?,
            patience,
            name: program.to_string(),
            author: String::new(),
            options: Vec::new(),
            castling: CastlingSpelling::KingTwoSquares,
            garbage: Garbage::default(),
            searching: None,
        };
        driver.say(&GuiCommand::Uci)?;
        let deadline = Instant::now() + patience.handshake;
        loop {
            match driver.reply(deadline, Awaited::UciOk)?.0 {
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
    pub fn garbage(&self) -> &Garbage {
        &self.garbage
    }

    /// Returns the end of the engine's standard error output.
    pub fn complaint(&self) -> String {
        self.process.complaint()
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
        self.say(&GuiCommand::SetOption(SetOption { name, value }))
    }

    /// Tells the engine whether the next games are Chess960, which changes how castling is
    /// written. For an engine without this option, only `false` is possible.
    pub fn set_chess960(&mut self, is_chess960: bool) -> Result<(), DriverError> {
        if is_chess960 || self.option("UCI_Chess960").is_some() {
            self.set_option("UCI_Chess960", if is_chess960 { "true" } else { "false" })?;
        }
        self.castling = CastlingSpelling::of_chess960(is_chess960);
        Ok(())
    }

    /// Waits until the engine has processed all earlier commands.
    pub fn ready(&mut self) -> Result<(), DriverError> {
        self.say(&GuiCommand::IsReady)?;
        let deadline = Instant::now() + self.patience.ready;
        while self.reply(deadline, Awaited::ReadyOk)?.0 != EngineReply::ReadyOk {}
        Ok(())
    }

    /// Tells the engine that a new game starts, and waits until it is ready.
    pub fn new_game(&mut self) -> Result<(), DriverError> {
        if self.searching.is_some() {
            return Err(DriverError::Busy);
        }
        self.say(&GuiCommand::UciNewGame)?;
        self.ready()
    }

    /// Asks the engine to quit, and kills it if it does not.
    pub fn quit(mut self) -> Fate {
        // If the command cannot be sent, the engine is killed below.
        let _ = self.say(&GuiCommand::Quit);
        self.process.end()
    }

    fn say(&mut self, command: &GuiCommand) -> Result<(), DriverError> {
        self.process.say(command.to_string())
    }

    /// Returns the next reply and when it arrived. Lines that are not replies are counted and
    /// skipped.
    fn reply(
        &mut self,
        deadline: Instant,
        awaited: Awaited,
    ) -> Result<(EngineReply, Instant), DriverError> {
        loop {
            let (line, at) = match self.process.hear(deadline) {
                Heard::Line(line, at) => (line, at),
                Heard::Nothing => {
                    let last = self.garbage.last.clone();
                    return Err(DriverError::Silent { awaited, last });
                }
                Heard::End => {
                    let fate = self.process.end();
                    let complaint = self.process.complaint();
                    return Err(DriverError::Died { awaited, fate, complaint });
                }
            };
            match EngineReply::parse(&line) {
                Ok(reply) => return Ok((reply, at)),
                Err(error) if error.expected == Expected::Move && is_best_move(&line) => {
                    self.searching = None;
                    return Err(DriverError::UnreadableMove { line: beginning(&line) });
                }
                Err(_) => self.note_garbage(&line),
            }
        }
    }

    fn note_garbage(&mut self, line: &str) {
        if !line.trim().is_empty() {
            self.garbage = Garbage { lines: self.garbage.lines + 1, last: beginning(line) };
        }
    }
}

fn is_best_move(line: &str) -> bool {
    line.split_ascii_whitespace().next() == Some("bestmove")
}

/// Returns the beginning of a line.
fn beginning(line: &str) -> String {
    line[..line.floor_char_boundary(GARBAGE_BYTES)].to_owned()
}
