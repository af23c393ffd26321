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
use castellan_engine::{Engine, Limits, Options, Score, Signals};
use castellan_nnue::Network;
use castellan_rules::{Color, Line, Position, Role, Setup};
use clap::Args;

use crate::game::{Game, MATE_SCORE, MAX_GAME_PLIES, Ply};
use crate::games_file::open_for_append;
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
/// The number of plies for which an advantage has to last to win.
const WON_PLIES: usize = 5;
/// A score up to this counts as drawn if it lasts, in centipawns.
const DRAWN: i32 = 8;
/// The number of plies for which such a score has to last.
const DRAWN_PLIES: usize = 12;
/// The first ply at which a game can be adjudicated as drawn by its score.
const DRAWN_FROM: usize = 80;
/// Games that reach this ply are drawn.
const MAX_PLIES: usize = 500;
const _: () = assert!(MAX_PLIES < MAX_GAME_PLIES);
/// An opening in which a side is ahead by more than this is dropped, in centipawns.
pub(crate) const MAX_OPENING_ADVANTAGE: i32 = 250;
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

/// Plays random moves from a starting position, and one more in half of the cases. Returns `None`
/// if they end the game.
pub(crate) fn opening(random: &mut Random, plies: usize, chess960_percent: u8) -> Option<Line> {
    let plies = plies + random.below(2);
    let mut line = Line::new(start(random, chess960_percent));
    for _ in 0..plies {
        let moves = line.position().legal_moves();
        line.play(*moves.get(random.below(moves.len()))?).ok()?;
    }
    line.outcome().is_none().then_some(line)
}

/// Chooses a random starting position: the standard one, or one of Chess960.
fn start(random: &mut Random, chess960_percent: u8) -> Position {
    if random.below(100) >= usize::from(chess960_percent) {
        return Position::start();
    }
    let white = random.below(960) as u16;
    let black = if random.below(2) == 0 { white } else { random.below(960) as u16 };
    double_chess960(white, black).unwrap_or_default()
}

/// Returns the starting position in which each color has its own Chess960 number.
fn double_chess960(white: u16, black: u16) -> Option<Position> {
    let (mut setup, other) = (Setup::chess960(white)?, Setup::chess960(black)?);
    for (square, piece) in other.pieces.iter() {
        if piece.color == Color::Black {
            setup.pieces.put(piece, square);
        }
    }
    setup.castling_rooks = setup.pieces.role(Role::Rook);
    setup.position().ok()
}

/// Adjudicates games early by the scores of the engine.
pub(crate) struct Adjudicator {
    won: i32,
    won_plies: usize,
    leader: i32,
    drawn_plies: usize,
}

impl Adjudicator {
    pub(crate) fn new(won: i32) -> Adjudicator {
        Adjudicator { won, won_plies: 0, leader: 0, drawn_plies: 0 }
    }

    /// Takes the score for White of the ply before `ply`. Returns `None` while the game is
    /// undecided, `Some(None)` for a draw, and otherwise the winner.
    pub(crate) fn winner(&mut self, score: i32, ply: usize) -> Option<Option<Color>> {
        let leader = if score.abs() >= self.won { score.signum() } else { 0 };
        self.won_plies = if leader != 0 && leader == self.leader { self.won_plies + 1 } else { 1 };
        self.leader = leader;
        self.drawn_plies = if score.abs() <= DRAWN { self.drawn_plies + 1 } else { 0 };
        if leader != 0 && self.won_plies >= WON_PLIES {
            return Some(Some(if leader > 0 { Color::White } else { Color::Black }));
        }
        let is_drawn = self.drawn_plies >= DRAWN_PLIES && ply > DRAWN_FROM;
        (is_drawn || ply >= MAX_PLIES).then_some(None)
    }
}

/// Returns the winner of a game that is over or in which a draw can be claimed. The inner `None`
/// is a draw.
pub(crate) fn winner_by_rules(line: &Line) -> Option<Option<Color>> {
    if let Some(outcome) = line.outcome() {
        return Some(outcome.winner);
    }
    (line.claims().any() || is_bare(line.position())).then_some(None)
}

/// Returns whether neither side can mate: there are only the kings and at most one minor piece.
fn is_bare(position: &Position) -> bool {
    let minors = position.role(Role::Knight) | position.role(Role::Bishop);
    position.occupied().count() <= 3 && (position.occupied() & !minors).count() == 2
}

/// Returns the score in the encoding of a games file.
pub(crate) fn written_score(score: Score) -> i16 {
    let limit = i32::from(MATE_SCORE);
    let value = match score {
        Score::Centipawns(value) => value,
        Score::Mate(moves) if moves > 0 => limit - (2 * moves - 1),
        Score::Mate(moves) => -(limit + 2 * moves),
    };
    value.clamp(-limit, limit) as i16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_colors_of_a_double_start_can_castle() {
        let mut random = Random::new(7);
        for _ in 0..200 {
            let numbers = [random.below(960) as u16, random.below(960) as u16];
            let position = double_chess960(numbers[0], numbers[1]).unwrap();
            assert_eq!(position.castling_rooks().count(), 4, "{position:?}");
            let own = [0, 1].map(|index| Position::chess960(numbers[index]).unwrap());
            for (color, own) in Color::ALL.into_iter().zip(own) {
                for role in Role::ALL {
                    let [there, here] = [&own, &position].map(|p| p.role(role) & p.color(color));
                    assert_eq!(there, here);
                }
            }
        }
    }

    #[test]
    fn an_advantage_wins_when_it_lasts_for_one_side() {
        let mut adjudicator = Adjudicator::new(1000);
        for score in [1000, 1500, 999, 1200, 1200, -1200, 1200, 1200, 1200, 1200] {
            assert_eq!(adjudicator.winner(score, 10), None);
        }
        assert_eq!(adjudicator.winner(1000, 10), Some(Some(Color::White)));
        let mut adjudicator = Adjudicator::new(1000);
        let winners: Vec<_> = (0..5).map(|_| adjudicator.winner(-2000, 10)).collect();
        assert_eq!(winners[3..], [None, Some(Some(Color::Black))]);
    }

    #[test]
    fn a_level_game_is_drawn_late_and_a_long_game_always() {
        let mut adjudicator = Adjudicator::new(1000);
        let early = (0..40).map(|ply| adjudicator.winner(0, ply));
        assert!(early.into_iter().all(|winner| winner.is_none()));
        assert_eq!(adjudicator.winner(0, DRAWN_FROM + 1), Some(None));
        assert_eq!(Adjudicator::new(1000).winner(300, MAX_PLIES), Some(None));
    }

    #[test]
    fn mates_are_written_by_their_plies() {
        for (score, expected) in [
            (Score::Mate(1), 31_999),
            (Score::Mate(3), 31_995),
            (Score::Mate(0), -32_000),
            (Score::Mate(-2), -31_996),
            (Score::Centipawns(-87), -87),
        ] {
            assert_eq!(written_score(score), expected);
        }
    }
}
