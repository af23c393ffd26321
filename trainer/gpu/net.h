// The evaluation: accumulators that follow the moves of the search, and the output layer.
//
// A word holds two neurons as low + 65536 * high (mod 2^32), so plain additions of words update
// both; the halves are separated before the output layer. Each lane owns H / 32 neurons.
#pragma once

#include "movegen.h"

constexpr int QA = 255, QB = 64, SCALE = 400;
constexpr int OUTPUT_BUCKETS = 8;

struct Net {
    const u32* rows;         // [buckets * 768][H / 2] words
    const u32* bias;         // [H / 2] words
    const u32* output;       // [8][2][H / 4]: four signed bytes a word
    const i32* output_bias;  // [8]
};

// The number of words that a lane loads at once, and the number of such loads for one side.
template <int H>
struct Shape {
    static constexpr int WORDS = H / 64 < 4 ? H / 64 : 4;
    static constexpr int PARTS = H / (64 * WORDS);
    static constexpr int ROW = H / 2;
    // Unrolling hides latency; wide networks have enough loads in flight without it.
    static constexpr int UNROLL = PARTS < 2 ? PARTS : 2;
};

template <int N>
struct alignas(N * 4) Words {
    u32 word[N];
};

template <int N>
DEVICE Words<N> load_words(const u32* from) {
    return *reinterpret_cast<const Words<N>*>(from);
}

template <int N>
DEVICE void store_words(u32* to, const Words<N>& words) {
    *reinterpret_cast<Words<N>*>(to) = words;
}

// Returns the index of the row of a piece, from the view of one side.
DEVICE u32 feature_row(u32 token, int side, u32 king_entry) {
    u32 code = token & 7, color = token >> 3 & 1, square = token >> 4 & 63;
    square ^= (side ? 56 : 0) ^ (king_entry >> 15 ? 7 : 0);
    return (king_entry & 0x7fff) + (color != (u32)side ? 384 : 0) + (code - 1) * 64 + square;
}

DEVICE u32 king_entry(const Tables& t, int side, int king) { return t.king_map[king ^ (side ? 56 : 0)]; }

// Adds a part of the output layer: the squares of two clamped neurons per word, times weights.
template <int N>
DEVICE int output_part(const Words<N>& acc, const u32* weights, int sum) {
    Words<(N + 1) / 2> w = load_words<(N + 1) / 2>(weights);
#pragma unroll
    for (int index = 0; index < N; ++index) {
        u32 word = acc.word[index];
        // A negative low half has borrowed one from the high half.
        word += (word & 0x8000) << 1;
        word = clamp_halves(word, QA | QA << 16);
        u32 low = word & 0xffff, high = word >> 16;
        u32 squares = (word - low) * high + low * low;
        sum = index & 1 ? dot_high(squares, w.word[index / 2], sum) : dot_low(squares, w.word[index / 2], sum);
    }
    return sum;
}

// Returns centipawns from the sum of the output layer: (sum / QA + bias) * SCALE / (QA * QB).
SHARED_CODE int output_value(int sum, int bias) {
    static_assert(SCALE * 204 == 5 * QA * QB, "the fraction is reduced by 80 to stay in 32 bits");
    return (sum / QA + bias) * 5 / 204;
}

// Computes both sides of a slot from all pieces on the board; each lane holds one of them.
template <int H>
DEVICE int refresh_network(const Net& net, const Tables& t, const Position& p, const View& v, const u32* weights,
                           u32* slot) {
    typedef Shape<H> S;
    int lane = lane_id(), us = p.turn(), count = count_bits(v.occupied), sum = 0;
    u32 token = piece_token(v.code, (int)(p.black >> v.square & 1), v.square);
#pragma unroll 1
    for (int side = 0; side < 2; ++side) {
        u32 entry = king_entry(t, side, lowest(p.kings() & p.color(side)));
        u32 row = v.code == NONE ? 0 : feature_row(token, side, entry);
        const u32* of_side = weights + (side != us) * (S::ROW / 2);
#pragma unroll 1
        for (int part = 0; part < S::PARTS; ++part) {
            int at = (part * LANES + lane) * S::WORDS;
            Words<S::WORDS> acc = load_words<S::WORDS>(net.bias + at);
#pragma unroll 4
            for (int piece = 0; piece < count; ++piece) {
                u32 of_piece = shuffle(row, piece);
                Words<S::WORDS> add = load_words<S::WORDS>(net.rows + (u64)of_piece * S::ROW + at);
                for (int index = 0; index < S::WORDS; ++index) {
                    acc.word[index] += add.word[index];
                }
            }
            store_words<S::WORDS>(slot + side * S::ROW + at, acc);
            sum = output_part<S::WORDS>(acc, of_side + at / 2, sum);
        }
    }
    return sum;
}

