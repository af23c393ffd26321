//! Compares the levels with people: how good their moves are in positions from rated games.
//!
//! The judge is our engine at full strength. A move loses the difference between the score of the
//! best move and its own, each searched with the same number of nodes. The person and the level
//! are judged in the same positions, so a weakness of the judge affects both alike.

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::available_parallelism;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use castellan_engine::embedded_network;
use castellan_engine::{Answer, Engine, Handicap, Level, Limits, Options, Score, Signals};
use castellan_nnue::Network;
use castellan_rules::{Line, Move, Position, UciMove};
use clap::Args;
use serde::Deserialize;

/// Positions and moves of rated players on lichess.org (CC0), from five bands of ratings.
const PEOPLE: &str = include_str!("../data/people.json");

/// Scores are clamped to this before they are compared, in centipawns. In a won position, a move is
/// not bad because another one would win by even more.
const CLAMP: i32 = 1000;

/// The options of this benchmark.
#[derive(Args)]
pub(crate) struct LevelsOptions {
    /// JSON file with an array of objects with `band`, `human` and `moves`, instead of the built-in
    /// one
    #[arg(long, value_name = "FILE")]
    positions: Option<PathBuf>,
    /// Nodes with which each move is judged
    #[arg(long, value_name = "N", default_value_t = 60_000)]
    nodes: u64,
    /// Number of moves of the level in each position, with different seeds
    #[arg(long, value_name = "N", default_value_t = 3)]
    seeds: u64,
    /// Points to add to each band, to find the level that plays like it
    #[arg(long, value_name = "POINTS", default_value_t = 0, allow_negative_numbers = true)]
    offset: i32,
    /// Use only every N-th position
    #[arg(long, value_name = "N", default_value_t = 1)]
    every: usize,
}

/// A position from a game, and the move that the person played.
#[derive(Deserialize)]
struct Sample {
    band: u16,
    human: String,
    moves: Moves,
}

/// Moves as one text with spaces, or as a list.
#[derive(Deserialize)]
#[serde(untagged)]
enum Moves {
    Text(String),
    List(Vec<String>),
}

/// Sums over judged moves.
#[derive(Clone, Copy, Default)]
struct MoveTotals {
    /// The number of moves.
    moves: f64,
    /// How many of them are the move that the person played.
    same: f64,
    /// Centipawns lost, in total.
    loss: f64,
    /// How many moves lost more than 100, 200 and 500 centipawns.
    over_100: f64,
    over_200: f64,
    over_500: f64,
    /// How many moves hung the piece that moved.
    hung: f64,
}

/// A move as the judge sees it.
#[derive(Clone, Copy)]
struct Verdict {
    /// Centipawns lost.
    loss: i32,
    /// Whether the best reply captures the piece that has just moved and wins material.
    is_hung: bool,
}

/// Prints a table with the moves of people and of the levels.
pub(crate) fn run(options: &LevelsOptions) -> Result<()> {
    let text = match &options.positions {
        Some(file) => fs::read_to_string(file).with_context(|| file.display().to_string())?,
        None => PEOPLE.to_owned(),
    };
    let samples: Vec<Sample> = serde_json::from_str(&text).context("cannot read the positions")?;
    let samples: Vec<&Sample> = samples.iter().step_by(options.every.max(1)).collect();
    ensure!(!samples.is_empty(), "the file contains no position");
    let judged = judge_all(options, &samples)?;
    println!("who          moves  same  mean loss  > 100  > 200  > 500  hung");
    let mut bands: Vec<u16> = samples.iter().map(|sample| sample.band).collect();
    bands.sort_unstable();
    bands.dedup();
    for band in bands {
        let of = |is_level: bool| {
            let mut sum = MoveTotals::default();
            judged
                .iter()
                .filter(|it| it.band == band && it.is_level == is_level)
                .for_each(|it| sum.add(&it.totals));
            sum
        };
        of(false).print(&format!("people {band}"));
        of(true).print(&format!("level {}", level(band, options)?.points()));
    }
    Ok(())
}

fn level(band: u16, options: &LevelsOptions) -> Result<Level> {
    let points = i32::from(band) + options.offset;
    let level = u16::try_from(points).ok().and_then(Level::new);
    level.with_context(|| format!("there is no level of {points} points"))
}

/// The moves of people or of the level in one position.
struct Judged {
    band: u16,
    is_level: bool,
    totals: MoveTotals,
}

/// Judges all positions, on all cores.
fn judge_all(options: &LevelsOptions, samples: &[&Sample]) -> Result<Vec<Judged>> {
    let network = embedded_network();
    let next = AtomicUsize::new(0);
    let judged = Mutex::new(Vec::new());
    let work = || -> Result<()> {
        let mut judge = Judge::new(options.nodes, network.as_ref());
        while let Some(sample) = samples.get(next.fetch_add(1, Ordering::Relaxed)) {
            let pair = judge.compare(sample, options)?;
            judged.lock().unwrap_or_else(PoisonError::into_inner).extend(pair);
        }
        Ok(())
    };
    let threads = available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        handles.into_iter().try_for_each(|handle| handle.join().expect("the judge does not panic"))
    })?;
    Ok(judged.into_inner().unwrap_or_else(PoisonError::into_inner))
}

