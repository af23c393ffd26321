//! The FEN doctor benchmark.
//!
//! This module defines its options and what is compared. The doctor finds much more than its peer,
//! which only turns a FEN into a checked position. The benchmark shows what that costs.

use std::fmt;
use std::fs;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use castellan_legality::{Doctor, Effort};
use clap::Args;
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess};

use crate::clock::timed;

/// Number of FENs in one sample, because the time for a single FEN is too short to measure.
const FENS_PER_SAMPLE: usize = 20_000;

const BUILT_IN: &str = include_str!("../../data/fens.txt");

/// The options of this benchmark.
#[derive(Args)]
pub(crate) struct Options {
    /// Number of rounds; the best time counts
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..=1000))]
    rounds: u32,
    /// File of FENs for `quick`, one per line, up to the first semicolon, instead of the built-in
    /// ones
    #[arg(long, value_name = "FILE")]
    quick: Option<PathBuf>,
    /// File of FENs for `normal`
    #[arg(long, value_name = "FILE")]
    normal: Option<PathBuf>,
}

/// The measurements, named as in the ratio lines.
#[derive(Clone, Copy)]
enum What {
    Quick,
    Normal,
}

impl What {
    fn effort(self) -> Effort {
        match self {
            What::Quick => Effort::Quick,
            What::Normal => Effort::Normal,
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            What::Quick => "quick",
            What::Normal => "normal",
        })
    }
}

/// Measures both levels of effort. Prints a table to standard error and, at the end, the ratio
/// lines to standard output.
pub(crate) fn run(options: &Options) -> Result<()> {
    let quick = load(options.quick.as_deref())?;
    let normal = load(options.normal.as_deref())?;
    let lines = [
        measure(What::Quick, &quick, options.rounds, FENS_PER_SAMPLE.div_ceil(quick.len())),
        // A search is long enough to be measured once, and seven rounds of a long file would take
        // too long.
        measure(What::Normal, &normal, options.rounds.min(2), 1),
    ];
    for line in lines {
        println!("{line}");
    }
    Ok(())
}

/// Returns the lines of a file, or the built-in ones, without empty lines and comments.
fn load(file: Option<&Path>) -> Result<Vec<String>> {
    let text = match file {
        Some(file) => fs::read_to_string(file).with_context(|| file.display().to_string())?,
        None => BUILT_IN.to_owned(),
    };
    let fens = text.lines().filter(|line| !line.starts_with('#'));
    let fens = fens.map(|line| line.split(';').next().unwrap_or_default().trim().to_owned());
    let fens: Vec<String> = fens.filter(|fen| !fen.is_empty()).collect();
    ensure!(!fens.is_empty(), "there are no FENs to read");
    Ok(fens)
}

/// The name of a contestant, and its function to read a FEN.
type Contestant<'a> = (&'static str, &'a dyn Fn(&str));

/// Returns the ratio line for the best of several rounds, in which both contestants take turns.
fn measure(what: What, fens: &[String], rounds: u32, passes: usize) -> String {
    let doctor = Doctor::new(what.effort());
    let contestants: [Contestant<'_>; 2] = [
        ("castellan", &|fen| drop(black_box(doctor.examine(fen, &|| false)))),
        ("shakmaty", &|fen| _ = black_box(checked_position(fen))),
    ];
    let mut best = [Duration::MAX; 2];
    for _ in 0..rounds {
        for ((_, read), best) in contestants.iter().zip(&mut best) {
            let pass = || fens.iter().for_each(|fen| read(fen));
            let ((), time) = timed(|| (0..passes).for_each(|_| pass()));
            *best = time.min(*best);
        }
    }
    let mean = best.map(|time| time.as_secs_f64() * 1e6 / (fens.len() * passes) as f64);
    let row: String = contestants
        .iter()
        .zip(mean)
        .map(|((name, _), mean)| format!("  {name} {mean:.3} us"))
        .collect();
    eprintln!("{what:<8}{} positions{row}", fens.len());
    format!("ratio {what} shakmaty {:.2}", mean[1] / mean[0])
}

fn checked_position(fen: &str) -> Option<Chess> {
    Fen::from_ascii(fen.as_bytes()).ok()?.into_position(CastlingMode::Chess960).ok()
}
