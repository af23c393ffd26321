//! `records`: writes training records from games files.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use clap::Args;

use crate::game::Game;
use crate::random::Random;
use crate::record::{Dropped, Record, blended_scores, record, useful_score};
use crate::rounds::{IncompleteGame, fold_games};

/// Write the training records of games files
#[derive(Args)]
pub(crate) struct RecordsArgs {
    /// Games files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Drop positions in which a side is ahead by more than this many centipawns
    #[arg(long, default_value_t = 2000)]
    max_score: u16,
    /// How much a label depends on the later scores of its game, from 0 to 1. A label is the score
    /// blended with the label of the next position in this proportion, and the last one with the
    /// result
    #[arg(long, default_value_t = 0.0, value_parser = fraction)]
    lookahead: f64,
    /// Shuffle the records in memory with this seed. `train.py` does not need a shuffled file, and
    /// takes its validation set from the last games of a file that is not shuffled
    #[arg(long)]
    shuffle: Option<u64>,
    /// File for the records; an existing file is overwritten
    #[arg(long)]
    out: PathBuf,
}

/// The records and the statistics of some games.
#[derive(Default)]
struct Selection {
    records: Vec<Record>,
    games: u64,
    /// The number of dropped positions, by reason.
    dropped: [u64; Dropped::ALL.len()],
}

impl Selection {
    fn add(&mut self, game: &Game, max_score: u16, lookahead: f64) {
        self.games += 1;
        let labels = blended_scores(game, lookahead);
        for ((position, ply), label) in game.positions().zip(labels) {
            match useful_score(&position, ply, max_score) {
                Ok(score) => {
                    let label = label.unwrap_or(score);
                    self.records.push(record(&position, ply, label, game.winner));
                }
                Err(reason) => self.dropped[reason as usize] += 1,
            }
        }
    }
}

/// Reads a number from 0 up to, but not including, 1.
fn fraction(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if (0.0..1.0).contains(&number) => Ok(number),
        _ => Err("expected a number from 0 to less than 1".to_owned()),
    }
}

/// Runs the command.
pub(crate) fn run(args: &RecordsArgs) -> anyhow::Result<()> {
    let start = Instant::now();
    let name = || format!("cannot write {}", args.out.display());
    let mut out = BufWriter::with_capacity(1 << 22, File::create(&args.out).with_context(name)?);
    let mut shuffle = args.shuffle.map(Shuffle::new);
    let (mut games, mut kept, mut dropped) = (0, 0, [0; Dropped::ALL.len()]);
    let work = |game: &Game, selection: &mut Selection| {
        selection.add(game, args.max_score, args.lookahead);
    };
    fold_games(&args.files, IncompleteGame::Accepted, work, |selection: Selection| {
        games += selection.games;
        kept += selection.records.len();
        for (sum, count) in dropped.iter_mut().zip(selection.dropped) {
            *sum += count;
        }
        match &mut shuffle {
            Some(shuffle) => shuffle.extend(&selection.records),
            None => out.write_all(selection.records.as_flattened()).with_context(name)?,
        }
        Ok(())
    })?;
    if let Some(shuffle) = shuffle {
        shuffle.write(&mut out).with_context(name)?;
    }
    out.flush().with_context(name)?;
    let seconds = start.elapsed().as_secs_f64();
    let total = kept as u64 + dropped.iter().sum::<u64>();
    println!("{games} games, {total} positions, {kept} records");
    for (reason, count) in Dropped::ALL.into_iter().zip(dropped) {
        println!("dropped {reason:?}: {count}");
    }
    println!("{seconds:.1} s, {:.0} positions/s", total as f64 / seconds.max(1e-3));
    Ok(())
}

/// A shuffle in two steps: every record goes to a random pile, and then every pile, which fits into
/// the cache, is shuffled. The order depends only on the seed.
struct Shuffle {
    piles: Vec<Vec<Record>>,
    random: Random,
}

const PILES: usize = 4096;

impl Shuffle {
    fn new(seed: u64) -> Shuffle {
        Shuffle { piles: vec![Vec::new(); PILES], random: Random::new(seed) }
    }

    fn extend(&mut self, records: &[Record]) {
        for record in records {
            self.piles[self.random.below(PILES)].push(*record);
        }
    }

    fn write(mut self, out: &mut impl Write) -> std::io::Result<()> {
        for pile in &mut self.piles {
            for index in (1..pile.len()).rev() {
                pile.swap(index, self.random.below(index + 1));
            }
            out.write_all(pile.as_flattened())?;
        }
        Ok(())
    }
}
