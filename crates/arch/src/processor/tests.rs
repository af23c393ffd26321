use std::arch::is_x86_feature_detected as has;
use std::arch::x86_64::__cpuid_count;

use super::check::{level, read_words};
use super::{ADDED_FEATURES, FeatureWords, LEVELS, bits};

/// Rust version of [`level`].
fn level_in_rust(words: &FeatureWords) -> u32 {
    let meets =
        |needed: &&FeatureWords| needed.iter().zip(words).all(|(need, have)| need & !have == 0);
    ADDED_FEATURES.iter().take_while(meets).count() as u32
}

/// Returns everything that a level requires.
fn needed(level: usize) -> FeatureWords {
    std::array::from_fn(|word| {
        ADDED_FEATURES[..level].iter().fold(0, |all, added| all | added[word])
    })
}

fn this_processor() -> FeatureWords {
    let mut words = [0; 4];
    read_words(&mut words);
    words
}

#[test]
fn assembly_and_rust_agree_on_the_level() {
    let mut word = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        word = word.wrapping_mul(0xd129_0d3a_5b2f_17c5).rotate_left(23) ^ 0x5bf0_3635;
        word as u32
    };
    let mut seen = [0; LEVELS];
    for _ in 0..100_000 {
        // The requirements of some level, with up to one bit per word removed and random bits
        // added.
        let mut words = needed(1 + next() as usize % LEVELS);
        for word in &mut words {
            *word &= !(1 << (next() % 32));
            *word |= next() & next() & next();
        }
        let expected = level_in_rust(&words);
        assert_eq!(level(&words), expected, "{words:x?}");
        seen[expected as usize - 1] += 1;
    }
    assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
}

#[test]
fn every_bit_that_a_level_needs_counts() {
    for number in 1..=LEVELS {
        let needed = needed(number);
        assert_eq!(level(&needed) as usize, number);
        for (word, bit) in (0..4).flat_map(|word| (0..32).map(move |bit| (word, bit))) {
            let mut less = needed;
            less[word] &= !(1 << bit);
            let is_enough = level(&less) as usize == number;
            assert_eq!(is_enough, less == needed, "level {number}, word {word}, bit {bit}");
        }
    }
}

#[test]
fn vectors_that_the_system_does_not_save_do_not_count() {
    let mut words = needed(4);
    words[3] = bits(&[0, 1]);
    assert_eq!(level(&words), 2);
    words[3] = bits(&[0, 1, 2]);
    assert_eq!(level(&words), 3);
}

#[test]
fn the_words_are_those_of_cpuid() {
    let words = this_processor();
    // OSXSAVE is the only one of these bits that the operating system controls, and it sets it at
    // boot.
    assert_eq!(words[0], __cpuid_count(1, 0).ecx);
    assert_eq!(words[1], __cpuid_count(7, 0).ebx);
    assert_eq!(words[2], __cpuid_count(0x8000_0001, 0).ecx);
}

#[test]
fn the_standard_library_sees_the_same_level() {
    let has_sse = has!("sse3") && has!("ssse3") && has!("sse4.1") && has!("sse4.2");
    let is_v2 = has_sse && has!("popcnt") && has!("cmpxchg16b");
    let has_avx = has!("avx") && has!("avx2") && has!("fma") && has!("f16c");
    let is_v3 = has_avx && has!("bmi1") && has!("bmi2") && has!("lzcnt") && has!("movbe");
    let has_512 = has!("avx512f") && has!("avx512bw") && has!("avx512cd");
    let is_v4 = has_512 && has!("avx512dq") && has!("avx512vl");
    let expected = match (is_v2, is_v3, is_v4) {
        (true, true, true) => 4,
        (true, true, false) => 3,
        (true, false, _) => 2,
        (false, ..) => 1,
    };
    assert_eq!(level(&this_processor()), expected);
}
