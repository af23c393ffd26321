//! The FENs for the `fen` measurement.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

use super::contestant::Contestant;

/// Positions from seeded random games: one third each from openings, middlegames and endgames.
const BUILT_IN: &str = include_str!("../../data/fens.txt");

/// Returns the lines of a file, or the built-in ones, without empty lines.
pub(crate) fn load(file: Option<&Path>) -> Result<Vec<String>> {
    let Some(file) = file else {
        return Ok(lines(BUILT_IN));
    };
    let text = fs::read_to_string(file).with_context(|| format!("{}", file.display()))?;
    let fens = lines(&text);
    ensure!(!fens.is_empty(), "{}: the file contains no positions", file.display());
    Ok(fens)
}

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

/// Returns the FENs that every contestant accepts. Rejecting a FEN is faster than accepting it, so
/// this keeps a contestant from gaining by it. If contestants find different numbers of legal moves
/// in a position, one of them has misread it, which is an error.
pub(crate) fn agreed(
    fens: Vec<String>,
    contestants: &[Box<dyn Contestant>],
) -> Result<Vec<String>> {
    let mut refused = vec![0_usize; contestants.len()];
    let mut agreed = Vec::with_capacity(fens.len());
    for fen in fens {
        let answers: Vec<Option<u64>> =
            contestants.iter().map(|contestant| contestant.count(&fen, 1).ok()).collect();
        for (refused, answer) in refused.iter_mut().zip(&answers) {
            *refused += usize::from(answer.is_none());
        }
        ensure_same(&fen, contestants, &answers)?;
        if answers.iter().all(Option::is_some) {
            agreed.push(fen);
        }
    }
    for (contestant, refused) in contestants.iter().zip(refused).filter(|(_, refused)| *refused > 0)
    {
        eprintln!(
            "fen: {} rejects {refused} positions; they are skipped for all",
            contestant.name()
        );
    }
    ensure!(!agreed.is_empty(), "fen: no position is accepted by all contestants");
    Ok(agreed)
}

fn ensure_same(
    fen: &str,
    contestants: &[Box<dyn Contestant>],
    answers: &[Option<u64>],
) -> Result<()> {
    let mut given =
        contestants.iter().zip(answers).filter_map(|(who, answer)| Some((who, (*answer)?)));
    if let Some((first, moves)) = given.next() {
        for (other, other_moves) in given {
            ensure!(
                moves == other_moves,
                "{fen}: {} finds {moves} legal moves, {} finds {other_moves}",
                first.name(),
                other.name()
            );
        }
    }
    Ok(())
}
