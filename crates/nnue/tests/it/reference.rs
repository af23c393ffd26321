//! Slow reference implementation of the network, from the description of the file format, in
//! integer and in floating-point arithmetic.

use castellan_rules::{Color, Position};
use castellan_testkit::network::PlainNetwork;

/// Returns the rows of a color's view of a position.
fn rows(network: &PlainNetwork, position: &Position, color: Color) -> Vec<usize> {
    let king = position.king(color);
    let orient = |square: usize| {
        let square = if color == Color::Black { square ^ 56 } else { square };
        if king.file().index() >= 4 { square ^ 7 } else { square }
    };
    let bucket = usize::from(network.buckets[orient(king.index())]);
    let pieces = position.pieces().iter();
    let row = |(square, piece): (castellan_rules::Square, castellan_rules::Piece)| {
        let side = if piece.color == color { 0 } else { 384 };
        bucket * 768 + side + piece.role.index() * 64 + orient(square.index())
    };
    pieces.map(row).collect()
}

/// Returns the accumulators of both views, that of the side to move first.
fn sums(network: &PlainNetwork, position: &Position) -> Vec<i64> {
    let hidden = network.shape.hidden;
    let turn = position.turn();
    let view = |color| {
        let rows = rows(network, position, color);
        let sum = move |neuron: usize| {
            let weights = rows.iter().map(|row| i64::from(network.features[row * hidden + neuron]));
            i64::from(network.bias[neuron]) + weights.sum::<i64>()
        };
        (0..hidden).map(sum).collect::<Vec<i64>>()
    };
    [view(turn), view(!turn)].concat()
}

fn output(network: &PlainNetwork, position: &Position) -> (usize, Vec<i64>) {
    let bucket = (position.occupied().count() - 2) / 4;
    let len = 2 * network.shape.hidden;
    let weights = network.output[bucket * len..][..len].iter().copied().map(i64::from);
    (bucket, weights.collect())
}

/// Returns the value in integer arithmetic, exactly as the format defines it.
pub(crate) fn value(network: &PlainNetwork, position: &Position) -> i32 {
    let (bucket, weights) = output(network, position);
    let terms = sums(network, position).into_iter().zip(weights);
    let sum: i64 = terms.map(|(sum, weight)| sum.clamp(0, 255).pow(2) * weight).sum();
    let bias = i64::from(network.output_bias[bucket]);
    ((sum / 255 + bias) * 400 / (255 * 64)) as i32
}

/// Returns the value in floating-point arithmetic, as in training.
pub(crate) fn real_value(network: &PlainNetwork, position: &Position) -> f64 {
    let (bucket, weights) = output(network, position);
    let terms = sums(network, position).into_iter().zip(weights);
    let term = |(sum, weight): (i64, i64)| {
        (sum as f64 / 255.0).clamp(0.0, 1.0).powi(2) * (weight as f64 / 64.0)
    };
    let sum: f64 = terms.map(term).sum();
    400.0 * (sum + f64::from(network.output_bias[bucket]) / (255.0 * 64.0))
}
