//! `castellan perft`.

use castellan_testkit::perft::{Suite, suite};

use crate::shell::{binary, castellan};

#[track_caller]
fn check(words: &[&str], expected: &str) {
    let ran = castellan(&[&["perft"], words].concat(), b"");
    assert_eq!((ran.code, ran.out.as_str()), (0, expected), "{words:?}");
    assert!(ran.err.contains("million nodes/s"), "{words:?}: {}", ran.err);
}

#[test]
fn nodes_come_last() {
    check(&["0"], "nodes 1\n");
    check(&["0", "--divide"], "\nnodes 1\n");
    check(&["1"], "nodes 20\n");
    check(&["4"], "nodes 197281\n");
    check(&["4", "--threads", "2"], "nodes 197281\n");
    check(&["4", "--threads", "256"], "nodes 197281\n");
}

#[test]
fn the_classic_positions_have_their_counts() {
    for case in suite(Suite::Classic) {
        let (depth, nodes) = case.deepest_within(5_000_000).expect("depth 1 is within");
        let expected = format!("nodes {nodes}\n");
        check(&[&depth.to_string(), "--fen", case.fen, "--threads", "2"], &expected);
    }
}

#[test]
fn divide_lists_each_move() {
    let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let ran = castellan(&["perft", "2", "--divide", "--fen", fen], b"");
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 15 + 2, "{lines:?}");
    assert_eq!(lines[..3], ["e1d1: 5", "e1d2: 5", "e1e2: 5"]);
    assert!(lines.contains(&"e1g1: 3"), "{lines:?}");
    let sum: u64 = lines[..15].iter().map(|line| line[6..].parse::<u64>().unwrap()).sum();
    assert_eq!(lines[15..], [String::new(), format!("nodes {sum}")]);
}

#[test]
fn chess960_spells_castling_by_the_rook() {
    let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let ran = castellan(&["perft", "1", "--divide", "--chess960", "--fen", fen], b"");
    assert!(ran.out.contains("e1h1: 1\n") && !ran.out.contains("e1g1"), "{}", ran.out);
    let fen = "4k3/8/8/8/8/8/8/5K1R w K - 0 1";
    let ran = castellan(&["perft", "1", "--divide", "--fen", fen], b"");
    assert!(ran.out.contains("f1g1: 1\n") && ran.out.contains("f1h1: 1\n"), "{}", ran.out);
}

#[test]
fn a_bad_fen_is_pointed_at() {
    let ran = castellan(&["perft", "1", "--fen", "4k3/8/8/8/8/8/8/4K3 x - -"], b"");
    let expected = "error: this FEN is not a playable position\n\
        error: column 21: the side to move must be “w” or “b”, not “x”\n  \
        4k3/8/8/8/8/8/8/4K3 x - -\n                      ^\n";
    assert_eq!((ran.code, ran.err.as_str()), (2, expected));
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let mut child = binary(&["perft", "3", "--divide"]).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(0), "{err}");
    assert!(!err.contains("panicked") && !err.contains("error"), "{err}");
}
