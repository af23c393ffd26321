use std::arch::is_x86_feature_detected as has;
use std::arch::x86_64::__cpuid_count;

use super::check::{level, read_words};
use super::{ADDED, BUILD_LEVEL, LEVELS, NEEDED, Words, bits};

/// What [`level`] does, in Rust.
fn level_twin(words: &Words) -> u32 {
    let meets = |needed: &&Words| needed.iter().zip(words).all(|(need, have)| need & !have == 0);
    ADDED.iter().take_while(meets).count() as u32
}

fn this_processor() -> Words {
    let mut words = [0; 4];
    read_words(&mut words);
    words
}

#[test]
fn the_twins_agree_on_the_level() {
    let mut word = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        word = word.wrapping_mul(0xd129_0d3a_5b2f_17c5).rotate_left(23) ^ 0x5bf0_3635;
        word as u32
    };
    let mut seen = [0; LEVELS];
    for _ in 0..100_000 {
        // The needs of some level, with up to two bits taken away and any others added.
        let mut words = NEEDED[next() as usize % LEVELS];
        for word in &mut words {
            *word &= !(1 << (next() % 32));
            *word |= next() & next() & next();
        }
        let expected = level_twin(&words);
        assert_eq!(level(&words), expected, "{words:x?}");
        seen[expected as usize - 1] += 1;
    }
    assert!(seen.iter().all(|&count| count > 100), "{seen:?}");
}

#[test]
fn every_bit_that_a_level_needs_counts() {
    for (index, needed) in NEEDED.iter().enumerate() {
        assert_eq!(level(needed), index as u32 + 1);
        for (word, place) in (0..4).flat_map(|word| (0..32).map(move |place| (word, place))) {
            let mut less = *needed;
            less[word] &= !(1 << place);
            let is_needed = less != *needed;
            assert_eq!(level(&less) < index as u32 + 1, is_needed, "{word} {place}");
        }
    }
}

#[test]
fn vectors_that_the_system_does_not_save_do_not_count() {
    let mut words = NEEDED[3];
    words[3] = bits(&[0, 1]);
    assert_eq!(level(&words), 2);
    words[3] = bits(&[0, 1, 2]);
    assert_eq!(level(&words), 3);
}

#[test]
fn the_words_are_those_of_cpuid() {
    let words = this_processor();
    // OSXSAVE is the only bit of these that a system may change, and it does so at its start.
    assert_eq!(words[0], __cpuid_count(1, 0).ecx);
    assert_eq!(words[1], __cpuid_count(7, 0).ebx);
    assert_eq!(words[2], __cpuid_count(0x8000_0001, 0).ecx);
}

#[test]
fn the_standard_library_sees_the_same_level() {
    let is_v2 = has!("sse4.2") && has!("popcnt") && has!("cmpxchg16b");
    let is_v3 = has!("avx2") && has!("bmi1") && has!("bmi2") && has!("fma") && has!("lzcnt");
    let is_v4 = has!("avx512f") && has!("avx512bw") && has!("avx512vl") && has!("avx512dq");
    let seen = match (is_v2, is_v3, is_v4) {
        (true, true, true) => 4,
        (true, true, false) => 3,
        (true, false, _) => 2,
        (false, ..) => 1,
    };
    assert_eq!(level(&this_processor()), seen);
}

#[test]
fn this_build_runs_here() {
    assert!(level(&this_processor()) as usize >= BUILD_LEVEL);
}
