//! `castellan fen`: explains a FEN, lists its problems and suggests repairs.
//!
//! This module formats the doctor's report for the terminal and as JSON. `castellan-legality`
//! produces the report.

mod deadline;
mod examine;
mod excerpt;
mod json;
mod report;

use std::env;
use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use castellan_legality::message::{Language, Phrase, phrase, report_text};
use castellan_legality::picture::{View, svg};
use castellan_legality::{Doctor, Effort, Report};
use castellan_rules::Position;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use crate::input_lines::{InputLine, read_line};
use crate::terminal::Style;
use crate::{CommandStatus, limits};
use deadline::Deadline;
use examine::FenRequest;

/// Explain a FEN, list its problems and suggest repairs
///
/// Draws the board, explains the other fields, says whether a game can reach the position, and
/// lists every problem, with a repaired FEN where possible. Without color, `(K)` marks a king in
/// check and `[P]` a square with a problem. Without a FEN, asks for one, or answers every line of
/// standard input if that is not a terminal.
#[derive(Args)]
#[command(after_help = "Examples:\n  castellan fen \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"\n  \
        castellan fen --lang sk --svg board.svg \"4k3/8/8/1B6/8/8/8/4K3 w - -\"\n  \
        castellan fen --chess960 \"4k3/8/8/8/8/8/8/1R2K1R1 w KQ - 0 40\"\n  \
        castellan fen --json --effort quick < positions.txt\n\n\
        Exit codes: 0 no problems, 1 errors or warnings found, 2 the command could not run.")]
pub(crate) struct FenArgs {
    /// FEN with six or four fields; quotes are optional
    #[arg(value_name = "FEN", allow_negative_numbers = true)]
    fields: Vec<String>,
    /// Print one JSON object per line; without a FEN, read one per line from standard input
    #[arg(long)]
    json: bool,
    /// Write the board as an SVG image to a file; `-` prints only the image
    #[arg(long, value_name = "FILE", requires = "fields")]
    svg: Option<PathBuf>,
    /// Language of the report; by default that of the environment
    #[arg(long, value_parser = PossibleValuesParser::new(Language::ALL.map(Language::code))
        .try_map(|code| code.parse::<Language>()))]
    lang: Option<Language>,
    /// Effort to find a game that reaches the position, or a proof that none exists
    #[arg(long, value_enum, default_value_t)]
    effort: EffortArg,
    /// Read the FEN as Chess960: KQkq mean the outermost rooks, wherever the king is
    #[arg(long)]
    chess960: bool,
    /// Maximum time for each FEN with `--effort deep`
    #[arg(long, value_name = "SECONDS", default_value_t = limits::FEN_SECONDS_DEFAULT,
        value_parser = clap::value_parser!(u64).range(1..=limits::FEN_SECONDS))]
    time: u64,
    /// Draw the pieces as letters
    #[arg(long)]
    ascii: bool,
}

/// [`Effort`] as the command line spells it.
#[derive(Clone, Copy, Default, ValueEnum)]
enum EffortArg {
    /// Only instant checks (microseconds)
    Quick,
    /// Up to a tenth of a second
    #[default]
    Normal,
    /// Up to the limit set with `--time`
    Deep,
}

impl FenArgs {
    fn request(&self) -> FenRequest {
        let (effort, time) = match self.effort {
            EffortArg::Quick => (Effort::Quick, None),
            EffortArg::Normal => (Effort::Normal, Some(limits::FEN_NORMAL_TIME)),
            EffortArg::Deep => (Effort::Deep, Some(Duration::from_secs(self.time))),
        };
        let language = self.lang.unwrap_or_else(|| language_of(|name| env::var(name).ok()));
        let doctor = Doctor { effort, is_chess960: self.chess960 };
        FenRequest { doctor, time, language }
    }
}

/// Returns the language of the environment. As in POSIX, the first of these variables that is set
/// decides, even if it names a language that is not supported.
fn language_of(variable: impl Fn(&str) -> Option<String>) -> Language {
    let is_set = |value: &String| !value.is_empty();
    ["LC_ALL", "LC_MESSAGES", "LANG"]
        .into_iter()
        .find_map(|name| variable(name).filter(is_set))
        .and_then(|locale| Language::of_locale(&locale))
        .unwrap_or_default()
}

