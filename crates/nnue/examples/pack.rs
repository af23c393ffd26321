//! Packs a network file: `cargo run --release -p castellan-nnue --example pack -- FILE PACKED`.

use std::env;
use std::error::Error;
use std::fs;

use castellan_nnue::{Network, pack};

fn main() -> Result<(), Box<dyn Error>> {
    let paths: Vec<String> = env::args().skip(1).collect();
    let [from, to] = paths.as_slice() else { return Err("expected: FILE PACKED".into()) };
    let file = fs::read(from)?;
    let network = Network::parse(&file)?;
    let packed = pack(&file);
    fs::write(to, &packed)?;
    println!("{network:?}: {} bytes become {}", file.len(), packed.len());
    Ok(())
}
