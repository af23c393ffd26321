//! `castellan pgn format`: rewrites games in the standard export format.

use std::fmt::Write as _;
use std::io::{self, BufWriter, Write as _};

use castellan_pgn::{Block, Flow, Game, Mode, for_each_game, write_game};
use clap::Args;

use super::finding::{Context, Finding, known};
use super::pipeline::{self, Done};
use super::place::Places;
use super::{InputArgs, verdict};
use crate::Verdict;

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
    complaints: String,
}

/// Runs the command.
pub(crate) fn run(args: &FormatArgs) -> anyhow::Result<Verdict> {
    let mut out = BufWriter::new(io::stdout());
    let mut is_found = false;
    let sink = |written: Written| {
        out.write_all(written.games.as_bytes())?;
        out.flush()?;
        is_found |= !written.complaints.is_empty();
        // A closed standard error is no reason to withhold the games.
        let _ = io::stderr().write_all(written.complaints.as_bytes());
        Ok(())
    };
    let reading = pipeline::run(args.input.files(), args.input.threads(), format, sink)?;
    verdict(reading, is_found)
}

fn format(file: &str, block: &Block) -> Done<Written> {
    let mut written = Written::default();
    let mut places = Places::new(block);
    let mut games = 0;
    for_each_game(&block.bytes, Mode::Lenient, |game| {
        games += 1;
        write_game(&game, &mut written.games).expect("a string takes everything");
        complain(&game, file, &mut places, &mut written.complaints);
        Flow::Continue
    });
    let bytes = written.games.capacity() + written.complaints.capacity();
    Done { games, bytes, result: written }
}

fn complain(game: &Game, file: &str, places: &mut Places<'_>, complaints: &mut String) {
    let name = |tag| game.tags.get(tag).and_then(known);
    let context = Context { file, white: name("White"), black: name("Black") };
    for problem in &game.problems {
        let finding = Finding::new(problem, places.find(problem.at), context);
        writeln!(complaints, "{finding}").expect("a string takes everything");
    }
    let left_out = game.problem_count.saturating_sub(game.problems.len());
    if left_out > 0 {
        let finding = Finding::left_out(left_out, places.find(game.range.end), context);
        writeln!(complaints, "{finding}").expect("a string takes everything");
    }
}
