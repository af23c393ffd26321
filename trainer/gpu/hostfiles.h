// Positions and games on the host: FEN, Chess960 starts, games files ("CASTGAME") and records.
#pragma once

#include <cctype>
#include <cstdio>
#include <cstring>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "game.h"

constexpr const char* START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

// Parses a FEN, with castling rights as KQkq or as the files of rooks.
inline Position parse_fen(const std::string& text) {
    auto fail = [&](const char* problem) { throw std::runtime_error(std::string(problem) + " in FEN: " + text); };
    std::istringstream in(text);
    std::string board, turn, castling = "-", passed = "-";
    int halfmoves = 0;
    in >> board >> turn >> castling >> passed >> halfmoves;
    Position p = {};
    int file = 0, rank = 7;
    for (char c : board) {
        if (c == '/') {
            file = 0;
            rank -= 1;
        } else if (isdigit((unsigned char)c)) {
            file += c - '0';
        } else {
            size_t code = std::string(" pnbrqk").find((char)tolower(c));
            if (code == std::string::npos || code == 0 || file > 7 || rank < 0) {
                fail("bad board");
            }
            p.put((int)code, islower((unsigned char)c) ? 1 : 0, rank * 8 + file);
            file += 1;
        }
    }
    if (count_bits(p.kings() & p.color(0)) != 1 || count_bits(p.kings() & p.color(1)) != 1) {
        fail("each side needs exactly one king");
    }
    if (count_bits(p.occupied()) > 32) {
        fail("more than 32 pieces");
    }
    u32 rooks = 0x8888;
    for (char c : castling) {
        if (c == '-') {
            continue;
        }
        int color = islower((unsigned char)c) ? 1 : 0, row = color * 56;
        int king = lowest(p.kings() & p.color(color)) & 7;
        u64 own_rooks = p.rooks() & p.color(color);
        int rook = -1;
        char lower = (char)tolower(c);
        if (lower == 'k' || lower == 'q') {
            for (int step = 0; step < 8 && rook < 0; ++step) {
                int f = lower == 'k' ? 7 - step : step;
                rook = own_rooks >> (row + f) & 1 ? f : -1;
            }
        } else if (lower >= 'a' && lower <= 'h') {
            rook = lower - 'a';
        }
        if (rook < 0 || !(own_rooks >> (row + rook) & 1)) {
            fail("bad castling");
        }
        int slot = color * 2 + (rook > king ? 0 : 1);
        rooks = (rooks & ~(15u << (4 * slot))) | (u32)rook << (4 * slot);
    }
    int black = turn == "b", square = NO_SQUARE;
    if (passed.size() == 2) {
        square = (passed[0] - 'a') + (passed[1] - '1') * 8;
        if (square < 0 || square > 63) {
            fail("bad en passant square");
        }
        u64 ready = pawn_neighbors(bit(square ^ 8)) & p.pawns() & p.color(black);
        square = ready ? square : NO_SQUARE;
    }
    p.state = (u32)black | (u32)square << 1 | rooks << 8 | (u32)minimum(maximum(halfmoves, 0), 255) << 24;
    p.key = position_key(p);
    return p;
}

// Returns the back ranks of Chess960 by their numbers, four bits per piece from the a-file.
inline std::vector<u32> chess960_back_ranks() {
    const int knights[10][2] = {{0, 1}, {0, 2}, {0, 3}, {0, 4}, {1, 2}, {1, 3}, {1, 4}, {2, 3}, {2, 4}, {3, 4}};
    std::vector<u32> ranks;
    for (int number = 0; number < 960; ++number) {
        int files[8] = {};
        auto put_on_free = [&](int left, int code) {
            for (int file = 0; file < 8; ++file) {
                if (files[file] == NONE && left-- == 0) {
                    files[file] = code;
                    return;
                }
            }
        };
        files[number % 4 * 2 + 1] = BISHOP;
        files[number / 4 % 4 * 2] = BISHOP;
        put_on_free(number / 16 % 6, QUEEN);
        put_on_free(knights[number / 96][0], KNIGHT);
        put_on_free(knights[number / 96][1] - 1, KNIGHT);
        put_on_free(0, ROOK);
        put_on_free(0, KING);
        put_on_free(0, ROOK);
        u32 rank = 0;
        for (int file = 0; file < 8; ++file) {
            rank |= (u32)files[file] << (4 * file);
        }
        ranks.push_back(rank);
    }
    return ranks;
}

// A file that grows.
class OutputFile {
   public:
    explicit OutputFile(const std::string& path) : path_(path), file_(fopen(path.c_str(), "wb")) {
        if (!file_) {
            throw std::runtime_error("cannot write " + path);
        }
    }
    OutputFile(const OutputFile&) = delete;
    ~OutputFile() { fclose(file_); }

