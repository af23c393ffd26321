//! The positions to decide.

use std::fs;
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail, ensure};
use castellan_rules::Position;

/// Positions from random games, including endgames.
pub(super) const GAMES: &str = include_str!("../../data/fens.txt");

/// Blocked and other difficult positions, composed for this benchmark.
pub(super) const HARD: &str = include_str!("../../data/unwinnable.txt");

/// A position in the form that each contestant needs, and whether White and Black can win, if
/// known.
pub(crate) struct Question {
    pub(super) fen: String,
    pub(super) position: Position,
    pub(super) board: chess::Board,
    pub(super) verdict: Option<[bool; 2]>,
}

/// Parses the lines of a file, or of the built-in text. Empty lines and comments are skipped.
pub(super) fn load(file: Option<&Path>, built_in: &str) -> Result<Vec<Question>> {
    let Some(file) = file else { return parse(built_in) };
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    parse(&text).with_context(|| file.display().to_string())
}

fn parse(text: &str) -> Result<Vec<Question>> {
    let lines =
        text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let questions: Vec<Question> = lines.map(question).collect::<Result<_>>()?;
    ensure!(!questions.is_empty(), "there are no positions");
    Ok(questions)
}

fn question(line: &str) -> Result<Question> {
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
    Ok(Question { fen, position, board, verdict })
}
