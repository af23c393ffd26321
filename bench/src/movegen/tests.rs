//! Tests of the harness: totals and rejected libraries.

use anyhow::{Result, bail};
use clap::ValueEnum;

use super::library::{ChessLibrary, Peer, ours};
use super::workload::Workload;
use super::{RANDOM_FENS, alternate, fens, lines, suite};

/// A library that reports the same number of moves for every position.
struct ConstantCount(u64);

impl ChessLibrary for ConstantCount {
    fn name(&self) -> &'static str {
        "constant"
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

fn constant(moves: u64) -> Box<dyn ChessLibrary> {
    Box::new(ConstantCount(moves))
}

fn all_libraries() -> Vec<Box<dyn ChessLibrary>> {
    let peers = Peer::value_variants().iter().map(|peer| peer.library());
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
fn all_libraries_walk_small_trees_correctly() {
    let libraries = all_libraries();
    for offset in [-4, -3] {
        for tree in suite::trees(offset) {
            let workloads = [
                Workload::walk(tree, |library, fen, depth| library.count(fen, depth)),
                Workload::walk(tree, |library, fen, depth| library.list(fen, depth)),
                Workload::walk(tree, |library, fen, depth| library.make(fen, depth)),
            ];
            alternate(&libraries, &workloads, 1).expect("all totals are right");
        }
    }
}

#[test]
fn all_libraries_read_the_built_in_positions() {
    let fens = lines(None, RANDOM_FENS).expect("they are built in");
    assert_eq!(fens.len(), 1000);
    let agreed = fens::agreed(fens.clone(), &all_libraries()).expect("they are legal positions");
    assert_eq!(agreed, fens);
}

#[test]
fn a_wrong_total_ends_the_run() {
    let tree = suite::trees(0)[0];
    let workload = [Workload::walk(tree, |library, fen, depth| library.count(fen, depth))];
    assert!(alternate(&[constant(tree.leaves)], &workload, 1).is_ok());
    let result = alternate(&[constant(tree.leaves + 1)], &workload, 1);
    let message = result.err().expect("one leaf too many").to_string();
    assert_eq!(message, "start 6: constant returned 119060325, expected 119060324");
}

#[test]
fn a_position_that_a_library_rejects_is_left_out() {
    let fens = vec!["?".to_owned(), "8".to_owned()];
    assert_eq!(fens::agreed(fens, &[constant(3)]).expect("one is left"), ["8"]);
    assert!(fens::agreed(vec!["?".to_owned()], &[constant(3)]).is_err());
}

#[test]
fn a_position_read_in_two_ways_ends_the_run() {
    let result = fens::agreed(vec!["8".to_owned()], &[constant(3), constant(4)]);
    let message = result.expect_err("three is not four").to_string();
    assert_eq!(message, "8: constant finds 3 legal moves, constant finds 4");
}
