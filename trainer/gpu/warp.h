// Warp primitives: integer types, bit operations, and the collectives that the search uses.
//
// Every value that is not called "per lane" is the same in all 32 lanes. With nvcc the functions map
// to hardware instructions. With a host compiler, emulate.h runs the lanes as 32 fibers, so the same
// source can be tested without a GPU.
#pragma once

#include <cstdint>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;

constexpr int LANES = 32;

#ifdef __CUDACC__
#define DEVICE __device__ __forceinline__
#define SHARED_CODE __host__ __device__ __forceinline__
#else
#define DEVICE inline
#define SHARED_CODE inline
#endif

SHARED_CODE int count_bits(u64 set) {
#ifdef __CUDA_ARCH__
    return __popcll(set);
#else
    return __builtin_popcountll(set);
#endif
}

// Returns the lowest square of a set that is not empty.
SHARED_CODE int lowest(u64 set) {
#ifdef __CUDA_ARCH__
    return __ffsll((i64)set) - 1;
#else
    return __builtin_ctzll(set);
#endif
}

// Returns the upper 64 bits of a product.
SHARED_CODE u64 multiply_high(u64 a, u64 b) {
#ifdef __CUDA_ARCH__
    return __umul64hi(a, b);
#else
    return (u64)((unsigned __int128)a * b >> 64);
#endif
}

SHARED_CODE u64 bit(int square) { return 1ull << square; }
SHARED_CODE int minimum(int a, int b) { return a < b ? a : b; }
SHARED_CODE int maximum(int a, int b) { return a > b ? a : b; }

#ifdef __CUDACC__

constexpr u32 ALL = 0xffffffffu;

DEVICE int lane_id() { return threadIdx.x & 31; }
DEVICE void sync_warp() { __syncwarp(); }
DEVICE u32 vote(bool vote) { return __ballot_sync(ALL, vote); }
DEVICE u32 reduce_or(u32 value) { return __reduce_or_sync(ALL, value); }
DEVICE u32 reduce_max(u32 value) { return __reduce_max_sync(ALL, value); }
DEVICE int reduce_add(int value) { return __reduce_add_sync(ALL, value); }
DEVICE u32 shuffle(u32 value, int lane) { return __shfl_sync(ALL, value, lane); }
DEVICE u64 reverse_bits(u64 value) { return __brevll(value); }
DEVICE float log2_fast(float value) { return __log2f(value); }

DEVICE u64 nanoseconds() {
    u64 now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    return now;
}

DEVICE u64 add_atomically(u64* counter, u64 value) {
    return atomicAdd((unsigned long long*)counter, (unsigned long long)value);
}

// Clamps both signed halves of a word to 0..limit.
DEVICE u32 clamp_halves(u32 halves, u32 limit) { return __vimin_s16x2_relu(halves, limit); }

// Adds to `sum` the products of the unsigned halves of `halves` with two signed bytes of `bytes`.
DEVICE int dot_low(u32 halves, u32 bytes, int sum) {
    int result;
    asm("dp2a.lo.u32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(halves), "r"(bytes), "r"(sum));
    return result;
}
DEVICE int dot_high(u32 halves, u32 bytes, int sum) {
    int result;
    asm("dp2a.hi.u32.s32 %0, %1, %2, %3;" : "=r"(result) : "r"(halves), "r"(bytes), "r"(sum));
    return result;
}

#else
#include "emulate.h"
#endif

DEVICE u64 reduce_or64(u64 value) {
    return reduce_or((u32)value) | (u64)reduce_or((u32)(value >> 32)) << 32;
}
