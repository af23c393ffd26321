//! One thread of a search: its stacks, its histories, and when it has to end.
//!
//! The invariant: whoever plays a move takes it back, so that the stacks are as high after a
//! search as before it.

use core::time::Duration;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use castellan_rules::{Bitboard, Color, Move, Position, Role, Square};

use crate::eval::{Evaluator, SharedNetwork};
use crate::exchange::{captured, is_noisy};
use crate::fate::Fate;
use crate::history::{Context, Histories, NO_ROW, bonus, malus, place};
use crate::level::Sight;
use crate::limits::{Budget, Limits};
use crate::margins::faded;
use crate::picker::Pile;
use crate::root::RootMove;
use crate::score::{EVALUATION_BOUND, INFINITE, MAX_PLY, Value};
use crate::table::{NO_EVALUATION, Table};
use crate::threats::threatened;
use crate::tried::Tried;
use crate::variation::Variations;

/// What all threads of one search share.
pub(crate) struct Job<'a> {
    pub(crate) table: &'a Table,
    pub(crate) limits: &'a Limits,
    /// The search ends after so many positions.
    pub(crate) most_nodes: Option<u64>,
    pub(crate) budget: Budget,
    /// Time since the search began.
    pub(crate) elapsed: &'a (dyn Fn() -> Duration + Sync),
    /// The caller wants it to end.
    pub(crate) stop: &'a AtomicBool,
    /// The time of the opponent is being used, so no clock counts.
    pub(crate) pondering: &'a AtomicBool,
    /// A limit was reached.
    pub(crate) halt: AtomicBool,
    /// Positions searched by each thread.
    pub(crate) nodes: Vec<AtomicU64>,
    /// What evaluates positions, unless that is done by hand.
    pub(crate) network: Option<&'a SharedNetwork>,
    /// What a weakened player sees; without, everything is seen.
    pub(crate) sight: Option<Sight>,
}

impl Job<'_> {
    /// Positions searched by all threads, as far as they have said.
    pub(crate) fn total_nodes(&self) -> u64 {
        self.nodes.iter().map(|nodes| nodes.load(Ordering::Relaxed)).sum()
    }
}

/// What is remembered of each position on the way from the root.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    /// The corrected evaluation, or [`NO_EVALUATION`] in check.
    pub(crate) evaluation: Value,
    /// The continuation row of the move that is being tried here.
    pub(crate) row: usize,
    /// The move that is left out to see how good the others are.
    pub(crate) excluded: Option<Move>,
    pub(crate) killers: [Option<Move>; 2],
    /// How many moves below have caused cutoffs.
    pub(crate) cutoffs: i32,
    /// How much the move that is being tried is reduced, in parts of a ply.
    pub(crate) reduction: i32,
    /// How often the line has been extended twice.
    pub(crate) double_extensions: i32,
    /// Whether the turn was passed here.
    pub(crate) is_pass: bool,
    /// Where the move that is being tried captures; only kept for a limited [`Sight`].
    pub(crate) captured_on: Option<Square>,
}

pub(crate) const FRAME: Frame = Frame {
    evaluation: NO_EVALUATION,
    row: NO_ROW,
    excluded: None,
    killers: [None; 2],
    cutoffs: 0,
    reduction: 0,
    double_extensions: 0,
    is_pass: false,
    captured_on: None,
};

/// Frames before the root, so that looking back needs no test.
pub(crate) const BEFORE: usize = 6;
/// Between two looks at the clock.
const NODES_PER_LOOK: u64 = 512;
/// No line is extended twice more often than this.
pub(crate) const MOST_DOUBLE_EXTENSIONS: i32 = 8;

/// One thread of a search.
pub(crate) struct Worker<'a> {
    pub(crate) job: &'a Job<'a>,
    pub(crate) histories: &'a mut Histories,
    /// Which thread; the first one looks at the clock.
    pub(crate) index: usize,
    pub(crate) nodes: u64,
    pub(crate) root_moves: Vec<RootMove>,
    /// Which of several best lines is being searched.
    pub(crate) line: usize,
    pub(crate) root_depth: i32,
    pub(crate) selective_depth: usize,
    pub(crate) evaluator: Evaluator,
    pub(crate) frames: Vec<Frame>,
    pub(crate) pile: Pile,
    pub(crate) variations: Variations,
    /// Hashes of all positions of the game and of the line being searched.
    pub(crate) hashes: Vec<u64>,
    /// Where in `hashes` the root stands.
    pub(crate) root_at: usize,
    /// No repetition is looked for before this place: the turn was passed there.
    pub(crate) barrier: usize,
    /// Null moves are not allowed below this ply while one is being confirmed.
    pub(crate) null_allowed_from: usize,
    pub(crate) is_stopped: bool,
    /// How many nodes are counted when it is next looked whether the search has to end.
    next_look: u64,
}