    void write(const void* data, size_t length) {
        if (fwrite(data, 1, length, file_) != length) {
            throw std::runtime_error("cannot write " + path_);
        }
    }
    void flush() {
        if (fflush(file_) != 0) {
            throw std::runtime_error("cannot write " + path_);
        }
    }

   private:
    std::string path_;
    FILE* file_;
};

// Appends the record of a position, its best move and its score, without a result: 32 bytes, seen from the
// side to move.
inline void append_record(std::vector<u8>& out, const Position& p, u32 move, int score) {
    int turn = p.turn(), flip = turn ? 56 : 0, index = 0;
    u8 record[32] = {};
    u64 occupied = 0;
    for (int square = 0; square < 64; ++square) {
        int code = p.code_at(square ^ flip);
        if (code == NONE) {
            continue;
        }
        int owner = (int)(p.black >> (square ^ flip) & 1) ^ turn;
        occupied |= bit(square);
        record[8 + index / 2] |= (u8)((code - 1 | owner << 3) << (index % 2 * 4));
        index += 1;
        if (code == KING) {
            record[27 + owner] = (u8)square;
        }
    }
    memcpy(record, &occupied, 8);
    u16 flipped = (u16)(move ^ (u32)(flip | flip << 6));
    record[24] = (u8)score;
    record[25] = (u8)(score >> 8);
    record[26] = UNDECIDED;
    record[29] = (u8)index;
    record[30] = (u8)flipped;
    record[31] = (u8)(flipped >> 8);
    out.insert(out.end(), record, record + 32);
}

// Writes games to a file, and positions from search trees to another one, as records.
class GamesFile {
   public:
    GamesFile(const std::string& path, const std::string& tree_path, const std::string& description) : file_(path) {
        if (!tree_path.empty()) {
            tree_file_.reset(new OutputFile(tree_path));
        }
        std::string head = "CASTGAME";
        u32 version = 1;
        u16 length = (u16)description.size();
        head.append((const char*)&version, 4);
        head.append((const char*)&length, 2);
        head += description;
        file_.write(head.data(), head.size());
    }

    // Appends at most `limit` games from the output of the device, and returns their number.
    i64 append(const std::vector<u32>& words, i64 limit) {
        std::vector<u8> bytes, records;
        i64 games = 0;
        size_t at = 0;
        while (at < words.size() && games < limit) {
            const u32* head = &words[at];
            bool is_whole = words.size() - at >= GAME_HEAD_WORDS && words.size() - at - GAME_HEAD_WORDS >= head[10];
            if (!is_whole || head[11] != 0x454d4147) {
                throw std::runtime_error("the device's output is damaged at word " + std::to_string(at));
            }
            if (head[9] == UNDECIDED) {
                u32 ply = head[GAME_HEAD_WORDS];
                append_record(records, start_of(head), ply & 0xffff, (i16)(ply >> 16));
            } else {
                append_game(bytes, head);
                games += 1;
            }
            at += GAME_HEAD_WORDS + head[10];
        }
        file_.write(bytes.data(), bytes.size());
        file_.flush();
        if (tree_file_) {
            tree_file_->write(records.data(), records.size());
            tree_file_->flush();
        }
        return games;
    }

   private:
    static Position start_of(const u32* head) {
        Position p = {};
        memcpy((void*)&p, head, 32);
        p.state = head[8];
        return p;
    }

    static void append_game(std::vector<u8>& out, const u32* head) {
        Position p = start_of(head);
        size_t from = out.size();
        u8 start[32] = {};
        u64 occupied = p.occupied();
        memcpy(start, &occupied, 8);
        int index = 0;
        for (u64 left = occupied; left; left &= left - 1, ++index) {
            int square = lowest(left);
            int code = (p.code_at(square) - 1) | (int)(p.black >> square & 1) << 3;
            start[8 + index / 2] |= (u8)(code << (index % 2 * 4));
        }
        start[24] = (u8)p.turn();
        start[25] = (u8)p.en_passant();
        for (int slot = 0; slot < 4; ++slot) {
            int file = p.rook_file(slot / 2, slot % 2);
            start[26 + slot] = (u8)(file < 8 ? file + slot / 2 * 56 : NO_SQUARE);
        }
        start[30] = (u8)p.halfmoves();
        start[31] = (u8)head[9];
        out.insert(out.end(), start, start + 32);
        u32 plies = head[10];
        out.push_back((u8)plies);
        out.push_back((u8)(plies >> 8));
        const u8* record = (const u8*)(head + GAME_HEAD_WORDS);
        out.insert(out.end(), record, record + 4 * (size_t)plies);
        u32 hash = 0x811c9dc5;
        for (size_t at = from; at < out.size(); ++at) {
            hash = (hash ^ out[at]) * 0x01000193;
        }
        for (int shift = 0; shift < 32; shift += 8) {
            out.push_back((u8)(hash >> shift));
        }
    }

    OutputFile file_;
    std::unique_ptr<OutputFile> tree_file_;
};
