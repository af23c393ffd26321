//! The hashes in `data/openings.txt`, from which the build script makes the table of openings.

use std::fmt::Write;
use std::{env, fs};

use castellan_rules::{Position, San};

const LINES: &str = include_str!("../../data/openings.txt");

#[test]
fn the_hashes_are_those_of_the_positions() {
    let mut expected = String::new();
    for line in LINES.lines() {
        let (entry, _hash) = line.rsplit_once('|').expect("each line has a hash");
        let (_, moves) = entry.rsplit_once('|').expect("each line has moves");
        let mut position = Position::start();
        for text in moves.split(' ') {
            let mv = San::parse(text).unwrap().resolve(&position).unwrap();
            position = position.play(mv).unwrap();
        }
        writeln!(expected, "{entry}|{:016x}", position.hash()).unwrap();
    }
    if env::var_os("CASTELLAN_WRITE_OPENINGS").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/openings.txt");
        fs::write(path, &expected).expect("the file can be written");
    }
    assert!(
        LINES == expected,
        "the hashes in data/openings.txt are out of date; to write them again: \
         CASTELLAN_WRITE_OPENINGS=1 cargo nextest run -p castellan-pgn hashes"
    );
}
