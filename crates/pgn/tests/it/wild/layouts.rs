//! Tags, separators, starts and results.

use super::{check_clean, check_forgiven, sample};

#[test]
fn tags_and_games_without_blank_lines() {
    let games = check_clean(sample!("tags_without_blank_lines"), &["e4 e5 1-0", "d4 d5 0-1"]);
    assert_eq!(games[0].tags.get("Event"), Some("Tight"));
    assert_eq!(games[1].tags.get("Event"), Some("Tighter"));
    assert_eq!(games[1].tags.get("Result"), Some("0-1"));
}

#[test]
fn games_without_tags_and_without_separators() {
    let source = sample!("no_separators");
    let games = check_clean(source, &["e4 e5 1-0", "d4 d5 0-1", "c4 *", "Nf3 1/2-1/2"]);
    let texts: Vec<&[u8]> = games.iter().map(|game| &source[game.range.clone()]).collect();
    assert_eq!(texts[..3], [&b"1. e4 e5 1-0"[..], b"1. d4 d5 0-1", b"1. c4 *"]);
}

#[test]
fn tags_with_odd_blanks_and_escaped_quotes() {
    let games = check_forgiven(
        sample!("tag_spelling"),
        &["e4 e5 *"],
        &[
            "2:3 '[ White   \"Ash\" ]' the tag is not in the standard format",
            "3:1 '[Black \"Birch \"B.\" B\"]' the tag is not in the standard format",
        ],
    );
    assert_eq!(games[0].tags.get("Event"), Some(r#"Quotes: "Q" and \"#));
    assert_eq!(games[0].tags.get("White"), Some("Ash"));
    assert_eq!(games[0].tags.get("Black"), Some(r#"Birch "B." B"#));
}

#[test]
fn chess960_starts() {
    let games = check_clean(sample!("chess960"), &["g4 g5 Ng3 Ng6 Nf3 Nf6 *", "O-O O-O-O *"]);
    assert_eq!(games[1].start().to_fen(), "1r3kr1/pppppppp/8/8/8/8/PPPPPPPP/1R3KR1 w KQkq - 0 1");
}

#[test]
fn starts_from_a_position() {
    let games = check_clean(sample!("fen"), &["Kd7 Kd2 Ke6 *", "e4 *", "e4 *"]);
    assert_eq!(games[0].start().fullmove_number(), 40);
    assert_eq!(games[0].start().halfmove_clock(), 3);
}

#[test]
fn a_missing_result() {
    check_forgiven(sample!("no_result"), &["e4 e5 *"], &["3:9 '' the result is missing"]);
}

#[test]
fn two_different_results() {
    check_forgiven(
        sample!("result_mismatch"),
        &["e4 e5 0-1"],
        &["4:10 '0-1' the result differs from the Result tag"],
    );
}
