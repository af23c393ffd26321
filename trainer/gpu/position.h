// A position and how a move changes it.
//
// The board is four planes of 64 bits: three for the code of the piece on each square (0 for an
// empty one) and one for Black. A set of pieces is one logical operation on the planes, which a
// GPU does in one instruction for each half.
#pragma once

#include "warp.h"

enum Code { NONE, PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING };

constexpr int NO_SQUARE = 64;
constexpr u64 FILE_A = 0x0101010101010101;
constexpr u64 FILE_H = FILE_A << 7;

// A move as games files have it: from, to << 6, promotion << 12 (1 knight to 4 queen). Castling
// is the king's square to the square of its own rook. Zero is no move.
typedef u16 Move;

SHARED_CODE int move_from(u32 move) { return move & 63; }
SHARED_CODE int move_to(u32 move) { return move >> 6 & 63; }
SHARED_CODE int move_promotion(u32 move) { return move >> 12 & 7; }

struct alignas(16) Position {
    u64 plane0, plane1, plane2, black;
    u64 key;
    // Bit 0: Black to move. Bits 1-7: the square a pawn just passed, 64 if none; set only if an
    // enemy pawn stands ready to capture. Bits 8-23: files of castling rooks, four bits each
    // (White king side, White queen side, Black king side, Black queen side), 8 if none.
    // Bits 24-31: halfmove clock.
    u32 state;
    u32 unused;

    SHARED_CODE int turn() const { return state & 1; }
    SHARED_CODE int en_passant() const { return state >> 1 & 127; }
    SHARED_CODE int rook_file(int color, int wing) const { return state >> (8 + color * 8 + wing * 4) & 15; }
    SHARED_CODE int halfmoves() const { return state >> 24; }
    SHARED_CODE u64 occupied() const { return plane0 | plane1 | plane2; }
    SHARED_CODE u64 color(int color) const { return color ? black : occupied() & ~black; }
    SHARED_CODE u64 pawns() const { return plane0 & ~plane1 & ~plane2; }
    SHARED_CODE u64 knights() const { return plane1 & ~plane0 & ~plane2; }
    SHARED_CODE u64 bishops() const { return plane0 & plane1 & ~plane2; }
    SHARED_CODE u64 rooks() const { return plane2 & ~plane0 & ~plane1; }
    SHARED_CODE u64 queens() const { return plane2 & plane0; }
    SHARED_CODE u64 kings() const { return plane2 & plane1; }
    SHARED_CODE u64 diagonal_sliders() const { return plane0 & (plane1 ^ plane2); }
    SHARED_CODE u64 straight_sliders() const { return plane2 & ~plane1; }

    SHARED_CODE int code_at(int square) const {
        return (int)(plane0 >> square & 1) | (int)(plane1 >> square & 1) << 1 | (int)(plane2 >> square & 1) << 2;
    }
    SHARED_CODE void clear(u64 squares) {
        plane0 &= ~squares;
        plane1 &= ~squares;
        plane2 &= ~squares;
        black &= ~squares;
    }
    // Puts a piece on an empty square.
    SHARED_CODE void put(int code, int color, int square) {
        plane0 |= (u64)(code & 1) << square;
        plane1 |= (u64)(code >> 1 & 1) << square;
        plane2 |= (u64)(code >> 2 & 1) << square;
        black |= (u64)color << square;
    }
    SHARED_CODE void set_en_passant(int square) { state = (state & ~(127u << 1)) | (u32)square << 1; }
};

constexpr u32 NO_CASTLING = 0x888800;
constexpr u32 CASTLING_BITS = 0xffff00;

SHARED_CODE u64 fold_product(u64 a, u64 b) { return a * b ^ multiply_high(a, b); }

