// Self-play on the GPU: the command line. README.md says how to build and run it.

#include <chrono>
#include <cinttypes>
#include <fstream>
#include <iostream>
#include <map>

#include "device.h"
#include "hostfiles.h"
#include "netfile.h"

namespace {

struct Options {
    std::map<std::string, std::string> values;

    std::string text(const std::string& name, const std::string& otherwise = "") const {
        auto found = values.find(name);
        return found == values.end() ? otherwise : found->second;
    }
    i64 number(const std::string& name, i64 otherwise) const {
        std::string value = text(name);
        if (value.empty()) {
            return otherwise;
        }
        char* end = nullptr;
        i64 number = strtoll(value.c_str(), &end, 10);
        if (*end != '\0') {
            throw std::runtime_error("--" + name + " needs a whole number, not " + value);
        }
        return number;
    }
    i64 bounded(const std::string& name, i64 otherwise, i64 least, i64 most) const {
        i64 value = number(name, otherwise);
        if (value < least || value > most) {
            std::string range = std::to_string(least) + " to " + std::to_string(most);
            throw std::runtime_error("--" + name + " must be from " + range);
        }
        return value;
    }
    double decimal(const std::string& name, double otherwise) const {
        std::string value = text(name);
        char* end = nullptr;
        double number = value.empty() ? otherwise : strtod(value.c_str(), &end);
        if (!value.empty() && *end != '\0') {
            throw std::runtime_error("--" + name + " needs a number, not " + value);
        }
        return number;
    }
};

const char* const KNOWN_OPTIONS[] = {"net",  "random-net",   "buckets",  "seconds", "nodes", "warps", "seed",
                                     "out",  "file",         "chess960", "endings", "won",   "table", "slice",
                                     "games", "random-plies", "depth",   "label-nodes", "label-every", "tree-nodes"};

// The network on the device; a width of 0 means that there is none.
struct DeviceNet {
    int hidden = 0;
    std::string name = "plain";
    Net net = {};
    const u16* king_map = nullptr;
};

NetFile chosen_net(const Options& options) {
    if (!options.text("net").empty()) {
        return read_net(options.text("net"));
    }
    int width = (int)options.number("random-net", 0), buckets = (int)options.number("buckets", 1);
    if (width == 0) {
        return NetFile();
    }
    if (!is_known_width(width)) {
        throw std::runtime_error("--random-net must be 128, 256, 512, 768 or 1024");
    }
    return random_net(width, minimum(maximum(buckets, 1), 16), (u64)options.number("seed", 1));
}

DeviceNet upload(const NetFile& file) {
    DeviceNet result;
    std::vector<u16> map(64);
    for (int square = 0; square < 64; ++square) {
        bool is_mirrored = (square & 7) >= 4;
        int bucket = file.bucket_of[is_mirrored ? square ^ 7 : square];
        map[square] = (u16)(bucket * 768 | (is_mirrored ? 1 << 15 : 0));
    }
    result.king_map = to_device(map);
    if (file.hidden == 0) {
        return result;
    }
    auto paired = [](const std::vector<i16>& values) {
        std::vector<u32> words(values.size() / 2);
        for (size_t index = 0; index < words.size(); ++index) {
            words[index] = (u32)(i32)values[2 * index] + ((u32)(i32)values[2 * index + 1] << 16);
        }
        return words;
    };
    std::vector<u32> output(file.output.size() / 4);
    for (size_t index = 0; index < file.output.size(); ++index) {
        output[index / 4] |= (u32)(u8)(i8)file.output[index] << (index % 4 * 8);
    }
    result.hidden = file.hidden;
    result.name = file.name;
    result.net.rows = to_device(paired(file.weights));
    result.net.bias = to_device(paired(file.bias));
    result.net.output = to_device(output);
    result.net.output_bias = to_device(file.output_bias);
    return result;
}

Setup make_setup(const DeviceNet& net, const Options& options, int default_warps) {
    Setup setup = {};
    setup.net = net.net;
    setup.king_map = net.king_map;
    setup.warps = (int)options.bounded("warps", default_warps, 1, 1 << 16);
    setup.table_entries = 1u << options.bounded("table", 13, 4, 24);
    setup.table = device_allocate<TableEntry>((size_t)setup.warps * setup.table_entries);
    setup.accumulators = device_allocate<u32>((size_t)setup.warps * MAX_PLY * maximum(net.hidden, 1));
    return setup;
}

template <typename Task>
void launch_for(int hidden, const Setup& setup, const Task& task) {
    switch (hidden) {
        case 0: return launch<0>(setup, task);
        case 128: return launch<128>(setup, task);
        case 256: return launch<256>(setup, task);
        case 512: return launch<512>(setup, task);
        case 768: return launch<768>(setup, task);
        default: return launch<1024>(setup, task);
    }
}

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<std::string> read_lines(const Options& options) {
    std::ifstream file;
    std::string path = options.text("file");
    if (!path.empty()) {
        file.open(path);
        if (!file) {
            throw std::runtime_error("cannot open " + path);
        }
    }
    std::istream& in = path.empty() ? std::cin : file;
    std::vector<std::string> lines;
    std::string line;
    while (std::getline(in, line)) {
        if (!line.empty()) {
            lines.push_back(line);
        }
    }
    return lines;
}

Statistics total_statistics(const Game* games, int warps) {
    Statistics sum = {};
    std::vector<Game> all = from_device(games, warps);
    for (const Game& game : all) {
        const Statistics& s = game.statistics;
        sum.nodes += s.nodes;
        sum.searches += s.searches;
        sum.labels += s.labels;
        sum.tree_labels += s.tree_labels;
        sum.depths += s.depths;
        sum.games += s.games;
        sum.plies += s.plies;
        sum.dropped += s.dropped;
        for (int result = 0; result < 3; ++result) {
            sum.results[result] += s.results[result];
        }
    }
    return sum;
}

void print_statistics(const Statistics& s, double seconds) {
    printf("%7.1f s %8.2f M nodes/s %9.0f searches/s %8" PRIu64 " games (%" PRIu64 "/%" PRIu64 "/%" PRIu64
           ") %10" PRIu64 " positions, %" PRIu64 " labels, %" PRIu64 " records of tree positions, %" PRIu64
           " openings dropped, depth %.2f, %.0f nodes a search\n",
           seconds, s.nodes / seconds / 1e6, s.searches / seconds, s.games, s.results[WHITE_WINS], s.results[DRAW],
           s.results[BLACK_WINS], s.plies, s.labels, s.tree_labels, s.dropped, s.searches ? (double)s.depths / s.searches : 0.0,
           s.searches ? (double)s.nodes / s.searches : 0.0);
    fflush(stdout);
}

// Plays games, with the search or at random, and writes them to PREFIX.games.
void play(const Options& options, bool is_random) {
    DeviceNet net = is_random ? upload(NetFile()) : upload(chosen_net(options));
    Setup setup = make_setup(net, options, resident_warps());
    u64 seed = (u64)options.number("seed", 1);
    double limit = options.decimal("seconds", 10), slice = options.decimal("slice", 5);
    i64 games_left = options.number("games", INT64_MAX);

    SelfplayTask task = {};
    task.settings.nodes = (u32)options.bounded("nodes", 1000, 1, 1 << 28);
    task.settings.label_nodes = (u32)options.bounded("label-nodes", task.settings.nodes, 1, 1 << 28);
    task.settings.label_every = (u32)options.bounded("label-every", 1, 1, 1000);
    task.settings.tree_nodes = is_random ? 0 : (u32)options.bounded("tree-nodes", 0, 0, 1 << 28);
    task.settings.random_plies = (int)options.bounded("random-plies", is_random ? 0 : 8, 0, 100);
    task.settings.chess960_percent = (int)options.bounded("chess960", is_random ? 50 : 10, 0, 100);
    task.settings.endings_percent = (int)options.bounded("endings", 0, 0, 100);
    task.settings.won = (int)options.number("won", 1200);
    task.settings.is_random = is_random;
    task.back_ranks = to_device(chess960_back_ranks());
    std::vector<Game> games(setup.warps);
    for (int warp = 0; warp < setup.warps; ++warp) {
        Game game = {};
        u64 mixed = (seed * 0x100000001b3 + warp + 1) * 0x9e3779b97f4a7c15;
        mixed = (mixed ^ mixed >> 31) * 0xbf58476d1ce4e5b9;
        game.random = (mixed ^ mixed >> 29) | 1;
        game.opening_plies = -1;
        games[warp] = game;
    }
    task.games = to_device(games);
    // This is far more than a slice can fill: random games produce tens of millions of plies a second.
    task.output.room = is_random ? 1ull << 28 : 1ull << 26;
    if (setup.warps < 64) {
        task.output.room = 1 << 22;
    }
    task.output.words = device_allocate<u32>(task.output.room);
    task.output.used = device_allocate<u64>(1);

    std::string description = "castellan gpu net=" + net.name + " nodes=" + std::to_string(task.settings.nodes) +
                              " label-nodes=" + std::to_string(task.settings.label_nodes) +
                              " label-every=" + std::to_string(task.settings.label_every) +
                              " tree-nodes=" + std::to_string(task.settings.tree_nodes) +
                              " endings=" + std::to_string(task.settings.endings_percent) +
                              " seed=" + std::to_string(seed);
    description += is_random ? " random moves, scores count legal moves" : "";
    std::string prefix = options.text("out", "selfplay");
    GamesFile file(prefix + ".games", task.settings.tree_nodes ? prefix + ".tree.bin" : "", description);
    printf("net %s (width %d), %d warps, %u nodes, seed %" PRIu64 "\n", net.name.c_str(), net.hidden, setup.warps,
           task.settings.nodes, seed);
    auto start = std::chrono::steady_clock::now();
    double played = 0, next_report = 0;
    int lost = 0;
    while (played < limit && games_left > 0) {
        double now = limit - played < slice ? limit - played : slice;
        task.duration_ns = (u64)(now * 1e9);
        u64 none = 0;
        copy_to_device(task.output.used, &none, 1);
        auto begin = std::chrono::steady_clock::now();
        launch_for(net.hidden, setup, task);
        played += seconds_since(begin);
        u64 used = from_device(task.output.used, 1)[0];
        if (used > task.output.room) {
            // There was no room for games at the end; the last complete one ends before the mark.
            lost += 1;
            std::vector<u32> words = from_device(task.output.words, task.output.room);
            size_t at = 0;
            while (at + GAME_HEAD_WORDS <= words.size() && words[at + 11] == 0x454d4147 &&
                   at + GAME_HEAD_WORDS + words[at + 10] <= words.size()) {
                at += GAME_HEAD_WORDS + words[at + 10];
            }
            words.resize(at);
            games_left -= file.append(words, games_left);
        } else {
            games_left -= file.append(from_device(task.output.words, used), games_left);
        }
        if (played >= next_report || played >= limit) {
            print_statistics(total_statistics(task.games, setup.warps), played);
            next_report = played + 10;
        }
    }
    printf("%.1f s on the device, %.1f s in all, %d slices overflowed\n", played, seconds_since(start), lost);
}

// Counts leaves, for lines "FEN;depth" from standard input, or for the starting position.
void perft(const Options& options) {
    std::vector<std::string> lines = read_lines(options);
    std::vector<Position> positions;
    std::vector<int> depths;
    for (const std::string& line : lines) {
        size_t split = line.find(';');
        positions.push_back(parse_fen(line.substr(0, split)));
        int depth = (int)options.number("depth", 4);
        if (split != std::string::npos) {
            depth = atoi(line.c_str() + split + 1);
        }
        // Each level can need 218 moves in the list of the warp.
        if (depth < 1 || depth > 12) {
            throw std::runtime_error("depths go from 1 to 12: " + line);
        }
        depths.push_back(depth);
    }
    DeviceNet net = upload(NetFile());
    Setup setup = make_setup(net, options, resident_warps());
    PerftTask task = {to_device(positions), to_device(depths), (int)positions.size(),
                      device_allocate<u64>(positions.size() + 1)};
    auto start = std::chrono::steady_clock::now();
    launch<0>(setup, task);
    double seconds = seconds_since(start);
    std::vector<u64> leaves = from_device(task.leaves, positions.size());
    u64 sum = 0;
    for (size_t index = 0; index < lines.size(); ++index) {
        std::string fen = lines[index].substr(0, lines[index].find(';'));
        printf("%s;%d;%" PRIu64 "\n", fen.c_str(), depths[index], leaves[index]);
        sum += leaves[index];
    }
    fprintf(stderr, "%" PRIu64 " leaves in %.3f s\n", sum, seconds);
}

// Evaluates or searches the FENs of standard input.
void positions(const Options& options, u32 nodes) {
    std::vector<std::string> lines = read_lines(options);
    std::vector<Position> positions;
    for (const std::string& line : lines) {
        positions.push_back(parse_fen(line));
    }
    DeviceNet net = upload(chosen_net(options));
    Setup setup = make_setup(net, options, minimum(resident_warps(), maximum((int)positions.size(), 1)));
    PositionsTask task = {to_device(positions), (int)positions.size(), nodes,
                          device_allocate<SearchResult>(positions.size() + 1)};
    launch_for(net.hidden, setup, task);
    std::vector<SearchResult> answers = from_device(task.answers, positions.size());
    for (size_t index = 0; index < lines.size(); ++index) {
        const SearchResult& a = answers[index];
        if (nodes) {
            int from = move_from(a.move), to = move_to(a.move);
            printf("%s;%c%c%c%c%c;%d;depth %d;nodes %u\n", lines[index].c_str(), 'a' + (from & 7), '1' + (from >> 3),
                   'a' + (to & 7), '1' + (to >> 3), " nbrq"[move_promotion(a.move)], a.score, a.depth, a.nodes);
        } else {
            printf("%s;%d\n", lines[index].c_str(), a.score);
        }
    }
}

// Compares accumulators that are updated along random games with recomputed ones.
int check_network(const Options& options) {
    DeviceNet net = upload(chosen_net(options));
    Setup setup = make_setup(net, options, resident_warps());
    NetworkTask task = {(u64)options.number("seed", 1), (int)options.number("games", 10 * setup.warps),
                        to_device(chess960_back_ranks()), device_allocate<u64>(2)};
    launch_for(net.hidden, setup, task);
    std::vector<u64> counters = from_device(task.counters, 2);
    printf("%s: %" PRIu64 " positions, %" PRIu64 " differ\n", net.name.c_str(), counters[0], counters[1]);
    return counters[1] != 0;
}

int run(int count, char** arguments) {
    std::string mode = count > 1 ? arguments[1] : "";
    Options options;
    for (int index = 2; index < count; index += 2) {
        std::string name = arguments[index];
        bool is_known = false;
        for (const char* known : KNOWN_OPTIONS) {
            is_known |= name == "--" + std::string(known);
        }
        if (!is_known || index + 1 >= count) {
            throw std::runtime_error("unknown option or missing value: " + name);
        }
        options.values[name.substr(2)] = arguments[index + 1];
    }
    if (mode == "selfplay") {
        play(options, false);
    } else if (mode == "check") {
        play(options, true);
    } else if (mode == "perft") {
        perft(options);
    } else if (mode == "eval") {
        positions(options, 0);
    } else if (mode == "search") {
        positions(options, (u32)options.bounded("nodes", 1000, 1, 1 << 28));
    } else if (mode == "checknet") {
        return check_network(options);
    } else if (mode == "makenet") {
        write_net(chosen_net(options), options.text("out", "random.nnue"));
    } else {
        fprintf(stderr, "modes: selfplay, check, perft, eval, search, checknet, makenet\n");
        return 2;
    }
    return 0;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        return run(count, arguments);
    } catch (const std::exception& error) {
        fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
