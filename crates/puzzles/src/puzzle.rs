//! A puzzle: a position, its solution, and what is known about both.

use castellan_rules::{Move, MoveKind, Position, san};

use crate::themes::{Solution, Theme};

/// A position from a game in which one move is clearly the best, with its solution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Puzzle {
    /// The position before the mistake.
    pub before: Position,
    /// The mistake that allows the solution.
    pub mistake: Move,
    /// The number of moves of the game up to and including the mistake.
    pub ply: usize,
    /// The moves of the solution: the solver's first and last, the opponent's in between.
    pub moves: Vec<Move>,
    /// The themes of the solution, in the order of [`Theme::ALL`].
    pub themes: Vec<Theme>,
    /// An estimate of the rating of players who solve the puzzle half of the time.
    pub rating: u16,
}

impl Puzzle {
    /// Returns the position to solve.
    pub fn start(&self) -> Position {
        self.before.play_unchecked(self.mistake)
    }

    /// Returns the moves of the solution in SAN.
    pub fn solution(&self) -> Vec<String> {
        let mut position = self.start();
        let to_san = |&mv: &Move| {
            let text = san::write(&position, mv);
            position = position.play_unchecked(mv);
            text
        };
        self.moves.iter().map(to_san).collect()
    }

    /// Returns a key that is equal for puzzles with the same position, whatever games they come
    /// from.
    pub fn key(&self) -> u64 {
        self.start().hash()
    }
}

/// The lowest and the highest estimate.
const RATINGS: [i32; 2] = [500, 2600];
/// The estimate for a move that the engine prefers from the first iteration on.
const EASIEST: i32 = 700;
/// Points for each ply of depth that the engine needs before it settles on the first move.
const PER_DEPTH: i32 = 45;
/// The number of plies after which more depth adds nothing.
const MAX_DEPTH: u32 = 14;
/// Points for each move of the solver after the first.
const PER_MOVE: i32 = 140;
/// Points for a first move that neither captures nor checks, and for a sacrifice: people consider
/// such moves late.
const QUIET: i32 = 160;
const SACRIFICE: i32 = 160;
/// Points subtracted if the solution captures a piece for nothing.
const HANGING: i32 = 200;

/// Estimates how hard a puzzle is. The numbers were chosen by judgment; the page corrects the
/// estimate with every attempt.
pub(crate) fn estimate(solution: &Solution, themes: &[Theme], depth: u32) -> u16 {
    let (position, mv) = (&solution.start, solution.moves[0]);
    let is_forcing = position.is_capture(mv)
        || matches!(mv.kind(), MoveKind::Promotion(_))
        || position.play_unchecked(mv).is_check();
    let solver_moves = solution.moves.len().div_ceil(2) as i32;
    let has = |theme| themes.contains(&theme);
    let rating = EASIEST
        + PER_DEPTH * depth.saturating_sub(1).min(MAX_DEPTH) as i32
        + PER_MOVE * (solver_moves - 1)
        + if is_forcing { 0 } else { QUIET }
        + if has(Theme::Sacrifice) { SACRIFICE } else { 0 }
        - if has(Theme::HangingPiece) { HANGING } else { 0 };
    rating.clamp(RATINGS[0], RATINGS[1]) as u16
}
