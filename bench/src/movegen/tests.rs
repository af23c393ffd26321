//! Tests of the harness: totals, rejected contestants, ratios.

use std::time::Duration;

use anyhow::{Result, bail};
use clap::ValueEnum;

use super::contestant::{Contestant, Peer, ours};
use super::measure::{Achievement, Workload, alternate};
use super::{What, fens, report, suite};

/// A contestant that reports the same number of moves for every position.
struct Stubborn(u64);

impl Contestant for Stubborn {
    fn name(&self) -> &'static str {
        "stubborn"
    }

    fn count(&self, fen: &str, _depth: u32) -> Result<u64> {
        if fen.starts_with('?') {
            bail!("not a position");
        }
        Ok(self.0)
    }

    fn list(&self, fen: &str, depth: u32) -> Result<u64> {
        self.count(fen, depth)
    }

    fn make(&self, fen: &str, depth: u32) -> Result<u64> {
        self.count(fen, depth)
    }

    fn read(&self, fens: &[String]) -> usize {
        fens.len()
    }
}

fn stubborn(moves: u64) -> Box<dyn Contestant> {
    Box::new(Stubborn(moves))
}

fn everyone() -> Vec<Box<dyn Contestant>> {
    let peers = Peer::value_variants().iter().map(|peer| peer.contestant());
    std::iter::once(ours()).chain(peers).collect()
}

#[test]
fn every_entry_has_a_total_at_every_offset_and_one_below() {
    let entries = suite::trees(0).len();
    for offset in suite::OFFSETS {
        let offset = i32::try_from(offset).expect("the range is small");
        assert_eq!(suite::trees(offset).len(), entries, "offset {offset}");
        assert_eq!(suite::trees(offset - 1).len(), entries, "one below offset {offset}");
    }
}

#[test]
fn everyone_walks_small_trees_correctly() {
    let contestants = everyone();
    for offset in [-4, -3] {
        for tree in suite::trees(offset) {
            let workloads = [
                Workload::walk(tree, |who, fen, depth| who.count(fen, depth)),
                Workload::walk(tree, |who, fen, depth| who.list(fen, depth)),
                Workload::walk(tree, |who, fen, depth| who.make(fen, depth)),
            ];
            alternate(&contestants, &workloads, 1).expect("all totals are right");
        }
    }
}

#[test]
fn everyone_reads_the_built_in_positions() {
    let fens = fens::load(None).expect("they are built in");
    assert_eq!(fens.len(), 1000);
    let agreed = fens::agreed(fens.clone(), &everyone()).expect("they are legal positions");
    assert_eq!(agreed, fens);
}

#[test]
fn a_wrong_total_ends_the_run() {
    let tree = suite::trees(0)[0];
    let workload = [Workload::walk(tree, |who, fen, depth| who.count(fen, depth))];
    assert!(alternate(&[stubborn(tree.leaves)], &workload, 1).is_ok());
    let result = alternate(&[stubborn(tree.leaves + 1)], &workload, 1);
    let message = result.err().expect("one leaf too many").to_string();
    assert_eq!(message, "start 6: stubborn returned 119060325, expected 119060324");
}

#[test]
fn a_position_that_someone_refuses_is_left_out() {
    let fens = vec!["?".to_owned(), "8".to_owned()];
    assert_eq!(fens::agreed(fens, &[stubborn(3)]).expect("one is left"), ["8"]);
    assert!(fens::agreed(vec!["?".to_owned()], &[stubborn(3)]).is_err());
}

#[test]
fn a_position_read_in_two_ways_ends_the_run() {
    let result = fens::agreed(vec!["8".to_owned()], &[stubborn(3), stubborn(4)]);
    let message = result.expect_err("three is not four").to_string();
    assert_eq!(message, "8: stubborn finds 3 legal moves, stubborn finds 4");
}

#[test]
fn ratios_compare_speeds() {
    let achievement = |contestant, milliseconds: [u64; 2]| Achievement {
        contestant,
        best: milliseconds.map(Duration::from_millis).to_vec(),
    };
    let results = [
        achievement("castellan", [100, 100]),
        achievement("slower", [300, 182]),
        achievement("faster", [50, 70]),
    ];
    let lines = report::ratio_lines(What::Count, &results);
    assert_eq!(lines, ["ratio count slower 2.41", "ratio count faster 0.60"]);
}
