//! Perft: the number of move sequences from many positions, compared with two other programs.
//!
//! `CASTELLAN_PERFT_NODES` limits the number of sequences per position; one billion runs
//! everything. Without it the whole file takes seconds.

use castellan_rules::{CastlingLetters, EnPassantField, FenStyle, Position, perft};
use castellan_testkit::perft::{Case, Suite, suite};

use crate::support::fen;

const CLASSIC_NODES: u64 = 20_000_000;
const CHESS960_NODES: u64 = 1_000_000;
/// The suites give an en passant square even if no capture is legal.
const AS_WRITTEN: FenStyle =
    FenStyle { castling: CastlingLetters::XFen, en_passant: EnPassantField::Always };
/// Values from here on mean no limit at all.
const EVERYTHING: u64 = 1_000_000_000;
/// Making every move is slower than counting, so this test gets a lower limit.
const SLOW_NODES: u64 = 100_000;

fn node_limit(default: u64) -> u64 {
    let limit = match std::env::var("CASTELLAN_PERFT_NODES") {
        Ok(text) => text.parse().expect("CASTELLAN_PERFT_NODES is a number"),
        Err(_) => default,
    };
    if limit >= EVERYTHING { u64::MAX } else { limit }
}

fn check(case: &Case, node_limit: u64) {
    let position = fen(case.fen);
    assert_eq!(position.to_fen_in(AS_WRITTEN), case.fen);
    assert_eq!(perft(&position, 0), 1, "{}", case.fen);
    for &(depth, nodes) in case.counts.iter().filter(|(_, nodes)| *nodes <= node_limit) {
        assert_eq!(perft(&position, depth), nodes, "{} at depth {depth}", case.fen);
    }
}

fn check_suite(name: Suite, at_least: usize, default: u64) {
    let cases: Vec<Case> = suite(name).collect();
    assert!(cases.len() >= at_least, "{} has {} positions", name.name(), cases.len());
    for case in &cases {
        check(case, node_limit(default));
    }
}

/// Lists every move, plays it with full validation and counts the leaves.
fn walk(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let play = |&mv| position.play(mv).expect("a listed move is legal");
    position.legal_moves().iter().map(|mv| walk(&play(mv), depth - 1)).sum()
}

#[test]
fn classic() {
    check_suite(Suite::Classic, 6, CLASSIC_NODES);
}

#[test]
fn promotion() {
    check_suite(Suite::Promotion, 10, CLASSIC_NODES);
}

#[test]
fn en_passant() {
    check_suite(Suite::EnPassant, 10, CLASSIC_NODES);
}

#[test]
fn castling() {
    check_suite(Suite::Castling, 10, CLASSIC_NODES);
}

#[test]
fn checks() {
    check_suite(Suite::Checks, 10, CLASSIC_NODES);
}

#[test]
fn chess960_lower_half() {
    check_chess960(0..480);
}

#[test]
fn chess960_upper_half() {
    check_chess960(480..960);
}

/// The suite contains every start position, in the order of their numbers.
fn check_chess960(numbers: std::ops::Range<u16>) {
    let cases: Vec<Case> = suite(Suite::Chess960).collect();
    assert_eq!(cases.len(), 960);
    for number in numbers {
        let case = &cases[usize::from(number)];
        let start = Position::chess960(number).expect("there are 960 start positions");
        assert_eq!(start.to_fen(), case.fen, "number {number}");
        check(case, node_limit(CHESS960_NODES));
    }
}

#[test]
fn counting_equals_playing() {
    for name in Suite::ALL {
        for case in suite(name).step_by(if name == Suite::Chess960 { 10 } else { 1 }) {
            let position = fen(case.fen);
            if let Some((depth, nodes)) = case.deepest_within(SLOW_NODES) {
                assert_eq!(walk(&position, depth), nodes, "{} at depth {depth}", case.fen);
            }
        }
    }
}
