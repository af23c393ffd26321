// Generates legal moves with a warp: each lane takes one piece on the board.
//
// Lanes with enemy pieces find checks, pins and attacked squares while lanes with own pieces find
// their targets; then the lanes write their moves side by side into one list.
#pragma once

#include "position.h"

// Masks that every warp of a block reads.
struct alignas(16) Tables {
    u64 lines[64][4];    // file, rank, diagonal, antidiagonal of a square, without the square
    u64 leapers[2][64];  // knight and king
    u16 king_map[64];    // input bucket times 768, and bit 15 if the board is mirrored
};

DEVICE u64 leaper_targets(int square, bool is_king) {
    u64 r = bit(square);
    u64 one = pawn_neighbors(r);
    if (is_king) {
        u64 row = r | one;
        return one | row << 8 | row >> 8;
    }
    u64 two = (r << 2 & ~(FILE_A | FILE_A << 1)) | (r >> 2 & ~(FILE_H | FILE_H >> 1));
    return one << 16 | one >> 16 | two << 8 | two >> 8;
}

// Fills the masks of one square; the caller fills `king_map`.
DEVICE void fill_tables(Tables& t, int square) {
    int file = square & 7, rank = square >> 3;
    u64 lines[4] = {0, 0, 0, 0};
#pragma unroll 1
    for (int other = 0; other < 64; ++other) {
        int f = other & 7, r = other >> 3;
        u64 b = other == square ? 0 : bit(other);
        lines[0] |= f == file ? b : 0;
        lines[1] |= r == rank ? b : 0;
        lines[2] |= r - f == rank - file ? b : 0;
        lines[3] |= r + f == rank + file ? b : 0;
    }
    for (int line = 0; line < 4; ++line) {
        t.lines[square][line] = lines[line];
    }
    t.leapers[0][square] = leaper_targets(square, false);
    t.leapers[1][square] = leaper_targets(square, true);
}

// Returns the squares that a slider attacks along one line, by subtraction in both directions.
DEVICE u64 line_attacks(u64 occupied, u64 line, u64 slider, u64 slider_reversed) {
    u64 blockers = occupied & line;
    u64 up = blockers - slider;
    u64 down = reverse_bits(reverse_bits(blockers) - slider_reversed);
    return (up ^ down) & line;
}

DEVICE u64 pawn_attacks(u64 pawns, int color) {
    u64 sides = pawn_neighbors(pawns);
    return color ? sides >> 8 : sides << 8;
}

// What a warp knows about a position; the fields in the middle are per lane.
struct View {
    u64 occupied, own;
    int king;
    u32 checkers;  // lanes whose pieces give check

    u64 attacks;
    int square, code;
    bool is_mine;
};

// Assigns a piece to each lane and computes its attacks. Own attacks stop at pieces. Enemy attacks
// pass through the own king, because it cannot hide behind itself. `squares` is scratch memory.
DEVICE View look(const Position& p, const Tables& t, u8* squares) {
    int lane = lane_id();
    View v;
    v.occupied = p.occupied();
    v.own = p.turn() ? p.black : v.occupied & ~p.black;
    v.king = lowest(p.kings() & v.own);
    // Each lane counts in both halves of the board.
    u32 low = (u32)v.occupied, high = (u32)(v.occupied >> 32), below = (1u << lane) - 1;
    if (low >> lane & 1) {
        squares[count_bits(low & below)] = (u8)lane;
    }
    if (high >> lane & 1) {
        squares[count_bits(low) + count_bits(high & below)] = (u8)(lane + 32);
    }
    sync_warp();
    bool has_piece = lane < count_bits(v.occupied);
    v.square = has_piece ? squares[lane] : 0;
    v.code = has_piece ? p.code_at(v.square) : NONE;
    u64 b = bit(v.square);
    v.is_mine = has_piece && (v.own & b);
    bool is_black = v.is_mine == (p.turn() == 1);
    u64 seen = v.is_mine ? v.occupied : v.occupied & ~bit(v.king);
    // Some lane needs each of these values, so all lanes compute all of them without branching.
    u64 reversed = reverse_bits(b);
    u64 straight = line_attacks(seen, t.lines[v.square][0], b, reversed) |
                   line_attacks(seen, t.lines[v.square][1], b, reversed);
    u64 diagonal = line_attacks(seen, t.lines[v.square][2], b, reversed) |
                   line_attacks(seen, t.lines[v.square][3], b, reversed);
    u64 leaps = t.leapers[v.code == KING][v.square], steps = pawn_attacks(b, is_black);
    u64 attacks = v.code == KNIGHT || v.code == KING ? leaps : v.code == PAWN ? steps : 0;
    attacks |= v.code == ROOK || v.code == QUEEN ? straight : 0;
    attacks |= v.code == BISHOP || v.code == QUEEN ? diagonal : 0;
    v.attacks = attacks;
    v.checkers = vote(has_piece && !v.is_mine && (attacks & bit(v.king)));
    return v;
}

