//! Commands from a GUI to an engine.

mod go;
mod parse;
mod position;

use std::fmt;

use crate::ParseUciError;
use crate::words::OneLine;

pub use go::Go;
pub use position::{PlayMovesError, PositionCommand, Start};

/// A command from a GUI to an engine, one line long.
///
/// A written command parses back to the same value, provided that its texts have no spaces at
/// either end and no two in a row. Line breaks within a text are written as spaces.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GuiCommand {
    /// `uci`: switch to UCI and identify yourself.
    Uci,
    /// `debug on` or `debug off`.
    Debug(bool),
    /// `isready`: reply once all earlier commands have been processed.
    IsReady,
    /// `setoption`: set an option.
    SetOption(SetOption),
    /// `register`: unlock a commercial engine.
    Register(Register),
    /// `ucinewgame`: the next position belongs to another game.
    UciNewGame,
    /// `position`: set up a position.
    Position(PositionCommand),
    /// `go`: start a search. Boxed because it is ten times the size of the others.
    Go(Box<Go>),
    /// `stop`: end the search and reply now.
    Stop,
    /// `ponderhit`: the expected move was played.
    PonderHit,
    /// `quit`: exit.
    Quit,
}

/// `setoption name NAME value VALUE`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetOption {
    /// The option's name, with single spaces.
    pub name: String,
    /// The value as written, possibly empty; `None` for a button.
    pub value: Option<String>,
}

impl SetOption {
    /// Returns whether this sets the option with the given name, ignoring ASCII case.
    pub fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }
}

/// `register later`, or `register name NAME code CODE`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Register {
    /// Register later.
    Later,
    /// Register with the credentials of the owner.
    Now {
        /// The owner's name.
        name: Option<String>,
        /// The registration code.
        code: Option<String>,
    },
}

impl GuiCommand {
    /// Parses a line.
    ///
    /// Unknown words before a command and within a `go` are skipped, as the UCI specification
    /// requires.
    ///
    /// ```
    /// use castellan_uci::GuiCommand;
    /// assert_eq!(GuiCommand::parse(" joho  debug   on\n")?, GuiCommand::Debug(true));
    /// let error = GuiCommand::parse("go depth five").unwrap_err();
    /// assert_eq!(error.to_string(), "at byte 9: expected a whole number that is not negative");
    /// # Ok::<(), castellan_uci::ParseUciError>(())
    /// ```
    pub fn parse(line: &str) -> Result<GuiCommand, ParseUciError> {
        parse::command(line, &mut |_, _| ())
    }

    /// Parses a line and reports each skipped word with its byte offset.
    ///
    /// ```
    /// use castellan_uci::GuiCommand;
    /// let mut skipped = Vec::new();
    /// let mut note = |at, word: &str| skipped.push((at, word.to_owned()));
    /// GuiCommand::parse_reporting_skipped("go dept 5", &mut note)?;
    /// assert_eq!(skipped, [(3, "dept".to_owned()), (8, "5".to_owned())]);
    /// # Ok::<(), castellan_uci::ParseUciError>(())
    /// ```
    pub fn parse_reporting_skipped(
        line: &str,
        skipped: &mut dyn FnMut(usize, &str),
    ) -> Result<GuiCommand, ParseUciError> {
        parse::command(line, skipped)
    }
}

impl fmt::Display for GuiCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            GuiCommand::Uci => f.write_str("uci"),
            GuiCommand::Debug(is_on) => write!(f, "debug {}", if *is_on { "on" } else { "off" }),
            GuiCommand::IsReady => f.write_str("isready"),
            GuiCommand::SetOption(set) => set.fmt(f),
            GuiCommand::Register(register) => register.fmt(f),
            GuiCommand::UciNewGame => f.write_str("ucinewgame"),
            GuiCommand::Position(position) => position.fmt(f),
            GuiCommand::Go(go) => go.fmt(f),
            GuiCommand::Stop => f.write_str("stop"),
            GuiCommand::PonderHit => f.write_str("ponderhit"),
            GuiCommand::Quit => f.write_str("quit"),
        }
    }
}

impl fmt::Display for SetOption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "setoption name {}", OneLine(&self.name))?;
        match self.value.as_deref() {
            None => Ok(()),
            Some("") => f.write_str(" value"),
            Some(value) => write!(f, " value {}", OneLine(value)),
        }
    }
}

impl fmt::Display for Register {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Register::Now { name, code } = self else {
            return f.write_str("register later");
        };
        f.write_str("register")?;
        for (key, text) in [("name", name), ("code", code)] {
            if let Some(text) = text {
                write!(f, " {key} {}", OneLine(text))?;
            }
        }
        Ok(())
    }
}
