//! Writes a network file without training, to measure and to try things with:
//! `cargo run -p castellan-testkit --example network -- material 512 4 FILE`.

use std::env;
use std::fs;

use castellan_testkit::network::{NetworkShape, PlainNetwork};

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [kind, hidden, king_buckets, file] = arguments.as_slice() else {
        panic!("expected: material|random HIDDEN KING_BUCKETS FILE");
    };
    let number = |text: &String| text.parse().expect("sizes are numbers");
    let shape = NetworkShape { hidden: number(hidden), king_buckets: number(king_buckets) };
    let network = match kind.as_str() {
        "material" => PlainNetwork::material(shape),
        "random" => PlainNetwork::random(shape, 1),
        _ => panic!("there is no network {kind}"),
    };
    fs::write(file, network.to_file()).expect("the file can be written");
}