// Returns the line through two squares without the first, or nothing if no line joins them;
// `kinds` has bit 0 for straight lines and bit 1 for diagonals.
DEVICE u64 joining_line(const Tables& t, int king, int square, int kinds) {
    u64 b = bit(square), line = 0;
    for (int index = 0; index < 4; ++index) {
        u64 candidate = t.lines[king][index];
        line = (candidate & b) && (kinds >> (index >> 1) & 1) ? candidate : line;
    }
    return line;
}

DEVICE u64 squares_between(int a, int b, u64 line) {
    int low = minimum(a, b), high = maximum(a, b);
    return line & (bit(high) - 1) & ~((bit(low) << 1) - 1);
}

// Returns whether a slider would attack the king after an en passant capture.
DEVICE bool is_exposed_by_en_passant(const Position& p, const View& v, const Tables& t, int from, int to) {
    u64 occupied = v.occupied ^ bit(from) ^ bit(to) ^ bit(to ^ 8);
    u64 enemy = v.occupied & ~v.own;
    u64 king = bit(v.king), reversed = reverse_bits(king);
    u64 attackers = 0;
#pragma unroll 1
    for (int index = 0; index < 4; ++index) {
        u64 sliders = index < 2 ? p.straight_sliders() : p.diagonal_sliders();
        attackers |= line_attacks(occupied, t.lines[v.king][index], king, reversed) & sliders;
    }
    return attackers & enemy;
}

// Returns the squares of the rooks with which the king may castle.
DEVICE u64 castling_targets(const Position& p, const View& v, u64 threats, u64 pinned) {
    u64 targets = 0;
    int us = p.turn(), rank = us * 56;
#pragma unroll 1
    for (int wing = 0; wing < 2; ++wing) {
        int file = p.rook_file(us, wing);
        if (file < 8) {
            int rook = rank + file, king_to = rank + (wing ? 2 : 6), rook_to = rank + (wing ? 3 : 5);
            u64 row = 0xffull << rank;
            u64 king_path = (squares_between(v.king, king_to, row) | bit(king_to)) & ~bit(v.king);
            u64 rook_path = (squares_between(rook, rook_to, row) | bit(rook_to)) & ~bit(rook);
            u64 others = v.occupied & ~bit(v.king) & ~bit(rook);
            bool is_free = !((king_path | rook_path) & others) && !(king_path & threats);
            // A rook that shields its king on the first rank cannot castle.
            targets |= is_free && !(pinned & bit(rook)) ? bit(rook) : 0;
        }
    }
    return targets;
}

// Results of move generation besides the moves.
struct Generated {
    int count;    // -1 if the list has no room
    u64 threats;  // squares that the enemy attacks
};

