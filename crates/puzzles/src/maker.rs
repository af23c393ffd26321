//! Finds the puzzles of a game.
//!
//! A quick search scores every position of the game. Where the score of the side to move has
//! jumped, the opponent has made a mistake; that position becomes a puzzle if it has a clear best
//! move according to two independent searches, one with several times the nodes of the other.

use core::time::Duration;
use std::sync::atomic::Ordering;

use castellan_engine::{Engine, Limits, Signals};
use castellan_rules::{Line, Move};

use crate::clear::{MIN_POINTS, SolutionMove, TwoBest, points, two_best};
use crate::puzzle::{Puzzle, estimate};
use crate::themes::{Solution, Theme, themes};

/// What a mistake must cost, in thousandths of a point.
const MIN_GAIN: i32 = 200;
/// The second check of a move has this many times the nodes of the first.
const CONFIRM_FACTOR: u64 = 4;
/// The maximum number of the solver's moves; longer lines are cut off.
const MAX_SOLVER_MOVES: usize = 6;
/// A solution with fewer points, in thousandths, only saves the game.
const WINNING_POINTS: i32 = 650;

/// How much to search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// The nodes for each position of the game.
    pub scan_nodes: u64,
    /// The nodes for the first check of a move; the second check has four times as many.
    pub check_nodes: u64,
}

impl Effort {
    /// The number of nodes for the first check of a move, by default.
    pub const CHECK_NODES: u64 = 60_000;

    /// Creates an effort with this many nodes for the first check of a move. The scan gets an
    /// eighth of that number, plus 500, for each position.
    pub const fn new(check_nodes: u64) -> Effort {
        Effort { scan_nodes: check_nodes / 8 + 500, check_nodes }
    }
}

impl Default for Effort {
    /// About a second for a game of forty moves on one core.
    fn default() -> Effort {
        Effort::new(Effort::CHECK_NODES)
    }
}

/// The error for a search that the caller stopped before the whole game was examined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stopped;

/// Returns the puzzles of a game, in the order of its moves.
///
/// Clears everything that the engine remembers from earlier searches, so that the result depends
/// only on the game, the effort and the options of the engine. `progress` receives the number of
/// plies that are done.
pub fn find_puzzles(
    engine: &mut Engine,
    game: &Line,
    effort: Effort,
    signals: &Signals,
    progress: &mut dyn FnMut(usize),
) -> Result<Vec<Puzzle>, Stopped> {
    engine.clear();
    let mut line = Line::new(*game.start());
    let mut search = PuzzleSearch { engine, effort, signals };
    let mut before = search.scan(&line)?;
    let mut candidates = Vec::new();
    for (ply, &mv) in game.moves().iter().enumerate() {
        if line.play(mv).is_err() {
            break;
        }
        let after = search.scan(&line)?;
        let mistake = Mistake { ply: ply + 1, points_before: 1000 - before };
        if mistake.is_worth_checking(after) && line.position().count_legal_moves() > 1 {
            candidates.push(mistake);
        }
        before = after;
        progress(ply + 1);
    }
    let mut puzzles = Vec::new();
    for mistake in candidates {
        puzzles.extend(search.puzzle(game, mistake)?);
    }
    Ok(puzzles)
}

/// A move of the game that made the position of the other side, the solver, better.
#[derive(Clone, Copy)]
struct Mistake {
    /// The number of moves up to and including the mistake.
    ply: usize,
    /// The points that the solver could expect before it.
    points_before: i32,
}

impl Mistake {
    fn is_worth_checking(self, points_after: i32) -> bool {
        points_after >= MIN_POINTS && points_after - self.points_before >= MIN_GAIN
    }
}

struct PuzzleSearch<'a> {
    engine: &'a mut Engine,
    effort: Effort,
    signals: &'a Signals,
}

