//! `games`: the engine plays itself from random openings.
//!
//! Every line of the file is a position, the search's score for White in centipawns and the
//! result for White in halves: `FEN|SCORE|0`, `1` or `2`. Positions in check, and those in which
//! the best move captures or promotes, are left out, because there the evaluation alone cannot
//! be right.

use std::fs::OpenOptions;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use castellan_engine::{Engine, Limits, Options, Score, Signals};
use castellan_rules::{Color, EndReason, Line, Move, MoveKind, Position};
use clap::Args;

/// Play games and write their quiet positions
#[derive(Args)]
pub(crate) struct GamesArgs {
    /// How many games
    #[arg(long, default_value_t = 1000)]
    games: u32,
    /// Positions searched for each move
    #[arg(long, default_value_t = 4000)]
    nodes: u64,
    /// Random plies before the engine takes over, and one more in every second game
    #[arg(long, default_value_t = 8)]
    random_plies: usize,
    /// Where random numbers begin; by default a number from the clock
    #[arg(long)]
    seed: Option<u64>,
    /// The file to append to
    #[arg(long)]
    out: PathBuf,
}

/// A score from which a game counts as won, if it stays there.
const WON: i32 = 700;
/// For so many plies.
const WON_PLIES: usize = 5;
/// A score up to which a game counts as drawn, if it stays there late in the game.
const DRAWN: i32 = 8;
/// For so many plies.
const DRAWN_PLIES: usize = 12;
/// From this ply on.
const DRAWN_FROM: usize = 80;
/// Openings in which a side has more than this are thrown away.
const FAIR: i32 = 250;
/// A position beyond this teaches nothing.
const WRITTEN: i32 = 800;

/// Runs the command.
pub(crate) fn run(args: &GamesArgs) -> anyhow::Result<()> {
    let file = OpenOptions::new().create(true).append(true).open(&args.out)?;
    let mut out = BufWriter::new(file);
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let mut random = Random(args.seed.unwrap_or(now.as_nanos() as u64) | 1);
    let mut engine = Engine::new(Options { hash_mb: 8, threads: 1 });
    let limits = Limits { nodes: Some(args.nodes), ..Limits::default() };
    let (mut written, mut results) = (0, [0; 3]);
    for game in 0..args.games {
        let Some(line) = opening(&mut random, args.random_plies + game as usize % 2) else {
            continue;
        };
        engine.clear();
        let Some((positions, result)) = play(&mut engine, &limits, line) else { continue };
        results[result] += 1;
        written += positions.len();
        for (fen, score) in positions {
            writeln!(out, "{fen}|{score}|{result}")?;
        }
        if game % 100 == 99 {
            out.flush()?;
            println!("{} games, {written} positions, results {results:?}", game + 1);
        }
    }
    out.flush()?;
    Ok(())
}

/// A line of random moves; nothing if the game has ended.
fn opening(random: &mut Random, plies: usize) -> Option<Line> {
    let mut line = Line::default();
    for _ in 0..plies {
        let moves = line.position().legal_moves();
        let mv = *moves.get(random.below(moves.len().max(1)))?;
        line.play(mv).ok()?;
    }
    line.outcome().is_none().then_some(line)
}

/// Plays a game to its end; its quiet positions with scores, and the result for White in halves.
/// Nothing if the opening was not fair.
fn play(
    engine: &mut Engine,
    limits: &Limits,
    mut line: Line,
) -> Option<(Vec<(String, i32)>, usize)> {
    let mut positions = Vec::new();
    let (mut won_plies, mut drawn_plies) = (0, 0);
    let mut is_first = true;
    loop {
        if let Some(result) = ended(&line) {
            return Some((positions, result));
        }
        let signals = Signals::default();
        let answer = engine.go(&line, limits, &|| Duration::ZERO, &signals, &mut |_| {});
        let mv = answer.mv?;
        let sign = line.turn().fold(1, -1);
        let score = sign * centipawns(answer.score);
        if std::mem::take(&mut is_first) && score.abs() > FAIR {
            return None;
        }
        let position = line.position();
        let is_quiet = !position.is_check() && !is_noisy(position, mv);
        if is_quiet && score.abs() <= WRITTEN {
            positions.push((position.to_fen(), score));
        }
        won_plies = if score.abs() >= WON { won_plies + 1 } else { 0 };
        drawn_plies = if score.abs() <= DRAWN { drawn_plies + 1 } else { 0 };
        if won_plies >= WON_PLIES {
            return Some((positions, if score > 0 { 2 } else { 0 }));
        }
        if drawn_plies >= DRAWN_PLIES && line.moves().len() >= DRAWN_FROM {
            return Some((positions, 1));
        }
        line.play(mv).ok()?;
    }
}

/// The result of a game that is over, or that either side could claim to be.
fn ended(line: &Line) -> Option<usize> {
    if let Some(outcome) = line.outcome() {
        let is_mate = outcome.reason == EndReason::Checkmate;
        return Some(match outcome.winner {
            Some(Color::White) if is_mate => 2,
            Some(_) => 0,
            None => 1,
        });
    }
    line.claims().any().then_some(1)
}

fn centipawns(score: Score) -> i32 {
    match score {
        Score::Centipawns(value) => value,
        Score::Mate(moves) if moves > 0 => 10_000,
        Score::Mate(_) => -10_000,
    }
}

fn is_noisy(position: &Position, mv: Move) -> bool {
    let is_capture = position.color(!position.turn()).contains(mv.to());
    mv.promotion().is_some()
        || mv.kind() == MoveKind::EnPassant
        || is_capture && mv.kind() != MoveKind::Castle
}

/// A row of random numbers: xorshift.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        ((u128::from(self.next()) * limit as u128) >> 64) as usize
    }
}
