//! `castellan pgn format`: rewrites games in the standard export format.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write as _};

use castellan_pgn::{Block, Flow, Game, LineIndex, Mode, for_each_game, write_game};
use clap::Args;

use super::finding::{Context, Finding, known_name};
use super::pipeline::{self, Done};
use super::{InputArgs, status};
use crate::CommandStatus;

/// Rewrite games in the PGN export format
///
/// Broken games are written as far as they could be read; their problems go to standard error.
#[derive(Args)]
#[command(after_help = "Examples:\n  castellan pgn format games.pgn.zst > games.pgn\n  \
        castellan pgn format < games.pgn | less\n\n\
        Exit codes: 0 no problems, 1 some games are broken, 2 the command could not run.")]
pub(crate) struct FormatArgs {
    #[command(flatten)]
    input: InputArgs,
}

/// The output for one block.
#[derive(Default)]
struct Written {
    games: String,
    problem_text: String,
}

/// Runs the command.
pub(crate) fn run(args: &FormatArgs) -> anyhow::Result<CommandStatus> {
    let mut out = BufWriter::new(io::stdout());
    let mut is_found = false;
    let sink = |written: Written| {
        out.write_all(written.games.as_bytes())?;
        out.flush()?;
        is_found |= !written.problem_text.is_empty();
        // A closed standard error is no reason to withhold the games.
        let _ = io::stderr().write_all(written.problem_text.as_bytes());
        Ok(())
    };
    let reading = pipeline::run(args.input.files(), args.input.threads(), format, sink)?;
    status(reading, is_found)
}

fn format(file: &str, block: &Block) -> Done<Written> {
    let mut written = Written::default();
    let mut lines = LineIndex::new(block);
    let mut games = 0;
    for_each_game(&block.bytes, Mode::Lenient, |game| {
        games += 1;
        write_game(&game, &mut written.games).expect("a string takes everything");
        write_problems(&game, file, &mut lines, &mut written.problem_text);
        Flow::Continue
    });
    let bytes = written.games.capacity() + written.problem_text.capacity();
    Done { games, bytes, result: written }
}

fn write_problems(game: &Game, file: &str, lines: &mut LineIndex<'_>, problem_text: &mut String) {
    let name = |tag| game.tags.get(tag).and_then(known_name);
    let context = Context { file, white: name("White"), black: name("Black") };
    for problem in &game.problems {
        let finding = Finding::new(problem, lines.find(problem.at), context);
        writeln!(problem_text, "{finding}").expect("a string takes everything");
    }
    let left_out = game.problem_count.saturating_sub(game.problems.len());
    if left_out > 0 {
        let finding = Finding::left_out(left_out, lines.find(game.range.end), context);
        writeln!(problem_text, "{finding}").expect("a string takes everything");
    }
}
