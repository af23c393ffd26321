// Self-play games: openings, the search for each move, and the end of a game.
//
// A game lives in device memory between kernel launches, so a run consists of short launches.
#pragma once

#include "search.h"

constexpr int MAX_PLIES = 500;  // games that reach this ply are drawn
constexpr int NO_SCORE = -32768;
constexpr int WON_PLIES = 5;     // plies for which an advantage must last to win
constexpr int DRAWN_SCORE = 8;   // a score up to which a game counts as drawn if it lasts
constexpr int DRAWN_PLIES = 12;  // plies for which it must last
constexpr int DRAWN_FROM = 80;   // first ply at which this can happen
constexpr int ENDING_DRAWN_FROM = 20;  // the same for a game that begins with an ending
constexpr int MAX_OPENING_ADVANTAGE = 250;  // openings with a larger advantage are dropped
constexpr int MAX_ENDING_ADVANTAGE = 600;   // the same for endings, many of which are drawn nevertheless
constexpr int HARD_FACTOR = 8;   // a search is aborted at this multiple of its nodes
constexpr int OPENING_NODES = 1000;
constexpr int MAX_SAMPLE_SCORE = 2000;  // as the default of `records`

enum Result { BLACK_WINS, DRAW, WHITE_WINS, UNDECIDED };

struct GameSettings {
    u32 nodes;
    u32 label_nodes;  // nodes of the searches whose scores are recorded
    u32 label_every;  // one position in this many is recorded with its score
    u32 tree_nodes;   // nodes of the search of a position from each search tree; 0 for no such searches
    int random_plies;
    int chess960_percent;
    int endings_percent;  // percentage of games that begin with a random ending
    int won;         // advantage in centipawns that wins a game if it lasts
    int is_random;   // no search: random moves, each with the number of legal moves as its score
};

struct Statistics {
    u64 nodes, searches, labels, tree_labels, depths, games, plies, dropped, results[3];
};

// The game of one warp.
struct Game {
    Position start, position;
    Position sample;  // a position from the tree of the last search
    u64 random;
    int plies;  // 0 while no game is being played
    int opening_plies;
    int leader, won_plies, drawn_plies;
    u32 record[MAX_PLIES];  // move, score << 16
    u64 keys[MAX_PLIES + 1];
    i16 history[HISTORY_SIZE];
    Statistics statistics;
};

// Finished games: 12 words for start and result, then the plies. A position from a search tree is written as
// a game of one ply that is undecided.
struct Output {
    u32* words;
    u64* used;
    u64 room;
};
constexpr int GAME_HEAD_WORDS = 12;

DEVICE u64 next_random(u64& state) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}
DEVICE u32 random_below(u64& state, u32 limit) { return (u32)((next_random(state) >> 32) * limit >> 32); }

// Chooses a random starting position. `back_ranks` contains the 960 arrangements, four bits per piece.
DEVICE Position draw_start(u64& random, const u32* back_ranks, int chess960_percent) {
    int white = 518, black = 518;
    if ((int)random_below(random, 100) < chess960_percent) {
        white = (int)random_below(random, 960);
        black = random_below(random, 2) ? white : (int)random_below(random, 960);
    }
    Position p = {};
    u32 rooks = 0;
    for (int color = 0; color < 2; ++color) {
        u32 rank = back_ranks[color ? black : white];
        int rooks_seen = 0;
        for (int file = 0; file < 8; ++file) {
            int code = (int)(rank >> (4 * file) & 15);
            p.put(code, color, file + color * 56);
            p.put(PAWN, color, file + (color ? 48 : 8));
            if (code == ROOK) {
                // The first rook from the a-file is the queenside rook.
                rooks |= (u32)file << (color * 8 + (rooks_seen ? 0 : 4));
                rooks_seen += 1;
            }
        }
    }
    p.state = rooks << 8 | (u32)NO_SQUARE << 1;
    p.key = position_key(p);
    return p;
}

