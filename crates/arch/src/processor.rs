//! Refuses to run on a processor that lacks instructions this build contains.
//!
//! A build for `x86-64-v3` started on an older processor would be killed by an illegal instruction
//! without a message. This module checks the processor before `main` and ends the process with
//! one sentence and exit code 2.
//!
//! Invariant: no compiled Rust runs during the check. The compiler may use any instruction of the
//! build's level anywhere, for example `andn` to compare two words, so the check is written in
//! assembly that every x86-64 processor executes. Its parts have Rust twins in the tests.

mod check;
#[cfg(test)]
mod tests;

/// Feature words of a processor, in this order: CPUID leaf 1 ECX, leaf 7 EBX, leaf 0x80000001
/// ECX, and XCR0, the registers that the operating system saves.
type Words = [u32; 4];

/// Number of levels, counted as the x86-64 psABI does: level 1 is the baseline.
const LEVELS: usize = 4;

/// What each level needs on top of the level before it, as given by the x86-64 psABI.
const ADDED: [Words; LEVELS] = [
    [0; 4],
    // SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT; LAHF.
    [bits(&[0, 9, 13, 19, 20, 23]), 0, bits(&[0]), 0],
    // FMA, MOVBE, OSXSAVE, AVX, F16C; BMI1, AVX2, BMI2; LZCNT; XMM and YMM are saved.
    [bits(&[12, 22, 27, 28, 29]), bits(&[3, 5, 8]), bits(&[5]), bits(&[1, 2])],
    // AVX512F, AVX512DQ, AVX512CD, AVX512BW, AVX512VL; mask registers and ZMM are saved.
    [0, bits(&[16, 17, 28, 30, 31]), 0, bits(&[5, 6, 7])],
];

/// All that each level needs.
static NEEDED: [Words; LEVELS] = {
    let mut needed = ADDED;
    let mut level = 1;
    while level < LEVELS {
        let mut word = 0;
        while word < 4 {
            needed[level][word] |= needed[level - 1][word];
            word += 1;
        }
        level += 1;
    }
    needed
};

/// The level of the x86-64 instruction set that this build needs, from 1 to 4. A build for one
/// particular processor counts as the highest level that it contains.
const BUILD_LEVEL: usize = if cfg!(all(
    target_feature = "avx512f",
    target_feature = "avx512bw",
    target_feature = "avx512cd",
    target_feature = "avx512dq",
    target_feature = "avx512vl"
)) {
    4
} else if cfg!(all(target_feature = "avx2", target_feature = "bmi2", target_feature = "fma")) {
    3
} else if cfg!(all(target_feature = "sse4.2", target_feature = "popcnt")) {
    2
} else {
    1
};

const fn bits(places: &[u32]) -> u32 {
    let mut word = 0;
    let mut index = 0;
    while index < places.len() {
        word |= 1 << places[index];
        index += 1;
    }
    word
}
