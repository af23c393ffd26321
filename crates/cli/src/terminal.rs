//! What the terminal can display, and what its user types to interrupt a command.

use std::io::{self, IsTerminal};
use std::{env, process};

use anyhow::Context;

/// How boards and findings are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Style {
    /// Letters as in a FEN: for files, pipes and old terminals.
    Letters,
    /// Unicode figurines without color.
    Figurines,
    /// Unicode figurines on colored squares.
    Colored,
}

impl Style {
    /// Chooses the style for standard output. `NO_COLOR` is honored (<https://no-color.org>).
    pub(crate) fn of_stdout(is_ascii_wanted: bool) -> Style {
        let is_set = |name| env::var_os(name).is_some_and(|value| !value.is_empty());
        let is_dumb = env::var_os("TERM").is_some_and(|term| term == "dumb");
        if is_ascii_wanted || is_dumb || !io::stdout().is_terminal() {
            Style::Letters
        } else if is_set("NO_COLOR") {
            Style::Figurines
        } else {
            Style::Colored
        }
    }
}

/// How to highlight a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Paint {
    Bold,
    Red,
    Yellow,
    Green,
    Blue,
}

impl Style {
    /// Highlights a text if the style has color.
    pub(crate) fn paint(self, paint: Paint, text: &str) -> String {
        let code = match paint {
            Paint::Bold => "1",
            Paint::Red => "1;31",
            Paint::Yellow => "1;33",
            Paint::Green => "1;32",
            Paint::Blue => "1;34",
        };
        match self {
            Style::Colored => format!("\x1b[{code}m{text}\x1b[0m"),
            Style::Letters | Style::Figurines => text.into(),
        }
    }
}

/// Ends a long command in an orderly way on the first interrupt, and at once on the second. `stop`
/// tells the command to end, and returns whether it had been told before.
pub(crate) fn on_interrupt(stop: impl Fn() -> bool + Send + 'static) -> anyhow::Result<()> {
    let handler = move || {
        if stop() {
            process::exit(130);
        }
    };
    ctrlc::set_handler(handler).context("cannot listen for Ctrl-C")
}

/// Makes a text safe for a terminal: each control character, which could change the terminal's
/// state, is replaced by one character, so that columns stay the same.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_terminal_with_color_is_painted() {
        assert_eq!(Style::Letters.paint(Paint::Red, "error"), "error");
        assert_eq!(Style::Figurines.paint(Paint::Red, "error"), "error");
        assert_eq!(Style::Colored.paint(Paint::Red, "error"), "\x1b[1;31merror\x1b[0m");
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(printable("a\x1b[2J\tß"), "a\u{fffd}[2J\u{fffd}ß");
    }
}
