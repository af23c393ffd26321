//! `castellan pgn check`: lists the games that cannot be played through, and why.

use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::io::{self, BufWriter, Write as _};

use castellan_pgn::{Block, CheckedGame, Checker, LineIndex, Mode, Watcher, read, tag_value};
use clap::Args;
use serde::Serialize;

use super::finding::{Context, Finding, known_name};
use super::pipeline::{self, Done};
use super::{InputArgs, status};
use crate::CommandStatus;

/// Replay every game and list what is broken
///
/// Problems are listed as `FILE:LINE:COLUMN: TOKEN: REASON (WHITE - BLACK)`. The last line is
/// `games N ok N broken N`.
#[derive(Args)]
#[command(after_help = "Examples:\n  castellan pgn check games.pgn more-games.pgn.zst\n  \
        curl https://example.org/games.pgn.gz | castellan pgn check --json\n\n\
        Exit codes: 0 no problems, 1 problems found, 2 the command could not run.")]
pub(crate) struct CheckArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Also list deviations from the standard that do not break a game
    #[arg(long)]
    strict: bool,
    /// Print one JSON object per line
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Default, Serialize)]
struct Counts {
    games: u64,
    ok: u64,
    broken: u64,
}

/// The results of one block.
struct BlockFindings {
    counts: Counts,
    text: String,
}

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<CommandStatus> {
    let mut out = BufWriter::new(io::stdout());
    let mut total = Counts::default();
    let mut is_found = false;
    let sink = |found: BlockFindings| {
        total.games += found.counts.games;
        total.ok += found.counts.ok;
        total.broken += found.counts.broken;
        is_found |= !found.text.is_empty();
        out.write_all(found.text.as_bytes())?;
        out.flush()
    };
    let work = |file: &str, block: &Block| check(args, file, block);
    let reading = pipeline::run(args.input.files(), args.input.threads(), work, sink)?;
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&total)?)?;
    } else {
        writeln!(out, "{total}")?;
    }
    out.flush()?;
    status(reading, is_found)
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "games {} ok {} broken {}", self.games, self.ok, self.broken)
    }
}

fn check(args: &CheckArgs, file: &str, block: &Block) -> Done<BlockFindings> {
    let mode = if args.strict { Mode::Strict } else { Mode::Lenient };
    let writer = ProblemWriter {
        file,
        is_json: args.json,
        lines: LineIndex::new(block),
        white: Vec::new(),
        black: Vec::new(),
        found: BlockFindings { counts: Counts::default(), text: String::new() },
    };
    let mut checker = Checker::new(writer, mode);
    read(&block.bytes, &mut checker);
    let found = checker.into_watcher().found;
    Done { games: found.counts.games, bytes: found.text.capacity(), result: found }
}

/// Records the problems that a checker finds.
struct ProblemWriter<'a> {
    file: &'a str,
    is_json: bool,
    lines: LineIndex<'a>,
    /// The players' names as written, kept in case the game is broken.
    white: Vec<u8>,
    black: Vec<u8>,
    found: BlockFindings,
}

impl Watcher for ProblemWriter<'_> {
    fn tag(&mut self, name: &[u8], value: &[u8]) {
        let kept = match name {
            b"White" => &mut self.white,
            b"Black" => &mut self.black,
            _ => return,
        };
        kept.clear();
        kept.extend_from_slice(value);
    }

    fn game(&mut self, game: &CheckedGame<'_>) {
        let counts = &mut self.found.counts;
        counts.games += 1;
        counts.broken += u64::from(game.is_broken);
        counts.ok += u64::from(!game.is_broken);
        if !game.problems.is_empty() {
            self.list(game);
        }
        self.white.clear();
        self.black.clear();
    }
}

impl ProblemWriter<'_> {
    #[cold]
    fn list(&mut self, game: &CheckedGame<'_>) {
        let names: [Cow<'_, str>; 2] = [tag_value(&self.white), tag_value(&self.black)];
        let context =
            Context { file: self.file, white: known_name(&names[0]), black: known_name(&names[1]) };
        let mut text = std::mem::take(&mut self.found.text);
        for problem in game.problems {
            let finding = Finding::new(problem, self.lines.find(problem.at), context);
            write_line(&mut text, &finding, self.is_json);
        }
        if game.problems_left_out > 0 {
            let place = self.lines.find(game.range.end);
            let finding = Finding::left_out(game.problems_left_out, place, context);
            write_line(&mut text, &finding, self.is_json);
        }
        self.found.text = text;
    }
}

fn write_line(text: &mut String, finding: &Finding<'_>, is_json: bool) {
    if is_json {
        text.push_str(&serde_json::to_string(finding).expect("strings and numbers are JSON"));
        text.push('\n');
    } else {
        writeln!(text, "{finding}").expect("a string takes everything");
    }
}
