//! Iterative deepening with aspiration windows.

use core::time::Duration;
use std::sync::atomic::Ordering;

use castellan_rules::{Move, Position};

use crate::limits::TimeScaling;
use crate::score::{DRAW, INFINITE, MAX_PLY, Score, Value, mate_at};
use crate::win_possibilities::WinPossibilities;
use crate::worker::Worker;

/// A root move and what is known about it.
#[derive(Clone, Debug)]
pub(crate) struct RootMove {
    pub(crate) mv: Move,
    /// Which sides can still win after it.
    pub(crate) possibilities: WinPossibilities,
    pub(crate) value: Value,
    /// The value in the previous iteration.
    pub(crate) previous: Value,
    /// The value smoothed over iterations.
    pub(crate) average: Option<Value>,
    pub(crate) selective_depth: usize,
    pub(crate) nodes: u64,
    pub(crate) line: Vec<Move>,
}

impl RootMove {
    pub(crate) fn new(mv: Move) -> RootMove {
        RootMove {
            mv,
            possibilities: WinPossibilities::OPEN,
            value: -INFINITE,
            previous: -INFINITE,
            average: None,
            selective_depth: 0,
            nodes: 0,
            line: vec![mv],
        }
    }

    /// Returns the value of the last iteration that has one. A search may be stopped before the
    /// first.
    pub(crate) fn known_value(&self) -> Value {
        self.last_value().unwrap_or(DRAW)
    }

    fn last_value(&self) -> Option<Value> {
        [self.value, self.previous].into_iter().find(|&value| value != -INFINITE)
    }
}

/// Whether a reported score is exact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScoreBound {
    /// The score is exact.
    Exact,
    /// The true score is at least this.
    Lower,
    /// The true score is at most this.
    Upper,
}

/// A progress report of a running search.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The depth in plies.
    pub depth: u32,
    /// The length of the longest line that was searched, in plies.
    pub selective_depth: u32,
    /// The rank of this line among several best lines, from 1.
    pub rank: usize,
    /// The score for the side to move.
    pub score: Score,
    /// Whether the score is exact or a bound.
    pub bound: ScoreBound,
    /// The number of nodes searched so far, by all threads.
    pub nodes: u64,
    /// The time spent so far.
    pub time: Duration,
    /// How full the transposition table is, in thousandths.
    pub fullness_permille: u32,
    /// The principal variation.
    pub line: Vec<Move>,
}

/// Scores outside the aspiration window are reported only after this time.
const QUIET_TIME: Duration = Duration::from_secs(3);

