//! The positions to decide.

use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail};
use castellan_rules::Position;

use crate::contest::lines;

/// Blocked and other difficult positions, composed for this benchmark.
pub(super) const HARD: &str = include_str!("../../data/unwinnable.txt");

/// A position in the form that each solver needs, and whether White and Black can win, if known.
pub(super) struct LabeledPosition {
    pub(super) fen: String,
    pub(super) position: Position,
    pub(super) board: chess::Board,
    pub(super) verdict: Option<[bool; 2]>,
}

/// Parses the lines of a file, or of the built-in text.
pub(super) fn load(file: Option<&Path>, built_in: &str) -> Result<Vec<LabeledPosition>> {
    lines(file, built_in)?.iter().map(|line| parse(line)).collect()
}

fn parse(line: &str) -> Result<LabeledPosition> {
    let mut parts = line.split(';');
    let fen = parts.next().unwrap_or_default().trim().to_owned();
    let verdict = match parts.next() {
        None => None,
        Some("both") => Some([true, true]),
        Some("white") => Some([true, false]),
        Some("black") => Some([false, true]),
        Some("dead") => Some([false, false]),
        Some(other) => bail!("unknown verdict {other}: {line}"),
    };
    let position = Position::from_fen(&fen).with_context(|| fen.clone())?;
    let board = chess::Board::from_str(&position.to_fen())
        .map_err(|error| anyhow!("{fen}: the chess crate rejects it: {error}"))?;
    Ok(LabeledPosition { fen, position, board, verdict })
}
