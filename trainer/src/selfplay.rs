//! `selfplay`: the engine plays against itself from random openings and writes whole games.

use std::fs;
use std::io::{BufWriter, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::available_parallelism;
use std::time::{Duration, Instant, SystemTime};

use anyhow::Context;
use castellan_engine::{Engine, Limits, Options, Signals};
use castellan_nnue::Network;
use castellan_rules::Line;
use clap::Args;

use crate::game::{Game, Ply};
use crate::game_end::{Adjudicator, winner_by_rules, written_score};
use crate::games_file::open_for_append;
use crate::opening::{MAX_OPENING_ADVANTAGE, opening};
use crate::random::{Random, mixed};

/// Play self-play games and append them to a games file
#[derive(Args)]
pub(crate) struct SelfplayArgs {
    /// Threads, each with its own engine and games; by default one for each core
    #[arg(long)]
    threads: Option<NonZeroUsize>,
    /// Nodes for each move: a search ends after the iteration that exceeds them
    #[arg(long, default_value_t = 1500)]
    nodes: u64,
    /// Stop after this many seconds; unfinished games are dropped
    #[arg(long)]
    seconds: Option<u64>,
    /// Stop after this many games
    #[arg(long)]
    games: Option<u64>,
    /// Random plies before the engine takes over; every second game has one more
    #[arg(long, default_value_t = 8)]
    random_plies: usize,
    /// Percentage of the later moves that are random. They have no score, and the positions after
    /// them resemble those that a search visits. The later scores and the result of such a game say
    /// little about positions before a random move, so use neither for training
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u8).range(..=90))]
    random_moves_percent: u8,
    /// Percentage of games from Chess960 starting positions; half of them with a different one for
    /// each color
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u8).range(..=100))]
    chess960_percent: u8,
    /// Advantage in centipawns for which a game is adjudicated as won if it lasts
    #[arg(long, default_value_t = 1200)]
    won: i32,
    /// Network file; by default the hand-written evaluation is used
    #[arg(long)]
    network: Option<PathBuf>,
    /// Size of the transposition table of each engine, in megabytes
    #[arg(long, default_value_t = 2)]
    hash_mb: usize,
    /// Seed of the openings; by default from the clock
    #[arg(long)]
    seed: Option<u64>,
    /// Games file; games are appended if it exists
    #[arg(long)]
    out: PathBuf,
}

/// A search is aborted at this multiple of the soft limit.
const HARD_FACTOR: u64 = 8;
/// The minimum number of nodes for judging an opening.
const OPENING_NODES: u64 = 1000;
/// The time between two lines of progress.
const PROGRESS: Duration = Duration::from_secs(10);

/// Runs the command.
pub(crate) fn run(args: &SelfplayArgs) -> anyhow::Result<()> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let seed = args.seed.unwrap_or(now.as_nanos() as u64);
    let threads = args.threads.or(available_parallelism().ok()).map_or(1, NonZeroUsize::get);
    let network = args.network.as_deref().map(read_network).transpose()?;
    let evaluation = network.as_ref().map_or("hand-written", |network| network.name());
    let description = format!(
        "castellan {} evaluation={evaluation} nodes={} seed={seed}",
        env!("CARGO_PKG_VERSION"),
        args.nodes
    );
    let (file, length) = open_for_append(&args.out, &description)?;
    let mut out = BufWriter::with_capacity(1 << 20, file);
    let shared = Shared {
        args,
        network,
        // If a file is continued with the same seed, the new games differ from the old ones.
        seed: mixed(seed ^ mixed(length)),
        stop: AtomicBool::new(false),
        games_left: AtomicU64::new(args.games.unwrap_or(u64::MAX)),
        dropped: AtomicU64::new(0),
    };
    println!("{threads} threads, {} nodes, seed {seed}, file has {length} bytes", args.nodes);
    std::thread::scope(|scope| {
        let (sender, receiver) = sync_channel(4 * threads);
        for index in 0..threads {
            let (shared, sender) = (&shared, sender.clone());
            scope.spawn(move || Player::new(shared, index).play_games(&sender));
        }
        drop(sender);
        let written = write_games(&shared, &receiver, &mut out);
        // This is also needed after an error, because nothing else stops the threads.
        shared.stop.store(true, Ordering::Relaxed);
        written
    })?;
    Ok(out.flush()?)
}