/// Runs the command.
pub(crate) fn run(args: &FenArgs) -> anyhow::Result<CommandStatus> {
    let request = args.request();
    let mut out = io::stdout().lock();
    if args.fields.is_empty() {
        let input = io::stdin();
        let is_terminal = input.is_terminal();
        if is_terminal {
            let prompt = phrase(Phrase::AskForFens, &[], request.language);
            let _ = writeln!(io::stderr(), "{prompt}");
        }
        if args.json {
            return json::run(input.lock(), &mut out, &request);
        }
        let style = Style::of_stdout(args.ascii);
        return answer_lines(&mut input.lock(), &mut out, is_terminal, style, &request);
    }
    let deadline = Deadline::new(request.time, Some(request.language));
    let report = examine::of_text(&args.fields.join(" "), request.doctor, &deadline);
    drop(deadline);
    if let Some(path) = &args.svg {
        write_picture(&report, path, request.language, &mut out)?;
    }
    let is_picture_alone = args.svg.as_deref() == Some(Path::new("-"));
    if args.json && !is_picture_alone {
        json::write_object(&report, request.language, &mut out)?;
    } else if !is_picture_alone {
        write_report(&report, Style::of_stdout(args.ascii), &request, &mut out)?;
    }
    Ok(examine::command_status(&report))
}

fn write_report(
    report: &Report,
    style: Style,
    request: &FenRequest,
    out: &mut impl Write,
) -> io::Result<()> {
    let repairs = request.doctor.repairs(report);
    write!(out, "{}", report::write(report, &repairs, style, request.language))
}

/// Answers every non-empty line of the input; at a terminal, prompts for each.
fn answer_lines(
    input: &mut impl BufRead,
    out: &mut impl Write,
    is_terminal: bool,
    style: Style,
    request: &FenRequest,
) -> anyhow::Result<CommandStatus> {
    let mut verdict = CommandStatus::Success;
    let mut is_first = true;
    loop {
        if is_terminal {
            let prompt = phrase(Phrase::FenPrompt, &[], request.language);
            let _ = write!(io::stderr(), "{prompt}> ");
        }
        let Some(line) = read_line(input, limits::FEN_BYTES).context("cannot read the input")?
        else {
            break;
        };
        if matches!(&line, InputLine::Text(text) if text.trim().is_empty()) {
            continue;
        }
        let deadline = Deadline::new(request.time, Some(request.language));
        let report = examine::of_line(&line, request.doctor, &deadline);
        drop(deadline);
        if !is_first {
            writeln!(out)?;
        }
        is_first = false;
        write_report(&report, style, request, out)?;
        out.flush()?;
        verdict = verdict.max(examine::command_status(&report));
    }
    if is_terminal {
        let _ = writeln!(io::stderr());
    }
    Ok(verdict)
}

/// Writes the board as a picture, if there is one.
fn write_picture(
    report: &Report,
    path: &Path,
    language: Language,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let Some(setup) = &report.setup else {
        let _ = writeln!(io::stderr(), "{}", phrase(Phrase::NoPicture, &[], language));
        return Ok(());
    };
    let remarks = report_text::remarks(report, language);
    let view = View { language, remarks: &remarks, ..View::default() };
    let picture = svg(setup, &examine::marks(report, setup), &view);
    if path == Path::new("-") {
        out.write_all(picture.as_bytes())?;
    } else {
        fs::write(path, picture).with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// Parses a FEN given as an option. If the position cannot be played, the command fails with exit
/// code 2, and the error lists everything that is wrong. Castling letters are read as in Chess960,
/// which includes standard chess, so that every playable position is accepted.
pub(crate) fn read_position(text: &str) -> anyhow::Result<Position> {
    let doctor = Doctor { effort: Effort::Quick, is_chess960: true };
    let report = examine::of_text(text, doctor, &Deadline::new(None, None));
    if let Some(position) = report.position {
        return Ok(position);
    }
    let errors = report::errors(&report, Language::English);
    bail!("this FEN is not a playable position\n{}", errors.trim_end());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_variable_that_is_set_decides() {
        let check = |variables: &[(&str, &str)], expected| {
            let find = |name: &str| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_string())
            };
            assert_eq!(language_of(find), expected, "{variables:?}");
        };
        check(&[], Language::English);
        check(&[("LANG", "sk_SK.UTF-8")], Language::Slovak);
        check(&[("LANG", "sk_SK.UTF-8"), ("LC_MESSAGES", "pl_PL")], Language::Polish);
        check(&[("LANG", "sk_SK.UTF-8"), ("LC_ALL", "C")], Language::English);
        check(&[("LANG", "fi_FI"), ("LC_ALL", ""), ("LC_MESSAGES", "")], Language::Finnish);
        check(&[("LANG", "de_DE.UTF-8")], Language::English);
    }

    #[test]
    fn a_position_that_cannot_be_played_is_refused_with_its_errors_only() {
        let error = read_position("8/8/8/8/8/8/8/4K3 w - - 9 1").unwrap_err().to_string();
        let expected = "this FEN is not a playable position\nerror: Black has no king";
        assert_eq!(error, expected);
        assert!(read_position("4k3/8/8/8/8/8/8/4K3 w - - 9 1").is_ok());
    }
}