// Hashes everything that makes two positions the same: the board, the turn, castling, en passant.
SHARED_CODE u64 position_key(const Position& p) {
    u64 board = fold_product(p.plane0 ^ 0x8f2d6bb1a3c5e907, p.plane1 ^ 0x5be0cd19137e2179) ^
                fold_product(p.plane2 ^ 0xc3a5c85c97cb3127, p.black ^ 0x2545f4914f6cdd1d);
    return fold_product(board ^ (p.state & 0xffffff), 0xd6e8feb86659fd93);
}

// A piece on a square in ten bits; zero is none.
SHARED_CODE u32 piece_token(int code, int color, int square) { return code | color << 3 | square << 4; }

// The pieces that a move removes from and adds to the board, for the network.
struct Change {
    u32 moved;  // removed, added << 16
    u32 other;  // captured piece or castling rook, likewise
};

// Returns a change that removes the same piece that it adds.
SHARED_CODE Change no_change() {
    Change change;
    change.moved = piece_token(PAWN, 0, 0) * 0x10001;
    change.other = 0;
    return change;
}

SHARED_CODE u64 pawn_neighbors(u64 squares) { return (squares << 1 & ~FILE_A) | (squares >> 1 & ~FILE_H); }

// Plays a legal move. The caller updates the key, because some callers do not need it.
SHARED_CODE Change make_move(Position& p, u32 move) {
    int us = p.turn(), from = move_from(move), to = move_to(move), promotion = move_promotion(move);
    int code = p.code_at(from), target = p.code_at(to);
    bool is_castling = target != NONE && (int)(p.black >> to & 1) == us;
    Change change;
    change.other = 0;
    int passed = NO_SQUARE;
    bool is_irreversible = code == PAWN;
    if (is_castling) {
        int rank = us * 56, king = rank + (to > from ? 6 : 2), rook = rank + (to > from ? 5 : 3);
        p.clear(bit(from) | bit(to));
        p.put(KING, us, king);
        p.put(ROOK, us, rook);
        change.moved = piece_token(KING, us, from) | piece_token(KING, us, king) << 16;
        change.other = piece_token(ROOK, us, to) | piece_token(ROOK, us, rook) << 16;
    } else {
        int captured = to;
        if (code == PAWN) {
            if (to == p.en_passant()) {
                captured = to ^ 8;
                target = PAWN;
            } else if ((from ^ to) == 16) {
                u64 ready = pawn_neighbors(bit(to)) & p.pawns() & p.color(us ^ 1);
                passed = ready ? (from + to) / 2 : NO_SQUARE;
            }
        }
        if (target != NONE) {
            change.other = piece_token(target, us ^ 1, captured);
            is_irreversible = true;
        }
        int placed = promotion ? promotion + 1 : code;
        p.clear(bit(from) | bit(to) | bit(captured));
        p.put(placed, us, to);
        change.moved = piece_token(code, us, from) | piece_token(placed, us, to) << 16;
    }
    u32 state = p.state;
    if ((state & CASTLING_BITS) != NO_CASTLING) {
        if (code == KING) {
            state |= 0x88u << (8 + us * 8);
            state &= ~(0x77u << (8 + us * 8));
        }
#pragma unroll 1
        for (int slot = 0; slot < 4; ++slot) {
            int rook = (int)(state >> (8 + slot * 4) & 15);
            int square = rook + (slot >> 1) * 56;
            if (rook < 8 && (square == from || square == to)) {
                state = (state & ~(15u << (8 + slot * 4))) | 8u << (8 + slot * 4);
            }
        }
    }
    u32 clock = is_irreversible ? 0 : minimum((int)(state >> 24) + 1, 255);
    p.state = ((state & CASTLING_BITS) | (u32)passed << 1 | (u32)(us ^ 1)) | clock << 24;
    return change;
}

// Passes the turn, without updating the key. The halfmove clock is reset, so that no repetition is found
// across the pass.
SHARED_CODE void make_null(Position& p) {
    p.set_en_passant(NO_SQUARE);
    p.state = (p.state & 0xffffff) ^ 1;
}
