// The kernels, in which each warp sets up its memory and does its share of the work.
#pragma once

#include "game.h"

#ifndef WARPS_PER_BLOCK
#define WARPS_PER_BLOCK 4
#endif
#ifndef BLOCKS_PER_SM
#define BLOCKS_PER_SM 4
#endif

// The parameters that all kernels share. Pointers are to device memory.
struct Setup {
    Net net;
    const u16* king_map;
    TableEntry* table;
    u32* accumulators;
    u32 table_entries;  // entries for each warp, a power of two
    int warps;
};

struct BlockMemory {
    Tables tables;
    WarpMemory warps[WARPS_PER_BLOCK];
};

template <int H>
DEVICE Worker make_worker(const Setup& setup, BlockMemory& block, int warp, int warp_in_block) {
    Worker w;
    w.memory = &block.warps[warp_in_block];
    w.tables = &block.tables;
    w.table = setup.table + (u64)warp * setup.table_entries;
    w.table_mask = setup.table_entries - 1;
    w.accumulators = setup.accumulators + (u64)warp * MAX_PLY * H;
    w.net = setup.net;
    w.old_keys = 0;
    w.sample = nullptr;
    w.sample_from = NO_SAMPLE;
    return w;
}

struct SelfplayTask {
    Game* games;
    GameSettings settings;
    const u32* back_ranks;
    Output output;
    u64 duration_ns;
};

template <int H>
DEVICE void run_task(const Setup& setup, const SelfplayTask& task, Worker& w, int warp) {
    play_games<H>(w, task.games[warp], task.settings, task.back_ranks, task.output, task.duration_ns);
}

// Evaluates or searches positions, with an answer for each.
struct PositionsTask {
    const Position* positions;
    int count;
    u32 nodes;  // 0: evaluate
    SearchResult* answers;
};

template <int H>
DEVICE void run_task(const Setup& setup, const PositionsTask& task, Worker& w, int warp) {
    for (int index = lane_id(); index < HISTORY_SIZE; index += LANES) {
        w.memory->history[index] = 0;
    }
    sync_warp();
    for (int index = warp; index < task.count; index += setup.warps) {
        Position p = task.positions[index];
        SearchResult answer = {0, 0, 0, 0};
        if (task.nodes) {
            prepare_search(*w.memory);
            answer = search<H>(w, p, task.nodes, task.nodes * HARD_FACTOR);
        } else {
            View v = look(p, *w.tables, w.memory->squares);
            answer.score = evaluate<H>(w, p, v, no_change(), 0);
        }
        task.answers[index] = answer;
        sync_warp();
    }
}

// Plays random games and compares incrementally updated accumulators with recomputed ones.
struct NetworkTask {
    u64 seed;
    int games;
    const u32* back_ranks;
    u64* counters;  // positions, differences
};

template <int H>
DEVICE void run_task(const Setup& setup, const NetworkTask& task, Worker& w, int warp) {
    u64 random = (task.seed + warp) * 0x9e3779b97f4a7c15 | 1, seen = 0, wrong = 0;
    for (int game = warp; game < task.games; game += setup.warps) {
        Position p = draw_start(random, task.back_ranks, 50);
        Change change = no_change();
        for (int ply = 0; ply < MAX_PLY - 1; ++ply) {
            View v = look(p, *w.tables, w.memory->squares);
            int followed = evaluate<H>(w, p, v, change, ply);
            int fresh = followed;
            if constexpr (H > 0) {
                u32* scratch = w.accumulators + (MAX_PLY - 1) * H;
                fresh = update_network<H>(w.net, *w.tables, p, v, no_change(), nullptr, scratch);
            }
            seen += 1;
            wrong += followed != fresh;
            int count = generate(p, v, *w.tables, false, w.memory->moves, MOVE_STACK).count;
            if (count == 0) {
                break;
            }
            // Kings move more often than at random, so that they cross buckets.
            u32 move = w.memory->moves[random_below(random, (u32)count)];
            for (int attempt = 0; attempt < 3 && p.code_at(move_from(move)) != KING; ++attempt) {
                move = w.memory->moves[random_below(random, (u32)count)];
            }
            sync_warp();
            change = make_move(p, move);
        }
    }
    if (lane_id() == 0) {
        add_atomically(&task.counters[0], seen);
        add_atomically(&task.counters[1], wrong);
    }
}

