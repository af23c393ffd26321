// The memory of a warp, and the order in which moves are tried.
//
// A move in the list is a word: its score in the upper half, the move in the lower half, so the
// best one is the maximum of the list. A move that was picked keeps its place with score zero.
#pragma once

#include "net.h"

constexpr int MAX_PLY = 48;
constexpr int MOVE_STACK = 704;
constexpr int HISTORY_LIMIT = 8192;
constexpr int HISTORY_SIZE = 2 * 6 * 64;
constexpr int OLD_KEYS = 104;

struct alignas(16) SavedNode {
    u32 word[6];
    u32 unused[2];
};

// The data of one warp in shared memory.
struct alignas(16) WarpMemory {
    Position positions[MAX_PLY];
    SavedNode nodes[MAX_PLY];
    u32 moves[MOVE_STACK];
    u32 killers[MAX_PLY];
    u32 old_keys[OLD_KEYS];
    i16 history[HISTORY_SIZE];
    u8 squares[LANES];
};

// Classes of moves by score.
enum MoveClass : int {
    SCORE_TABLE = 0xffff,
    SCORE_GOOD = 0xb000,
    SCORE_KILLER = 0xa000,
    SCORE_CHECK = 0x9000,
    SCORE_QUIET = 0x6000,
    SCORE_BAD_END = 0x2000,  // captures that lose material come below this
    SCORE_BAD = 0x1000,
    SCORE_UNDERPROMOTION = 0x800,
};

// Returns the value of a piece in exchanges, in pawns.
DEVICE int exchange_value(int code) { return 0xf953310u >> (4 * code) & 15; }

DEVICE bool is_quiet(const Position& p, u32 move) {
    int from = move_from(move), to = move_to(move);
    bool is_taken = p.occupied() >> to & 1;
    bool is_castling = is_taken && (p.black >> to & 1) == (u64)p.turn();
    bool is_en_passant = to == p.en_passant() && p.code_at(from) == PAWN;
    return !move_promotion(move) && (!is_taken || is_castling) && !is_en_passant;
}

DEVICE int history_index(const Position& p, u32 move) {
    int code = p.code_at(move_from(move));
    return (p.turn() * 6 + code - 1) * 64 + move_to(move);
}

// Returns whether a capture loses material, by exchanging on its square with the least valuable pieces
// first. Runs per lane. Pins are ignored.
DEVICE bool is_losing_capture(const Position& p, const Tables& t, int from, int to, int code, int victim) {
    // The lead of the side that captures next, if it captures and the exchange then ends.
    int lead = exchange_value(code) - exchange_value(victim);
    if (lead <= 0) {
        return false;
    }
    u64 occupied = p.occupied() & ~bit(from);
    u64 target = bit(to), reversed = reverse_bits(target);
    u64 fixed = (t.leapers[0][to] & p.knights()) | (t.leapers[1][to] & p.kings());
    fixed |= pawn_attacks(target, 1) & p.pawns() & ~p.black;
    fixed |= pawn_attacks(target, 0) & p.pawns() & p.black;
    int turn = p.turn();
    bool is_theirs = true;
#pragma unroll 1
    while (true) {
        turn ^= 1;
        u64 straight = line_attacks(occupied, t.lines[to][0], target, reversed) |
                       line_attacks(occupied, t.lines[to][1], target, reversed);
        u64 diagonal = line_attacks(occupied, t.lines[to][2], target, reversed) |
                       line_attacks(occupied, t.lines[to][3], target, reversed);
        u64 attackers = fixed | (straight & p.straight_sliders()) | (diagonal & p.diagonal_sliders());
        attackers &= occupied;
        u64 mine = attackers & (turn ? p.black : ~p.black);
        // Codes grow with value, so the least valuable piece is found bit by bit from the highest.
        u64 least = mine & ~p.plane2 ? mine & ~p.plane2 : mine;
        least = least & ~p.plane1 ? least & ~p.plane1 : least;
        least = least & ~p.plane0 ? least & ~p.plane0 : least;
        int taker = least ? p.code_at(lowest(least)) : NONE;
        bool is_guarded = (attackers & ~mine) != 0;
        if (!least || (taker == KING && is_guarded)) {
            return !is_theirs;
        }
        // We recapture only if that leaves us no worse off, the opponent only if it is then ahead.
        lead = exchange_value(taker) - lead;
        if (lead < (is_theirs ? 0 : 1)) {
            return is_theirs;
        }
        occupied &= ~(least & (0 - least));
        is_theirs = !is_theirs;
    }
}

// Squares from which pieces would give check to the enemy king.
struct CheckZones {
    u64 straight, diagonal, knight, pawn;
    u64 king;  // squares next to the king
};

