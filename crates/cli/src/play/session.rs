//! `castellan play --terminal`: a game for two players at one terminal.
//!
//! This module reads the input and prints the replies; [`LocalGame`] manages the game.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, BufRead, IsTerminal, Write};

use anyhow::Context;

use super::PlayArgs;
use super::local_game::{LocalGame, Reply, Start};
use crate::fen::read_position;
use crate::input_lines::{InputLine, read_line};
use crate::terminal::Style;
use crate::{CommandStatus, limits};

/// Plays until the player quits.
pub(super) fn run(args: &PlayArgs) -> anyhow::Result<CommandStatus> {
    let start = match (&args.fen, args.chess960) {
        (Some(fen), _) => Start::Position(read_position(fen)?),
        (None, Some(Some(number))) => Start::Chess960(number),
        (None, Some(None)) => Start::AnyChess960(random_chess960_number),
        (None, None) => Start::Normal,
    };
    let game = LocalGame::new(start, Style::of_stdout(args.ascii));
    let stdin = io::stdin();
    let is_prompted = stdin.is_terminal();
    run_session(game, is_prompted, &mut stdin.lock(), &mut io::stdout().lock())?;
    Ok(CommandStatus::Success)
}

/// Reads lines, replies to them and prints the replies until the player quits or the input ends.
fn run_session(
    mut game: LocalGame,
    is_prompted: bool,
    input: &mut impl BufRead,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    write!(out, "{}", game.opening_text())?;
    loop {
        out.flush()?;
        if is_prompted {
            prompt(&game.prompt());
        }
        let reply =
            match read_line(input, limits::PLAY_LINE_BYTES).context("cannot read the input")? {
                None => break,
                Some(InputLine::Text(text)) => game.reply(&text),
                Some(InputLine::TooLong(_)) => Reply::refused("that line is too long for a move"),
                Some(InputLine::NotUtf8(_)) => Reply::refused("that line is not UTF-8 text"),
            };
        match reply {
            Reply::Text(text) => write!(out, "{text}")?,
            Reply::Refused(text) => {
                let _ = writeln!(io::stderr(), "{text}");
            }
            Reply::Quit => break,
        }
    }
    if is_prompted {
        writeln!(out)?;
    }
    write!(out, "{}", game.closing_text())?;
    Ok(out.flush()?)
}

/// Prints the prompt to standard error, so that standard output contains only the game.
fn prompt(text: &str) {
    let mut err = io::stderr();
    let _ = write!(err, "{text}> ").and_then(|()| err.flush());
}

/// Returns a random number below 960. The standard library seeds its hash tables at random, which
/// is random enough for shuffling a back rank.
fn random_chess960_number() -> u16 {
    let number = RandomState::new().build_hasher().finish() % 960;
    u16::try_from(number).expect("a remainder of 960 is below 960")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_numbers_differ_and_are_in_range() {
        let numbers: std::collections::BTreeSet<u16> =
            (0..100).map(|_| random_chess960_number()).collect();
        assert!(numbers.len() > 50 && numbers.iter().all(|&number| number < 960), "{numbers:?}");
    }
}