// Chooses a random ending with at most three pieces and seven pawns for each side, whose material differs
// by at most three pawns. Returns false if what was drawn is not such a position, or not a legal one.
DEVICE bool draw_ending(Worker& w, u64& random, Position& p) {
    p = {};
    int lead = 0;
    for (int color = 0; color < 2; ++color) {
        int pieces = (int)random_below(random, 4), pawns = (int)random_below(random, 8);
        for (int index = 0; index < 1 + pieces + pawns; ++index) {
            // Rooks are twice as likely as the others, as they are in endings of games.
            int code = index == 0 ? KING : index > pieces ? PAWN : (int)(0x54432u >> (4 * random_below(random, 5)) & 15);
            int square = code == PAWN ? 8 + (int)random_below(random, 48) : (int)random_below(random, 64);
            if (p.occupied() >> square & 1) {
                return false;
            }
            p.put(code, color, square);
            lead += (color ? -1 : 1) * (code == KING ? 0 : exchange_value(code));
        }
    }
    u32 turn = random_below(random, 2);
    p.state = NO_CASTLING | (u32)NO_SQUARE << 1 | turn;
    // The side that has just moved must not be in check.
    Position passed = p;
    passed.state ^= 1;
    bool is_legal = look(passed, *w.tables, w.memory->squares).checkers == 0;
    u64 white_king = p.kings() & ~p.black, black_king = p.kings() & p.black;
    is_legal &= !(w.tables->leapers[1][lowest(white_king)] & black_king);
    p.key = position_key(p);
    return is_legal && lead >= -3 && lead <= 3;
}

// Returns whether a game began with an ending instead of all pieces.
DEVICE bool is_ending(const Game& g) { return count_bits(g.start.occupied()) < 32; }

// Generates the legal moves of the current position into the list and returns their number.
DEVICE int list_moves(Worker& w, const Position& p, bool& is_check, u32& an_en_passant) {
    View v = look(p, *w.tables, w.memory->squares);
    is_check = v.checkers != 0;
    Generated moves = generate(p, v, *w.tables, false, w.memory->moves, MOVE_STACK);
    bool has_en_passant = false;
#pragma unroll 1
    for (int at = lane_id(); at < moves.count; at += LANES) {
        u32 move = w.memory->moves[at];
        has_en_passant |= move_to(move) == p.en_passant() && p.code_at(move_from(move)) == PAWN;
    }
    an_en_passant = vote(has_en_passant);
    return moves.count;
}

// Counts earlier occurrences of the current position. Each lane looks two plies further back than the
// one before it.
DEVICE int count_repetitions(const Game& g, const Position& p) {
    int reach = minimum(p.halfmoves(), g.plies), found = 0;
#pragma unroll 1
    for (int back = 4 + 2 * lane_id(); back <= reach; back += 2 * LANES) {
        found += g.keys[g.plies - back] == p.key;
    }
    return reduce_add(found);
}

// Plays a move in the game and remembers it.
DEVICE void play_move(Game& g, Position& p, u32 move, int score) {
    g.record[g.plies] = move | (u32)score << 16;
    make_move(p, move);
    sync_warp();
}

// Copies a finished game to the output. The game is lost if there is no room for it.
DEVICE void emit_game(const Position& start, const u32* record, int plies, int result, const Output& output) {
    u64 words = GAME_HEAD_WORDS + plies, at = 0;
    if (lane_id() == 0) {
        at = add_atomically(output.used, words);
    }
    at = shuffle((u32)at, 0) | (u64)shuffle((u32)(at >> 32), 0) << 32;
    if (at + words > output.room) {
        return;
    }
    u32* out = output.words + at;
    const u32* board = reinterpret_cast<const u32*>(&start);
    if (lane_id() < 8) {
        out[lane_id()] = board[lane_id()];
    }
    out[8] = start.state;
    out[9] = (u32)result;
    out[10] = (u32)plies;
    out[11] = 0x454d4147;  // a mark that the host checks
#pragma unroll 1
    for (int ply = lane_id(); ply < plies; ply += LANES) {
        out[GAME_HEAD_WORDS + ply] = record[ply];
    }
}

