//! `castellan dead`.

use crate::shell::castellan;

#[test]
fn the_first_word_says_which_side_can_win() {
    for (fen, word) in [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "both"),
        ("8/8/8/6PK/5k1P/8/5B2/8 b - - 0 44", "white"),
        ("8/6K1/8/p7/kQ6/8/8/8 b - - 0 58", "black"),
        ("8/8/3k3p/1p2p1pP/1P2P1P1/8/2K5/8 b - - 88 93", "dead"),
    ] {
        let ran = castellan(&["dead", fen], b"");
        assert_eq!(ran.out.lines().next(), Some(word), "{fen}");
        assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{fen}");
    }
}

#[test]
fn an_unfinished_search_is_unknown_and_exits_with_1() {
    let fen = "8/8/8/8/8/5k2/8/1Q2K3 b - - 0 1";
    let ran = castellan(&["dead", "--nodes", "1", fen], b"");
    assert_eq!(ran.out.lines().next(), Some("unknown"));
    assert_eq!(ran.code, 1);
}

#[test]
fn json_answers_each_line_in_order() {
    let input = "8/8/4k3/8/8/4K3/8/8 w - -\n8/8/8/6PK/5k1P/8/5B2/8 b - -\n";
    let ran = castellan(&["dead", "--json"], input.as_bytes());
    let expected = "{\"fen\":\"8/8/4k3/8/8/4K3/8/8 w - -\",\"can_win\":\"dead\"}\n\
        {\"fen\":\"8/8/8/6PK/5k1P/8/5B2/8 b - -\",\"can_win\":\"white\"}\n";
    assert_eq!((ran.out.as_str(), ran.code), (expected, 0));
    let ran = castellan(&["dead", "--json"], b"hello\n");
    assert!(ran.out.contains("\"error\":\"this FEN is not a playable position"), "{}", ran.out);
    assert_eq!(ran.code, 1);
}
