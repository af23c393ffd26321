// Alpha-beta search of one position by one warp, without recursion.
//
// The current node is in registers, and the nodes above it are in shared memory. One loop takes a node
// through its phases, so each piece of code exists only once.
#pragma once

#include "node.h"

// Searches a position with iterative deepening until an iteration ends beyond `soft` nodes. A search
// that exceeds `hard` nodes is aborted and returns the result of the last complete iteration. The
// position must have a legal move.
template <int H>
DEVICE SearchResult search(Worker& w, const Position& root, u32 soft, u32 hard) {
    WarpMemory& m = *w.memory;
    const Tables& t = *w.tables;
    SearchResult result = {0, 0, 0, 0};
    u32 nodes = 0;
    int ply = 0, value = 0, root_depth = 1, margin = INFINITE;
    int child_alpha = 0, child_beta = 0, child_depth = 0;
    Position p = root;
    Change change = no_change();
    Node n = {};
    n.alpha = -INFINITE;
    n.beta = INFINITE;
    n.depth = 1;
    int phase = ENTER;

    while (true) {
        if (phase == ENTER) {
            if (nodes >= hard) {
                // In rare cases not even the first iteration completes; its best move so far is used.
                Node first = load_node(m.nodes[0]);
                if (result.move == 0 && ply > 0) {
                    result.move = first.best_move;
                    result.score = first.best;
                }
                break;
            }
            nodes += 1;
            p.key = position_key(p);
            m.positions[ply] = p;
            n.best = -INFINITE;
            n.best_move = n.table_move = 0;
            n.count = 0;
            n.raised_alpha = false;
            n.base = n.end;
            if (ply > 0) {
                bool is_draw = p.halfmoves() >= 100 || is_bare(p);
                if (p.halfmoves() >= 4) {
                    is_draw |= is_repeated(p, w, ply);
                }
                // Mate distance pruning: no mate from here is shorter than one already found.
                n.alpha = maximum(n.alpha, -MATE + ply);
                n.beta = minimum(n.beta, MATE - ply - 1);
                if (is_draw || n.alpha >= n.beta) {
                    value = is_draw ? 0 : n.alpha;
                    phase = RETURN;
                }
            }
        }
        if (phase == ENTER || phase == RESUME) {
            bool is_pv = n.beta - n.alpha > 1;
            // The load starts here; its data is needed only after the attacks.
            TableEntry entry = w.table[(u32)p.key & w.table_mask];
            View v = look(p, t, m.squares);
            if (phase == ENTER) {
                n.is_check = v.checkers != 0;
                n.depth += n.is_check && n.depth >= 0 && ply < 2 * root_depth + 4;
                int table_score = score_from_table(entry.score, ply), table_bound = BOUND_NONE;
                if (entry.key == p.key) {
                    table_bound = entry.bound & 3;
                    n.table_move = entry.move;
                    bool is_enough = table_bound & (table_score >= n.beta ? BOUND_LOWER : BOUND_UPPER);
                    if (!is_pv && entry.depth >= n.depth && is_enough) {
                        value = table_score;
                        phase = RETURN;
                        continue;
                    }
                }
                n.eval = search_value<H>(w, p, v, change, ply);
                if (nodes >= w.sample_from && ply > 0 && !n.is_check) {
                    *w.sample = p;
                    w.sample_from = NO_SAMPLE;
                }
                int estimate = n.eval;
                if (table_bound & (table_score > n.eval ? BOUND_LOWER : BOUND_UPPER)) {
                    estimate = table_score;
                }
                if (ply >= MAX_PLY - 1) {
                    value = n.is_check ? 0 : estimate;
                    phase = RETURN;
                    continue;
                }
                if (n.is_check) {
                    n.eval = NO_EVAL;
                } else {
                    bool is_prunable = !is_pv && n.beta < MATE_RANGE && n.beta > -MATE_RANGE;
                    if (is_prunable && n.depth > 0 && n.depth <= 7 && estimate - 80 * n.depth >= n.beta) {
                        value = (estimate + n.beta) / 2;
                        phase = RETURN;
                        continue;
                    }
                    if (is_prunable && n.depth > 0 && n.depth <= 2 && estimate + 150 + 150 * n.depth <= n.alpha) {
                        n.depth = 0;
                    }
                    if (n.depth <= 0) {
                        n.best = estimate;
                        n.alpha = maximum(n.alpha, n.best);
                        if (n.best >= n.beta) {
                            value = n.best;
                            phase = RETURN;
                            continue;
                        }
                    } else if (is_prunable && n.depth >= 3 && !n.after_null && estimate >= n.beta &&
                               n.eval >= n.beta - 30 && (v.own & ~p.pawns() & ~p.kings())) {
                        n.stage = NULL_MOVE;
                        save_node(n, m.nodes[ply]);
                        make_null(p);
                        change = no_change();
                        int less = 3 + n.depth / 4 + minimum((estimate - n.beta) / 200, 2);
                        int beta = n.beta;
                        n.beta = 1 - beta;
                        n.alpha = -beta;
                        n.depth -= less;
                        n.after_null = true;
                        ply += 1;
                        continue;
                    }
                }
            }
            // A node without a table move is searched less deep.
            n.depth -= n.depth >= 4 && !n.table_move;
            bool is_noisy_only = n.depth <= 0 && !n.is_check;
            Generated moves = generate(p, v, t, is_noisy_only, m.moves + n.base, MOVE_STACK - n.base);
            if (moves.count <= 0) {
                bool is_over = moves.count == 0 && !is_noisy_only;
                value = is_over ? (n.is_check ? -MATE + ply : 0) : n.is_check ? n.alpha : maximum(n.best, n.eval);
                phase = RETURN;
                continue;
            }
            n.end = n.base + moves.count;
            OrderContext c;
            c.zones = check_zones(p, v, t);
            c.threats = moves.threats;
            c.pawn_threats = pawn_attacks(p.pawns() & v.occupied & ~v.own, p.turn() ^ 1);
            c.table_move = n.table_move;
            c.killers = m.killers[ply];
            score_moves(p, t, m, c, n.base, n.end);
            phase = NEXT;
        }
        bool is_finished = false;
        if (phase == NEXT) {
            u32 word = pick_move(m, n.base, n.end);
            n.move = word & 0xffff;
            int score = (int)(word >> 16);
            bool is_pv = n.beta - n.alpha > 1;
            n.is_still = is_quiet(p, n.move);
            bool is_checking = score & 1 && score < SCORE_KILLER;
            is_finished = score == 0;
            if (!is_finished && ply > 0 && n.best > -MATE_RANGE) {
                if (n.depth <= 0) {
                    if (n.is_check) {
                        is_finished = n.is_still && n.count >= 2;
                    } else {
                        int gain = 100 * exchange_value(maximum(p.code_at(move_to(n.move)), PAWN));
                        // The deeper an exchange goes, the fewer moves are tried.
                        int most = n.depth > -6 ? maximum(2, 4 + n.depth) : 1;
                        is_finished = score < SCORE_BAD_END || n.count >= most;
                        if (!is_finished && !move_promotion(n.move) && n.eval + gain + 180 <= n.alpha) {
                            n.best = maximum(n.best, minimum(n.eval + gain + 180, n.alpha));
                            continue;
                        }
                    }
                } else if (!is_pv && !n.is_check && !is_checking) {
                    int before = ply >= 2 ? (i16)(m.nodes[ply - 2].word[1] >> 16) : NO_EVAL;
                    bool is_improving = n.eval > before;
                    if (n.is_still) {
                        int most = (4 + n.depth * n.depth) >> (is_improving ? 0 : 1);
                        is_finished = n.count >= most;
                        is_finished |= n.depth <= 6 && n.eval + 120 + 90 * n.depth <= n.alpha;
                        is_finished |= n.depth <= 3 && score < SCORE_QUIET - 2000 * n.depth;
                    } else {
                        is_finished = n.depth <= 3 && score < SCORE_BAD_END;
                    }
                }
            }
            if (!is_finished) {
                n.count += 1;
                child_depth = n.depth - 1;
                child_beta = -n.alpha;
                if (n.count == 1) {
                    child_alpha = -n.beta;
                    n.stage = FULL_WINDOW;
                } else {
                    child_alpha = -n.alpha - 1;
                    n.stage = ZERO_WINDOW;
                    bool is_reducible = n.is_still || score < SCORE_BAD_END;
                    if (n.depth >= 3 && n.count > (is_pv ? 4 : 2) && is_reducible) {
                        int history = n.is_still ? score - SCORE_QUIET : 0;
                        int less = reduction(n.depth, n.count, is_pv, minimum(history, 6000));
                        less -= (n.is_check || is_checking) && less > 0;
                        child_depth -= less;
                        n.stage = less > 0 ? REDUCED : ZERO_WINDOW;
                    }
                }
                phase = MAKE;
            }
        }
        if (phase == RETURN && ply > 0) {
            ply -= 1;
            n = load_node(m.nodes[ply]);
            p = m.positions[ply];
            sync_warp();
            value = -value;
            phase = NEXT;
            if (n.stage == NULL_MOVE) {
                phase = value >= n.beta ? RETURN : RESUME;
                value = value > MATE_RANGE ? n.beta : value;
                continue;
            }
            if (value > n.alpha && n.stage != FULL_WINDOW) {
                // A move that exceeds alpha in a reduced or zero-window search is searched again.
                bool is_again = n.stage == REDUCED;
                child_alpha = -n.alpha - 1;
                child_beta = -n.alpha;
                child_depth = n.depth - 1;
                if (!is_again && value < n.beta) {
                    child_alpha = -n.beta;
                    is_again = true;
                }
                if (is_again) {
                    n.stage = n.stage == REDUCED ? ZERO_WINDOW : FULL_WINDOW;
                    phase = MAKE;
                }
            }
            if (phase != MAKE && value > n.best) {
                n.best = value;
                if (value > n.alpha) {
                    n.best_move = n.move;
                    n.raised_alpha = true;
                    n.alpha = value;
                    if (value >= n.beta) {
                        is_finished = true;
                        if (n.depth > 0 && n.is_still) {
                            reward_move(m, p, n, ply);
                        }
                    }
                }
            }
        } else if (phase == RETURN) {
            // An iteration has ended, perhaps with a score outside of its window.
            bool is_outside = value <= result.score - margin || value >= result.score + margin;
            if (is_outside && margin < INFINITE) {
                margin = margin * 4 > 400 ? INFINITE : margin * 4;
            } else {
                result.move = n.best_move;
                result.score = value;
                result.depth = root_depth;
                if (nodes >= soft || root_depth >= MAX_DEPTH) {
                    break;
                }
                root_depth += 1;
                margin = root_depth >= 5 ? 25 : INFINITE;
            }
            n = Node{};
            n.alpha = margin < INFINITE ? result.score - margin : -INFINITE;
            n.beta = margin < INFINITE ? result.score + margin : INFINITE;
            n.depth = root_depth;
            phase = ENTER;
            continue;
        }
        if (is_finished) {
            value = n.best;
            store_entry(w, p, n, ply, value);
            phase = RETURN;
        }
        if (phase == MAKE) {
            save_node(n, m.nodes[ply]);
            change = make_move(p, n.move);
            ply += 1;
            n.alpha = child_alpha;
            n.beta = child_beta;
            n.depth = child_depth;
            n.after_null = false;
            phase = ENTER;
        }
    }
    result.nodes = nodes;
    return result;
}
