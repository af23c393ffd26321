// A node of the search: its state, the transposition table, repetitions, and history updates.
#pragma once

#include "order.h"

constexpr int MATE = 32000;
constexpr int MATE_RANGE = MATE - 256;  // scores beyond this are mates
constexpr int INFINITE = 32500;
constexpr int NO_EVAL = -32768;
constexpr int MAX_DEPTH = 30;

enum Bound { BOUND_NONE, BOUND_UPPER, BOUND_LOWER, BOUND_EXACT };

struct alignas(16) TableEntry {
    u64 key;
    u16 move;
    i16 score;
    i8 depth;
    u8 bound;
    u16 unused;
};

// The state of one warp.
struct Worker {
    WarpMemory* memory;
    const Tables* tables;
    TableEntry* table;
    u32 table_mask;
    u32* accumulators;  // [MAX_PLY][2][H / 2]
    Net net;
    int old_keys;  // number of keys of earlier positions of the game in memory->old_keys
    // The first position that a search evaluates after `sample_from` nodes is copied to `sample`. The search
    // then sets `sample_from` to NO_SAMPLE.
    Position* sample;
    u32 sample_from;
};
constexpr u32 NO_SAMPLE = ~0u;

struct SearchResult {
    u32 move;
    int score;
    int depth;
    u32 nodes;
};

enum Phase { ENTER, RESUME, NEXT, MAKE, RETURN };
// The reason for which a child was searched.
enum Stage { NULL_MOVE, REDUCED, ZERO_WINDOW, FULL_WINDOW };

// The node that is being searched. Scores fit 16 bits.
struct Node {
    int alpha, beta, best, eval;
    int depth, count;  // count: moves tried
    int base, end;     // the moves in the list
    u32 move, best_move, table_move;
    u32 stage;
    bool is_check, after_null, raised_alpha, is_still;  // is_still: the move is quiet
};

DEVICE void save_node(const Node& n, SavedNode& saved) {
    saved.word[0] = (u16)n.alpha | (u32)n.beta << 16;
    saved.word[1] = (u16)n.best | (u32)n.eval << 16;
    saved.word[2] = n.move | n.best_move << 16;
    saved.word[3] = n.base | n.end << 16;
    saved.word[4] = n.table_move | (u32)n.is_check << 16 | (u32)n.after_null << 17 | (u32)n.raised_alpha << 18 |
                    (u32)n.is_still << 19 | n.stage << 20;
    saved.word[5] = (u8)n.depth | n.count << 8;
}

DEVICE Node load_node(const SavedNode& saved) {
    Node n;
    n.alpha = (i16)saved.word[0];
    n.beta = (i16)(saved.word[0] >> 16);
    n.best = (i16)saved.word[1];
    n.eval = (i16)(saved.word[1] >> 16);
    n.move = saved.word[2] & 0xffff;
    n.best_move = saved.word[2] >> 16;
    n.base = saved.word[3] & 0xffff;
    n.end = saved.word[3] >> 16;
    n.table_move = saved.word[4] & 0xffff;
    n.is_check = saved.word[4] >> 16 & 1;
    n.after_null = saved.word[4] >> 17 & 1;
    n.raised_alpha = saved.word[4] >> 18 & 1;
    n.is_still = saved.word[4] >> 19 & 1;
    n.stage = saved.word[4] >> 20;
    n.depth = (i8)saved.word[5];
    n.count = saved.word[5] >> 8 & 255;
    return n;
}

// Mate scores count plies from the root in the search and from the node in the table.
DEVICE int score_to_table(int score, int ply) {
    return score > MATE_RANGE ? score + ply : score < -MATE_RANGE ? score - ply : score;
}
DEVICE int score_from_table(int score, int ply) {
    return score > MATE_RANGE ? score - ply : score < -MATE_RANGE ? score + ply : score;
}

// Returns whether neither side can mate: there are only the kings and at most one minor piece.
SHARED_CODE bool is_bare(const Position& p) {
    u64 occupied = p.occupied();
    return count_bits(occupied) <= 3 && count_bits(occupied & ~(p.knights() | p.bishops())) == 2;
}