// Writes a position from a search tree with what its own search found, unless `records` would drop it.
DEVICE void emit_sample(Game& g, const SearchResult& found, const Output& output) {
    bool is_extreme = found.score > MAX_SAMPLE_SCORE || found.score < -MAX_SAMPLE_SCORE;
    if (found.move == 0 || !is_quiet(g.sample, found.move) || is_extreme) {
        return;
    }
    if (lane_id() == 0) {
        g.statistics.tree_labels += 1;
    }
    u32 record = found.move | (u32)found.score << 16;
    emit_game(g.sample, &record, 1, UNDECIDED, output);
}

// Returns the result if the scores of the search decide the game, and UNDECIDED otherwise.
DEVICE int judge(Game& g, int score_for_white, int plies, int won) {
    int leader = score_for_white >= won ? 1 : score_for_white <= -won ? -1 : 0;
    int won_plies = leader != 0 && leader == g.leader ? g.won_plies + 1 : 1;
    int drawn_plies = score_for_white <= DRAWN_SCORE && score_for_white >= -DRAWN_SCORE ? g.drawn_plies + 1 : 0;
    sync_warp();
    g.leader = leader;
    g.won_plies = won_plies;
    g.drawn_plies = drawn_plies;
    if (leader != 0 && won_plies >= WON_PLIES) {
        return leader > 0 ? WHITE_WINS : BLACK_WINS;
    }
    bool is_drawn = drawn_plies >= DRAWN_PLIES && plies > (is_ending(g) ? ENDING_DRAWN_FROM : DRAWN_FROM);
    return is_drawn || plies >= MAX_PLIES ? DRAW : UNDECIDED;
}

// Passes the keys of earlier positions that could be repeated to the search.
DEVICE void remember_keys(Worker& w, const Game& g, int plies, int halfmoves) {
    WarpMemory& m = *w.memory;
    int count = minimum(minimum(plies, halfmoves), 100);
#pragma unroll 1
    for (int index = lane_id(); index < count; index += LANES) {
        m.old_keys[index] = (u32)g.keys[plies - count + index];
    }
    w.old_keys = count;
    sync_warp();
}

