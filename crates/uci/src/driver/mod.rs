//! Running other people's engines.
//!
//! Owns: a process, what is said to it and what it says, and all the patience there is with it.
//! Does not own: clocks of games, or what a move is worth.
//!
//! Nothing waits without a limit: every call ends by itself, whatever the engine does. Nothing
//! grows without a limit either: lines are cut off, a full queue holds the engine up, and of
//! what it says for people only the end is kept. When a driver is dropped, its process is gone.

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

/// How long an engine may take for what is not thinking.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Patience {
    /// From its start to `uciok`; large tables and networks are loaded then.
    pub handshake: Duration,
    /// From `isready` to `readyok`.
    pub ready: Duration,
    /// From `stop` to `bestmove`; then it is killed.
    pub stop: Duration,
    /// From `quit` to its end; then it is killed.
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

/// What an engine printed that is not UCI.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Garbage {
    /// How many lines.
    pub lines: u64,
    /// The beginning of the last one.
    pub last: String,
}

/// An engine that runs and has said that it speaks UCI.
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

/// A search that has not been answered.
#[derive(Debug)]
struct Searching {
    since: Instant,
    position: Position,
}

/// How much of a line of garbage is kept.
const GARBAGE_BYTES: usize = 200;

/// How many options are kept; no engine has so many.
const MAX_OPTIONS: usize = 1000;

impl Driver {
    /// Starts an engine and waits until it has said who it is.
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

    /// The engine's name; what was started, if it has not said one.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Who wrote it; empty if it has not said.
    pub fn author(&self) -> &str {
        &self.author
    }

    /// What can be set.
    pub fn options(&self) -> &[EngineOption] {
        &self.options
    }

    /// The option of a name, in any case.
    pub fn option(&self, name: &str) -> Option<&EngineOption> {
        self.options.iter().find(|option| option.is_named(name))
    }

    /// What it printed that is not UCI.
    pub fn garbage(&self) -> &Garbage {
        &self.garbage
    }

    /// The end of what it printed to its standard error.
    pub fn complaint(&self) -> String {
        self.process.complaint()
    }

    /// Whether it can still be talked to.
    pub fn is_alive(&mut self) -> bool {
        self.process.is_alive()
    }

    /// Sets an option to a value that the engine says it can take; a button takes none, so its
    /// value is empty.
    pub fn set_option(&mut self, name: &str, value: &str) -> Result<(), DriverError> {
        let option = self.option(name);
        let option = option.ok_or_else(|| DriverError::UnknownOption { name: name.to_owned() })?;
        let value = setting::check(option, value)?;
        let name = option.name.clone();
        self.say(&GuiCommand::SetOption(SetOption { name, value }))
    }

    /// Says whether the games to come are Chess960, which changes how castling is spelled. An
    /// engine that does not offer it can be told only that they are not.
    pub fn set_chess960(&mut self, is_chess960: bool) -> Result<(), DriverError> {
        if is_chess960 || self.option("UCI_Chess960").is_some() {
            self.set_option("UCI_Chess960", if is_chess960 { "true" } else { "false" })?;
        }
        self.castling = CastlingSpelling::of_chess960(is_chess960);
        Ok(())
    }

    /// Waits until the engine has done all it was told.
    pub fn ready(&mut self) -> Result<(), DriverError> {
        self.say(&GuiCommand::IsReady)?;
        let deadline = Instant::now() + self.patience.ready;
        while self.reply(deadline, Awaited::ReadyOk)?.0 != EngineReply::ReadyOk {}
        Ok(())
    }

    /// Says that what comes next is another game, and waits until the engine is ready for it.
    pub fn new_game(&mut self) -> Result<(), DriverError> {
        if self.searching.is_some() {
            return Err(DriverError::Busy);
        }
        self.say(&GuiCommand::UciNewGame)?;
        self.ready()
    }

    /// Asks it to quit, and kills it if it does not.
    pub fn quit(mut self) -> Fate {
        // If it cannot be told, it will be killed.
        let _ = self.say(&GuiCommand::Quit);
        self.process.end()
    }

    fn say(&mut self, command: &GuiCommand) -> Result<(), DriverError> {
        self.process.say(command.to_string())
    }

    /// The next reply and when it came. What is no reply is counted and passed over.
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

/// As much of a line as is worth keeping.
fn beginning(line: &str) -> String {
    line[..line.floor_char_boundary(GARBAGE_BYTES)].to_owned()
}