// Returns whether the position occurred before, in the search or in the game. Each lane looks two
// plies further back than the one before it.
DEVICE bool is_repeated(const Position& p, const Worker& w, int ply) {
    int reach = minimum(p.halfmoves(), ply + w.old_keys);
    bool is_found = false;
#pragma unroll 1
    for (int back = 4 + 2 * lane_id(); back <= reach; back += 2 * LANES) {
        int at = ply - back;
        u32 key = at >= 0 ? (u32)w.memory->positions[at].key : w.memory->old_keys[w.old_keys + at];
        is_found |= key == (u32)p.key;
    }
    return vote(is_found) != 0;
}

// Returns the number of plies by which a late move is reduced.
DEVICE int reduction(int depth, int count, bool is_pv, int history) {
    float r = 0.5f + log2_fast((float)depth) * log2_fast((float)count) * 0.22f;
    r -= is_pv ? 0.8f : 0.0f;
    r -= (float)history * (1.0f / 6000.0f);
    return maximum(0, minimum((int)r, depth - 2));
}

// Rewards a quiet move that caused a cutoff, and penalizes the quiet moves tried before it.
DEVICE void reward_move(WarpMemory& m, const Position& p, const Node& n, int ply) {
    int bonus = minimum(24 * n.depth * n.depth + 60 * n.depth, 1600);
    u32 killers = m.killers[ply];
    sync_warp();
    if ((killers & 0xffff) != n.move) {
        m.killers[ply] = n.move | killers << 16;
    }
#pragma unroll 1
    for (int at = n.base + lane_id(); at < n.end; at += LANES) {
        u32 entry = m.moves[at], move = entry & 0xffff;
        bool is_best = move == n.move;
        // A move that was already picked has score zero.
        if ((entry >> 16 == 0 || is_best) && is_quiet(p, move)) {
            i16& history = m.history[history_index(p, move)];
            int change = is_best ? bonus : -bonus;
            history = (i16)(history + change - history * bonus / HISTORY_LIMIT);
        }
    }
    sync_warp();
}

// Stores the result of a node. The table is private and small, so it always keeps the newest entry.
DEVICE void store_entry(const Worker& w, const Position& p, const Node& n, int ply, int value) {
    TableEntry fresh;
    fresh.key = p.key;
    fresh.move = (u16)(n.best_move ? n.best_move : n.table_move);
    fresh.score = (i16)score_to_table(value, ply);
    fresh.unused = 0;
    fresh.depth = (i8)maximum(n.depth, 0);
    fresh.bound = (u8)(value >= n.beta ? BOUND_LOWER : n.raised_alpha ? BOUND_EXACT : BOUND_UPPER);
    w.table[(u32)p.key & w.table_mask] = fresh;
}

// Prepares the memory of a warp for a search. The history of quiet moves from earlier searches is
// halved.
DEVICE void prepare_search(WarpMemory& m) {
#pragma unroll 1
    for (int ply = lane_id(); ply < MAX_PLY; ply += LANES) {
        m.killers[ply] = 0;
    }
#pragma unroll 1
    for (int index = lane_id(); index < HISTORY_SIZE; index += LANES) {
        m.history[index] /= 2;
    }
    sync_warp();
}

// The weight of the network's values in a search, in percent, about as in the engine. Scores of searches are
// in centipawns of the engine.
constexpr int NETWORK_PERCENT = 70;

// Returns the value of a node in centipawns of the network. Its accumulators are always updated, because its
// children start from them.
template <int H>
DEVICE int evaluate(const Worker& w, const Position& p, const View& v, Change change, int ply) {
    if constexpr (H == 0) {
        return plain_value(p, v);
    } else {
        u32* slot = w.accumulators + ply * H;
        return update_network<H>(w.net, *w.tables, p, v, change, ply ? slot - H : nullptr, slot);
    }
}

// Returns the value of a node in centipawns of the engine.
template <int H>
DEVICE int search_value(const Worker& w, const Position& p, const View& v, Change change, int ply) {
    int value = evaluate<H>(w, p, v, change, ply);
    return H == 0 ? value : value * NETWORK_PERCENT / 100;
}
