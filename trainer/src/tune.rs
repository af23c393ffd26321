//! `tune`: finds the weights of the hand-written evaluation that predict results best.
//!
//! The predicted result is a logistic curve of the evaluation. The error is its squared distance
//! from a blend of the game's result and the score of the search. Adam minimizes the error. A
//! pull toward the initial values keeps weights stable that few positions determine.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use castellan_engine::tuning::{Features, Weights};
use clap::Args;

use crate::game::Game;
use crate::random::Random;
use crate::record::useful_score;
use crate::rounds::{IncompleteGame, fold_games};

/// Tune the weights of the hand-written evaluation to predict game results
#[derive(Args)]
pub(crate) struct TuneArgs {
    /// Games files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Number of epochs
    #[arg(long, default_value_t = 60)]
    epochs: u32,
    /// Weight of the search's score against the result, from 0 to 1
    #[arg(long, default_value_t = 0.6)]
    blend: f32,
    /// Initial learning rate
    #[arg(long, default_value_t = 1.0)]
    rate: f32,
    /// Strength of the pull toward the initial weights, in millionths
    #[arg(long, default_value_t = 10.0)]
    pull: f32,
    /// File for the weights
    #[arg(long)]
    out: PathBuf,
}

struct Example {
    features: Features,
    target: f32,
}

/// Centipawns are divided by this to get the exponent of the curve.
const SCALE: f32 = 400.0 / std::f32::consts::LN_10;
/// One in this many examples is held out for testing.
const TEST_EVERY: usize = 20;
/// The number of examples for each step.
const BATCH: usize = 4096;

fn curve(value: f32, steepness: f32) -> f32 {
    1.0 / (1.0 + (-value * steepness / SCALE).exp())
}

/// Runs the command.
pub(crate) fn run(args: &TuneArgs) -> anyhow::Result<()> {
    let mut weights = Weights::current();
    let (mut examples, steepness) = read(args, &weights)?;
    let mut random = Random::new(0x5eed_0001);
    // The last games are held out and not random positions, because positions of one game share
    // their result.
    let test = examples.split_off(examples.len() - examples.len() / TEST_EVERY);
    println!("{} examples, {} to test, steepness {steepness}", examples.len(), test.len());
    println!(
        "before: {:.6} {:.6}",
        error(&examples, &weights, steepness),
        error(&test, &weights, steepness)
    );
    let mut adam = Adam::new(&weights, args.pull * 1e-6);
    for epoch in 0..args.epochs {
        for index in (1..examples.len()).rev() {
            examples.swap(index, random.below(index + 1));
        }
        let progress = epoch as f32 / args.epochs as f32;
        let rate =
            args.rate * (0.02 + 0.98 * 0.5 * (1.0 + (progress * std::f32::consts::PI).cos()));
        for batch in examples.chunks(BATCH) {
            let mut gradient = gradient(batch, &weights, steepness);
            mirror(&mut gradient);
            adam.step(&mut weights, &gradient, rate);
        }
        if epoch % 10 == 9 || epoch + 1 == args.epochs {
            let (train, tested) =
                (error(&examples, &weights, steepness), error(&test, &weights, steepness));
            println!("epoch {}: {train:.6} {tested:.6}", epoch + 1);
        }
    }
    fs::write(&args.out, weights.to_source())
        .with_context(|| format!("cannot write {}", args.out.display()))
}

/// Returns the examples of all files, and the steepness of the curve that fits the current weights.
fn read(args: &TuneArgs, weights: &Weights) -> anyhow::Result<(Vec<Example>, f32)> {
    let mut rows = Vec::new();
    fold_games(&args.files, IncompleteGame::Accepted, add_rows, |mut some: Vec<Row>| {
        rows.append(&mut some);
        Ok(())
    })?;
    let errors = |steepness: f32| -> f64 {
        let of_row = |(features, _, result): &Row| {
            let distance = curve(features.evaluate(weights).0, steepness) - result;
            f64::from(distance * distance)
        };
        rows.iter().step_by(10).map(of_row).sum()
    };
    let candidates = (4..=40).map(|twentieths| twentieths as f32 / 20.0);
    let steepness =
        candidates.min_by(|&one, &other| errors(one).total_cmp(&errors(other))).unwrap_or(1.0);
    let example = |(features, score, result): Row| {
        let target = (1.0 - args.blend) * result + args.blend * curve(score, steepness);
        Example { features, target }
    };
    Ok((rows.into_iter().map(example).collect(), steepness))
}

/// The features of a position, its score for White, and the result of its game for White.
type Row = (Features, f32, f32);

/// Positions with a score beyond this are not used, in centipawns.
const MAX_SCORE: u16 = 800;

