//! `castellan pgn stats`: statistics of games.

mod report;

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use castellan_pgn::{
    Block, CheckedGame, Checker, Classifier, GameResult, LineIndex, Mode, Opening, Watcher, read,
    tag_value,
};
use castellan_rules::{Color, Position};
use clap::Args;

use super::finding::known_name;
use super::limits::{LISTED, PLAYER_BYTES, PLAYERS};
use super::name_counts::NameCounts;
use super::pipeline::{self, Done};
use super::{InputArgs, status};
use crate::CommandStatus;
use report::Report;

/// Count games, moves, results, players and openings
///
/// Openings are recognized by position, regardless of move order. A broken game counts with the
/// moves that could be read.
#[derive(Args)]
#[command(after_help = "Examples:\n  castellan pgn stats games.pgn.zst\n  \
        castellan pgn stats --json < games.pgn")]
pub(crate) struct StatsArgs {
    #[command(flatten)]
    input: InputArgs,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &StatsArgs) -> anyhow::Result<CommandStatus> {
    let mut total = Stats::new(PLAYERS);
    let sink = |stats: Stats| {
        total.add(stats);
        Ok(())
    };
    let reading = pipeline::run(args.input.files(), args.input.threads(), count, sink)?;
    let report = Report::new(&total);
    let mut out = io::stdout().lock();
    if args.json {
        writeln!(out, "{}", serde_json::to_string(&report)?)?;
    } else {
        write!(out, "{report}")?;
    }
    status(reading, false)
}

/// The statistics of some games.
struct Stats {
    games: u64,
    broken: u64,
    plies: u64,
    white_wins: u64,
    black_wins: u64,
    draws: u64,
    open: u64,
    players: NameCounts,
    /// Bounded by the number of openings in the table.
    openings: HashMap<Opening, u64>,
    /// The longest games, longest first.
    longest: Vec<LongGame>,
}

/// One of the longest games.
struct LongGame {
    plies: usize,
    white: String,
    black: String,
    file: Arc<str>,
    line: u64,
}

impl Stats {
    fn new(most_players: usize) -> Stats {
        Stats {
            games: 0,
            broken: 0,
            plies: 0,
            white_wins: 0,
            black_wins: 0,
            draws: 0,
            open: 0,
            players: NameCounts::new(most_players),
            openings: HashMap::new(),
            longest: Vec::new(),
        }
    }

    /// Adds the statistics of later games.
    fn add(&mut self, other: Stats) {
        self.games += other.games;
        self.broken += other.broken;
        self.plies += other.plies;
        self.white_wins += other.white_wins;
        self.black_wins += other.black_wins;
        self.draws += other.draws;
        self.open += other.open;
        self.players.add_all(&other.players);
        for (opening, count) in other.openings {
            *self.openings.entry(opening).or_default() += count;
        }
        self.longest.extend(other.longest);
        self.keep_longest();
    }

    /// Keeps only the longest games. Of two games of equal length the earlier one comes first,
    /// because the sort is stable.
    fn keep_longest(&mut self) {
        self.longest.sort_by_key(|game| usize::MAX - game.plies);
        self.longest.truncate(LISTED);
    }

    fn is_among_longest(&self, plies: usize) -> bool {
        self.longest.len() < LISTED || self.longest.last().is_some_and(|last| last.plies < plies)
    }
}

fn count(file: &str, block: &Block) -> Done<Stats> {
    let counter = Counter {
        stats: Stats::new(usize::MAX),
        file: file.into(),
        lines: LineIndex::new(block),
        classifier: Classifier::default(),
        white: String::new(),
        black: String::new(),
    };
    let mut checker = Checker::new(counter, Mode::Lenient);
    read(&block.bytes, &mut checker);
    let stats = checker.into_watcher().stats;
    // A name with its count and its table entry takes about as much memory as a long name.
    Done { games: stats.games, bytes: stats.players.len() * PLAYER_BYTES, result: stats }
}

/// Counts what a checker reads.
struct Counter<'a> {
    stats: Stats,
    file: Arc<str>,
    lines: LineIndex<'a>,
    classifier: Classifier,
    white: String,
    black: String,
}

impl Watcher for Counter<'_> {
    fn tag(&mut self, name: &[u8], value: &[u8]) {
        let kept = match name {
            b"White" => &mut self.white,
            b"Black" => &mut self.black,
            _ => return,
        };
        kept.clear();
        kept.push_str(shortened(known_name(&tag_value(value)).unwrap_or_default()));
    }

    fn position(&mut self, position: &Position) {
        self.classifier.follow(position);
    }

    fn game(&mut self, game: &CheckedGame<'_>) {
        let stats = &mut self.stats;
        stats.games += 1;
        stats.broken += u64::from(game.is_broken);
        stats.plies += game.plies as u64;
        *match game.result {
            GameResult::Win(Color::White) => &mut stats.white_wins,
            GameResult::Win(Color::Black) => &mut stats.black_wins,
            GameResult::Draw => &mut stats.draws,
            GameResult::Open => &mut stats.open,
        } += 1;
        for name in [&self.white, &self.black] {
            if !name.is_empty() {
                stats.players.add(name, 1);
            }
        }
        if let Some(opening) = std::mem::take(&mut self.classifier).opening() {
            *stats.openings.entry(opening).or_default() += 1;
        }
        self.note_length(game);
        self.white.clear();
        self.black.clear();
    }
}

impl Counter<'_> {
    fn note_length(&mut self, game: &CheckedGame<'_>) {
        if self.stats.is_among_longest(game.plies) {
            let (line, _) = self.lines.find(game.range.start);
            self.stats.longest.push(LongGame {
                plies: game.plies,
                white: self.white.clone(),
                black: self.black.clone(),
                file: Arc::clone(&self.file),
                line,
            });
            self.stats.keep_longest();
        }
    }
}

/// Returns the beginning of a name.
fn shortened(name: &str) -> &str {
    &name[..name.floor_char_boundary(PLAYER_BYTES)]
}