// Counts the leaves of move trees. The nodes of the first two plies are distributed to the warps.
struct PerftTask {
    const Position* positions;
    const int* depths;
    int count;
    u64* leaves;
};

DEVICE int generate_at(Worker& w, const Position& p, int base) {
    View v = look(p, *w.tables, w.memory->squares);
    return generate(p, v, *w.tables, false, w.memory->moves + base, MOVE_STACK - base).count;
}

// Counts one warp's share of the leaves of a position at a depth of at least 1.
DEVICE u64 count_leaves(Worker& w, const Position& root, int depth, int warp, int warps) {
    WarpMemory& m = *w.memory;
    u64 leaves = 0;
    u32 dealt = 0;
    int level = 0, base = 0, next = 0;
    Position p = root;
    int end = generate_at(w, p, 0);
    if (depth == 1) {
        return warp == 0 ? end : 0;
    }
    while (true) {
        if (next == end) {
            if (level == 0) {
                return leaves;
            }
            level -= 1;
            p = m.positions[level];
            base = (int)m.nodes[level].word[0];
            end = (int)m.nodes[level].word[1];
            next = (int)m.nodes[level].word[2];
            sync_warp();
            continue;
        }
        u32 move = m.moves[next++];
        bool is_dealing = level == 1 || depth == 2;
        if (is_dealing && dealt++ % warps != (u32)warp) {
            continue;
        }
        Position child = p;
        make_move(child, move);
        int count = generate_at(w, child, end);
        if (level == depth - 2) {
            leaves += count;
            continue;
        }
        m.positions[level] = p;
        m.nodes[level].word[0] = base;
        m.nodes[level].word[1] = end;
        m.nodes[level].word[2] = next;
        sync_warp();
        level += 1;
        p = child;
        base = next = end;
        end += count;
    }
}

template <int H>
DEVICE void run_task(const Setup& setup, const PerftTask& task, Worker& w, int warp) {
    for (int index = 0; index < task.count; ++index) {
        u64 leaves = count_leaves(w, task.positions[index], task.depths[index], warp, setup.warps);
        if (lane_id() == 0) {
            add_atomically(&task.leaves[index], leaves);
        }
        sync_warp();
    }
}

#ifdef __CUDACC__

template <int H, typename Task>
__global__ void __launch_bounds__(WARPS_PER_BLOCK* LANES, BLOCKS_PER_SM) run_kernel(Setup setup, Task task) {
    extern __shared__ u64 shared[];
    BlockMemory& block = *reinterpret_cast<BlockMemory*>(shared);
    for (int square = threadIdx.x; square < 64; square += blockDim.x) {
        fill_tables(block.tables, square);
        block.tables.king_map[square] = setup.king_map[square];
    }
    __syncthreads();
    int warp_in_block = threadIdx.x / LANES;
    int warp = blockIdx.x * WARPS_PER_BLOCK + warp_in_block;
    if (warp < setup.warps) {
        Worker w = make_worker<H>(setup, block, warp, warp_in_block);
        run_task<H>(setup, task, w, warp);
    }
}

#else

template <int H, typename Task>
void run_emulated(const Setup& setup, const Task& task) {
    static BlockMemory block;
    for (int square = 0; square < 64; ++square) {
        fill_tables(block.tables, square);
        block.tables.king_map[square] = setup.king_map[square];
    }
    for (int warp = 0; warp < setup.warps; ++warp) {
        emulate_warp([&] {
            Worker w = make_worker<H>(setup, block, warp, 0);
            run_task<H>(setup, task, w, warp);
        });
    }
}

#endif
