//! Checks the table against the text it was generated from.

use std::collections::HashMap;

use castellan_rules::{Position, San};

use super::{Classifier, ENTRIES, NAMES, Opening, opening};

const LINES: &str = include_str!("../../data/openings.txt");

fn after(moves: &str) -> Vec<Position> {
    let mut positions = vec![Position::start()];
    for text in moves.split_whitespace() {
        let position = positions.last().unwrap();
        let mv = San::parse(text).unwrap().resolve(position).unwrap();
        positions.push(position.play(mv).unwrap());
    }
    positions
}

fn classify(moves: &str) -> Option<Opening> {
    let mut classifier = Classifier::default();
    after(moves).iter().for_each(|position| classifier.follow(position));
    classifier.opening()
}

#[track_caller]
fn check(moves: &str, eco: &str, name: &str) {
    let found = classify(moves).map(|found| (found.eco, found.name));
    assert_eq!(found, Some((eco, name)), "{moves}");
}

/// Returns the ECO code, the name and the moves of a line.
fn fields(line: &str) -> [&str; 3] {
    let fields: Vec<&str> = line.split('|').collect();
    let [eco, name, moves, _hash] = fields[..] else { panic!("{line}") };
    [eco, name, moves]
}

#[test]
fn each_line_is_classified_as_itself() {
    for [eco, name, moves] in LINES.lines().map(fields) {
        check(moves, eco, name);
    }
    assert_eq!(LINES.lines().count(), 3810);
}

#[test]
fn the_table_holds_each_position_once() {
    let positions: HashMap<u64, &str> =
        LINES.lines().map(|line| (after(fields(line)[2]).pop().unwrap().hash(), line)).collect();
    assert_eq!(ENTRIES.len(), positions.len());
    assert!(ENTRIES.is_sorted_by(|one, other| one.hash < other.hash));
}

#[test]
fn the_text_is_sorted_and_the_names_share_memory() {
    assert!(LINES.lines().filter_map(|line| line.rsplit_once('|')).is_sorted_by_key(|it| it.0));
    let names: usize = LINES.lines().map(|line| fields(line)[1].len()).sum();
    assert!(NAMES.len() < names * 4 / 5, "{} of {names}", NAMES.len());
}

#[test]
fn transpositions_have_one_name() {
    check("d4 Nf6 c4 e6 Nc3 Bb4", "E20", "Nimzo-Indian Defense");
    check("c4 e6 Nc3 Bb4 d4 Nf6", "E20", "Nimzo-Indian Defense");
    check("Nf3 c5 e4", "B27", "Sicilian Defense");
    check("e4 c5 Nf3", "B27", "Sicilian Defense");
    let najdorf = "Sicilian Defense: Najdorf Variation";
    check("e4 c5 Nf3 d6 d4 cxd4 Nxd4 Nf6 Nc3 a6", "B90", najdorf);
    check("Nf3 c5 e4 d6 d4 Nf6 Nc3 cxd4 Nxd4 a6", "B90", najdorf);
}

#[test]
fn the_last_named_position_counts() {
    check(
        "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O Be7 Re1 b5 Bb3 d6 c3 O-O h3 h6 Nh2",
        "C93",
        "Ruy Lopez: Closed, Smyslov Defense",
    );
    assert_eq!(classify(""), None);
}

#[test]
fn other_start_positions_have_no_name() {
    let without_castling =
        Position::from_fen("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b - - 0 1").unwrap();
    assert_eq!(opening(&without_castling), None);
    let positions = (0..960).filter_map(Position::chess960);
    assert_eq!(positions.filter_map(|position| opening(&position)).count(), 0);
}
