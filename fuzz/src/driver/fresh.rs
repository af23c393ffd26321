//! Inputs that make sense, made from nothing but random numbers.

use castellan_fuzz::Layout;
use castellan_testkit::random::SplitMix64;
use castellan_testkit::scatter::scattered_position;

use super::mutate::{self, DICTIONARY};

/// So many bytes at most choose moves.
const MAX_CHOICES: usize = 200;

/// An input that a target of this layout can use.
pub(super) fn input(rng: &mut SplitMix64, layout: Layout) -> Vec<u8> {
    match layout {
        Layout::Fen => scattered_position(rng).to_fen().into_bytes(),
        Layout::Notation => notation(rng),
        Layout::Game => {
            let mut input = start(rng);
            input.push(b'\n');
            mutate::push_random(rng, MAX_CHOICES, &mut input);
            input
        }
    }
}

/// A Chess960 number or the FEN of pieces dropped anywhere.
fn start(rng: &mut SplitMix64) -> Vec<u8> {
    if rng.chance(50) {
        rng.below(960).to_string().into_bytes()
    } else {
        scattered_position(rng).to_fen().into_bytes()
    }
}

/// A legal UCI move or some pieces of notation, and the position.
fn notation(rng: &mut SplitMix64) -> Vec<u8> {
    let position = scattered_position(rng);
    let legal = position.legal_uci();
    let text = match rng.pick(&legal) {
        Some(text) if rng.chance(50) => text.clone(),
        _ => (0..=rng.below(4)).filter_map(|_| rng.pick(&DICTIONARY).copied()).collect(),
    };
    format!("{text}\n{}", position.to_fen()).into_bytes()
}