fn add_rows(game: &Game, rows: &mut Vec<Row>) {
    let result = game.winner.map_or(0.5, |winner| winner.fold(1.0, 0.0));
    for (position, ply) in game.positions() {
        if let Ok(score) = useful_score(&position, ply, MAX_SCORE)
            && let Some(features) = Features::new(&position)
        {
            let score_for_white = position.turn().fold(1.0, -1.0) * f32::from(score);
            rows.push((features, score_for_white, result));
        }
    }
}

fn error(examples: &[Example], weights: &Weights, steepness: f32) -> f64 {
    let of_example = |example: &Example| {
        let distance = curve(example.features.evaluate(weights).0, steepness) - example.target;
        f64::from(distance * distance)
    };
    examples.iter().map(of_example).sum::<f64>() / examples.len().max(1) as f64
}

/// Returns the gradient of the error, in the shape of the weights.
fn gradient(batch: &[Example], weights: &Weights, steepness: f32) -> Weights {
    let mut sum = Weights { terms: vec![[0.0; 2]; weights.terms.len()], ..weights.clone() };
    sum.dangers.fill(0.0);
    for example in batch {
        let features = &example.features;
        let (value, dangers) = features.evaluate(weights);
        let predicted = curve(value, steepness);
        let slope = (predicted - example.target) * predicted * (1.0 - predicted);
        let middlegame = slope * features.middlegame;
        let endgame =
            slope * (1.0 - features.middlegame) * features.scales[usize::from(value < 0.0)];
        for &(index, count) in &features.terms {
            let term = &mut sum.terms[usize::from(index)];
            term[0] += middlegame * f32::from(count);
            term[1] += endgame * f32::from(count);
        }
        for ((danger, counts), sign) in dangers.iter().zip(features.dangers).zip([-1.0, 1.0]) {
            let [of_middlegame, of_endgame] = Features::danger_slopes(*danger);
            let slope = sign * (middlegame * of_middlegame + endgame * of_endgame);
            for (total, count) in sum.dangers.iter_mut().zip(counts) {
                *total += slope * f32::from(count);
            }
        }
    }
    let share = 1.0 / batch.len().max(1) as f32;
    sum.terms.iter_mut().flatten().for_each(|slope| *slope *= share);
    sum.dangers.iter_mut().for_each(|slope| *slope *= share);
    sum
}

/// Averages the gradients of mirrored squares, so that both halves of the board learn the same
/// piece-square weights. There is too little data to learn each half separately.
fn mirror(gradient: &mut Weights) {
    for (index, mirrored) in (0..PIECE_SQUARES).map(|index| (index, index ^ 7)) {
        if index < mirrored {
            let [one, other] = [gradient.terms[index], gradient.terms[mirrored]];
            let mean = [(one[0] + other[0]) / 2.0, (one[1] + other[1]) / 2.0];
            gradient.terms[index] = mean;
            gradient.terms[mirrored] = mean;
        }
    }
}

/// The number of piece-square weights, which come first.
const PIECE_SQUARES: usize = 6 * 64;

/// The Adam optimizer: each step is the mean gradient divided by the root of its mean square.
struct Adam {
    start: Vec<f32>,
    mean: Vec<f32>,
    square: Vec<f32>,
    steps: i32,
    pull: f32,
}

impl Adam {
    /// The usual decay rates of the mean and of the mean square.
    const DECAY: [f32; 2] = [0.9, 0.999];
    /// The factor on the learning rate of king danger weights, which are larger.
    const DANGER_RATE: f32 = 3.0;

    fn new(weights: &Weights, pull: f32) -> Adam {
        let start: Vec<f32> = flat(weights);
        let zeros = vec![0.0; start.len()];
        Adam { mean: zeros.clone(), square: zeros, start, steps: 0, pull }
    }

    fn step(&mut self, weights: &mut Weights, gradient: &Weights, rate: f32) {
        self.steps += 1;
        let [first, second] = Adam::DECAY;
        let unbiased = [1.0 - first.powi(self.steps), 1.0 - second.powi(self.steps)];
        let values = flat(weights);
        let slopes = flat(gradient);
        let terms = weights.terms.len() * 2;
        let mut next = Vec::with_capacity(values.len());
        for (index, (value, slope)) in values.into_iter().zip(slopes).enumerate() {
            let slope = slope + self.pull * (value - self.start[index]);
            self.mean[index] += (1.0 - first) * (slope - self.mean[index]);
            self.square[index] += (1.0 - second) * (slope * slope - self.square[index]);
            let mean = self.mean[index] / unbiased[0];
            let root = (self.square[index] / unbiased[1]).sqrt() + 1e-9;
            let rate = if index < terms { rate } else { rate * Adam::DANGER_RATE };
            next.push(value - rate * mean / root);
        }
        for (term, pair) in weights.terms.iter_mut().zip(next.chunks(2)) {
            term.copy_from_slice(pair);
        }
        weights.dangers.copy_from_slice(&next[terms..]);
    }
}

fn flat(weights: &Weights) -> Vec<f32> {
    weights.terms.iter().flatten().copied().chain(weights.dangers).collect()
}