// Writes the legal moves to `list`, without scores. If `is_noisy_only`, writes only captures and
// promotions.
DEVICE Generated generate(const Position& p, const View& v, const Tables& t, bool is_noisy_only, u32* list, int room) {
    Generated result;
    u64 b = bit(v.square), enemy = v.occupied & ~v.own;
    bool is_enemy = v.code != NONE && !v.is_mine;
    result.threats = reduce_or64(is_enemy ? v.attacks : 0);

    // Enemy sliders look for a single own piece between them and the king.
    int kinds = v.is_mine ? 3 : (v.code == ROOK || v.code == QUEEN) | (v.code == BISHOP || v.code == QUEEN) << 1;
    u64 line = joining_line(t, v.king, v.square, kinds);
    u64 between = line ? squares_between(v.king, v.square, line) : 0;
    u64 blockers = between & v.occupied;
    bool is_pinning = is_enemy && blockers && !(blockers & (blockers - 1)) && (blockers & v.own);
    u64 pinned = 0;
    if (vote(is_pinning)) {
        pinned = reduce_or64(is_pinning ? blockers : 0);
    }
    // In check, pieces other than the king must capture the checking piece or block the check.
    u64 allowed = ~0ull;
    if (v.checkers) {
        bool is_checker = v.checkers >> lane_id() & 1;
        allowed = reduce_or64(is_checker ? b | between : 0);
        allowed = v.checkers & (v.checkers - 1) ? 0 : allowed;
    }

    u64 targets = v.attacks & ~v.own & allowed;
    u64 last_ranks = 0xff000000000000ffull, promoting = 0;
    bool is_capturing_en_passant = false;
    int passed = p.en_passant();
    if (v.code == PAWN) {
        u64 step = (p.turn() ? b >> 8 : b << 8) & ~v.occupied;
        u64 home = p.turn() ? 0xffull << 40 : 0xffull << 16;
        u64 jump = step & home;
        jump = (p.turn() ? jump >> 8 : jump << 8) & ~v.occupied;
        targets = ((v.attacks & enemy) | step | jump) & allowed;
        is_capturing_en_passant = v.is_mine && passed < 64 && (v.attacks >> passed & 1);
    }
    if (vote(is_capturing_en_passant) && is_capturing_en_passant) {
        bool is_answer = (allowed & (bit(passed) | bit(passed ^ 8))) != 0;
        bool is_legal = is_answer && !is_exposed_by_en_passant(p, v, t, v.square, passed);
        targets |= is_legal ? bit(passed) : 0;
        is_capturing_en_passant = is_legal;
    }
    if (pinned & b) {
        targets &= line;
    }
    if (v.code == KING) {
        targets = v.attacks & ~v.own & ~result.threats;
    }
    u64 noisy = enemy;
    if (v.code == PAWN) {
        noisy |= last_ranks | (is_capturing_en_passant ? bit(passed) : 0);
        promoting = targets & last_ranks;
    }
    if (is_noisy_only) {
        targets &= noisy;
    } else if ((p.state & CASTLING_BITS) != NO_CASTLING && v.code == KING && v.is_mine && !v.checkers) {
        targets |= castling_targets(p, v, result.threats, pinned);
    }
    targets = v.is_mine ? targets : 0;
    promoting = v.is_mine ? promoting : 0;

    // Each lane writes after the moves of the lanes before it; counts have five bits.
    int count = count_bits(targets) + 3 * count_bits(promoting);
    u32 below = (1u << lane_id()) - 1;
    int offset = 0, total = 0;
#pragma unroll
    for (int index = 0; index < 5; ++index) {
        u32 votes = vote(count >> index & 1);
        offset += count_bits(votes & below) << index;
        total += count_bits(votes) << index;
    }
    if (total > room) {
        result.count = -1;
        return result;
    }
    u32* out = list + offset;
#pragma unroll 1
    while (targets) {
        int to = lowest(targets);
        u32 move = v.square | to << 6;
        if (promoting >> to & 1) {
            out[0] = move | 4 << 12;
            out[1] = move | 1 << 12;
            out[2] = move | 2 << 12;
            out[3] = move | 3 << 12;
            out += 4;
        } else {
            *out++ = move;
        }
        targets &= targets - 1;
    }
    sync_warp();
    result.count = total;
    return result;
}
