//! Decides whether a position has one clear best move.
//!
//! Scores become the points that the side to move can expect, in thousandths: wins, and half of
//! the draws. The best move is clear if it leads to at least [`MIN_POINTS`] and every other move
//! costs at least [`MIN_GAP`]. Losing that much turns a win into a draw or a draw into a loss.

use core::time::Duration;
use std::sync::atomic::Ordering;

use castellan_engine::{Engine, Limits, Report, Score, ScoreBound, Signals};
use castellan_rules::{Line, Move};

use crate::maker::Stopped;

/// The points that a solution must keep, in thousandths: nearly a draw.
pub(crate) const MIN_POINTS: i32 = 400;
/// What every other move must cost, in thousandths of a point.
pub(crate) const MIN_GAP: i32 = 300;
/// The search may finish an iteration beyond its nodes, but not beyond this factor.
const OVERRUN: u64 = 3;

/// The best move of a position and its score, with the score of the second best move.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct TwoBest {
    pub(crate) mv: Move,
    /// The reply that the search expects.
    pub(crate) reply: Option<Move>,
    pub(crate) best: Score,
    /// `None` if there is only one legal move.
    pub(crate) second: Option<Score>,
    /// The depth from which on the search always preferred the best move.
    pub(crate) found_depth: u32,
}

/// Which move of a solution is looked at. The first one has to be clearer than the later ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SolutionMove {
    /// The first move of a solution: no other move may mate.
    First,
    /// A later move: if it mates at once, other moves may do so, too.
    Later,
}

/// Returns the points that a side with this score can expect, in thousandths.
pub(crate) fn points(score: Score) -> i32 {
    let [win, draw, _] = score.chances();
    (win + draw / 2) as i32
}

impl TwoBest {
    /// Returns `true` if the best move is the only good one.
    pub(crate) fn is_clear(&self, which: SolutionMove) -> bool {
        let Some(second) = self.second else { return true };
        match (self.best, second) {
            // Any mate solves the puzzle, so a choice of mates is no flaw at its end.
            (Score::Mate(1), _) if which == SolutionMove::Later => true,
            (Score::Mate(1..), Score::Mate(1..)) => false,
            // Within a mating line, a slower way to win is not the solution.
            (Score::Mate(1..), _) if which == SolutionMove::Later => true,
            (best, second) => {
                points(best) >= MIN_POINTS && points(best) - points(second) >= MIN_GAP
            }
        }
    }
}

/// Searches the last position of a line for its two best moves. Expects a legal move.
pub(crate) fn two_best(
    engine: &mut Engine,
    line: &Line,
    nodes: u64,
    signals: &Signals,
) -> Result<Option<TwoBest>, Stopped> {
    let limits = Limits {
        soft_nodes: Some(nodes),
        nodes: Some(nodes * OVERRUN),
        lines: 2,
        ..Limits::default()
    };
    let mut found: Option<TwoBest> = None;
    // The reports of an iteration come in the order of their rank once it is complete.
    let mut sink = |report: &Report| {
        if report.bound != ScoreBound::Exact {
            return;
        }
        let Some(&mv) = report.line.first() else { return };
        if report.rank == 1 {
            let same = found.as_ref().filter(|found| found.mv == mv);
            found = Some(TwoBest {
                mv,
                reply: report.line.get(1).copied(),
                best: report.score,
                second: None,
                found_depth: same.map_or(report.depth, |same| same.found_depth),
            });
        } else if let Some(found) = &mut found {
            found.second = Some(report.score);
        }
    };
    engine.go(line, &limits, &|| Duration::ZERO, signals, &mut sink);
    if signals.stop.load(Ordering::Relaxed) { Err(Stopped) } else { Ok(found) }
}

#[cfg(test)]
mod tests {
    use castellan_engine::Options;
    use castellan_rules::{Position, san};

    use super::*;

    fn seen(best: Score, second: Score) -> TwoBest {
        let mv = Position::start().legal_moves()[0];
        TwoBest { mv, reply: None, best, second: Some(second), found_depth: 1 }
    }

    #[track_caller]
    fn check(best: Score, second: Score, first: bool, later: bool) {
        let two = seen(best, second);
        assert_eq!(two.is_clear(SolutionMove::First), first, "as the first move");
        assert_eq!(two.is_clear(SolutionMove::Later), later, "as a later move");
    }

    #[test]
    fn a_move_is_clear_if_the_others_give_up_the_win_or_the_draw() {
        use Score::{Centipawns, Mate};
        check(Centipawns(500), Centipawns(0), true, true);
        check(Centipawns(500), Centipawns(400), false, false);
        check(Centipawns(0), Centipawns(-600), true, true);
        check(Centipawns(-300), Centipawns(-900), false, false);
        check(Mate(2), Centipawns(20), true, true);
        check(Mate(3), Mate(5), false, false);
        // A mate is no better than a won position, unless the line already leads to it.
        check(Mate(2), Centipawns(900), false, true);
        check(Mate(1), Mate(1), false, true);
        check(Centipawns(0), Mate(-1), true, true);
    }

    #[test]
    fn the_two_best_moves_are_of_one_iteration() {
        let mut engine = Engine::new(Options { hash_mb: 1, threads: 1 });
        let line = Line::new(Position::from_fen("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1").unwrap());
        let found = two_best(&mut engine, &line, 2_000, &Signals::default()).unwrap().unwrap();
        assert_eq!(san::write(line.position(), found.mv), "Rd8#");
        assert_eq!(found.best, Score::Mate(1));
        assert!(matches!(found.second, Some(Score::Centipawns(_))));
        assert_eq!(found.found_depth, 1);
    }

    #[test]
    fn a_stop_signal_ends_the_search_without_a_result() {
        let mut engine = Engine::new(Options { hash_mb: 1, threads: 1 });
        let signals = Signals::default();
        signals.stop.store(true, Ordering::Relaxed);
        assert_eq!(two_best(&mut engine, &Line::default(), 1_000, &signals), Err(Stopped));
    }
}
