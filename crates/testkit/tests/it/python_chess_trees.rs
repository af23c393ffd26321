use castellan_testkit::python_chess_trees::{PGN, digest, digests, normal, parse_digests};

#[test]
fn every_game_has_a_digest_of_its_own() {
    let mut all = digests();
    assert_eq!(all.len(), PGN.matches("[Event \"Tree ").count());
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 300);
}

#[test]
fn there_are_variations_comments_glyphs_and_other_starts() {
    for (text, least) in [("( ", 1_000), ("{ ", 1_000), ("$", 1_000), ("[FEN ", 100), ("--", 10)] {
        let count = PGN.matches(text).count();
        assert!(count >= least, "{text:?} only {count} times");
    }
}

#[test]
fn the_digest_is_fnv_1a() {
    // The published values for the empty text and for one letter.
    assert_eq!(digest(""), 0xcbf2_9ce4_8422_2325);
    assert_eq!(digest("a"), 0xaf63_dc4c_8601_ec8c);
}

#[test]
fn blanks_of_any_kind_count_as_one() {
    assert_eq!(normal("\n a\t b\r\n\nc "), "a b c");
}

#[test]
fn a_line_that_is_no_digest_is_refused() {
    assert_eq!(parse_digests("00ff\n10\n"), Some(vec![255, 16]));
    assert_eq!(parse_digests("00ff\n\n"), None);
}
