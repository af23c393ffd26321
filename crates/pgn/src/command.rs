//! Commands in comments: `[%clk 0:05:00]` and the like.
//!
//! This module handles the five commands that chess programs agree on. All others stay in the
//! text unchanged, and so do commands whose value cannot be parsed.

mod eval;
mod mark;
mod time;

use std::fmt;

pub use eval::{Eval, Score};
pub use mark::{Arrow, MarkedSquare, Paint};
pub use time::ClockTime;

/// A command in a comment.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Command {
    /// `[%clk 1:05:23]`: the time left on the mover's clock after the move.
    Clock(ClockTime),
    /// `[%emt 0:00:05.3]`: the time spent on the move.
    Elapsed(ClockTime),
    /// `[%eval 0.17,20]`: an engine's evaluation of the position.
    Eval(Eval),
    /// `[%cal Gc2c4,Re1e8]`: arrows on the board.
    Arrows(Vec<Arrow>),
    /// `[%csl Re4]`: marked squares.
    Squares(Vec<MarkedSquare>),
}

impl Command {
    /// Parses a command from its name and value; `None` if either is unknown.
    fn parse(name: &str, value: &str) -> Option<Command> {
        match name {
            "clk" => ClockTime::parse(value).map(Command::Clock),
            "emt" => ClockTime::parse(value).map(Command::Elapsed),
            "eval" => Eval::parse(value).map(Command::Eval),
            "cal" => mark::list(value, Arrow::parse).map(Command::Arrows),
            "csl" => mark::list(value, MarkedSquare::parse).map(Command::Squares),
            _ => None,
        }
    }

    /// Returns `true` if both are of the same kind, such as two clocks, whatever their values.
    pub fn is_same_kind(&self, other: &Command) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Command::Clock(time) => write!(f, "[%clk {time}]"),
            Command::Elapsed(time) => write!(f, "[%emt {time}]"),
            Command::Eval(eval) => write!(f, "[%eval {eval}]"),
            Command::Arrows(arrows) => write!(f, "[%cal {}]", mark::Listed(arrows)),
            Command::Squares(squares) => write!(f, "[%csl {}]", mark::Listed(squares)),
        }
    }
}

/// A comment split into commands and the text for the reader.
///
/// ```
/// use castellan_pgn::{Command, CommentParts};
/// let parts = CommentParts::parse("[%clk 0:04:58.3] a gambit [%eval #-3] [%foo 1]");
/// assert_eq!(parts.text, "a gambit [%foo 1]");
/// let [Command::Clock(clock), Command::Eval(_)] = &parts.commands[..] else { panic!() };
/// assert_eq!(clock.milliseconds(), 298_300);
/// assert_eq!(parts.to_string(), "[%clk 0:04:58.3] [%eval #-3] a gambit [%foo 1]");
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct CommentParts {
    /// The commands that were understood, in their original order.
    pub commands: Vec<Command>,
    /// The rest of the comment.
    pub text: String,
}

impl CommentParts {
    /// Splits the text of a comment.
    pub fn parse(comment: &str) -> CommentParts {
        let mut parts = CommentParts::default();
        let mut rest = comment;
        let mut searched = 0;
        while let Some(at) = rest[searched..].find("[%").map(|at| searched + at) {
            match split_command(&rest[at..]) {
                Some((command, after)) => {
                    parts.push_text(&rest[..at]);
                    parts.commands.push(command);
                    rest = after;
                    searched = 0;
                }
                None => searched = at + 2,
            }
        }
        parts.push_text(rest);
        parts
    }

    /// Sets a command, replacing those of its kind.
    pub fn set(&mut self, command: Command) {
        let first = self.commands.iter().position(|old| old.is_same_kind(&command));
        self.commands.retain(|old| !old.is_same_kind(&command));
        let index = first.unwrap_or(self.commands.len());
        self.commands.insert(index, command);
    }

    /// Appends text, with a single space where a command and its surrounding spaces were.
    fn push_text(&mut self, text: &str) {
        let text = text.trim();
        if !self.text.is_empty() && !text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(text);
    }
}

/// Writes the commands, then the text.
impl fmt::Display for CommentParts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut gap = "";
        for command in &self.commands {
            write!(f, "{gap}{command}")?;
            gap = " ";
        }
        if self.text.is_empty() { Ok(()) } else { write!(f, "{gap}{}", self.text) }
    }
}

/// Returns the command at the beginning of a text, and the text after it.
fn split_command(text: &str) -> Option<(Command, &str)> {
    let (inner, after) = text.strip_prefix("[%")?.split_once(']')?;
    let (name, value) = inner.split_once(|letter: char| letter.is_ascii_whitespace())?;
    Some((Command::parse(name, value.trim())?, after))
}
