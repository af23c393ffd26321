//! One thread of a search: its stacks, its histories and its stop conditions.
//!
//! Invariant: every move that is played is also taken back, so the stacks have the same height
//! after a search as before it.

use core::time::Duration;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use castellan_rules::{Bitboard, Color, Move, Position, Role};

use crate::eval::{Evaluator, SharedNetwork};
use crate::exchange::{captured_role, is_noisy};
use crate::history::{Context, Histories, NO_ROW, piece_to_index};
use crate::level::{PreviousMove, Visibility};
use crate::limits::{Limits, TimeBudget};
use crate::margins::{Margins, scaled_by_fifty_move_rule};
use crate::picker::MoveStack;
use crate::pv_table::PvTable;
use crate::root::RootMove;
use crate::score::{EVALUATION_BOUND, INFINITE, MAX_PLY, Value};
use crate::table::{NO_EVALUATION, Table};
use crate::threats::threatened;
use crate::tried::Tried;
use crate::win_possibilities::WinPossibilities;

/// The state shared by all threads of one search.
pub(crate) struct SharedSearch<'a> {
    pub(crate) table: &'a Table,
    pub(crate) limits: &'a Limits,
    /// The number of nodes after which the search ends.
    pub(crate) max_nodes: Option<u64>,
    pub(crate) budget: TimeBudget,
    /// Returns the time since the search began.
    pub(crate) elapsed: &'a (dyn Fn() -> Duration + Sync),
    /// Set by the caller to end the search.
    pub(crate) stop: &'a AtomicBool,
    /// Whether the engine is thinking on the opponent's time, so that time limits do not apply.
    pub(crate) pondering: &'a AtomicBool,
    /// Set when a limit is reached.
    pub(crate) halt: AtomicBool,
    /// The number of nodes searched by each thread.
    pub(crate) nodes: Vec<AtomicU64>,
    /// The parameters of the search.
    pub(crate) margins: &'a Margins,
    /// The network that evaluates positions; without one the hand-written evaluation is used.
    pub(crate) network: Option<&'a SharedNetwork>,
    /// What a weakened player sees; `None` if nothing is hidden.
    pub(crate) visibility: Option<Visibility>,
}

impl SharedSearch<'_> {
    /// Returns the number of nodes searched by all threads, as last published by each.
    pub(crate) fn total_nodes(&self) -> u64 {
        self.nodes.iter().map(|nodes| nodes.load(Ordering::Relaxed)).sum()
    }
}

/// What is kept for each position between the root and the current one.
#[derive(Clone, Copy)]
pub(crate) struct Frame {
    /// The corrected evaluation, or [`NO_EVALUATION`] in check.
    pub(crate) evaluation: Value,
    /// The continuation history row of the move being searched.
    pub(crate) row: usize,
    /// The move excluded from the search to find out how good the others are.
    pub(crate) excluded: Option<Move>,
    pub(crate) killers: [Option<Move>; 2],
    /// The number of cutoffs at this ply since the node two plies above was entered.
    pub(crate) cutoffs: i32,
    /// The reduction of the move being searched, in parts of a ply.
    pub(crate) reduction: i32,
    /// The number of double extensions in the current line.
    pub(crate) double_extensions: i32,
    /// Whether a null move is being searched here.
    pub(crate) is_null_move: bool,
    /// The move being searched, if it is quiet and not only tried in a preliminary search.
    pub(crate) quiet_move: Option<Move>,
    /// The history context in which its moves are chosen.
    pub(crate) context: Context,
    /// The move being searched, as the next ply sees it; only kept for a limited [`Visibility`].
    pub(crate) before: PreviousMove,
}

/// A frame in which nothing has been searched.
pub(crate) const EMPTY_FRAME: Frame = Frame {
    evaluation: NO_EVALUATION,
    row: NO_ROW,
    excluded: None,
    killers: [None; 2],
    cutoffs: 0,
    reduction: 0,
    double_extensions: 0,
    is_null_move: false,
    quiet_move: None,
    context: Context { rows: [NO_ROW; 3], pawn_row: 0, threatened: Bitboard::EMPTY },
    before: PreviousMove { captured_on: None, moved_to: None },
};

/// The number of frames before the root, so that looking back needs no bounds test.
pub(crate) const FRAMES_BEFORE_ROOT: usize = 6;
/// The number of nodes between two checks of the stop conditions.
const NODES_PER_CHECK: u64 = 512;
/// The maximum number of double extensions in a line.
pub(crate) const MAX_DOUBLE_EXTENSIONS: i32 = 8;

