// A warp on the CPU: 32 fibers, each of which runs until it reaches a collective operation.
//
// Every collective checks that all lanes have reached the same kind of collective, so a divergent warp
// is reported instead of computing nonsense. Data that one lane reads from another without a
// synchronization in between is usually wrong here, which reveals missing calls of `sync_warp`.
#pragma once

#include <setjmp.h>
#include <ucontext.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

struct Emulator {
    static constexpr size_t STACK_BYTES = 1 << 18;
    ucontext_t start[LANES], home;
    jmp_buf resume[LANES];
    std::vector<char> stacks = std::vector<char>(STACK_BYTES * LANES);
    const std::function<void()>* body = nullptr;
    bool is_started[LANES], is_done[LANES];
    int lane = 0;
    // Two generations: a lane may already be at the next collective while others read this one.
    u32 values[2][LANES];
    int kinds[2][LANES];
    int steps[LANES];
};

inline Emulator& emulator() {
    static Emulator instance;
    return instance;
}

inline void emulator_entry() {
    Emulator& e = emulator();
    (*e.body)();
    e.is_done[e.lane] = true;
    if (e.lane == LANES - 1) {
        setcontext(&e.home);
    }
    e.lane += 1;
    if (e.is_started[e.lane]) {
        _longjmp(e.resume[e.lane], 1);
    }
    e.is_started[e.lane] = true;
    setcontext(&e.start[e.lane]);
}

inline void emulator_yield() {
    Emulator& e = emulator();
    if (_setjmp(e.resume[e.lane]) == 0) {
        e.lane = (e.lane + 1) % LANES;
        if (e.is_done[e.lane]) {
            fprintf(stderr, "lane %d has ended, but another waits for it\n", e.lane);
            abort();
        }
        if (e.is_started[e.lane]) {
            _longjmp(e.resume[e.lane], 1);
        }
        e.is_started[e.lane] = true;
        setcontext(&e.start[e.lane]);
    }
}

// Runs a function once in each lane of one warp.
inline void emulate_warp(const std::function<void()>& body) {
    Emulator& e = emulator();
    e.body = &body;
    for (int lane = 0; lane < LANES; ++lane) {
        e.is_started[lane] = e.is_done[lane] = false;
        e.steps[lane] = 0;
        getcontext(&e.start[lane]);
        e.start[lane].uc_stack.ss_sp = &e.stacks[Emulator::STACK_BYTES * lane];
        e.start[lane].uc_stack.ss_size = Emulator::STACK_BYTES;
        e.start[lane].uc_link = nullptr;
        makecontext(&e.start[lane], emulator_entry, 0);
    }
    e.lane = 0;
    e.is_started[0] = true;
    swapcontext(&e.home, &e.start[0]);
}

// Publishes the value of this lane and returns those of all lanes.
inline const u32* emulator_exchange(u32 value, int kind) {
    Emulator& e = emulator();
    int lane = e.lane, step = e.steps[lane]++ & 1;
    e.values[step][lane] = value;
    e.kinds[step][lane] = kind;
    emulator_yield();
    for (int other = 0; other < LANES; ++other) {
        if (e.kinds[step][other] != kind) {
            fprintf(stderr, "lanes %d and %d are at different collectives\n", lane, other);
            abort();
        }
    }
    return e.values[step];
}

inline int lane_id() { return emulator().lane; }
inline void sync_warp() { emulator_exchange(0, 1); }

inline u32 vote(bool is_true) {
    const u32* votes = emulator_exchange(is_true, 2);
    u32 result = 0;
    for (int lane = 0; lane < LANES; ++lane) {
        result |= votes[lane] << lane;
    }
    return result;
}

inline u32 reduce_or(u32 value) {
    const u32* values = emulator_exchange(value, 3);
    u32 result = 0;
    for (int lane = 0; lane < LANES; ++lane) {
        result |= values[lane];
    }
    return result;
}

inline u32 reduce_max(u32 value) {
    const u32* values = emulator_exchange(value, 4);
    u32 result = 0;
    for (int lane = 0; lane < LANES; ++lane) {
        result = values[lane] > result ? values[lane] : result;
    }
    return result;
}

inline int reduce_add(int value) {
    const u32* values = emulator_exchange((u32)value, 5);
    u32 result = 0;
    for (int lane = 0; lane < LANES; ++lane) {
        result += values[lane];
    }
    return (int)result;
}

inline u32 shuffle(u32 value, int lane) { return emulator_exchange(value, 6)[lane & 31]; }

inline u64 reverse_bits(u64 value) {
    value = (value >> 1 & 0x5555555555555555) | (value & 0x5555555555555555) << 1;
    value = (value >> 2 & 0x3333333333333333) | (value & 0x3333333333333333) << 2;
    value = (value >> 4 & 0x0f0f0f0f0f0f0f0f) | (value & 0x0f0f0f0f0f0f0f0f) << 4;
    return __builtin_bswap64(value);
}

inline float log2_fast(float value) { return log2f(value); }

inline u64 nanoseconds() {
    auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

inline u64 add_atomically(u64* counter, u64 value) {
    u64 before = *counter;
    *counter += value;
    return before;
}

inline u32 clamp_halves(u32 halves, u32 limit) {
    auto clamp = [](i16 value, i16 most) { return (u32)(value < 0 ? 0 : value > most ? most : value); };
    return clamp((i16)halves, (i16)limit) | clamp((i16)(halves >> 16), (i16)(limit >> 16)) << 16;
}

inline int dot_low(u32 halves, u32 bytes, int sum) {
    u32 product = (halves & 0xffff) * (u32)(int)(i8)bytes + (halves >> 16) * (u32)(int)(i8)(bytes >> 8);
    return (int)((u32)sum + product);
}
inline int dot_high(u32 halves, u32 bytes, int sum) { return dot_low(halves, bytes >> 16, sum); }
