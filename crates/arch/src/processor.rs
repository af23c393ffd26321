//! Refuses to run on a processor that lacks instructions this build contains.
//!
//! A build for `x86-64-v3` started on an older processor would be killed by an illegal instruction
//! without a message. This module checks the processor before `main` and ends the process with
//! one sentence and exit code 2.
//!
//! Invariant: no compiled Rust runs during the check. The compiler may use any instruction of the
//! build's level anywhere, for example `andn` to compare two words, so the check is written in
//! assembly that every x86-64 processor can execute. The tests compare its parts with Rust
//! versions.

mod check;
#[cfg(test)]
mod tests;

/// Feature words of a processor, in this order: CPUID leaf 1 ECX, leaf 7 EBX, leaf 0x80000001
/// ECX, and XCR0, the registers that the operating system saves.
type FeatureWords = [u32; 4];

/// Number of levels, counted as the x86-64 psABI does: level 1 is the baseline.
const LEVELS: usize = 4;

/// The features that each level requires in addition to the level below it, according to the
/// x86-64 psABI. LAHF is left out: no compiler uses it, and a build made on a machine without it
/// would refuse to run there.
static ADDED_FEATURES: [FeatureWords; LEVELS] = [
    [0; 4],
    // SSE3, SSSE3, CMPXCHG16B, SSE4.1, SSE4.2, POPCNT.
    [bits(&[0, 9, 13, 19, 20, 23]), 0, 0, 0],
    // FMA, MOVBE, OSXSAVE, AVX, F16C; BMI1, AVX2, BMI2; LZCNT; XMM and YMM are saved.
    [bits(&[12, 22, 27, 28, 29]), bits(&[3, 5, 8]), bits(&[5]), bits(&[1, 2])],
    // AVX512F, AVX512DQ, AVX512CD, AVX512BW, AVX512VL; mask registers and ZMM are saved.
    [0, bits(&[16, 17, 28, 30, 31]), 0, bits(&[5, 6, 7])],
];

const HAS_V2: bool = cfg!(all(
    target_feature = "sse3",
    target_feature = "ssse3",
    target_feature = "cmpxchg16b",
    target_feature = "sse4.1",
    target_feature = "sse4.2",
    target_feature = "popcnt",
));
const HAS_V3: bool = cfg!(all(
    target_feature = "fma",
    target_feature = "movbe",
    target_feature = "avx",
    target_feature = "f16c",
    target_feature = "bmi1",
    target_feature = "avx2",
    target_feature = "bmi2",
    target_feature = "lzcnt",
));
const HAS_V4: bool = cfg!(all(
    target_feature = "avx512f",
    target_feature = "avx512dq",
    target_feature = "avx512cd",
    target_feature = "avx512bw",
    target_feature = "avx512vl",
));

/// The highest level whose features this build uses in full, from 1 to 4. A build for a specific
/// machine may also use some features of the next level, because that machine need not have all
/// of them.
const BUILD_LEVEL: usize = match (HAS_V2, HAS_V3, HAS_V4) {
    (true, true, true) => 4,
    (true, true, false) => 3,
    (true, false, _) => 2,
    (false, ..) => 1,
};

const fn bits(positions: &[u32]) -> u32 {
    let mut word = 0;
    let mut index = 0;
    while index < positions.len() {
        word |= 1 << positions[index];
        index += 1;
    }
    word
}
