use castellan_rules::fen;

use super::*;

const MATE: &str = "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3";

fn draw(fen: &str, view: &View<'_>) -> String {
    let setup = fen::parse(fen).unwrap();
    let highlights = Highlights { checked: checked_kings(&setup), ..Highlights::default() };
    svg(&setup, &highlights, view)
}

/// Checks that every element is closed by its own end tag, and that no `<`, `>` or `&` is
/// unescaped.
#[track_caller]
fn check_nesting(text: &str) {
    let mut open = Vec::new();
    for piece in text.split('<').skip(1) {
        let (tag, plain) = piece.split_once('>').expect("a tag ends");
        assert!(!plain.contains('>'), "{plain}");
        for entity in plain.split('&').skip(1) {
            assert!(["amp;", "lt;", "gt;", "quot;"].iter().any(|name| entity.starts_with(name)));
        }
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
        } else if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap_or_default());
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn the_picture_is_whole_and_small() {
    let full = "qqqqqqqq/qqqqqqqq/qqqqqqqq/qqqqqqqq/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ/QQQQQQQQ w - -";
    for fen in [MATE, "8/8/8/8/8/8/8/8 b - e3", full] {
        let setup = fen::parse(fen).unwrap();
        let highlights = Highlights {
            checked: Bitboard::FULL,
            wrong: Bitboard::FULL,
            last_move: Bitboard::FULL,
        };
        let text = svg(&setup, &highlights, &View::default());
        check_nesting(&text);
        assert!(text.len() < 60_000, "{}", text.len());
        let text = draw(fen, &View::default());
        check_nesting(&text);
        assert!(text.len() < 12_000, "{}", text.len());
    }
}

#[test]
fn nothing_comes_from_elsewhere() {
    let text = draw(MATE, &View::default());
    assert_eq!(text.matches("http").count(), 1, "the name space alone");
    assert!(!text.contains("<script") && !text.contains("<style") && !text.contains("@import"));
}

#[test]
fn each_man_stands_on_its_square_from_either_side() {
    let text = draw("k7/8/8/8/8/8/8/7R w - -", &View::default());
    assert!(text.contains("<use href=\"#castellan-king\" x=\"0\" y=\"0\"/>"), "{text}");
    assert!(text.contains("<use href=\"#castellan-rook\" x=\"700\" y=\"700\"/>"), "{text}");
    let text = draw("k7/8/8/8/8/8/8/7R w - -", &View { bottom: Color::Black, ..View::default() });
    assert!(text.contains("<use href=\"#castellan-king\" x=\"700\" y=\"700\"/>"), "{text}");
    assert!(text.contains("<use href=\"#castellan-rook\" x=\"0\" y=\"0\"/>"), "{text}");
    assert_eq!(text.matches("<use ").count(), 2);
}

#[test]
fn the_words_tell_what_the_eye_sees() {
    let text = draw(MATE, &View::default());
    assert!(text.contains("<title>chess position, White to move</title>"), "{text}");
    assert!(text.contains("White: Ke1, Qd1, Ra1, Rh1, Bc1, Bf1, Nb1, Ng1, a2, "), "{text}");
    assert!(text.contains("in check: e1"), "{text}");
    let view = View { language: Language::Slovak, ..View::default() };
    assert!(draw(MATE, &view).contains("Ke1, Dd1, Va1, Vh1, Sc1, Sf1, Jb1, Jg1, a2, "));
}

#[test]
fn remarks_cannot_break_out() {
    let remarks = ["</desc><script>&\"\u{1b}\u{ffff}".to_string()];
    let text = draw(MATE, &View { remarks: &remarks, ..View::default() });
    check_nesting(&text);
    assert!(text.contains("&lt;/desc&gt;&lt;script&gt;&amp;&quot;\u{fffd}\u{fffd}"), "{text}");
}

#[test]
fn kings_are_found_in_check_in_any_setup() {
    let check = |fen: &str, expected: &[Square]| {
        let expected: Bitboard = expected.iter().copied().collect();
        assert_eq!(checked_kings(&fen::parse(fen).unwrap()), expected, "{fen}");
    };
    check("8/8/8/8/8/8/8/8 w - -", &[]);
    check("8/8/8/3kK3/8/8/8/8 w - -", &[]);
    check("8/8/8/3kK3/8/8/8/4r3 w - -", &[Square::E5]);
    check("r3K2K/8/8/8/8/8/8/8 w - -", &[Square::E8]);
}