impl PuzzleSearch<'_> {
    /// Returns the points that the side to move can expect, by a quick search.
    fn scan(&mut self, line: &Line) -> Result<i32, Stopped> {
        let nodes = Some(self.effort.scan_nodes);
        let limits = Limits { nodes, ..Limits::default() };
        let answer = self.engine.go(line, &limits, &|| Duration::ZERO, self.signals, &mut |_| {});
        if self.signals.stop.load(Ordering::Relaxed) {
            return Err(Stopped);
        }
        Ok(points(answer.score))
    }

    /// Returns the puzzle after a mistake, if there is one.
    fn puzzle(&mut self, game: &Line, mistake: Mistake) -> Result<Option<Puzzle>, Stopped> {
        let mut line = line_up_to(game, mistake.ply);
        let Some(first) = self.clear_move(&line, SolutionMove::First)? else { return Ok(None) };
        let (found, depth) = (points(first.best), first.found_depth);
        if !mistake.is_worth_checking(found) {
            return Ok(None);
        }
        let moves = self.solution(&mut line, first)?;
        let before = game.positions()[mistake.ply - 1];
        let played = game.moves()[mistake.ply - 1];
        let solution =
            Solution { before, mistake: played, start: before.play_unchecked(played), moves };
        let mut found_themes = themes(&solution);
        if is_obvious(&solution, &found_themes) {
            return Ok(None);
        }
        if found < WINNING_POINTS {
            found_themes.push(Theme::Defense);
        }
        let rating = estimate(&solution, &found_themes, depth);
        let Solution { moves, .. } = solution;
        let ply = mistake.ply;
        Ok(Some(Puzzle { before, mistake: played, ply, moves, themes: found_themes, rating }))
    }

    /// Returns the moves from the first one to the last that is clear, the opponent's included.
    fn solution(&mut self, line: &mut Line, first: TwoBest) -> Result<Vec<Move>, Stopped> {
        let mut moves = Vec::new();
        // The number of moves up to the last one at which the solver has a choice.
        let mut len_to_last_choice = 1;
        let mut next = Some(first);
        while let Some(clear) = next.take() {
            moves.push(clear.mv);
            if clear.second.is_some() {
                len_to_last_choice = moves.len();
            }
            if line.play(clear.mv).is_err() || line.outcome().is_some() {
                break;
            }
            if len_to_last_choice.div_ceil(2) == MAX_SOLVER_MOVES
                || moves.len() >= 2 * MAX_SOLVER_MOVES
            {
                break;
            }
            let Some(reply) = self.reply(line, clear.reply)? else { break };
            moves.push(reply);
            if line.play(reply).is_err() || line.outcome().is_some() {
                break;
            }
            next = self.clear_move(line, SolutionMove::Later)?;
        }
        let is_mate = line.position().is_checkmate() && moves.len() % 2 == 1;
        moves.truncate(if is_mate { moves.len() } else { len_to_last_choice });
        Ok(moves)
    }

    /// Returns the opponent's best reply: the expected one, or the result of another search.
    fn reply(&mut self, line: &Line, expected: Option<Move>) -> Result<Option<Move>, Stopped> {
        match expected.filter(|mv| line.position().is_legal(*mv)) {
            Some(mv) => Ok(Some(mv)),
            None => {
                let found = two_best(self.engine, line, self.effort.check_nodes, self.signals)?;
                Ok(found.map(|found| found.mv))
            }
        }
    }

    /// Returns the best move of a position if two independent searches agree that it is clear.
    fn clear_move(&mut self, line: &Line, which: SolutionMove) -> Result<Option<TwoBest>, Stopped> {
        let check = self.effort.check_nodes;
        let Some(quick) = two_best(self.engine, line, check, self.signals)? else {
            return Ok(None);
        };
        if !quick.is_clear(which) || quick.second.is_none() {
            return Ok(quick.second.is_none().then_some(quick));
        }
        // Without what the first search has learned, which could mislead the second one, too.
        self.engine.clear();
        let confirmed = two_best(self.engine, line, check * CONFIRM_FACTOR, self.signals)?;
        let is_same = |two: &TwoBest| two.mv == quick.mv && two.is_clear(which);
        let found_depth = quick.found_depth;
        Ok(confirmed.filter(is_same).map(|two| TwoBest { found_depth, ..two }))
    }
}

/// Returns the first plies of a game.
fn line_up_to(game: &Line, plies: usize) -> Line {
    let mut line = Line::new(*game.start());
    for &mv in &game.moves()[..plies] {
        if line.play(mv).is_err() {
            break;
        }
    }
    line
}

/// Returns `true` if players find the whole solution without thinking: a single move that captures
/// the piece that has just moved, unless that piece can be had for nothing, or that gets out of
/// check. A mate is always worth finding.
fn is_obvious(solution: &Solution, themes: &[Theme]) -> bool {
    let Solution { before, mistake, start, moves } = solution;
    let is_capture = start.is_capture(moves[0]) && moves[0].to() == mistake.to();
    let is_recapture = is_capture && before.is_capture(*mistake);
    let is_plain = is_recapture || is_capture && !themes.contains(&Theme::HangingPiece);
    let is_mate = themes.contains(&Theme::MateIn1);
    moves.len() == 1 && !is_mate && (is_plain || start.is_check())
}

#[cfg(test)]
mod tests;
