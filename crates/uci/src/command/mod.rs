//! What a GUI says to an engine.

mod go;
mod parse;
mod position;

use std::fmt;

use crate::ParseUciError;
use crate::words::OneLine;

pub use go::Go;
pub use position::{PlayMovesError, PositionCommand, Start};

/// One line from a GUI to an engine.
///
/// What is written reads back as the same command, as long as its texts have no blanks at their
/// ends or two in a row; line ends in them are written as blanks.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GuiCommand {
    /// `uci`: speak UCI, and say who you are.
    Uci,
    /// `debug on` or `debug off`.
    Debug(bool),
    /// `isready`: answer as soon as you can.
    IsReady,
    /// `setoption`.
    SetOption(SetOption),
    /// `register`.
    Register(Register),
    /// `ucinewgame`: what comes next belongs to another game.
    UciNewGame,
    /// `position`.
    Position(PositionCommand),
    /// `go`: think. Boxed, because it is ten times the size of the others.
    Go(Box<Go>),
    /// `stop`: answer now.
    Stop,
    /// `ponderhit`: the expected move was played.
    PonderHit,
    /// `quit`.
    Quit,
}

/// `setoption name NAME value VALUE`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetOption {
    /// The name, with single blanks.
    pub name: String,
    /// The value as it was written, which may be empty; none for a button.
    pub value: Option<String>,
}

impl SetOption {
    /// Whether this is the option of a name. Upper and lower case are the same.
    pub fn is_named(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
    }
}

/// `register later`, or `register name NAME code CODE`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Register {
    /// Not now.
    Later,
    /// With what the owner was given.
    Now {
        /// The name.
        name: Option<String>,
        /// The code.
        code: Option<String>,
    },
}

impl GuiCommand {
    /// Reads a line.
    ///
    /// Words before a command, and words in a `go`, that mean nothing are skipped, as UCI asks.
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

    /// Reads a line and tells which words were skipped: each with the byte where it begins.
    ///
    /// ```
    /// use castellan_uci::GuiCommand;
    /// let mut skipped = Vec::new();
    /// GuiCommand::parse_noting("go dept 5", &mut |at, word| skipped.push((at, word.to_owned())))?;
    /// assert_eq!(skipped, [(3, "dept".to_owned()), (8, "5".to_owned())]);
    /// # Ok::<(), castellan_uci::ParseUciError>(())
    /// ```
    pub fn parse_noting(
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
