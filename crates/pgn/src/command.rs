//! Commands in comments: `[%clk 0:05:00]` and the like.
//!
//! Owns: the five commands that programs agree on. Every other stays in the text as it is, and
//! so does one whose value is not understood.

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
    /// `[%clk 1:05:23]`: what is left on the mover's clock after the move.
    Clock(ClockTime),
    /// `[%emt 0:00:05.3]`: how long the move took.
    Elapsed(ClockTime),
    /// `[%eval 0.17,20]`: what an engine thinks of the position.
    Eval(Eval),
    /// `[%cal Gc2c4,Re1e8]`: arrows on the board.
    Arrows(Vec<Arrow>),
    /// `[%csl Re4]`: squares that are marked.
    Squares(Vec<MarkedSquare>),
}

impl Command {
    /// The command of a name and a value, if both are known.
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

    /// Whether both set the same thing.
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

/// A comment taken apart: the commands, and what is left for people.
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
    /// The commands that were understood, in the order they stand.
    pub commands: Vec<Command>,
    /// The rest.
    pub text: String,
}

impl CommentParts {
    /// Takes the text of a comment apart.
    pub fn parse(comment: &str) -> CommentParts {
        let mut parts = CommentParts::default();
        let mut rest = comment;
        let mut looked_at = 0;
        while let Some(at) = rest[looked_at..].find("[%").map(|at| looked_at + at) {
            match split_command(&rest[at..]) {
                Some((command, after)) => {
                    parts.push_text(&rest[..at]);
                    parts.commands.push(command);
                    rest = after;
                    looked_at = 0;
                }
                None => looked_at = at + 2,
            }
        }
        parts.push_text(rest);
        parts
    }

    /// Sets a command, in the place of those of its kind.
    pub fn set(&mut self, command: Command) {
        let first = self.commands.iter().position(|old| old.is_same_kind(&command));
        self.commands.retain(|old| !old.is_same_kind(&command));
        let place = first.unwrap_or(self.commands.len());
        self.commands.insert(place, command);
    }

    /// Adds text, with one blank in the place of a command and those around it.
    fn push_text(&mut self, text: &str) {
        let text = text.trim();
        if !self.text.is_empty() && !text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(text);
    }
}

/// The commands, then the text.
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

/// The command a text begins with, and what comes after it.
fn split_command(text: &str) -> Option<(Command, &str)> {
    let (inner, after) = text.strip_prefix("[%")?.split_once(']')?;
    let (name, value) = inner.split_once(|letter: char| letter.is_ascii_whitespace())?;
    Some((Command::parse(name, value.trim())?, after))
}
