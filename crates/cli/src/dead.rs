//! `castellan dead`: determines who can still win.
//!
//! This module formats the answers as text and JSON. `castellan-winnable` finds them.

use std::io::{self, BufReader, BufWriter, IsTerminal, Read, Write};

use anyhow::Context;
use castellan_rules::{Color, Line, Position};
use castellan_winnable::{Budget, CanWin, Reason, can_win};
use clap::Args;
use serde::Serialize;

use crate::fen::read_position;
use crate::input_lines::{InputLine, read_line};
use crate::play::score_sheet;
use crate::{CommandStatus, limits};

/// Find out which side can still win
///
/// Prints `both`, `white`, `black`, `dead` or `unknown`: which side can still give mate by some
/// sequence of legal moves. If neither side can, the position is dead and the game is drawn at once
/// (FIDE 5.2.2). For each side that can win, shows moves that lead to mate.
#[derive(Args)]
#[command(
    after_help = "Examples:\n  castellan dead \"8/8/3k3p/1p2p1pP/1P2P1P1/8/2K5/8 b - -\"\n  \
        castellan dead --json < positions.txt\n\n\
        Exit codes: 0 the answer is known, 1 it is unknown or a line is not a FEN, 2 the command \
        could not run."
)]
pub(crate) struct DeadArgs {
    /// FEN with six or four fields; quotes are optional
    #[arg(value_name = "FEN", required_unless_present = "json", allow_negative_numbers = true)]
    fields: Vec<String>,
    /// Print one JSON object per line; without a FEN, read one per line from standard input
    #[arg(long)]
    json: bool,
    /// Maximum number of positions to search for each side
    #[arg(long, value_name = "N", default_value_t = limits::DEAD_NODES)]
    nodes: u64,
}

/// Runs the command.
pub(crate) fn run(args: &DeadArgs) -> anyhow::Result<CommandStatus> {
    let mut out = io::stdout().lock();
    if args.json && args.fields.is_empty() {
        let input = io::stdin();
        if input.is_terminal() {
            let _ = writeln!(io::stderr(), "Enter one FEN per line; press Ctrl-D to finish");
        }
        return answer_lines(input.lock(), &mut out, args.nodes);
    }
    let text = args.fields.join(" ");
    if args.json {
        return answer_line(&InputLine::Text(text), &mut out, args.nodes);
    }
    let answer = WinAnswer::of(&read_position(&text)?, args.nodes);
    write!(out, "{}", answer.report())?;
    Ok(answer.status())
}

/// The result for one position.
struct WinAnswer {
    position: Position,
    /// The result for White, then for Black.
    sides: [CanWin; 2],
}

impl WinAnswer {
    fn of(position: &Position, nodes: u64) -> WinAnswer {
        let sides = Color::ALL.map(|color| can_win(position, color, &mut Budget::of_nodes(nodes)));
        WinAnswer { position: *position, sides }
    }

    /// Returns the result in one word.
    fn word(&self) -> &'static str {
        match &self.sides {
            [CanWin::Unknown(_), _] | [_, CanWin::Unknown(_)] => "unknown",
            [CanWin::Yes(_), CanWin::Yes(_)] => "both",
            [CanWin::Yes(_), CanWin::No(_)] => "white",
            [CanWin::No(_), CanWin::Yes(_)] => "black",
            [CanWin::No(_), CanWin::No(_)] => "dead",
        }
    }

    fn status(&self) -> CommandStatus {
        CommandStatus::found_if(self.word() == "unknown")
    }

    /// Formats the word, and one line for each side.
    fn report(&self) -> String {
        let mut text = format!("{}\n", self.word());
        for (color, side) in Color::ALL.into_iter().zip(&self.sides) {
            text += &format!("{color} {}\n", self.sentence(side));
        }
        text
    }

    fn sentence(&self, side: &CanWin) -> String {
        match side {
            CanWin::Yes(moves) if moves.is_empty() => "has won by checkmate".into(),
            CanWin::Yes(moves) => {
                let mut line = Line::new(self.position);
                for &mv in moves {
                    // A line longer than any game is cut off; the part shown is still correct.
                    if line.play(mv).is_err() {
                        break;
                    }
                }
                format!("can win:\n{}", score_sheet(&line, "").trim_end())
            }
            CanWin::No(reason) => format!("cannot win: {}", reason_text(*reason)),
            CanWin::Unknown(nodes) => {
                format!("may be able to win: undecided after {nodes} positions")
            }
        }
    }
}