impl<'a> Worker<'a> {
    /// A worker at the last of some positions.
    pub(crate) fn new(
        job: &'a Job<'a>,
        histories: &'a mut Histories,
        index: usize,
        positions: &[Position],
        root_moves: Vec<RootMove>,
    ) -> Worker<'a> {
        let root = positions.last().copied().unwrap_or_default();
        let hashes: Vec<u64> = positions.iter().map(Position::hash).collect();
        Worker {
            job,
            histories,
            index,
            nodes: 0,
            root_moves,
            line: 0,
            root_depth: 0,
            selective_depth: 0,
            evaluator: Evaluator::new(&root, job.network),
            frames: vec![FRAME; MAX_PLY + BEFORE + 4],
            pile: Pile::new(),
            variations: Variations::new(),
            root_at: hashes.len().saturating_sub(1),
            barrier: 0,
            hashes,
            null_allowed_from: 0,
            is_stopped: false,
            next_look: 0,
        }
    }

    /// Whether the search is over.
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    pub(crate) fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + BEFORE]
    }

    /// Plays a move; [`undo`](Worker::undo) takes it back.
    #[inline]
    pub(crate) fn play(&mut self, position: &Position, mv: Move, ply: usize) -> Position {
        let next = self.evaluator.play(position, mv);
        self.job.table.prefetch(next.hash());
        self.frame(ply).row = place(position.turn(), mv);
        if self.job.sight.is_some() {
            self.frame(ply).captured_on = captured(position, mv).map(|_| mv.to());
        }
        self.hashes.push(next.hash());
        next
    }

    /// Whether a move below the root comes to mind.
    #[inline]
    pub(crate) fn sees(&self, position: &Position, mv: Move, ply: usize) -> bool {
        self.job.sight.is_none_or(|sight| {
            let before = &self.frames[ply + BEFORE - 1];
            sight.sees(position, mv, ply, before.captured_on.filter(|_| !before.is_pass))
        })
    }

    /// The evaluation of a position, as well as the player can judge it.
    #[inline]
    pub(crate) fn judge(&mut self, position: &Position) -> Value {
        let evaluation = self.evaluator.evaluate(position);
        self.job.sight.map_or(evaluation, |sight| sight.judged(position, evaluation))
    }

    #[inline]
    pub(crate) fn undo(&mut self) {
        self.evaluator.undo();
        self.hashes.pop();
    }

    /// Where to look into the histories at a ply, with the threats of the position there.
    pub(crate) fn context_with_threats(&self, position: &Position, ply: usize) -> Context {
        Context { threatened: threatened(position), ..self.context(ply) }
    }

    /// Where to look into the histories at a ply.
    pub(crate) fn context(&self, ply: usize) -> Context {
        let row = |back: usize| self.frames[ply + BEFORE - back].row;
        let pawn_row = Context::pawn_row(self.evaluator.sums());
        Context { rows: [row(1), row(2), row(4)], pawn_row, threatened: Bitboard::EMPTY }
    }

    /// An evaluation after experience with positions like this, and with the fifty moves in mind.
    pub(crate) fn corrected(&self, position: &Position, raw: Value, context: &Context) -> Value {
        let correction = self.histories.correction(position, self.evaluator.sums(), context);
        let value = faded(raw, position.halfmove_clock()) + correction;
        value.clamp(-EVALUATION_BOUND, EVALUATION_BOUND)
    }

    /// Whether the side to move stands better than two plies ago, or four if it was in check then.
    pub(crate) fn is_improving(&self, ply: usize, evaluation: Value) -> bool {
        let before = |back: usize| self.frames[ply + BEFORE - back].evaluation;
        match (before(2), before(4)) {
            (NO_EVALUATION, NO_EVALUATION) => true,
            (NO_EVALUATION, earlier) | (earlier, _) => evaluation > earlier,
        }
    }

    /// Whether the position is a draw by the fifty moves or by repetition.
    ///
    /// One repetition is enough within the search, because what could be done once can be done
    /// again; with positions of the game the third occurrence counts (FIDE 9.2, 9.3).
    pub(crate) fn is_draw(&self, position: &Position, is_check: bool) -> bool {
        let clock = usize::from(position.halfmove_clock());
        if clock >= 100 && (!is_check || position.has_legal_move()) {
            return true;
        }
        if is_bare(position) {
            return true;
        }
        let last = self.hashes.len() - 1;
        let first = last.saturating_sub(clock).max(self.barrier);
        let mut seen_in_game = 0;
        // Nothing can repeat before four plies have gone.
        let mut at = last.saturating_sub(2);
        while at >= first + 2 {
            at -= 2;
            if self.hashes[at] == position.hash() {
                if at > self.root_at {
                    return true;
                }
                seen_in_game += 1;
                if seen_in_game == 2 {
                    return true;
                }
            }
        }
        false
    }

    /// Teaches the histories that a move was best, and that others were not.
    pub(crate) fn learn(
        &mut self,
        position: &Position,
        best: Move,
        tried: &Tried,
        depth: i32,
        ply: usize,
        context: &Context,
    ) {
        let turn = position.turn();
        let (bonus, malus) = (bonus(depth), -malus(depth));
        if is_noisy(position, best) {
            self.histories.teach_noisy(turn, best, captured(position, best), bonus);
        } else {
            let frame = self.frame(ply);
            if frame.killers[0] != Some(best) {
                frame.killers = [Some(best), frame.killers[0]];
            }
            self.histories.teach_quiet(turn, best, context, bonus);
            for &mv in tried.quiets() {
                self.histories.teach_quiet(turn, mv, context, malus);
            }
        }
        for &mv in tried.noisies() {
            self.histories.teach_noisy(turn, mv, captured(position, mv), malus);
        }
    }

    /// Counts a position and looks now and then whether the search has to end.
    #[inline]
    pub(crate) fn count_node(&mut self) {
        // Nothing counts while the search finds its way out.
        self.nodes += u64::from(!self.is_stopped);
        if self.nodes >= self.next_look {
            self.look_around();
        }
    }

    fn look_around(&mut self) {
        let job = self.job;
        job.nodes[self.index].store(self.nodes, Ordering::Relaxed);
        self.next_look = self.nodes + NODES_PER_LOOK;
        // A first iteration is always finished, so that there is a move to play. It is so short
        // that looking at every node of it costs nothing.
        if self.root_depth <= 1 {
            self.next_look = self.nodes + 1;
            return;
        }
        if job.stop.load(Ordering::Relaxed) || job.halt.load(Ordering::Relaxed) {
            self.is_stopped = true;
            return;
        }
        if self.index != 0 {
            return;
        }
        // A limit of nodes is kept to the node, as long as nobody else is counting.
        let left = job.most_nodes.map(|most| most.saturating_sub(job.total_nodes()));
        let is_spent = left == Some(0);
        self.next_look = self.next_look.min(self.nodes + left.unwrap_or(NODES_PER_LOOK).max(1));
        let is_late = || {
            let hard = job.budget.hard;
            hard.is_some_and(|hard| {
                !job.pondering.load(Ordering::Relaxed) && (job.elapsed)() >= hard
            })
        };
        if is_spent || is_late() {
            job.halt.store(true, Ordering::Relaxed);
            self.is_stopped = true;
        }
    }

    /// Whether a move at the root is one of those still to be searched.
    pub(crate) fn is_wanted(&self, mv: Move) -> bool {
        self.root_moves[self.line..].iter().any(|root| root.mv == mv)
    }

    /// Who can still win after a move at the root.
    pub(crate) fn fate(&self, mv: Move) -> Fate {
        let root = self.root_moves.iter().find(|root| root.mv == mv);
        root.map_or(Fate::OPEN, |root| root.fate)
    }

    pub(crate) fn note_root_move(&mut self, mv: Move, value: Value, nodes: u64, is_better: bool) {
        let selective_depth = self.selective_depth;
        let rest: Vec<Move> = self.variations.line(1).to_vec();
        if let Some(root) = self.root_moves.iter_mut().find(|root| root.mv == mv) {
            root.nodes += nodes;
            if is_better {
                root.value = value;
                root.selective_depth = selective_depth;
                root.line.clear();
                root.line.push(mv);
                root.line.extend_from_slice(&rest);
            } else {
                root.value = -INFINITE;
            }
        }
    }
}

/// Whether a color has anything but king and pawns: without, passing may be better than any move.
pub(crate) fn has_pieces(position: &Position, color: Color) -> bool {
    let plain = position.role(Role::Pawn) | position.role(Role::King);
    (position.color(color) & !plain).any()
}

/// Whether neither side can mate: kings with at most one minor piece between them.
fn is_bare(position: &Position) -> bool {
    let minors = position.role(Role::Knight) | position.role(Role::Bishop);
    position.occupied().count() <= 3 && (position.occupied() & !minors).count() == 2
}