pub(crate) fn read_network(path: &Path) -> anyhow::Result<Arc<Network>> {
    let name = || format!("cannot read the network {}", path.display());
    let bytes = fs::read(path).with_context(name)?;
    Ok(Arc::new(Network::parse(&bytes).with_context(name)?))
}

/// The state that the threads share.
struct Shared<'a> {
    args: &'a SelfplayArgs,
    network: Option<Arc<Network>>,
    seed: u64,
    stop: AtomicBool,
    games_left: AtomicU64,
    /// The number of openings that were dropped because they were not balanced.
    dropped: AtomicU64,
}

impl Shared<'_> {
    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Writes games as they arrive, until the time is up or no thread is playing.
fn write_games(
    shared: &Shared<'_>,
    games: &Receiver<Game>,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let start = Instant::now();
    let end = shared.args.seconds.map(|seconds| start + Duration::from_secs(seconds));
    let mut progress = Progress::new(start);
    let mut bytes = Vec::new();
    loop {
        let next = end.map_or(progress.next, |end| end.min(progress.next));
        match games.recv_timeout(next.saturating_duration_since(Instant::now())) {
            Ok(game) => {
                bytes.clear();
                game.encode(&mut bytes);
                out.write_all(&bytes)?;
                progress.count(&game);
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        let now = Instant::now();
        if end.is_some_and(|end| now >= end) {
            shared.stop.store(true, Ordering::Relaxed);
            break;
        }
        if now >= progress.next {
            out.flush()?;
            progress.print(shared, now);
            progress.next = now + PROGRESS;
        }
    }
    progress.print(shared, Instant::now());
    Ok(())
}

struct Progress {
    start: Instant,
    next: Instant,
    games: u64,
    positions: u64,
    results: [u64; 3],
}

impl Progress {
    fn new(start: Instant) -> Progress {
        Progress { start, next: start + PROGRESS, games: 0, positions: 0, results: [0; 3] }
    }

    fn count(&mut self, game: &Game) {
        self.games += 1;
        self.positions += game.plies.iter().filter(|ply| ply.score.is_some()).count() as u64;
        self.results[game.winner.map_or(1, |winner| winner.fold(0, 2))] += 1;
    }

    fn print(&self, shared: &Shared<'_>, now: Instant) {
        let seconds = (now - self.start).as_secs_f64().max(1e-3);
        let [won, drawn, lost] = self.results;
        println!(
            "{seconds:.0} s: {} games (+{won} ={drawn} -{lost}), {} positions, {:.0}/s, \
             {} openings dropped",
            self.games,
            self.positions,
            self.positions as f64 / seconds,
            shared.dropped.load(Ordering::Relaxed),
        );
    }
}

/// One thread, whose engine plays both sides.
struct Player<'a> {
    shared: &'a Shared<'a>,
    engine: Engine,
    random: Random,
}

impl<'a> Player<'a> {
    fn new(shared: &'a Shared<'a>, index: usize) -> Player<'a> {
        let mut engine = Engine::new(Options { hash_mb: shared.args.hash_mb, threads: 1 });
        engine.set_network(shared.network.clone());
        Player { shared, engine, random: Random::new(shared.seed.wrapping_add(index as u64)) }
    }

    fn play_games(&mut self, games: &SyncSender<Game>) {
        let left = &self.shared.games_left;
        let take = |left: u64| left.checked_sub(1);
        while left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take).is_ok() {
            let game = loop {
                if self.shared.is_stopped() {
                    return;
                }
                let args = self.shared.args;
                let line = opening(&mut self.random, args.random_plies, args.chess960_percent);
                if let Some(game) = line.and_then(|line| self.play(line)) {
                    break game;
                }
            };
            if games.send(game).is_err() {
                return;
            }
        }
    }

    /// Plays a game to its end. Returns `None` if the opening was not balanced or the time is up.
    fn play(&mut self, mut line: Line) -> Option<Game> {
        self.engine.clear();
        let start = *line.start();
        let mut plies: Vec<Ply> = line.moves().iter().map(|&mv| Ply { mv, score: None }).collect();
        let mut adjudicator = Adjudicator::new(self.shared.args.won);
        let mut nodes = self.shared.args.nodes.max(OPENING_NODES);
        let opening_plies = plies.len();
        loop {
            if let Some(winner) = winner_by_rules(&line) {
                return Some(Game { start, winner, plies });
            }
            if self.shared.is_stopped() {
                return None;
            }
            // The engine judges the opening first.
            let percent = usize::from(self.shared.args.random_moves_percent);
            if plies.len() > opening_plies && self.random.below(100) < percent {
                let moves = line.position().legal_moves();
                let mv = moves[self.random.below(moves.len())];
                plies.push(Ply { mv, score: None });
                line.play(mv).ok()?;
                continue;
            }
            let hard = nodes.saturating_mul(HARD_FACTOR);
            let limits = Limits { soft_nodes: Some(nodes), nodes: Some(hard), ..Limits::default() };
            let signals = Signals::default();
            let clock = || Duration::ZERO;
            let answer = self.engine.go(&line, &limits, &clock, &signals, &mut |_| {});
            let mv = answer.mv?;
            let score = written_score(answer.score);
            if plies.len() == opening_plies && i32::from(score).abs() > MAX_OPENING_ADVANTAGE {
                self.shared.dropped.fetch_add(1, Ordering::Relaxed);
                return None;
            }
            nodes = self.shared.args.nodes;
            plies.push(Ply { mv, score: Some(score) });
            let score_for_white = line.turn().fold(1, -1) * i32::from(score);
            line.play(mv).ok()?;
            // A game that ended by the rules needs no adjudication.
            if let Some(winner) = winner_by_rules(&line) {
                return Some(Game { start, winner, plies });
            }
            if let Some(winner) = adjudicator.winner(score_for_white, plies.len()) {
                return Some(Game { start, winner, plies });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_moves_have_no_score_and_come_after_a_scored_one() {
        for percent in [0, 30] {
            let args = SelfplayArgs {
                threads: None,
                nodes: 50,
                seconds: None,
                games: None,
                random_plies: 8,
                random_moves_percent: percent,
                chess960_percent: 10,
                won: 1200,
                network: None,
                hash_mb: 1,
                seed: Some(3),
                out: PathBuf::new(),
            };
            let shared = Shared {
                args: &args,
                network: None,
                seed: 3,
                stop: AtomicBool::new(false),
                games_left: AtomicU64::new(u64::MAX),
                dropped: AtomicU64::new(0),
            };
            let mut player = Player::new(&shared, 0);
            let (mut scored, mut random) = (0, 0);
            for _ in 0..6 {
                let line = opening(&mut player.random, args.random_plies, args.chess960_percent);
                let Some(game) = line.and_then(|line| player.play(line)) else { continue };
                let first = game.plies.iter().position(|ply| ply.score.is_some()).unwrap();
                assert!(first >= args.random_plies);
                scored += game.plies[first..].iter().filter(|ply| ply.score.is_some()).count();
                random += game.plies[first..].iter().filter(|ply| ply.score.is_none()).count();
            }
            let share = 100 * random / (scored + random);
            let expected = if percent == 0 { 0..=0 } else { 20..=40 };
            assert!(expected.contains(&share), "{share} % of {}", scored + random);
        }
    }
}
