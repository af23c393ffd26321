//! Untrained network files: random ones, and one that counts material.
//!
//! They are written byte by byte from the description of the format, independently of the code
//! that reads it.

use sha2::{Digest, Sha256};

use crate::random::SplitMix64;

/// The size of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkShape {
    /// Number of neurons in the hidden layer for each side: a multiple of 64.
    pub hidden: usize,
    /// Number of king buckets, from 1 to 16.
    pub king_buckets: usize,
}

/// The parameters of a network, as they are stored in its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainNetwork {
    /// The size of the network.
    pub shape: NetworkShape,
    /// The king bucket of each square.
    pub buckets: [u8; 64],
    /// The name of the training run.
    pub name: String,
    /// `king_buckets * 768` rows of `hidden` weights.
    pub features: Vec<i16>,
    /// One bias for each neuron.
    pub bias: Vec<i16>,
    /// Eight rows of `2 * hidden` weights, one for each output bucket.
    pub output: Vec<i16>,
    /// One bias for each output bucket.
    pub output_bias: [i32; 8],
}

impl PlainNetwork {
    /// Creates a network of zeros. The squares of the files a to d are assigned to the king
    /// buckets in turn; the other squares have none (255).
    pub fn zero(shape: NetworkShape) -> PlainNetwork {
        let NetworkShape { hidden, king_buckets } = shape;
        let bucket = |square: usize| {
            let (file, rank) = (square % 8, square / 8);
            if file < 4 { ((4 * rank + file) % king_buckets) as u8 } else { 255 }
        };
        PlainNetwork {
            shape,
            buckets: std::array::from_fn(bucket),
            name: String::from("zero"),
            features: vec![0; king_buckets * 768 * hidden],
            bias: vec![0; hidden],
            output: vec![0; 8 * 2 * hidden],
            output_bias: [0; 8],
        }
    }

    /// Creates a network with random weights: most are small, as in trained networks, and some
    /// are as large as allowed.
    pub fn random(shape: NetworkShape, seed: u64) -> PlainNetwork {
        let mut random = SplitMix64::new(seed);
        let mut number = |usual: i32, limit: i32| {
            let limit = if random.below(50) == 0 { limit } else { usual };
            random.below(2 * limit as usize + 1) as i32 - limit
        };
        let mut network = PlainNetwork::zero(shape);
        network.name = format!("random {seed}");
        network.features.fill_with(|| number(40, 505) as i16);
        network.bias.fill_with(|| number(120, 1000) as i16);
        network.output.fill_with(|| number(30, 127) as i16);
        network.output_bias = std::array::from_fn(|_| number(5000, 20_000));
        network
    }

    /// Creates a network that counts material, at about 100 for a pawn, and prefers pieces near
    /// the center and pawns near promotion.
    ///
    /// The input of each neuron is 128 plus the material balance x from its side's point of view.
    /// That is 128 + x for the side to move and 128 - x for the other, and the difference of the
    /// squares is 512 x: linear, until the clamp at a balance of about 16 pawns.
    pub fn material(shape: NetworkShape) -> PlainNetwork {
        let mut network = PlainNetwork::zero(shape);
        network.name = String::from("material");
        let hidden = shape.hidden;
        for (row, weights) in network.features.chunks_mut(hidden).enumerate() {
            let (is_enemy, role, square) = (row / 384 % 2 == 1, row / 64 % 6, row % 64);
            // The square from the point of view of the piece's owner.
            let own = if is_enemy { square ^ 56 } else { square };
            let balance = if is_enemy { -worth(role, own) } else { worth(role, own) };
            weights[..NEURONS].fill(balance);
        }
        network.bias[..NEURONS].fill(128);
        for weights in network.output.chunks_mut(2 * hidden) {
            weights[..NEURONS].fill(WEIGHT);
            weights[hidden..][..NEURONS].fill(-WEIGHT);
        }
        network
    }

    /// Returns the bytes of the file.
    pub fn to_file(&self) -> Vec<u8> {
        let numbers = [&self.features, &self.bias, &self.output];
        let numbers = numbers.into_iter().flatten().flat_map(|number| number.to_le_bytes());
        let biases = self.output_bias.iter().flat_map(|bias| bias.to_le_bytes());
        let weights: Vec<u8> = numbers.chain(biases).collect();
        let mut file = b"CASTNNUE".to_vec();
        let NetworkShape { hidden, king_buckets } = self.shape;
        for number in [1, hidden as u32, king_buckets as u32, 8] {
            file.extend(number.to_le_bytes());
        }
        for number in [255_u16, 64, 400, 0] {
            file.extend(number.to_le_bytes());
        }
        file.extend(self.buckets);
        file.extend((self.name.len() as u16).to_le_bytes());
        file.extend(self.name.as_bytes());
        file.extend(Sha256::digest(&weights));
        file.extend(weights);
        file
    }
}

/// Number of neurons that count material, and the weight of each. The input of a pawn, 8, becomes
/// an output of 4 * 64 * 512 * 8 / 255 * 400 / (255 * 64), which is 100.
const NEURONS: usize = 4;
const WEIGHT: i16 = 64;

/// Returns the value of the player's own piece in eighths of a pawn.
fn worth(role: usize, square: usize) -> i16 {
    let near = |coordinate: usize| coordinate.min(7 - coordinate) as i16;
    let (file, rank) = (square % 8, square / 8);
    let middle = near(file).min(near(rank));
    match role {
        0 => 7 + rank as i16 / 2 - 1 + i16::from(near(file) == 3 && rank == 3),
        1 => 23 + middle,
        2 => 25 + middle / 2,
        3 => 40,
        4 => 74,
        _ => -2 * i16::from(rank > 1),
    }
}
