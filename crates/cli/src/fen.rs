//! `castellan fen`: what a FEN says, and what is wrong with it.

mod examination;
mod excerpt;
mod finding;
mod json;
mod words;

use std::io::{self, IsTerminal, Write};

use anyhow::bail;
use castellan_rules::{Color, Position};
use clap::Args;

use crate::Verdict;
use crate::board::{Drawing, Marks, checked_kings};
use crate::terminal::Style;
use examination::Examination;
use finding::Severity;

/// Explain a FEN and say what is wrong with it
///
/// Draws the board, says in words what the other fields mean, and lists every finding. In
/// letters, `(K)` is a king in check and `[P]` a square with something wrong.
#[derive(Args)]
#[command(after_help = "Examples:\n  castellan fen \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"\n  \
        castellan fen --json < positions.txt\n\n\
        Exit codes: 0 nothing found, 1 something found, 2 it could not be asked that way.")]
pub(crate) struct FenArgs {
    /// The FEN, of six fields or of four; the quotes may be left out
    #[arg(value_name = "FEN", required_unless_present = "json", allow_negative_numbers = true)]
    fields: Vec<String>,
    /// Print one JSON object a line; without a FEN, read one a line from standard input
    #[arg(long)]
    json: bool,
    /// Draw the board in letters
    #[arg(long)]
    ascii: bool,
}

/// Runs the command.
pub(crate) fn run(args: &FenArgs) -> anyhow::Result<Verdict> {
    let mut out = io::stdout().lock();
    if args.json && args.fields.is_empty() {
        let input = io::stdin();
        if input.is_terminal() {
            let _ = writeln!(io::stderr(), "one FEN a line, please; Ctrl-D ends");
        }
        return json::run(input.lock(), &mut out);
    }
    let examination = Examination::of_text(&args.fields.join(" "));
    if args.json {
        json::write_object(&examination, &mut out)?;
    } else {
        write!(out, "{}", report(&examination, Style::of_stdout(args.ascii)))?;
    }
    Ok(examination.verdict())
}

/// The position of a FEN that an option gave. A FEN that cannot be played is a question that
/// could not be asked that way, and the error says all that is wrong.
pub(crate) fn read_position(text: &str) -> anyhow::Result<Position> {
    let examination = Examination::of_text(text);
    if let Some(position) = examination.position {
        return Ok(position);
    }
    let lines = finding_lines(&examination, Style::Letters, |severity| severity == Severity::Error);
    bail!("this FEN gives no position to play from\n{}", lines.trim_end());
}

/// Everything for a person to read.
fn report(examination: &Examination, style: Style) -> String {
    let mut text = String::new();
    if let Some(setup) = &examination.setup {
        let marks = Marks {
            checked: checked_kings(setup),
            wrong: examination.marked_squares(),
            ..Marks::default()
        };
        let drawing = Drawing { pieces: &setup.pieces, bottom: Color::White, style, marks };
        text = format!("\n{drawing}\n{}\n", words::describe(setup, examination.position.as_ref()));
    }
    let findings = finding_lines(examination, style, |_| true);
    text.push_str(if findings.is_empty() { "Nothing wrong was found.\n" } else { &findings });
    text
}

/// One line for each finding, and for one about the text itself also where it is.
fn finding_lines(
    examination: &Examination,
    style: Style,
    is_wanted: impl Fn(Severity) -> bool,
) -> String {
    let wanted = examination.findings.iter().filter(|finding| is_wanted(finding.severity));
    let line = |finding: &finding::Finding| {
        let place = if examination.setup.is_none() {
            excerpt::point_at(&examination.fen, finding.column)
        } else {
            String::new()
        };
        format!("{}{place}\n", finding.sentence(style))
    };
    wanted.map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_has_board_words_and_findings() {
        let fen = "4k3/8/8/8/8/8/8/P3K2R w Q - 3 1";
        let expected = "
 8   .  .  .  .  k  .  .  .
 7   .  .  .  .  .  .  .  .
 6   .  .  .  .  .  .  .  .
 5   .  .  .  .  .  .  .  .
 4   .  .  .  .  .  .  .  .
 3   .  .  .  .  .  .  .  .
 2   .  .  .  .  .  .  .  .
 1  [P] .  .  .  K  .  .  R

     a  b  c  d  e  f  g  h

White to move.
Castling left: White queenside; Black none.
En passant: none.
Clocks: 3 half-moves since the last capture or pawn move, move 1.

error: a pawn stands on the first or the last rank (a1)
error: castling is claimed where king and rook do not stand for it (a1)
warning: the half-move clock counts more moves than were played
";
        assert_eq!(report(&Examination::of_text(fen), Style::Letters), expected);
    }

    #[test]
    fn an_error_in_the_text_is_pointed_at() {
        let expected = "\
error: column 17: expected a rank of 8 squares, this one has 9
  4k3/8/8/8/8/8/4P4/4K3 w - -
                  ^
";
        let examination = Examination::of_text("4k3/8/8/8/8/8/4P4/4K3 w - -");
        assert_eq!(report(&examination, Style::Letters), expected);
    }

    #[test]
    fn a_position_that_cannot_be_played_is_refused_with_its_errors_only() {
        let error = read_position("8/8/8/8/8/8/8/4K3 w - - 9 1").unwrap_err().to_string();
        let expected = "this FEN gives no position to play from\nerror: Black has no king";
        assert_eq!(error, expected);
        assert!(read_position("4k3/8/8/8/8/8/8/4K3 w - - 9 1").is_ok());
    }
}
