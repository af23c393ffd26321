//! Generates the large slider attack table for processors with fast PEXT.
//!
//! This is done here because const evaluation takes ten times as long.

use std::fmt::Write as _;
use std::{env, fs, path::Path};

#[path = "src/attacks/ray.rs"]
mod ray;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/attacks/ray.rs");
    println!("cargo::rustc-check-cfg=cfg(fast_pext)");
    if !has_fast_pext() {
        return;
    }
    println!("cargo::rustc-cfg=fast_pext");
    let folder = env::var("OUT_DIR").expect("cargo sets OUT_DIR for build scripts");
    fs::write(Path::new(&folder).join("slider_table.rs"), slider_table())
        .expect("cargo makes OUT_DIR writable");
}

/// The same test as `castellan_arch::HAS_FAST_PEXT`, for the compilation target.
fn has_fast_pext() -> bool {
    let features = env::var("CARGO_CFG_TARGET_FEATURE").unwrap_or_default();
    let has = |name| features.split(',').any(|feature| feature == name);
    has("bmi2") && (!has("sse4a") || has("vaes"))
}

/// Generates Rust source for `ROOK`, `BISHOP` and the `ATTACKS` table they point into.
fn slider_table() -> String {
    let mut source = String::new();
    let mut attacks = Vec::new();
    for (name, directions) in [("ROOK", &ray::ROOK), ("BISHOP", &ray::BISHOP)] {
        writeln!(source, "static {name}: [Entry; 64] = [").expect("strings take all text");
        for square in 0..64 {
            let relevant = relevant_squares(square, directions);
            let offset = attacks.len();
            writeln!(source, "Entry {{ relevant: {relevant:#x}, offset: {offset} }},")
                .expect("strings take all text");
            let subsets = 1_u64 << relevant.count_ones();
            attacks
                .extend((0..subsets).map(|i| ray::rays(square, directions, spread(i, relevant))));
        }
        source.push_str("];\n");
    }
    writeln!(source, "static ATTACKS: [u64; {}] = {attacks:?};", attacks.len())
        .expect("strings take all text");
    source
}

/// Returns the squares where a piece can shorten a ray: all except the last of each ray.
fn relevant_squares(square: usize, directions: &[(i32, i32); 4]) -> u64 {
    let all = ray::rays(square, directions, 0);
    let is_last = |&at: &usize| {
        let alone = 1 << at;
        ray::rays(square, directions, alone) == all
    };
    let last: u64 = (0..64).filter(is_last).map(|at| 1 << at).sum();
    all & !last
}

/// Deposits the low bits of `index` at the bits of `mask`: the inverse of PEXT.
fn spread(index: u64, mut mask: u64) -> u64 {
    let mut spread = 0;
    let mut place = 0;
    while mask != 0 {
        if index >> place & 1 == 1 {
            spread |= mask & mask.wrapping_neg();
        }
        place += 1;
        mask &= mask - 1;
    }
    spread
}
