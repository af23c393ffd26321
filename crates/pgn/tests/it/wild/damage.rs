//! Broken games: the problem is reported, everything read before it is kept, and the next game is
//! read.

use castellan_pgn::{MAX_NESTING, MAX_TAG_VALUE_BYTES, Mode, Severity, parse_games};

use super::{Expected, check, check_broken, problems, sample, text_of};

/// The middle one of three games is broken.
#[test]
fn an_illegal_move() {
    check_broken(
        sample!("illegal"),
        &["e4 e5 1-0", "e4 e5 Nf3 Nc6 0-1"],
        &["10:4 'Ke3' illegal move: a king cannot move from e1 to e3"],
    );
}

/// A twig ends where it is broken; the tree goes on.
#[test]
fn an_illegal_move_in_a_variation() {
    check_broken(
        sample!("illegal_in_variation"),
        &["e4 e5 Nf3 Nc6 *"],
        &[
            "4:16 'e4' illegal move: a pawn cannot move from e7 to e4",
            "4:48 'Nd5' illegal move: no knight can move to d5",
        ],
    );
}

#[test]
fn an_ambiguous_move() {
    check_broken(
        sample!("ambiguous"),
        &["Nf3 d5 Nc3 d4 Nb1 e6 d3 e5 *"],
        &["4:43 'Nd2' ambiguous: the pieces on b1 and f3 can both go there"],
    );
}

#[test]
fn variations_that_are_not_closed() {
    check(
        sample!("unfinished_variation"),
        &Expected {
            games: &["e4 e5 ( c5 Nf3 ( c3 d5 ) ) *"],
            broken: &["4:10 '(1... c5 2. Nf3 (2. c3 d5' the variation is not closed"],
            forgiven: &["4:35 '' the result is missing"],
        },
    );
}

#[test]
fn a_tag_that_is_not_finished() {
    let games = check_broken(
        sample!("unfinished_tag"),
        &["e4 e5 *"],
        &["2:1 '[White \"Ash' the tag is incomplete"],
    );
    assert_eq!(games[0].tags.get("Event"), Some("Cut"));
    assert_eq!(games[0].tags.get("White"), Some("Ash"));
    assert_eq!(games[0].tags.get("Black"), Some("Birch"));
}

/// Here nothing comes after, so the common check does not fit.
#[test]
fn a_file_that_ends_within_a_move() {
    let source = sample!("truncated");
    let games = parse_games(source, Mode::Lenient);
    let texts: Vec<String> = games.iter().map(text_of).collect();
    assert_eq!(texts, ["e4 e5 *", "d4 d5 1/2-1/2", "e4 e5 *"]);
    let told = problems(source, &games, Severity::Broken);
    assert_eq!(told, ["13:13 'Nf' not a move or any other PGN token"]);
}

#[test]
fn a_variation_closed_that_was_not_opened() {
    check_broken(
        sample!("stray_variation_end"),
        &["e4 e5 Nf3 *"],
        &["4:9 ')' a closing parenthesis without an open variation"],
    );
}

#[test]
fn a_variation_before_any_move() {
    check_broken(
        sample!("variation_without_move"),
        &["e4 e5 *"],
        &["4:1 '(' a variation starts before the first move"],
    );
}

#[test]
fn a_word_that_means_nothing() {
    check_broken(
        sample!("unknown_token"),
        &["e4 e5 *"],
        &["4:13 'hello' not a move or any other PGN token"],
    );
}

#[test]
fn a_start_that_is_no_position() {
    let games = check_broken(
        sample!("bad_fen"),
        &["*"],
        &["3:7 '8/8/8/8/8/8/4P3/4K3 w - - 0 1' bad FEN tag: Black has no king"],
    );
    assert_eq!(games[0].tags.get("FEN"), Some("8/8/8/8/8/8/4P3/4K3 w - - 0 1"));
}

/// A game of our own making and the plain one after it.
fn before_the_plain_game(text: &str) -> Vec<u8> {
    format!("{text}\n\n[Event \"After\"]\n[Result \"1/2-1/2\"]\n\n1. d4 d5 1/2-1/2\n").into_bytes()
}

#[test]
fn variations_too_deep() {
    let depth = MAX_NESTING + 10;
    let text = format!("1. e4 {}{} e5 *", "(1. d4 ".repeat(depth), ")".repeat(depth));
    let source = before_the_plain_game(&text);
    let games = parse_games(&source, Mode::Lenient);
    assert_eq!(games.len(), 2);
    assert_eq!(games[0].tree().move_count(), 2 + MAX_NESTING);
    assert_eq!(text_of(&games[1]), super::PLAIN_GAME);
    let told = problems(&source, &games, Severity::Broken);
    let column = "1. e4 ".len() + MAX_NESTING * "(1. d4 ".len() + 1;
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with(&format!("1:{column} '(' limit exceeded")), "{told:?}");
}

#[test]
fn a_tag_too_long() {
    let text = format!("[Event \"{}\"]\n\n1. e4 e5 *", "x".repeat(MAX_TAG_VALUE_BYTES + 1));
    let source = before_the_plain_game(&text);
    let games = parse_games(&source, Mode::Lenient);
    let texts: Vec<String> = games.iter().map(text_of).collect();
    assert_eq!(texts, ["e4 e5 *", super::PLAIN_GAME]);
    let told = problems(&source, &games, Severity::Broken);
    assert!(told.len() == 1 && told[0].contains("limit exceeded"), "{told:?}");
}