// Plays moves of the warp's game, and further games, until the time is up.
template <int H>
DEVICE void play_games(Worker& w, Game& g, const GameSettings& s, const u32* back_ranks, const Output& output,
                       u64 duration_ns) {
    u64 end = nanoseconds() + duration_ns;
    Position p = g.position;
    u64 random = g.random;
    int plies = g.plies, opening_plies = g.opening_plies;
    bool is_playing = g.opening_plies >= 0;
#pragma unroll 1
    for (int index = lane_id(); index < HISTORY_SIZE; index += LANES) {
        w.memory->history[index] = g.history[index];
    }
    sync_warp();
    while (true) {
        // All lanes must agree, and the clock may tick between their readings.
        u32 is_late = vote(nanoseconds() >= end);
        if (is_late & 1) {
            break;
        }
        if (!is_playing) {
            if ((int)random_below(random, 100) < s.endings_percent) {
                opening_plies = 0;
                // Several attempts for one game, so that the percentage is kept.
                int attempts = 0;
                while (attempts < 1000 && !draw_ending(w, random, p)) {
                    attempts += 1;
                }
                if (attempts == 1000) {
                    continue;
                }
            } else {
                p = draw_start(random, back_ranks, s.chess960_percent);
                opening_plies = s.random_plies + (int)random_below(random, 2);
            }
            plies = 0;
            g.start = p;
            g.leader = g.won_plies = g.drawn_plies = 0;
            g.plies = 0;
#pragma unroll 1
            for (int index = lane_id(); index < HISTORY_SIZE; index += LANES) {
                w.memory->history[index] = 0;
            }
            sync_warp();
            is_playing = true;
        }
        bool is_check;
        u32 en_passant;
        int count = list_moves(w, p, is_check, en_passant);
        if (!en_passant) {
            // Without a legal capture, the en passant square does not distinguish positions.
            p.set_en_passant(NO_SQUARE);
        }
        p.key = position_key(p);
        g.keys[plies] = p.key;
        g.plies = plies;
        sync_warp();

        int result = UNDECIDED;
        if (count == 0) {
            result = !is_check ? DRAW : p.turn() ? WHITE_WINS : BLACK_WINS;
        } else if (p.halfmoves() >= 100 || is_bare(p) || count_repetitions(g, p) >= 2 || plies >= MAX_PLIES) {
            result = DRAW;
        }
        bool is_opening = plies < opening_plies;
        if (result == UNDECIDED) {
            u32 move;
            int score = NO_SCORE;
            bool is_labeled = s.is_random;
            if (is_opening || s.is_random) {
                move = w.memory->moves[random_below(random, (u32)count)] & 0xffff;
                score = s.is_random ? count : NO_SCORE;
                sync_warp();
            } else {
                remember_keys(w, g, plies, p.halfmoves());
                u32 nodes = plies == opening_plies && s.nodes < OPENING_NODES ? OPENING_NODES : s.nodes;
                bool wants_label = random_below(random, s.label_every) == 0, is_sample = false;
                is_labeled = wants_label && s.label_nodes <= s.nodes;
                w.sample = &g.sample;
                w.sample_from = s.tree_nodes ? random_below(random, nodes) : NO_SAMPLE;
                // Up to three searches: for the move, for the label, and of a position from the tree of the
                // first. They share one loop because the code of a search should exist only once.
                while (true) {
                    Position root = is_sample ? g.sample : p;
                    prepare_search(*w.memory);
                    SearchResult found = search<H>(w, root, nodes, nodes * HARD_FACTOR);
                    if (lane_id() == 0) {
                        g.statistics.nodes += found.nodes;
                        g.statistics.searches += 1;
                        g.statistics.depths += found.depth;
                    }
                    if (is_sample) {
                        emit_sample(g, found, output);
                        break;
                    }
                    move = found.move;
                    score = found.score;
                    if (lane_id() == 0) {
                        g.statistics.labels += is_labeled;
                    }
                    bool has_sample = s.tree_nodes && w.sample_from == NO_SAMPLE;
                    // Positions that `records` would drop are not searched again.
                    if (wants_label && !is_labeled && !is_check && move != 0 && is_quiet(p, move)) {
                        is_labeled = true;
                        nodes = s.label_nodes;
                    } else if (has_sample) {
                        is_sample = true;
                        nodes = s.tree_nodes;
                        w.old_keys = 0;
                    } else {
                        break;
                    }
                }
            }
            int most = is_ending(g) ? MAX_ENDING_ADVANTAGE : MAX_OPENING_ADVANTAGE;
            bool is_unbalanced = plies == opening_plies && !s.is_random && (score > most || score < -most);
            // A search that was aborted before it had a move discards the game.
            if (is_unbalanced || move == 0) {
                if (lane_id() == 0) {
                    g.statistics.dropped += 1;
                }
                is_playing = false;
                continue;
            }
            int sign = p.turn() ? -1 : 1;
            play_move(g, p, move, is_labeled ? score : NO_SCORE);
            plies += 1;
            if (!is_opening && !s.is_random) {
                result = judge(g, sign * score, plies, s.won);
                // A mate on the board needs no adjudication; the next round detects it.
                result = score == MATE - 1 && result != UNDECIDED ? UNDECIDED : result;
            }
        }
        if (result != UNDECIDED) {
            sync_warp();
            if (plies > opening_plies) {
                emit_game(g.start, g.record, plies, result, output);
                if (lane_id() == 0) {
                    g.statistics.games += 1;
                    g.statistics.plies += plies - opening_plies;
                    g.statistics.results[result] += 1;
                }
            }
            is_playing = false;
        }
    }
    g.position = p;
    g.random = random;
    g.plies = plies;
    g.opening_plies = is_playing ? opening_plies : -1;
#pragma unroll 1
    for (int index = lane_id(); index < HISTORY_SIZE; index += LANES) {
        g.history[index] = w.memory->history[index];
    }
}
