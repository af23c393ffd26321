use castellan_testkit::chess960;
use castellan_testkit::oracle::Oracle;
use castellan_testkit::perft::{Suite, suite};

/// Compares the oracle's counts with those of a suite, to the greatest depth within the limit.
#[track_caller]
fn check(name: Suite, node_limit: u64) {
    for case in suite(name) {
        let oracle = Oracle::from_fen(case.fen).expect("the suites contain valid FENs");
        let (depth, nodes) = case.deepest_within(node_limit).expect("depth 1 is within the limit");
        assert_eq!(oracle.perft(depth), nodes, "{} at depth {depth}", case.fen);
    }
}

#[test]
fn classic() {
    check(Suite::Classic, 700_000);
}

#[test]
fn chess960() {
    check(Suite::Chess960, 20_000);
}

#[test]
fn promotion() {
    check(Suite::Promotion, 200_000);
}

#[test]
fn en_passant() {
    check(Suite::EnPassant, 200_000);
}

#[test]
fn castling() {
    check(Suite::Castling, 200_000);
}

#[test]
fn checks() {
    check(Suite::Checks, 200_000);
}

#[test]
fn no_moves_is_one_sequence() {
    assert_eq!(Oracle::start().perft(0), 1);
}

#[test]
fn every_suite_counts_from_depth_one_without_gaps() {
    for name in Suite::ALL {
        assert!(suite(name).count() >= 6, "{name:?}");
        for case in suite(name) {
            let depths: Vec<u32> = case.counts.iter().map(|(depth, _)| *depth).collect();
            let expected: Vec<u32> = (1..).take(depths.len().max(1)).collect();
            assert_eq!(depths, expected, "{name:?} {}", case.fen);
        }
    }
}

#[test]
fn the_classic_positions_go_beyond_a_hundred_million() {
    for case in suite(Suite::Classic) {
        assert!(case.counts.iter().any(|(_, nodes)| *nodes >= 100_000_000), "{}", case.fen);
    }
}

#[test]
fn chess960_positions_stand_in_the_order_of_their_numbers() {
    let fens: Vec<&str> = suite(Suite::Chess960).map(|case| case.fen).collect();
    let expected: Vec<String> = (0..960).filter_map(chess960::start_fen).collect();
    assert_eq!(fens, expected);
    let normal = suite(Suite::Chess960).nth(518).map(|case| case.counts);
    assert_eq!(normal, Some(vec![(1, 20), (2, 400), (3, 8902), (4, 197_281)]));
}

#[test]
fn the_limit_picks_the_deepest_count_it_allows() {
    let start = suite(Suite::Classic).next().expect("the start position comes first");
    assert_eq!(start.deepest_within(19), None);
    assert_eq!(start.deepest_within(20), Some((1, 20)));
    assert_eq!(start.deepest_within(5_000_000), Some((5, 4_865_609)));
}