struct Judge {
    /// Judges moves at full strength.
    engine: Engine,
    /// Plays the moves of the level.
    player: Engine,
    nodes: u64,
}

impl Judge {
    fn new(nodes: u64, network: Option<&Arc<Network>>) -> Judge {
        let mut engine = Engine::new(Options { hash_mb: 16, threads: 1 });
        engine.set_network(network.cloned());
        Judge { engine, player: Engine::new(Options { hash_mb: 1, threads: 1 }), nodes }
    }

    /// Judges the person's move and the level's moves in a position.
    fn compare(&mut self, sample: &Sample, options: &LevelsOptions) -> Result<[Judged; 2]> {
        let band = sample.band;
        let line = sample.line()?;
        let human = read_move(line.position(), &sample.human)?;
        let best = self.search(&line, None);
        let mut people = MoveTotals::default();
        let mut verdicts = vec![(human, self.verdict(&line, &best, human))];
        people.count(verdicts[0].1, true);
        let mut of_level = MoveTotals::default();
        for seed in 0..options.seeds {
            let handicap = Handicap { level: level(band, options)?, seed };
            let limits = Limits { handicap: Some(handicap), ..Limits::default() };
            let mv = go(&mut self.player, &line, &limits).mv.context("the game is over")?;
            let known = verdicts.iter().find(|(known, _)| *known == mv).map(|&(_, it)| it);
            let verdict = known.unwrap_or_else(|| self.verdict(&line, &best, mv));
            verdicts.push((mv, verdict));
            of_level.count(verdict, mv == human);
        }
        Ok([
            Judged { band, is_level: false, totals: people },
            Judged { band, is_level: true, totals: of_level },
        ])
    }

    fn verdict(&mut self, line: &Line, best: &Answer, mv: Move) -> Verdict {
        let answer = if best.mv == Some(mv) { best.clone() } else { self.search(line, Some(mv)) };
        let loss = (centipawns(best.score) - centipawns(answer.score)).max(0);
        let is_taken = answer.ponder.is_some_and(|reply| reply.to() == mv.to());
        Verdict { loss, is_hung: loss >= 200 && is_taken }
    }

    fn search(&mut self, line: &Line, only: Option<Move>) -> Answer {
        self.engine.clear();
        let moves = only.into_iter().collect();
        go(&mut self.engine, line, &Limits { nodes: Some(self.nodes), moves, ..Limits::default() })
    }
}

fn go(engine: &mut Engine, line: &Line, limits: &Limits) -> Answer {
    engine.go(line, limits, &|| Duration::ZERO, &Signals::default(), &mut |_| {})
}

fn centipawns(score: Score) -> i32 {
    let value = match score {
        Score::Centipawns(value) => value,
        Score::Mate(moves) if moves > 0 => CLAMP,
        Score::Mate(_) => -CLAMP,
    };
    value.clamp(-CLAMP, CLAMP)
}

impl Sample {
    fn line(&self) -> Result<Line> {
        let mut line = Line::new(Position::start());
        let moves: Vec<&str> = match &self.moves {
            Moves::Text(text) => text.split_whitespace().collect(),
            Moves::List(list) => list.iter().map(String::as_str).collect(),
        };
        for text in moves {
            let mv = read_move(line.position(), text)?;
            line.play(mv).with_context(|| format!("cannot play {text}"))?;
        }
        Ok(line)
    }
}

fn read_move(position: &Position, text: &str) -> Result<Move> {
    let mv = UciMove::parse(text).with_context(|| format!("cannot read the move {text}"))?;
    mv.resolve(position).ok().with_context(|| format!("{text} in {}", position.to_fen()))
}

impl MoveTotals {
    fn count(&mut self, verdict: Verdict, is_same: bool) {
        let loss = f64::from(verdict.loss);
        let count = |condition: bool| f64::from(u8::from(condition));
        self.add(&MoveTotals {
            moves: 1.0,
            same: count(is_same),
            loss,
            over_100: count(loss > 100.0),
            over_200: count(loss > 200.0),
            over_500: count(loss > 500.0),
            hung: count(verdict.is_hung),
        });
    }

    fn add(&mut self, other: &MoveTotals) {
        self.moves += other.moves;
        self.same += other.same;
        self.loss += other.loss;
        self.over_100 += other.over_100;
        self.over_200 += other.over_200;
        self.over_500 += other.over_500;
        self.hung += other.hung;
    }

    fn print(&self, who: &str) {
        let percent = |part: f64| 100.0 * part / self.moves;
        println!(
            "{who:<12} {:>5} {:>4.0}% {:>10.1} {:>5.1}% {:>5.1}% {:>5.1}% {:>4.1}%",
            self.moves,
            percent(self.same),
            self.loss / self.moves,
            percent(self.over_100),
            percent(self.over_200),
            percent(self.over_500),
            percent(self.hung),
        );
    }
}