DEVICE CheckZones check_zones(const Position& p, const View& v, const Tables& t) {
    int king = lowest(p.kings() & ~v.own);
    u64 b = bit(king);
    CheckZones zones;
    // Each of four lanes takes one line.
    int index = lane_id() & 3;
    u64 line = line_attacks(v.occupied, t.lines[king][index], b, reverse_bits(b));
    zones.straight = reduce_or64(index < 2 ? line : 0);
    zones.diagonal = reduce_or64(index < 2 ? 0 : line);
    zones.knight = t.leapers[0][king];
    zones.king = t.leapers[1][king];
    zones.pawn = pawn_attacks(b, p.turn() ^ 1);
    return zones;
}

DEVICE bool gives_check(const CheckZones& zones, int code, int to) {
    u64 zone = code == KNIGHT ? zones.knight : code == PAWN ? zones.pawn : 0;
    zone |= code == ROOK || code == QUEEN ? zones.straight : 0;
    zone |= code == BISHOP || code == QUEEN ? zones.diagonal : 0;
    return zone >> to & 1;
}

// The data that the scores of moves depend on.
struct OrderContext {
    CheckZones zones;
    u64 threats;       // squares that the enemy attacks
    u64 pawn_threats;  // squares that enemy pawns attack
    u32 table_move, killers;
};

// Returns the score of a move. An odd score means that the move gives check, except for the table
// move and killers. Runs per lane.
DEVICE u32 move_score(const Position& p, const Tables& t, const WarpMemory& m, const OrderContext& c, u32 move) {
    if (move == c.table_move) {
        return SCORE_TABLE;
    }
    int from = move_from(move), to = move_to(move), promotion = move_promotion(move);
    int code = p.code_at(from), victim = p.code_at(to);
    bool is_castling = victim != NONE && (int)(p.black >> to & 1) == p.turn();
    if (code == PAWN && to == p.en_passant()) {
        victim = PAWN;
    }
    victim = is_castling ? NONE : victim;
    if (promotion && promotion != 4) {
        return (u32)(SCORE_UNDERPROMOTION + promotion);
    }
    if (victim != NONE || promotion) {
        int gain = exchange_value(victim) * 64 + (promotion ? 512 : 0) + 32 - code * 4;  // even
        bool is_bad = (c.threats >> to & 1) && !promotion && is_losing_capture(p, t, from, to, code, victim);
        return (u32)((is_bad ? SCORE_BAD : SCORE_GOOD) + gain) | gives_check(c.zones, code, to);
    }
    if (move == (c.killers & 0xffff)) {
        return SCORE_KILLER + 1;
    }
    if (move == c.killers >> 16) {
        return SCORE_KILLER;
    }
    int score = SCORE_QUIET + m.history[history_index(p, move)];
    if (code != PAWN && code != KING) {
        // Pieces leave squares where pawns attack them, and avoid such squares.
        score += c.pawn_threats >> from & 1 ? 0x0c00 : 0;
        score -= c.pawn_threats >> to & 1 ? 0x1000 : 0;
        bool is_heavy = code == ROOK || code == QUEEN;
        score += is_heavy && (c.threats >> from & 1) ? 0x0300 : 0;
        score -= is_heavy && (c.threats >> to & 1) ? 0x0600 : 0;
    }
    // Checks come before other quiet moves if they are safe or next to the king.
    bool is_check = gives_check(c.zones, code, to);
    bool is_early = is_check && (!(c.threats >> to & 1) || (c.zones.king >> to & 1));
    score = is_early ? SCORE_CHECK : score & ~1;
    return (u32)score | is_check;
}

DEVICE void score_moves(const Position& p, const Tables& t, WarpMemory& m, const OrderContext& c, int base, int end) {
#pragma unroll 1
    for (int at = base + lane_id(); at < end; at += LANES) {
        u32 move = m.moves[at];
        m.moves[at] = move | move_score(p, t, m, c, move) << 16;
    }
    sync_warp();
}

// Removes the best remaining move and returns its word, or a word below 65536 if none is left.
DEVICE u32 pick_move(WarpMemory& m, int base, int end) {
    u32 best = 0;
    int best_at = base;
#pragma unroll 1
    for (int at = base + lane_id(); at < end; at += LANES) {
        u32 word = m.moves[at];
        best_at = word > best ? at : best_at;
        best = word > best ? word : best;
    }
    u32 top = reduce_max(best);
    if (best == top && top >= 0x10000) {
        m.moves[best_at] = top & 0xffff;
    }
    sync_warp();
    return top;
}