impl Worker<'_> {
    /// Deepens until a limit is reached. The first worker sends reports to the sink.
    pub(crate) fn deepen(&mut self, position: &Position, sink: &mut dyn FnMut(&Report)) {
        let limits = self.shared.limits;
        let deepest = limits.depth.unwrap_or(u32::MAX).min(MAX_PLY as u32 - 1).max(1) as i32;
        let lines = limits.lines.max(1).min(self.root_moves.len());
        let fates =
            WinPossibilities::of_moves(position, self.root_moves.iter().map(|root| root.mv));
        for (root, possibilities) in self.root_moves.iter_mut().zip(fates) {
            root.possibilities = possibilities;
        }
        let mut stable_iterations = 0;
        let mut best = self.root_moves[0].mv;
        for depth in 1..=deepest {
            self.root_depth = depth;
            for root in &mut self.root_moves {
                root.previous = root.value;
            }
            for line in 0..lines {
                self.line = line;
                self.selective_depth = 0;
                self.aspire(position, depth, sink);
                if self.is_stopped() {
                    break;
                }
            }
            self.line = 0;
            self.root_moves[..lines].sort_by_key(|root| -root.value);
            if self.is_stopped() {
                // An unfinished iteration can find a better move. Then all lines are reported again, so
                // that the best one begins with the answer and no move is in two of them.
                if self.index == 0 && self.root_moves[0].mv != best {
                    for rank in 0..lines {
                        if self.root_moves[rank].last_value().is_some() {
                            self.report(rank, ScoreBound::Exact, sink);
                        }
                    }
                }
                break;
            }
            if self.index == 0 {
                for rank in 0..lines {
                    self.report(rank, ScoreBound::Exact, sink);
                }
                let is_same = self.root_moves[0].mv == best;
                stable_iterations = if is_same { stable_iterations + 1 } else { 0 };
                best = self.root_moves[0].mv;
                if self.is_enough(stable_iterations) {
                    self.shared.halt.store(true, Ordering::Relaxed);
                    break;
                }
            }
        }
        self.shared.nodes[self.index].store(self.nodes, Ordering::Relaxed);
        if self.index == 0 {
            self.shared.halt.store(true, Ordering::Relaxed);
        }
    }

    /// Searches a depth, widening the aspiration window until the value falls within it.
    fn aspire(&mut self, position: &Position, depth: i32, sink: &mut dyn FnMut(&Report)) {
        let line = self.line;
        let (mut alpha, mut beta) = (-INFINITE, INFINITE);
        let average = self.root_moves[line].average.unwrap_or(0);
        let mut delta = self.shared.margins.aspiration_delta(average);
        if depth >= 4 && self.root_moves[line].average.is_some() {
            alpha = (average - delta).max(-INFINITE);
            beta = (average + delta).min(INFINITE);
        }
        let mut reduced = 0;
        loop {
            let searched = (depth - reduced).max(1);
            let value = self.search_root(position, alpha, beta, searched);
            self.root_moves[line..].sort_by_key(|root| -root.value);
            if self.is_stopped() {
                return;
            }
            let is_late = self.index == 0 && (self.shared.elapsed)() >= QUIET_TIME;
            if value <= alpha {
                if is_late {
                    self.report(line, ScoreBound::Upper, sink);
                }
                beta = (alpha + beta) / 2;
                alpha = (value - delta).max(-INFINITE);
                reduced = 0;
            } else if value >= beta {
                if is_late {
                    self.report(line, ScoreBound::Lower, sink);
                }
                beta = (value + delta).min(INFINITE);
                reduced = (reduced + 1).min(3);
            } else {
                let root = &mut self.root_moves[line];
                let smoothed = root.average.map_or(value, |average| (average + value) / 2);
                root.average = Some(smoothed);
                return;
            }
            delta += delta / 2 + 2;
            if delta > 900 {
                (alpha, beta) = (-INFINITE, INFINITE);
            }
        }
    }

    /// Returns `true` if another iteration is not worth starting.
    fn is_enough(&self, stable_iterations: u32) -> bool {
        let shared = self.shared;
        let root = &self.root_moves[0];
        if let Some(moves) = shared.limits.mate
            && root.value >= mate_at(2 * moves as usize)
        {
            return true;
        }
        let is_reached = |limit: u64| self.nodes >= limit;
        if shared.max_nodes.is_some_and(is_reached)
            || shared.limits.soft_nodes.is_some_and(is_reached)
        {
            return true;
        }
        let Some(soft) = shared.budget.soft else { return false };
        if shared.pondering.load(Ordering::Relaxed) {
            return false;
        }
        let calm = TimeScaling {
            stable_iterations,
            best_share: root.nodes as f64 / self.nodes.max(1) as f64,
            fall: if root.previous == -INFINITE { 0 } else { root.previous - root.value },
        };
        let is_only_move = self.root_moves.len() == 1;
        let factor = if is_only_move { 0.1 } else { calm.factor() };
        (shared.elapsed)() >= soft.mul_f64(factor)
    }

    fn report(&self, rank: usize, bound: ScoreBound, sink: &mut dyn FnMut(&Report)) {
        let root = &self.root_moves[rank];
        self.shared.nodes[self.index].store(self.nodes, Ordering::Relaxed);
        sink(&Report {
            depth: self.root_depth as u32,
            selective_depth: root.selective_depth as u32 + 1,
            rank: rank + 1,
            score: Score::from_value(root.known_value()),
            bound,
            nodes: self.shared.total_nodes(),
            time: (self.shared.elapsed)(),
            fullness_permille: self.shared.table.fullness_permille(),
            line: root.line.clone(),
        });
    }
}
