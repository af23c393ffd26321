//! All vector code agrees bit for bit with the safe reference.

use castellan_testkit::random::SplitMix64;

use super::*;

/// Returns random numbers within ±`limit`, including the limits themselves now and then.
fn blocks(random: &mut SplitMix64, count: usize, limit: i16) -> Vec<Block> {
    let mut number = || match random.below(8) {
        0 => limit,
        1 => -limit,
        _ => (random.below(2 * limit as usize + 1) as i32 - i32::from(limit)) as i16,
    };
    (0..count).map(|_| Block(core::array::from_fn(|_| number()))).collect()
}

fn updated<L: Lanes>(from: &[Block], rows: &[Vec<Block>; 4]) -> [Vec<Block>; 3] {
    let [a, b, r, s] = rows.each_ref().map(Vec::as_slice);
    let mut results = [const { Vec::new() }; 3];
    results.iter_mut().for_each(|result| result.resize(from.len(), Block::ZERO));
    update::<L, 1, 1>(from, &mut results[0], [a], [r]);
    update::<L, 1, 2>(from, &mut results[1], [a], [r, s]);
    update::<L, 2, 2>(from, &mut results[2], [a, b], [r, s]);
    results
}

fn adjusted<L: Lanes>(from: &[Block], weights: &[Block], rows: [&[u32]; 2]) -> [Vec<Block>; 2] {
    let mut sums = from.to_vec();
    let mut copy = vec![Block::ZERO; from.len()];
    adjust::<L>(&mut sums, &mut copy, weights, rows[0], rows[1]);
    [sums, copy]
}

fn check<L: Lanes>() {
    let mut random = SplitMix64::new(11);
    for round in 0..60 {
        let len = 2 * (1 + round % 7);
        // Sums may overflow here, and must do so in the same way.
        let from = blocks(&mut random, len, i16::MAX);
        let rows = core::array::from_fn(|_| blocks(&mut random, len, i16::MAX));
        assert_eq!(updated::<L>(&from, &rows), updated::<plain::Register>(&from, &rows));

        let weights = blocks(&mut random, 10 * len, i16::MAX);
        let mut starts = |most| -> Vec<u32> {
            (0..random.below(most)).map(|_| (random.below(10) * len) as u32).collect()
        };
        let (added, removed) = (starts(30), starts(30));
        let rows = [added.as_slice(), &removed];
        let ours = adjusted::<L>(&from, &weights, rows);
        assert_eq!(ours, adjusted::<plain::Register>(&from, &weights, rows));
        assert_eq!(ours[0], ours[1]);

        let view = blocks(&mut random, len, 400);
        let weights = blocks(&mut random, 2 * len, 127);
        for views in [[&*from, &*view], [&*view, &*from]] {
            let ours = output::<L>(views, &weights);
            assert_eq!(ours, output::<plain::Register>(views, &weights));
            assert_eq!(ours, output_by_definition(views, &weights));
        }
    }
}

/// Computes the output layer directly from its definition.
fn output_by_definition(views: [&[Block]; 2], weights: &[Block]) -> i64 {
    let neurons = views.into_iter().flatten().flat_map(|block| block.0);
    let weights = weights.iter().flat_map(|block| block.0);
    let term =
        |(neuron, weight): (i16, i16)| i64::from(neuron.clamp(0, 255)).pow(2) * i64::from(weight);
    neurons.zip(weights).map(term).sum()
}

#[test]
fn the_chosen_instructions_agree_with_the_plain_version() {
    check::<Best>();
}

#[cfg(target_arch = "x86_64")]
#[test]
fn sse2_agrees_with_the_plain_version() {
    check::<sse2::Register>();
}

#[cfg(all(target_arch = "x86_64", target_feature = "avx2"))]
#[test]
fn avx2_agrees_with_the_plain_version() {
    check::<avx2::Register>();
}

#[test]
fn the_widest_layer_at_its_limits_does_not_overflow() {
    let view = vec![Block([i16::MAX; BLOCK]); MAX_BLOCKS];
    for weight in [127, -127] {
        let weights = vec![Block([weight; BLOCK]); 2 * MAX_BLOCKS];
        let expected = output_by_definition([&view, &view], &weights);
        assert!(expected.abs() > i64::from(i32::MAX));
        assert_eq!(output::<Best>([&view, &view], &weights), expected);
        assert_eq!(output::<plain::Register>([&view, &view], &weights), expected);
    }
}