fn reason_text(reason: Reason) -> String {
    match reason {
        Reason::Over => "the game is over".into(),
        Reason::Material => "no mate is possible with this material".into(),
        Reason::Blocked => "the pieces are blocked, and no reachable position is mate".into(),
        Reason::Exhausted(1) => "no other position can be reached".into(),
        Reason::Exhausted(positions) => {
            format!("no mate was found in any of the {positions} positions that matter")
        }
    }
}

/// The JSON object for one FEN.
#[derive(Serialize)]
#[serde(untagged)]
enum DeadJson<'a> {
    Answer { fen: &'a str, can_win: &'static str },
    Error { fen: &'a str, error: String },
}

/// Answers every line of the input, including empty ones, so that answers and lines match.
fn answer_lines(input: impl Read, out: impl Write, nodes: u64) -> anyhow::Result<CommandStatus> {
    let mut input = BufReader::new(input);
    let mut out = BufWriter::new(out);
    let mut status = CommandStatus::Success;
    loop {
        // Flush before a read that may block, for clients that wait for each answer.
        if !input.buffer().contains(&b'\n') {
            out.flush()?;
        }
        let line = read_line(&mut input, limits::FEN_BYTES).context("cannot read the input")?;
        let Some(line) = line else { break };
        status = status.max(answer_line(&line, &mut out, nodes)?);
    }
    out.flush()?;
    Ok(status)
}

fn answer_line(
    line: &InputLine,
    out: &mut impl Write,
    nodes: u64,
) -> anyhow::Result<CommandStatus> {
    let (object, status) = match line {
        InputLine::Text(text) => {
            let fen = text.strip_prefix('\u{feff}').unwrap_or(text);
            match read_position(fen) {
                Ok(position) => {
                    let answer = WinAnswer::of(&position, nodes);
                    (DeadJson::Answer { fen, can_win: answer.word() }, answer.status())
                }
                Err(error) => {
                    (DeadJson::Error { fen, error: error.to_string() }, CommandStatus::Found)
                }
            }
        }
        InputLine::NotUtf8(text) => (
            DeadJson::Error { fen: text, error: "expected UTF-8 text".into() },
            CommandStatus::Found,
        ),
        InputLine::TooLong(text) => {
            let error = format!("expected at most {} bytes", limits::FEN_BYTES);
            (DeadJson::Error { fen: text, error }, CommandStatus::Found)
        }
    };
    serde_json::to_writer(&mut *out, &object)?;
    out.write_all(b"\n")?;
    Ok(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(fen: &str, expected: &str) {
        let answer = WinAnswer::of(&read_position(fen).unwrap(), 10_000);
        assert_eq!(answer.report(), expected);
    }

    #[test]
    fn each_side_has_its_reason() {
        check(
            "7k/8/5K2/6Q1/8/8/8/8 w - -",
            "white\nWhite can win:\n1. Qg7#\nBlack cannot win: no mate is possible with this \
             material\n",
        );
        check(
            "8/8/3k3p/1p2p1pP/1P2P1P1/8/2K5/8 b - -",
            "dead\nWhite cannot win: the pieces are blocked, and no reachable position is mate\n\
             Black cannot win: the pieces are blocked, and no reachable position is mate\n",
        );
        check(
            "7k/6Q1/5K2/8/8/8/8/8 b - -",
            "white\nWhite has won by checkmate\nBlack cannot win: the game is over\n",
        );
    }

    #[test]
    fn every_line_has_its_answer() {
        let input = b"8/8/4k3/8/8/4K3/8/8 w - -\n\nnonsense\n\xff\n";
        let mut out = Vec::new();
        assert_eq!(answer_lines(&input[..], &mut out, 10).unwrap(), CommandStatus::Found);
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "{\"fen\":\"8/8/4k3/8/8/4K3/8/8 w - -\",\"can_win\":\"dead\"}");
        assert!(lines[1..].iter().all(|line| line.contains("\"error\":")), "{lines:?}");
        assert_eq!(lines.len(), 4);
    }
}