// Applies a change to both sides of a slot.
template <int H>
DEVICE int follow_network(const Net& net, const Change& change, const u32 entries[2], int us, const u32* weights,
                          const u32* parent, u32* slot) {
    typedef Shape<H> S;
    int lane = lane_id(), sum = 0;
    u32 other_off = change.other & 0xffff, other_on = change.other >> 16;
    const u32* rows[2][4];
    for (int side = 0; side < 2; ++side) {
        rows[side][0] = net.rows + (u64)feature_row(change.moved & 0xffff, side, entries[side]) * S::ROW;
        rows[side][1] = net.rows + (u64)feature_row(change.moved >> 16, side, entries[side]) * S::ROW;
        rows[side][2] = net.rows + (u64)feature_row(other_off ? other_off : 1, side, entries[side]) * S::ROW;
        rows[side][3] = net.rows + (u64)feature_row(other_on ? other_on : 1, side, entries[side]) * S::ROW;
    }
#pragma unroll S::UNROLL
    for (int part = 0; part < S::PARTS; ++part) {
        int at = (part * LANES + lane) * S::WORDS;
        Words<S::WORDS> acc[2], minus[2], plus[2];
        for (int side = 0; side < 2; ++side) {
            acc[side] = load_words<S::WORDS>(parent + side * S::ROW + at);
            minus[side] = load_words<S::WORDS>(rows[side][0] + at);
            plus[side] = load_words<S::WORDS>(rows[side][1] + at);
        }
        if (other_off) {
            for (int side = 0; side < 2; ++side) {
                Words<S::WORDS> more = load_words<S::WORDS>(rows[side][2] + at);
                for (int index = 0; index < S::WORDS; ++index) {
                    acc[side].word[index] -= more.word[index];
                }
            }
        }
        if (other_on) {
            for (int side = 0; side < 2; ++side) {
                Words<S::WORDS> more = load_words<S::WORDS>(rows[side][3] + at);
                for (int index = 0; index < S::WORDS; ++index) {
                    acc[side].word[index] += more.word[index];
                }
            }
        }
        for (int side = 0; side < 2; ++side) {
            for (int index = 0; index < S::WORDS; ++index) {
                acc[side].word[index] += plus[side].word[index] - minus[side].word[index];
            }
            store_words<S::WORDS>(slot + side * S::ROW + at, acc[side]);
            sum = output_part<S::WORDS>(acc[side], weights + (side != us) * (S::ROW / 2) + at / 2, sum);
        }
    }
    return sum;
}

// Updates the accumulators of a slot ([2][H / 2] words) and returns the evaluation for the side to
// move. `parent` is the slot before the change, or null to compute the slot from all pieces.
template <int H>
DEVICE int update_network(const Net& net, const Tables& t, const Position& p, const View& v, Change change,
                          const u32* parent, u32* slot) {
    int bucket = (count_bits(v.occupied) - 2) >> 2;
    u32 entries[2];
    for (int side = 0; side < 2; ++side) {
        entries[side] = king_entry(t, side, lowest(p.kings() & p.color(side)));
    }
    // A king that moves to another bucket changes every row of its side.
    u32 off = change.moved & 0xffff;
    int mover = off >> 3 & 1;
    bool is_fresh = parent == nullptr;
    if ((off & 7) == KING) {
        is_fresh |= king_entry(t, mover, off >> 4) != entries[mover];
    }
    const u32* weights = net.output + bucket * Shape<H>::ROW;
    int sum = is_fresh ? refresh_network<H>(net, t, p, v, weights, slot)
                       : follow_network<H>(net, change, entries, p.turn(), weights, parent, slot);
    return output_value(reduce_add(sum), net.output_bias[bucket]);
}

// Evaluates material, centralization and advancement, for tests without a network.
DEVICE int plain_value(const Position& p, const View& v) {
    int value = 0;
    if (v.code != NONE) {
        int is_black = (int)(p.black >> v.square & 1);
        int file = v.square & 7, rank = (v.square >> 3) ^ (is_black ? 7 : 0);
        int center = minimum(file, 7 - file) + minimum(rank, 7 - rank);
        int material = v.code == PAWN ? 100 : v.code == KNIGHT ? 310 : v.code == BISHOP ? 330 : v.code == ROOK ? 500
                                                                                                              : 940;
        int count = count_bits(v.occupied);
        if (v.code == KING) {
            value = count > 16 ? -8 * center - 8 * rank : 8 * center;
        } else {
            value = material + (v.code == PAWN ? rank * rank * 2 + center * 2 : center * 4);
        }
        value = v.is_mine ? value : -value;
    }
    return reduce_add(value) + 10;
}
