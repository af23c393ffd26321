//! Alpha-beta search.
//!
//! This module is one thread's walk through the tree. Two functions are long, [`Worker::search`]
//! and [`Worker::quiescence`]; their steps are numbered. Invariant: when a function returns, the
//! stacks have the same height as when it was called.

use castellan_rules::{Move, Position};

use crate::checks::CheckSquares;
use crate::exchange::{captured_role, is_noisy, value_of, wins_at_least};
use crate::history::{Context, NO_ROW};
use crate::king_trap::is_king_trapped;
use crate::margins::{self, PLY, may_prune};
use crate::picker::{MoveFilter, PickContext, Picker};
use crate::score::{
    DRAW, EVALUATION_BOUND, INFINITE, MATE_BOUND, MAX_PLY, Value, is_decided, is_lost, mate_at,
    mated_at,
};
use crate::table::{Bound, NO_EVALUATION, TableEntry};
use crate::tried::Tried;
use crate::win_possibilities::WinPossibilities;
use crate::worker::{
    EMPTY_FRAME, FRAMES_BEFORE_ROOT, Frame, MAX_DOUBLE_EXTENSIONS, Worker, has_pieces,
};

impl Worker<'_> {
    /// Searches the root with an alpha-beta window.
    pub(crate) fn search_root(
        &mut self,
        position: &Position,
        alpha: Value,
        beta: Value,
        depth: i32,
    ) -> Value {
        for frame in &mut self.frames {
            *frame = Frame { killers: frame.killers, ..EMPTY_FRAME };
        }
        self.evaluator.reset(position);
        self.search::<true>(position, Window { alpha, beta }, depth, 0, false)
    }

    /// Returns the value of a position within a window.
    ///
    /// Outside the window the result is a bound. `PV` says whether the window is wider than a
    /// single point, and `is_cut_node` whether a value of at least beta is expected.
    #[expect(clippy::too_many_lines, reason = "many ideas share one loop; it has numbered steps")]
    fn search<const PV: bool>(
        &mut self,
        position: &Position,
        window: Window,
        depth: i32,
        ply: usize,
        is_cut_node: bool,
    ) -> Value {
        let Window { mut alpha, mut beta } = window;
        let m = self.shared.margins;
        let is_root = ply == 0;

        // Step 1. At the horizon, switch to quiescence search.
        if depth <= 0 {
            return self.quiescence::<PV>(position, window, ply, true);
        }
        self.count_node();
        if self.is_stopped {
            return DRAW;
        }
        if PV {
            self.pv_table.clear(ply);
            self.selective_depth = self.selective_depth.max(ply);
        }
        let is_check = position.is_check();

        // Step 2. Draws, the maximum ply, and mate distance pruning.
        if !is_root {
            if self.is_draw(position, is_check) {
                return DRAW;
            }
            if ply >= MAX_PLY - 1 {
                return if is_check { DRAW } else { self.evaluate(position) };
            }
            alpha = alpha.max(mated_at(ply));
            beta = beta.min(mate_at(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }
        let mut depth = depth.min(MAX_PLY as i32 - 1);
        let turn = position.turn();
        let excluded = self.frame(ply).excluded;
        self.frame(ply + 1).excluded = None;
        self.frame(ply + 2).cutoffs = 0;
        self.frame(ply + 1).double_extensions = self.frame(ply).double_extensions;

        // Step 3. Look up the transposition table.
        let hit = if excluded.is_some() { None } else { self.shared.table.get(position, ply) };
        let was_pv = PV || hit.is_some_and(|hit| hit.was_pv);
        let mut hash_move = hit.and_then(|hit| hit.mv);
        if is_root {
            hash_move = self.root_moves.get(self.line).map(|root| root.mv);
        }
        if let Some(hit) = hit
            && !PV
            && hit.depth >= depth
            && hit.bound.proves(hit.value, beta)
            && position.halfmove_clock() < 90
        {
            if let Some(mv) = hit.mv
                && hit.value >= beta
                && !is_noisy(position, mv)
            {
                let context = self.context_with_threats(position, ply);
                self.histories.update_quiet(turn, mv, &context, m.bonus(depth) / 2);
            }
            return hit.value;
        }

        // Step 4. Static evaluation, adjusted by the correction histories and the table.
        let context = self.context_with_threats(position, ply);
        let (raw, evaluation) = if is_check {
            (NO_EVALUATION, NO_EVALUATION)
        } else if excluded.is_some() {
            (NO_EVALUATION, self.frame(ply).evaluation)
        } else {
            let raw = match hit {
                Some(hit) if hit.evaluation != NO_EVALUATION => hit.evaluation,
                _ => self.evaluate(position),
            };
            (raw, self.corrected(position, raw, &context))
        };
        self.frame(ply).evaluation = evaluation;
        let mut estimate = evaluation;
        if let Some(hit) = hit
            && !is_check
            && !is_decided(hit.value)
            && hit.bound.proves(hit.value, evaluation)
        {
            estimate = hit.value;
        }
        let is_improving = !is_check && self.is_improving(ply, evaluation);
        self.frame(ply).context = context;
        let before = self.frames[ply + FRAMES_BEFORE_ROOT - 1];
        let can_compare = !is_check && before.evaluation != NO_EVALUATION;
        // How much evaluation the opponent's last move lost.
        let loss = if can_compare { evaluation + before.evaluation } else { 0 };
        if can_compare
            && excluded.is_none()
            && let Some((mv, context)) = self.previous_quiet(ply)
        {
            self.histories.update_squares(!turn, mv, &context, m.gain_bonus(-loss));
        }

        if !PV && !is_check && excluded.is_none() && may_prune(ply, depth) {
            // Step 5. The previous move was reduced a lot: search deeper if it turned out not to be
            // that bad, and less deep if it was as bad as expected.
            if before.reduction >= 3 * PLY && loss < 0 {
                depth += 1;
            } else if before.reduction >= PLY && depth >= 2 && loss > m.hindsight {
                depth -= 1;
            }

            // Step 6. Razoring: far below alpha only captures can help.
            if depth <= margins::RAZORING_DEPTH
                && estimate + m.razoring(depth) < alpha
                && !is_king_trapped(position)
            {
                let value = self.quiescence::<false>(position, Window::point(alpha), ply, true);
                if value <= alpha && !is_decided(value) {
                    return value;
                }
            }

            // Step 7. Reverse futility pruning: far above beta, the opponent cannot do enough.
            let is_won = beta.abs() > margins::WON;
            if depth <= margins::REVERSE_FUTILITY_DEPTH
                && estimate - m.reverse_futility(depth, is_improving, loss > 0) >= beta
                && !is_won
                && estimate < EVALUATION_BOUND
                && (hash_move.is_none_or(|mv| is_noisy(position, mv)) || !was_pv)
            {
                return beta + (estimate - beta) / 3;
            }

            // Step 8. Null move pruning: if passing is good enough, so is moving.
            let may_pass = ply >= self.null_allowed_from
                && !self.frames[ply + FRAMES_BEFORE_ROOT - 1].is_null_move
                && estimate >= beta
                && evaluation >= beta + m.null_move(depth)
                && !is_won
                && has_pieces(position, turn);
            if may_pass
                && let Some(value) = self.try_null_move(position, beta, depth, ply, estimate)
            {
                return value;
            }
        }

        // Step 9. Internal iterative reduction: without a hash move, search less deep to find
        // one.
        if (PV || is_cut_node)
            && depth >= margins::REDUCED_DEPTH
            && excluded.is_none()
            && hit.is_none_or(|hit| hit.mv.is_none() || hit.depth + 4 < depth)
        {
            depth -= 1;
        }

        // Step 10. ProbCut: a capture that clearly beats beta in a shallow search will do so in a
        // deep one.
        let probcut_beta = m.probcut_beta(beta, is_improving);
        if !PV
            && !is_check
            && excluded.is_none()
            && depth >= margins::PROBCUT_DEPTH
            && !is_decided(beta)
            && hit.is_none_or(|hit| hit.depth < depth - 3 || hit.value >= probcut_beta)
        {
            let probcut = ProbCut { hash_move, beta: probcut_beta, depth, evaluation, raw };
            let value = self.try_probcut(position, ply, &probcut);
            if self.is_stopped {
                return DRAW;
            }
            if let Some(value) = value {
                return value;
            }
        }

        // Step 11. Try all moves in order.
        let start_alpha = alpha;
        let mut best = -INFINITE;
        let mut best_move = None;
        let mut count = 0;
        let mut overlooks = false;
        let mut tried = Tried::default();
        let killers = self.frame(ply).killers;
        let mut picker = Picker::new(&self.stack, hash_move, killers, MoveFilter::All);
        let is_hash_move_noisy = hash_move.is_some_and(|mv| is_noisy(position, mv));
        let check_squares = CheckSquares::new(position);
        let mut is_trapped = None;
        while let Some(mv) = self.next_move(&mut picker, position, &context, &check_squares) {
            if Some(mv) == excluded || is_root && !self.is_wanted(mv) {
                continue;
            }
            if !is_root && !self.sees(position, mv, ply) {
                overlooks = true;
                continue;
            }
            count += 1;
            let noisy = is_noisy(position, mv);
            let victim = captured_role(position, mv);
            let history = if noisy {
                self.histories.noisy(turn, mv, victim)
            } else {
                self.histories.quiet(turn, mv, &context)
            };
            let gives_check = check_squares.are_reached_by(mv);

            // Step 12. Pruning at shallow depth: skip moves that promise nothing.
            if !is_root && !is_lost(best) && has_pieces(position, turn) {
                let reduction =
                    m.late_move_reduction(depth, count, noisy) - history / m.pruning_history;
                let reduced = (depth - reduction / PLY).max(0);
                if !noisy {
                    let mut is_hunt =
                        || *is_trapped.get_or_insert_with(|| is_king_trapped(position));
                    if count >= m.late_move_limit(depth, is_improving) && !is_hunt() {
                        picker.skip_quiets_but_checks();
                    }
                    let margin = m.futility(reduced, history);
                    if !is_check
                        && !gives_check
                        && reduced <= margins::FUTILITY_DEPTH
                        && evaluation + margin <= alpha
                        && !(reduced > 0 && is_hunt())
                    {
                        picker.skip_quiets_but_checks();
                        if !is_decided(best) && best <= evaluation + margin {
                            best = best.max(evaluation + margin);
                        }
                        continue;
                    }
                    if reduced <= margins::HISTORY_DEPTH && history < m.history(depth) {
                        continue;
                    }
                    if !wins_at_least(position, mv, m.quiet_exchange(reduced)) {
                        continue;
                    }
                } else if (picker.is_past_quiets() || hash_move != Some(mv))
                    && !wins_at_least(position, mv, m.noisy_exchange(depth, history))
                {
                    continue;
                }
            }

            // Step 13. Singular extension: search a move deeper if all others are much worse.
            let mut extension = 0;
            if !is_root
                && Some(mv) == hash_move
                && excluded.is_none()
                && depth >= margins::SINGULAR_DEPTH
                && (ply as i32) < 2 * self.root_depth
                && let Some(hit) = hit
                && hit.depth >= depth - 3
                && hit.bound.is_lower()
                && !is_decided(hit.value)
            {
                let singular_beta = m.singular_beta(hit.value, depth, was_pv && !PV);
                self.frame(ply).excluded = Some(mv);
                let half = (depth - 1) / 2;
                let value = self.search::<false>(
                    position,
                    Window::point(singular_beta - 1),
                    half,
                    ply,
                    is_cut_node,
                );
                self.frame(ply).excluded = None;
                if self.is_stopped {
                    picker.clear(&mut self.stack);
                    return DRAW;
                }
                if value < singular_beta {
                    extension = 1;
                    let may_double =
                        !PV && self.frame(ply).double_extensions < MAX_DOUBLE_EXTENSIONS;
                    if may_double && value < singular_beta - m.double_extension {
                        extension = 2;
                        if !noisy && value < singular_beta - m.triple_extension {
                            extension = 3;
                        }
                    }
                } else if value >= beta && !is_decided(value) {
                    // Multi-cut: another move also beats beta, so this position will too.
                    picker.clear(&mut self.stack);
                    return value;
                } else if hit.value >= beta {
                    extension = -2;
                } else if is_cut_node {
                    extension = -1;
                }
            }

            let may_extend = !is_root && extension == 0 && (ply as i32) < 2 * self.root_depth;
            if may_extend && gives_check && wins_at_least(position, mv, 0) {
                extension = 1;
            }

            // Step 14. Play the move, and search later moves with reduced depth.
            let nodes_before = self.nodes;
            let next = self.play(position, mv, ply);
            self.frame(ply).quiet_move = (!noisy).then_some(mv);
            self.frame(ply + 1).double_extensions =
                self.frame(ply).double_extensions + i32::from(extension >= 2);
            let new_depth = depth - 1 + extension;
            let mut value = -INFINITE;
            let possibilities =
                if is_root { self.possibilities(mv) } else { WinPossibilities::OPEN };
            let is_dead = possibilities.is_dead();
            let mut is_full_needed = (!PV || count > 1) && !is_dead;
            if depth >= 2 && !is_dead && count > 1 + i32::from(is_root) {
                let mut reduction = m.late_move_reduction(depth, count, noisy);
                reduction -=
                    i32::from(was_pv) * (m.reduction_was_pv + m.reduction_pv * i32::from(PV));
                reduction += i32::from(is_cut_node) * m.reduction_cut_node;
                reduction -= i32::from(gives_check) * m.reduction_check;
                reduction += i32::from(is_hash_move_noisy && !noisy) * m.reduction_noisy_hash_move;
                reduction += i32::from(!is_improving && !is_check) * m.reduction_not_improving;
                reduction += i32::from(self.frame(ply + 1).cutoffs > 3) * m.reduction_cutoffs;
                reduction -= i32::from(killers.contains(&Some(mv))) * m.reduction_killer;
                reduction -= history * PLY / m.reduction_history;
                let reduced = (new_depth - reduction / PLY).clamp(1, new_depth.max(1));
                self.frame(ply).reduction = (new_depth - reduced) * PLY;
                let point = Window::point(alpha).flipped();
                value = -self.search::<false>(&next, point, reduced, ply + 1, true);
                self.frame(ply).reduction = 0;
                is_full_needed = value > alpha && reduced < new_depth;
                if is_full_needed {
                    // Search deeper if the move is much better than expected, and less deep if it
                    // is hardly better.
                    let deeper = i32::from(value > best + m.deeper_base + 2 * new_depth);
                    let shallower = i32::from(value < best + new_depth);
                    let adjusted = new_depth + deeper - shallower;
                    if reduced < adjusted {
                        let point = Window::point(alpha).flipped();
                        value =
                            -self.search::<false>(&next, point, adjusted, ply + 1, !is_cut_node);
                    }
                    is_full_needed = false;
                    if !noisy && (value <= alpha || value >= beta) {
                        let lesson = if value <= alpha { -m.malus(depth) } else { m.bonus(depth) };
                        self.histories.update_continuation(turn, mv, &context, lesson / 2);
                    }
                }
            }
            if is_full_needed {
                let point = Window::point(alpha).flipped();
                value = -self.search::<false>(&next, point, new_depth, ply + 1, !is_cut_node);
            }
            if PV && (count == 1 || value > alpha) && !is_dead {
                let full = Window { alpha, beta }.flipped();
                value = -self.search::<true>(&next, full, new_depth, ply + 1, false);
            }
            self.undo();
            if self.is_stopped {
                picker.clear(&mut self.stack);
                return DRAW;
            }

            // Step 15. At the root, record the result of every move, and bound it by what the
            // rules still allow.
            if is_root {
                value = possibilities.bounded(value);
                if is_dead {
                    self.pv_table.clear(1);
                }
                let spent = self.nodes - nodes_before;
                self.note_root_move(mv, value, spent, count == 1 || value > alpha);
            }

            // Step 16. Update the best move, and stop at a beta cutoff.
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(mv);
                    if PV {
                        self.pv_table.put(ply, mv);
                    }
                    alpha = value;
                    if value >= beta {
                        self.frame(ply).cutoffs += 1;
                        break;
                    }
                    if depth > 3 && depth < 14 && !is_decided(value) {
                        depth -= 1;
                    }
                }
            }
            if Some(mv) != best_move {
                tried.add(mv, noisy);
            }
        }
        picker.clear(&mut self.stack);

        // Step 17. No move at all: checkmate, stalemate, or only the excluded move. If every move
        // is hidden from the level, it evaluates the position statically.
        if count == 0 {
            return match (excluded, is_check) {
                (Some(_), _) => alpha,
                (None, _) if overlooks => evaluation,
                (None, true) => mated_at(ply),
                (None, false) => DRAW,
            };
        }

        // Step 18. Update the histories with the move that caused the cutoff and those that did
        // not.
        if let Some(mv) = best_move {
            self.learn(
                position,
                mv,
                &tried,
                depth + i32::from(best > beta + m.surprise),
                ply,
                &context,
            );
        } else if excluded.is_none()
            && !is_root
            && let Some((mv, context)) = self.previous_quiet(ply)
        {
            let bonus = m.bonus(depth) * m.refutation / 100;
            self.histories.update_quiet(!turn, mv, &context, bonus);
        }
        if best >= beta && !is_decided(best) && !is_decided(alpha) {
            best = (best * depth + beta) / (depth + 1);
        }

        // Step 19. Store the result, and record how far off the evaluation was.
        let bound = if best >= beta {
            Bound::Lower
        } else if best > start_alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        if excluded.is_none() && !(is_root && self.line > 0) {
            let entry = TableEntry {
                mv: best_move,
                value: best,
                evaluation: raw,
                depth,
                bound,
                is_pv: was_pv,
            };
            self.remember(position, ply, &entry);
        }
        let is_quiet_best = best_move.is_none_or(|mv| !is_noisy(position, mv));
        if !is_check
            && excluded.is_none()
            && is_quiet_best
            && !is_decided(best)
            && bound.proves(best, evaluation)
        {
            let bonus = ((best - evaluation) * depth / 8).clamp(-256, 256);
            let state = *self.evaluator.state();
            self.histories.update_correction(position, &state, &context, bonus);
        }
        best
    }

    /// Searches only captures, promotions and, if `tries_checks` is set, quiet checks; in check,
    /// searches all moves. Returns the value of the position within a window.
    #[expect(clippy::too_many_lines, reason = "many ideas share one loop; it has numbered steps")]
    fn quiescence<const PV: bool>(
        &mut self,
        position: &Position,
        window: Window,
        ply: usize,
        tries_checks: bool,
    ) -> Value {
        let Window { mut alpha, beta } = window;
        let m = self.shared.margins;

        // Step 1. Count the node; draws and the maximum ply.
        self.count_node();
        if self.is_stopped {
            return DRAW;
        }
        if PV {
            self.pv_table.clear(ply);
            self.selective_depth = self.selective_depth.max(ply);
        }
        let is_check = position.is_check();
        if self.is_draw(position, is_check) {
            return DRAW;
        }
        if ply >= MAX_PLY - 1 {
            return if is_check { DRAW } else { self.evaluate(position) };
        }

        // Step 2. Look up the transposition table.
        let hit = self.shared.table.get(position, ply);
        let was_pv = PV || hit.is_some_and(|hit| hit.was_pv);
        if let Some(hit) = hit
            && !PV
            && hit.bound.proves(hit.value, beta)
        {
            return hit.value;
        }

        // Step 3. Stand pat: no side is forced to capture.
        let context = self.context(ply);
        let mut raw = NO_EVALUATION;
        let mut best = -INFINITE;
        let mut futility = -INFINITE;
        if !is_check {
            raw = match hit {
                Some(hit) if hit.evaluation != NO_EVALUATION => hit.evaluation,
                _ => self.evaluate(position),
            };
            best = self.corrected(position, raw, &context);
            if let Some(hit) = hit
                && !is_decided(hit.value)
                && hit.bound.proves(hit.value, best)
            {
                best = hit.value;
            }
            if best >= beta {
                if hit.is_none() {
                    self.remember(
                        position,
                        ply,
                        &TableEntry {
                            mv: None,
                            value: best,
                            evaluation: raw,
                            depth: -1,
                            bound: Bound::None,
                            is_pv: false,
                        },
                    );
                }
                return if is_decided(best) { best } else { (best + beta) / 2 };
            }
            alpha = alpha.max(best);
            futility = best + m.quiescence;
        }

        // Step 4. Try the moves in order.
        let hash_move = hit.and_then(|hit| hit.mv).filter(|&mv| is_check || is_noisy(position, mv));
        let filter = match (is_check, tries_checks) {
            (true, _) => MoveFilter::All,
            (false, true) => MoveFilter::NoisyOrCheck,
            (false, false) => MoveFilter::Noisy,
        };
        let mut picker = Picker::new(&self.stack, hash_move, [None; 2], filter);
        let mut best_move = None;
        let mut count = 0;
        let check_squares = CheckSquares::new(position);
        while let Some(mv) = self.next_move(&mut picker, position, &context, &check_squares) {
            if !self.sees(position, mv, ply) {
                continue;
            }
            count += 1;

            // Step 5. Prune moves that cannot raise alpha.
            if !is_lost(best) {
                if is_check {
                    if count > 1 && !is_noisy(position, mv) {
                        picker.skip_quiets();
                        continue;
                    }
                } else if !check_squares.are_reached_by(mv) && mv.promotion().is_none() {
                    let gain = captured_role(position, mv).map_or(0, value_of);
                    if futility + gain <= alpha {
                        best = best.max(futility + gain);
                        continue;
                    }
                    if futility <= alpha && !wins_at_least(position, mv, 1) {
                        best = best.max(futility);
                        continue;
                    }
                }
                if !wins_at_least(position, mv, -m.quiescence_exchange) {
                    continue;
                }
            }

            // Step 6. Play and search the move.
            let next = self.play(position, mv, ply);
            let value =
                -self.quiescence::<PV>(&next, Window { alpha, beta }.flipped(), ply + 1, false);
            self.undo();
            if self.is_stopped {
                picker.clear(&mut self.stack);
                return DRAW;
            }
            if value > best {
                best = value;
                if value > alpha {
                    best_move = Some(mv);
                    if PV {
                        self.pv_table.put(ply, mv);
                    }
                    alpha = value;
                    if value >= beta {
                        break;
                    }
                }
            }
        }
        picker.clear(&mut self.stack);

        // Step 7. In check without a move: checkmate.
        if is_check && count == 0 {
            return mated_at(ply);
        }
        if best >= beta && !is_decided(best) {
            best = (best + beta) / 2;
        }

        // Step 8. Store the result.
        self.remember(
            position,
            ply,
            &TableEntry {
                mv: best_move,
                value: best,
                evaluation: raw,
                depth: 0,
                bound: if best >= beta { Bound::Lower } else { Bound::Upper },
                is_pv: was_pv,
            },
        );
        best
    }

    fn remember(&self, position: &Position, ply: usize, entry: &TableEntry) {
        self.shared.table.put(position, ply, entry);
    }

    /// Searches a null move and returns a value if it fails high.
    fn try_null_move(
        &mut self,
        position: &Position,
        beta: Value,
        depth: i32,
        ply: usize,
        estimate: Value,
    ) -> Option<Value> {
        let next = position.null_move()?;
        let reduced = depth - self.shared.margins.null_move_reduction(depth, estimate - beta);
        let frame = self.frame(ply);
        (frame.row, frame.quiet_move, frame.is_null_move) = (NO_ROW, None, true);
        self.evaluator.null_move();
        self.shared.table.prefetch(next.hash());
        self.hashes.push(next.hash());
        let barrier = std::mem::replace(&mut self.barrier, self.hashes.len() - 1);
        let window = Window::point(beta - 1).flipped();
        let value = -self.search::<false>(&next, window, reduced, ply + 1, true);
        self.barrier = barrier;
        self.undo();
        self.frame(ply).is_null_move = false;
        if self.is_stopped {
            return Some(DRAW);
        }
        if value < beta {
            return None;
        }
        // A mate found after a null move is not proven.
        let value = if value >= MATE_BOUND { beta } else { value };
        if depth < margins::VERIFIED_NULL_MOVE_DEPTH || self.null_allowed_from > 0 {
            return Some(value);
        }
        self.null_allowed_from = ply + (3 * reduced.max(1) as usize) / 4 + 1;
        let confirmed =
            self.search::<false>(position, Window::point(beta - 1), reduced, ply, false);
        self.null_allowed_from = 0;
        (confirmed >= beta).then_some(value)
    }

    /// Returns the next move of a picker.
    #[inline(always)]
    fn next_move(
        &mut self,
        picker: &mut Picker,
        position: &Position,
        context: &Context,
        check_squares: &CheckSquares,
    ) -> Option<Move> {
        let histories = &*self.histories;
        let pick_context = PickContext { position, histories, context, check_squares };
        picker.next(&mut self.stack, &pick_context)
    }

    /// Searches captures with reduced depth and returns a value if one reaches the raised
    /// beta.
    fn try_probcut(&mut self, position: &Position, ply: usize, probcut: &ProbCut) -> Option<Value> {
        let ProbCut { hash_move, beta, depth, evaluation, raw } = *probcut;
        let filter = MoveFilter::Winning(beta - evaluation);
        let hash_move = hash_move
            .filter(|&mv| is_noisy(position, mv) && wins_at_least(position, mv, beta - evaluation));
        let context = self.context(ply);
        let check_squares = CheckSquares::new(position);
        let mut picker = Picker::new(&self.stack, hash_move, [None; 2], filter);
        let mut found = None;
        while let Some(mv) = self.next_move(&mut picker, position, &context, &check_squares) {
            if !self.sees(position, mv, ply) {
                continue;
            }
            let next = self.play(position, mv, ply);
            let window = Window::point(beta - 1).flipped();
            let mut value = -self.quiescence::<false>(&next, window, ply + 1, false);
            let reduced = depth - 4;
            if value >= beta && reduced > 0 {
                value = -self.search::<false>(&next, window, reduced, ply + 1, false);
            }
            self.undo();
            if self.is_stopped {
                break;
            }
            if value >= beta {
                self.remember(
                    position,
                    ply,
                    &TableEntry {
                        mv: Some(mv),
                        value,
                        evaluation: raw,
                        depth: depth - 3,
                        bound: Bound::Lower,
                        is_pv: false,
                    },
                );
                found = Some(value);
                break;
            }
        }
        picker.clear(&mut self.stack);
        found
    }
}

/// What a ProbCut search has to prove.
struct ProbCut {
    hash_move: Option<Move>,
    beta: Value,
    depth: i32,
    /// The static evaluation after corrections.
    evaluation: Value,
    /// The static evaluation before corrections.
    raw: Value,
}

/// An alpha-beta window: the range in which the exact value matters.
#[derive(Clone, Copy)]
struct Window {
    alpha: Value,
    beta: Value,
}

impl Window {
    /// Returns the null window above `alpha`, which tests only whether a value is greater.
    fn point(alpha: Value) -> Window {
        Window { alpha, beta: alpha + 1 }
    }

    /// Returns the same window from the opponent's point of view.
    fn flipped(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }
}
