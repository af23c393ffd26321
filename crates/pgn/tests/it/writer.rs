//! The export format, to the letter.

use castellan_pgn::{Comment, Game, GameResult, Mode, NodeId, Played, parse_games};
use castellan_rules::{Color, Position};

/// Reads and writes a text that has one game in it.
#[track_caller]
fn rewritten(text: &str) -> String {
    let games = parse_games(text.as_bytes(), Mode::Lenient);
    let [game] = &games[..] else { panic!("{} games in {text:?}", games.len()) };
    game.to_string()
}

/// What becomes of moves.
#[track_caller]
fn check(moves: &str, expected: &str) {
    let text = rewritten(moves);
    let (_, movetext) = text.split_once("\n\n").expect("tags end with an empty line");
    assert_eq!(movetext, format!("{expected}\n\n"), "{moves:?}");
}

#[test]
fn a_game_as_the_standard_has_it() {
    let text = "[ECO \"C50\"]\n[White \"A \\\"B\\\" C:\\\\\"]\n[Annotator \"X\"]\n[Event \"E\"]\n\n\
        1.e4 e5 2.Nf3 Nc6 3.Bc4 Bc5 4.c3 Nf6 5.d4 exd4 6.cxd4 Bb4+ 7.Nc3 Nxe4 8.0-0 1-0";
    let expected = "[Event \"E\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n\
        [White \"A \\\"B\\\" C:\\\\\"]\n[Black \"?\"]\n[Result \"1-0\"]\n\
        [Annotator \"X\"]\n[ECO \"C50\"]\n\n\
        1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d4 exd4 6. cxd4 Bb4+ 7. Nc3 Nxe4 8.\n\
        O-O 1-0\n\n";
    assert_eq!(rewritten(text), expected);
}

#[test]
fn black_gets_a_number_only_where_the_eye_needs_it() {
    check("1. e4 e5 2. d4 *", "1. e4 e5 2. d4 *");
    check("1. e4 {x} e5 *", "1. e4 {x} 1... e5 *");
    check("1. e4! e5?? *", "1. e4 $1 e5 $4 *");
    check(
        "1. e4 (1. d4 d5) e5 (c5 2. Nf3) 2. d4 *",
        "1. e4 (1. d4 d5) 1... e5 (1... c5 2. Nf3) 2. d4 *",
    );
    check("1. e4 ({x} 1. d4) e5 *", "1. e4 ({x} 1. d4) 1... e5 *");
    check("1. e4 Z0 2. d4 *", "1. e4 -- 2. d4 *");
}

#[test]
fn variations_stand_after_their_moves_in_order() {
    check(
        "1. e4 (1. d4 (1. c4) d5 (1... Nf6) 2. c4) e5 *",
        "1. e4 (1. d4 d5 (1... Nf6) 2. c4) (1. c4) 1... e5 *",
    );
}

#[test]
fn comments_are_broken_at_blanks_only() {
    let words = "word ".repeat(40);
    let first = format!("1. e4 {{{}word", "word ".repeat(13));
    let second = format!("{}word", "word ".repeat(15));
    check(
        &format!("1. e4 {{ {words} }} e5 *"),
        &format!("{first}\n{second}\n{}word}} 1... e5 *", "word ".repeat(9)),
    );
    let long = "x".repeat(100);
    check(&format!("1. e4 {{{long}}} e5 *"), &format!("1. e4\n{{{long}}}\n1... e5 *"));
}

#[test]
fn empty_lines_in_comments_stay() {
    check("1. e4 {one\ntwo\n\n\nthree} e5 *", "1. e4 {one two\n\nthree} 1... e5 *");
}

#[test]
fn a_comment_with_a_brace_stands_after_a_semicolon() {
    check("1. e4 ; a } b {\ne5 *", "1. e4 ;a } b {\n1... e5 *");
    check("1. e4 (1. d4 ; }\n) e5 *", "1. e4 (1. d4 ;}\n) 1... e5 *");
    check("1. e4 ( ; {\n1. d4) e5 *", "1. e4 (;{\n1. d4) 1... e5 *");
}

#[test]
fn nothing_in_a_comment_comes_to_look_like_a_tag_or_an_escape() {
    for start in 60..80 {
        let filler = "x".repeat(start);
        let text = format!("1. e4 {{{filler} [Event \"no\"] 50 % [%clk 0:05:00] [%x 1]}} e5 *");
        let game = parse_games(text.as_bytes(), Mode::Lenient).remove(0);
        let written = game.to_string();
        let (_, movetext) = written.split_once("\n\n").unwrap();
        for line in movetext.lines() {
            assert!(!line.starts_with("[E") && !line.starts_with('%'), "{line:?}");
            assert!(!line.ends_with("[%clk"), "{line:?}");
        }
        let again = parse_games(written.as_bytes(), Mode::Lenient);
        assert_eq!(again.len(), 1);
        assert_eq!(again[0].tree(), game.tree());
    }
}

#[test]
fn other_starts_have_their_tags() {
    let fen = "4k3/8/8/8/8/8/8/4K2R b K - 3 40";
    let mut game = Game::new(Position::from_fen(fen).unwrap());
    game.add(NodeId::ROOT, Played::Null).unwrap();
    let text = game.to_string();
    let tail = format!("[Result \"*\"]\n[FEN \"{fen}\"]\n[SetUp \"1\"]\n\n40... -- *\n\n");
    assert!(text.ends_with(&tail), "{text}");
}

#[test]
fn chess960_starts_are_named() {
    let game = Game::new(Position::chess960(0).unwrap());
    let text = game.to_string();
    assert!(text.contains("[FEN \"bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1\"]"));
    assert!(text.contains("[Variant \"Chess960\"]"), "{text}");
    let again = parse_games(text.as_bytes(), Mode::Lenient).remove(0);
    assert_eq!(again.start().to_fen(), game.start().to_fen());
    assert!(!Game::default().to_string().contains("Variant"));
}

#[test]
fn the_result_is_written_twice_and_the_same() {
    let mut game = Game::default();
    game.tags.set("Result", "1-0");
    game.result = GameResult::Win(Color::Black);
    let text = game.to_string();
    assert!(text.contains("[Result \"0-1\"]") && text.ends_with("\n\n0-1\n\n"), "{text}");
}

#[test]
fn text_that_a_tag_cannot_hold_is_dropped() {
    let mut game = Game::default();
    game.tags.set("Event", "one\nline");
    game.tags.set("Odd \"name\"]", "x");
    game.tags.set("\"", "dropped");
    let text = game.to_string();
    assert!(
        text.contains("[Event \"one line\"]\n") && text.contains("[Oddname \"x\"]\n"),
        "{text}"
    );
    assert_eq!(text.matches('[').count(), 8);
}

#[test]
fn comments_on_the_start_come_first() {
    let mut game = Game::default();
    game.notes_mut(NodeId::ROOT).after.extend(Comment::new("hello"));
    assert!(game.to_string().ends_with("\n\n{hello} *\n\n"));
}