/// One thread of a search.
pub(crate) struct Worker<'a> {
    pub(crate) shared: &'a SharedSearch<'a>,
    pub(crate) histories: &'a mut Histories,
    /// The index of the thread; thread 0 checks the limits.
    pub(crate) index: usize,
    pub(crate) nodes: u64,
    pub(crate) root_moves: Vec<RootMove>,
    /// The index of the line being searched, for several best lines.
    pub(crate) line: usize,
    pub(crate) root_depth: i32,
    pub(crate) selective_depth: usize,
    pub(crate) evaluator: Evaluator,
    pub(crate) frames: Vec<Frame>,
    pub(crate) stack: MoveStack,
    pub(crate) pv_table: PvTable,
    /// The hashes of all positions of the game and of the line being searched.
    pub(crate) hashes: Vec<u64>,
    /// The index of the root in `hashes`.
    pub(crate) root_index: usize,
    /// The index in `hashes` before which no repetition is looked for, because a null move was
    /// made there.
    pub(crate) barrier: usize,
    /// While a null move is being verified, null moves are not allowed before this ply.
    pub(crate) null_allowed_from: usize,
    pub(crate) is_stopped: bool,
    /// The node count at which the stop conditions are checked next.
    next_check: u64,
}

impl<'a> Worker<'a> {
    /// Creates a worker for the last of the given positions.
    pub(crate) fn new(
        shared: &'a SharedSearch<'a>,
        histories: &'a mut Histories,
        index: usize,
        positions: &[Position],
        root_moves: Vec<RootMove>,
    ) -> Worker<'a> {
        let root = positions.last().copied().unwrap_or_default();
        let hashes: Vec<u64> = positions.iter().map(Position::hash).collect();
        Worker {
            shared,
            histories,
            index,
            nodes: 0,
            root_moves,
            line: 0,
            root_depth: 0,
            selective_depth: 0,
            evaluator: Evaluator::new(&root, shared.network, shared.margins),
            frames: vec![EMPTY_FRAME; MAX_PLY + FRAMES_BEFORE_ROOT + 4],
            stack: MoveStack::new(),
            pv_table: PvTable::new(),
            root_index: hashes.len().saturating_sub(1),
            barrier: 0,
            hashes,
            null_allowed_from: 0,
            is_stopped: false,
            next_check: 0,
        }
    }

    /// Returns `true` if the search has been stopped.
    pub(crate) fn is_stopped(&self) -> bool {
        self.is_stopped
    }

    pub(crate) fn frame(&mut self, ply: usize) -> &mut Frame {
        &mut self.frames[ply + FRAMES_BEFORE_ROOT]
    }

    /// Plays a move, which [`undo`](Worker::undo) takes back.
    #[inline]
    pub(crate) fn play(&mut self, position: &Position, mv: Move, ply: usize) -> Position {
        let next = self.evaluator.play(position, mv);
        self.shared.table.prefetch(next.hash());
        let frame = self.frame(ply);
        (frame.row, frame.quiet_move) = (piece_to_index(position.turn(), mv), None);
        if self.shared.visibility.is_some() {
            let captured_on = position.is_capture(mv).then(|| mv.to());
            self.frame(ply).before = PreviousMove { captured_on, moved_to: Some(mv.to()) };
        }
        self.hashes.push(next.hash());
        next
    }

    /// Returns `true` if the level sees a move below the root.
    #[inline]
    pub(crate) fn sees(&self, position: &Position, mv: Move, ply: usize) -> bool {
        self.shared.visibility.is_none_or(|visibility| {
            let before = &self.frames[ply + FRAMES_BEFORE_ROOT - 1];
            let before = if before.is_null_move { PreviousMove::default() } else { before.before };
            visibility.sees(position, mv, ply, before)
        })
    }

    /// Returns the evaluation of a position, as accurately as the level can judge it.
    #[inline]
    pub(crate) fn evaluate(&mut self, position: &Position) -> Value {
        let evaluation = self.evaluator.evaluate(position);
        self.shared
            .visibility
            .map_or(evaluation, |visibility| visibility.judged(position, evaluation))
    }

    #[inline]
    pub(crate) fn undo(&mut self) {
        self.evaluator.undo();
        self.hashes.pop();
    }

    /// Returns the history context at a ply, including the threats in the position.
    pub(crate) fn context_with_threats(&self, position: &Position, ply: usize) -> Context {
        Context { threatened: threatened(position), ..self.context(ply) }
    }

    /// Returns the history context at a ply, without threats.
    pub(crate) fn context(&self, ply: usize) -> Context {
        let row = |back: usize| self.frames[ply + FRAMES_BEFORE_ROOT - back].row;
        let pawn_row = Context::pawn_row(self.evaluator.state());
        Context { rows: [row(1), row(2), row(4)], pawn_row, threatened: Bitboard::EMPTY }
    }

    /// Applies the correction histories and the fifty-move rule to a raw evaluation.
    pub(crate) fn corrected(&self, position: &Position, raw: Value, context: &Context) -> Value {
        let state = self.evaluator.state();
        let correction = self.histories.correction(position, state, context, self.shared.margins);
        let value = scaled_by_fifty_move_rule(raw, position.halfmove_clock()) + correction;
        value.clamp(-EVALUATION_BOUND, EVALUATION_BOUND)
    }

    /// Returns `true` if the side to move stands better than two plies ago, or four if it was in
    /// check then.
    pub(crate) fn is_improving(&self, ply: usize, evaluation: Value) -> bool {
        let before = |back: usize| self.frames[ply + FRAMES_BEFORE_ROOT - back].evaluation;
        match (before(2), before(4)) {
            (NO_EVALUATION, NO_EVALUATION) => true,
            (NO_EVALUATION, earlier) | (earlier, _) => evaluation > earlier,
        }
    }

    /// Returns `true` if the position is a draw by the fifty-move rule, repetition or
    /// insufficient material.
    ///
    /// Within the search a single repetition is enough, because what was possible once is
    /// possible again. Positions of the game must occur for the third time (FIDE 9.2, 9.3).
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
        // Nothing can repeat within fewer than four plies.
        let mut at = last.saturating_sub(2);
        while at >= first + 2 {
            at -= 2;
            if self.hashes[at] == position.hash() {
                if at > self.root_index {
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

    /// Updates the histories: rewards the best move and penalizes the others that were tried.
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
        let (bonus, malus) = (self.shared.margins.bonus(depth), -self.shared.margins.malus(depth));
        if is_noisy(position, best) {
            self.histories.update_noisy(turn, best, captured_role(position, best), bonus);
        } else {
            let frame = self.frame(ply);
            if frame.killers[0] != Some(best) {
                frame.killers = [Some(best), frame.killers[0]];
            }
            self.histories.update_quiet(turn, best, context, bonus);
            for &mv in tried.quiets() {
                self.histories.update_quiet(turn, mv, context, malus);
            }
        }
        for &mv in tried.noisies() {
            self.histories.update_noisy(turn, mv, captured_role(position, mv), malus);
        }
    }

    /// Returns the quiet move that led to a ply, with the context in which it was chosen.
    pub(crate) fn previous_quiet(&self, ply: usize) -> Option<(Move, Context)> {
        let before = &self.frames[ply + FRAMES_BEFORE_ROOT - 1];
        before.quiet_move.map(|mv| (mv, before.context))
    }

    /// Counts a node and checks the stop conditions from time to time.
    #[inline]
    pub(crate) fn count_node(&mut self) {
        // Nodes no longer count while a stopped search unwinds.
        self.nodes += u64::from(!self.is_stopped);
        if self.nodes >= self.next_check {
            self.check_limits();
        }
    }

    fn check_limits(&mut self) {
        let shared = self.shared;
        shared.nodes[self.index].store(self.nodes, Ordering::Relaxed);
        self.next_check = self.nodes + NODES_PER_CHECK;
        // The first iteration is always finished, so that there is a move to play. It is so short
        // that checking at every node costs nothing.
        if self.root_depth <= 1 {
            self.next_check = self.nodes + 1;
            return;
        }
        if shared.stop.load(Ordering::Relaxed) || shared.halt.load(Ordering::Relaxed) {
            self.is_stopped = true;
            return;
        }
        if self.index != 0 {
            return;
        }
        // With a single thread, a node limit is met exactly.
        let left = shared.max_nodes.map(|most| most.saturating_sub(shared.total_nodes()));
        let is_spent = left == Some(0);
        self.next_check = self.next_check.min(self.nodes + left.unwrap_or(NODES_PER_CHECK).max(1));
        let is_late = || {
            let hard = shared.budget.hard;
            hard.is_some_and(|hard| {
                !shared.pondering.load(Ordering::Relaxed) && (shared.elapsed)() >= hard
            })
        };
        if is_spent || is_late() {
            shared.halt.store(true, Ordering::Relaxed);
            self.is_stopped = true;
        }
    }

    /// Returns `true` if a root move is still to be searched for the current line.
    pub(crate) fn is_wanted(&self, mv: Move) -> bool {
        self.root_moves[self.line..].iter().any(|root| root.mv == mv)
    }

    /// Returns which sides can still win after a root move.
    pub(crate) fn possibilities(&self, mv: Move) -> WinPossibilities {
        let root = self.root_moves.iter().find(|root| root.mv == mv);
        root.map_or(WinPossibilities::OPEN, |root| root.possibilities)
    }

    /// Records the result of a root move. A move that is not better than the best one sorts last.
    pub(crate) fn note_root_move(&mut self, mv: Move, value: Value, nodes: u64, is_better: bool) {
        let selective_depth = self.selective_depth;
        let rest: Vec<Move> = self.pv_table.line(1).to_vec();
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

/// Returns `true` if a color has pieces other than its king and pawns. Without them, passing may
/// be better than any move (zugzwang).
pub(crate) fn has_pieces(position: &Position, color: Color) -> bool {
    let plain = position.role(Role::Pawn) | position.role(Role::King);
    (position.color(color) & !plain).any()
}

/// Returns `true` if neither side can mate: there are only the kings and at most one minor piece.
fn is_bare(position: &Position) -> bool {
    let minors = position.role(Role::Knight) | position.role(Role::Bishop);
    position.occupied().count() <= 3 && (position.occupied() & !minors).count() == 2
}
