//! `check`: replays games files by the rules and prints statistics.

use std::collections::BTreeMap;
use std::path::PathBuf;

use castellan_rules::Position;
use clap::Args;

use crate::game::{Game, MATE_SCORE};
use crate::games_file::GamesReader;
use crate::rounds::{IncompleteGame, fold_games};

/// Replay games files by the rules and print statistics
#[derive(Args)]
pub(crate) struct CheckArgs {
    /// Games files
    #[arg(required = true)]
    files: Vec<PathBuf>,
}

/// Statistics over games.
#[derive(Default)]
struct Counts {
    games: u64,
    /// The number of games that White won, drew and lost.
    results: [u64; 3],
    normal_starts: u64,
    plies: u64,
    scored: u64,
    mates: u64,
    longest: usize,
    /// The number of scored plies by score, in steps of [`BAR_WIDTH`].
    scores: BTreeMap<i32, u64>,
}

/// The width of a bar of the histogram, in centipawns.
const BAR_WIDTH: i32 = 200;
/// Scores beyond this share one bar, in centipawns.
const MAX_BAR_SCORE: i32 = 2000;
/// The longest mate of the engine, in plies.
const MATE_PLIES: i16 = 200;

impl Counts {
    fn add(&mut self, game: &Game) {
        self.games += 1;
        self.results[game.winner.map_or(1, |winner| winner.fold(0, 2))] += 1;
        self.normal_starts += u64::from(game.start == Position::start());
        self.plies += game.plies.len() as u64;
        self.longest = self.longest.max(game.plies.len());
        for score in game.plies.iter().filter_map(|ply| ply.score) {
            self.scored += 1;
            self.mates += u64::from(score.abs() >= MATE_SCORE - MATE_PLIES);
            let bar = i32::from(score).clamp(-MAX_BAR_SCORE, MAX_BAR_SCORE).div_euclid(BAR_WIDTH);
            *self.scores.entry(bar).or_default() += 1;
        }
    }

    fn merge(&mut self, other: Counts) {
        self.games += other.games;
        for (sum, count) in self.results.iter_mut().zip(other.results) {
            *sum += count;
        }
        self.normal_starts += other.normal_starts;
        self.plies += other.plies;
        self.scored += other.scored;
        self.mates += other.mates;
        self.longest = self.longest.max(other.longest);
        for (bar, count) in other.scores {
            *self.scores.entry(bar).or_default() += count;
        }
    }

    fn print(&self) {
        let [won, drawn, lost] = self.results;
        let share = |count: u64, of: u64| 100.0 * count as f64 / of.max(1) as f64;
        println!("games {} (White +{won} ={drawn} -{lost})", self.games);
        println!("normal starts {:.1} %", share(self.normal_starts, self.games));
        let mean = self.plies as f64 / self.games.max(1) as f64;
        println!("plies {} (mean {mean:.1}, longest {})", self.plies, self.longest);
        println!("scored {} ({} mates)", self.scored, self.mates);
        for (bar, &count) in &self.scores {
            println!("{:>6}.. {count:>12} {:>5.1} %", bar * BAR_WIDTH, share(count, self.scored));
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<()> {
    let mut total = Counts::default();
    for path in &args.files {
        println!("{}: {}", path.display(), GamesReader::open(path)?.description());
    }
    let work = |game: &Game, counts: &mut Counts| counts.add(game);
    let checked = fold_games(&args.files, IncompleteGame::Refused, work, |counts| {
        total.merge(counts);
        Ok(())
    });
    total.print();
    checked
}
