//! Tests the irregularities found in real files, one test for each kind.

use super::{find_game, past_blanks};
use crate::recorder::{Recorder, record};
use crate::{Flow, MAX_COMMENT_BYTES, MAX_NESTING, MAX_TAGS, read};

/// Checks the reported calls, joined by ` | `, without the starts and ends of games.
#[track_caller]
fn check_bytes(source: &[u8], expected: &str) {
    let lines = record(source);
    let reported: Vec<&str> = lines
        .iter()
        .map(String::as_str)
        .filter(|line| *line != "game" && *line != "moves" && !line.starts_with("end "))
        .collect();
    assert_eq!(reported.join(" | "), expected, "{}", String::from_utf8_lossy(source));
}

#[track_caller]
fn check(source: &str, expected: &str) {
    check_bytes(source.as_bytes(), expected);
}

/// Checks all reported calls.
#[track_caller]
fn check_all(source: &str, expected: &str) {
    assert_eq!(record(source.as_bytes()).join(" | "), expected, "{source}");
}

/// Checks the calls reported to a visitor that gives these replies.
#[track_caller]
fn check_answers(source: &str, answers: &[(&'static str, Flow)], expected: &str) {
    let mut recorder = Recorder { answers: answers.to_vec(), ..Recorder::default() };
    read(source.as_bytes(), &mut recorder);
    assert_eq!(recorder.lines.join(" | "), expected, "{source}");
}

#[test]
fn a_plain_game() {
    check_all(
        "[Event \"a\"]\n[Site \"b\"]\n\n1. e4 e5 2. Nf3 1-0\n\n",
        "game | tag Event=a | tag Site=b | moves | number 1 | mv e4 | mv e5 | number 2 | mv Nf3 \
         | result 1-0 | end 43",
    );
}

#[test]
fn offsets_are_those_of_the_texts() {
    let source = b"[Event \"a\"]\n\n1. e4! {x} (d4) *";
    let mut recorder = Recorder { offset: Some(100), ..Recorder::default() };
    read(source, &mut recorder);
    assert_eq!(
        recorder.lines,
        [
            "100 game",
            "108 tag Event=a",
            "113 moves",
            "113 number 1",
            "116 mv e4",
            "118 nag 1",
            "121 comment x",
            "124 (",
            "125 mv d4",
            "127 )",
            "129 result *",
            "100 end 30",
        ]
    );
}

#[test]
fn byte_order_mark() {
    check("\u{feff}[Event \"a\"]\n[Site \"b\"]\n\n*", "tag Event=a | tag Site=b | result *");
    check("\u{feff}e4 *", "mv e4 | result *");
    check("e4 *\n\u{feff}[Event \"a\"]\n*", "mv e4 | result * | tag Event=a | result *");
}

#[test]
fn carriage_returns_and_tabs() {
    check(
        "[Event \"a\"]\r\n[Site\t\"b\"]\r\n\r\n1.\te4\r\ne5\t; x\r\n*\r\n",
        "tag Event=a | tag Site=b | number 1 | mv e4 | mv e5 \
         | comment  x | result *",
    );
    check(
        "[Event \"a\"]\r\r1. e4 ; x\re5 *\r",
        "tag Event=a | number 1 | mv e4 | comment  x | mv e5 | result *",
    );
}

#[test]
fn comments() {
    check(
        "{a} 1. e4 {b\nc} e5 ; d {\n* ; e",
        concat!(
            "comment a | number 1 | mv e4 | comment b\nc | mv e5 | comment  d { | comment  e ",
            "| result *"
        ),
    );
    check("e4{a}e5;b\n*", "mv e4 | comment a | mv e5 | comment b | result *");
    check(
        "e4 {[%clk 0:01:00] ( ; } e5 *",
        "mv e4 | comment [%clk 0:01:00] ( ;  | mv e5 | result *",
    );
}

#[test]
fn nested_comments() {
    check(
        "e4 {a {b} c} e5 *",
        "mv e4 | ! NestedComment {a {b} c} | comment a {b} c | mv e5 | result *",
    );
    check("e4 {a {b} e5 {c} *", "mv e4 | comment a {b | mv e5 | comment c | result *");
    check("e4 {a} } e5 *", "mv e4 | comment a | ! NestedComment } | mv e5 | result *");
}

#[test]
fn unclosed_comments_end_with_the_game() {
    check(
        "1. e4 {a (\n\n[Event \"b\"]\n*",
        "number 1 | mv e4 | ! UnfinishedComment {a ( | comment a (\n\n | ! NoResult  \
         | tag Event=b | result *",
    );
    check("e4 {a", "mv e4 | ! UnfinishedComment {a | comment a | ! NoResult ");
}

#[test]
fn escape_lines() {
    check(
        "% a\n[Event \"b\"]\n% c\n[Site \"d\"]\n%\n1. e4\n% 1-0 {\n *\n% e\n",
        "tag Event=b | tag Site=d | number 1 | mv e4 | result *",
    );
    check_all("*\n% a\n% b\n", "game | moves | result * | end 1");
    check("e4 %a *", "mv e4 | ! UnknownToken %a | result *");
}

#[test]
fn annotation_glyphs() {
    check("e4 $1 $255 e5$3 *", "mv e4 | nag 1 | nag 255 | mv e5 | nag 3 | result *");
    check(
        "e4! e5? d4!! d5?? c4!? c5?! *",
        concat!(
            "mv e4 | nag 1 | mv e5 | nag 2 | mv d4 | nag 3 | mv d5 | nag 4 | mv c4 | nag 5 ",
            "| mv c5 | nag 6 | result *"
        ),
    );
    check("e4 !? e5!!! *", "mv e4 | nag 5 | mv e5 | ! Spelling !!! | nag 3 | result *");
    check("e4 $256 $ *", "mv e4 | ! UnknownToken $256 | ! UnknownToken $ | result *");
}

#[test]
fn move_numbers() {
    check(
        "1.e4 1...e5 2 . Nf3 2. ... Nc6 12 Bb5 *",
        concat!(
            "number 1 | mv e4 | number 1 | mv e5 | number 2 | mv Nf3 | number 2 | mv Nc6 ",
            "| number 12 | mv Bb5 | result *"
        ),
    );
    check("e4 e5 Nf3 *", "mv e4 | mv e5 | mv Nf3 | result *");
    check(
        "1.- e5 2… e6 *",
        "number 1 | ! Spelling - | mv e5 | number 2 | ! Spelling 2… | mv e6 | result *",
    );
    check("1e4 *", "number 1 | ! Spelling 1e4 | mv e4 | result *");
}

#[test]
fn signs_of_the_books() {
    check(
        "e4 N e5 +- d4+/- d5 = exd6 e.p. cxd6e.p. *",
        concat!(
            "mv e4 | ! Spelling N | nag 146 | mv e5 | ! Spelling +- | nag 18 | mv d4 | ! Spelling +/- ",
            "| nag 16 | mv d5 | ! Spelling = | nag 10 | mv exd6 | ! Spelling e.p. | mv cxd6 ",
            "| ! Spelling e.p. | result *"
        ),
    );
}

#[test]
fn results() {
    for result in ["1-0", "0-1", "1/2-1/2", "*"] {
        check(result, &format!("result {result}"));
        check(&format!("e4 {result}"), &format!("mv e4 | result {result}"));
    }
    for (odd, result) in
        [("1/2", "1/2-1/2"), ("½-½", "1/2-1/2"), ("0:1", "0-1"), ("1–0", "1-0"), ("1:0", "1-0")]
    {
        check(&format!("e4 {odd}"), &format!("mv e4 | ! Spelling {odd} | result {result}"));
    }
    check("e4", "mv e4 | ! NoResult ");
}

#[test]
fn results_within_variations_end_nothing() {
    check("e4 (d4 1-0) e5 *", "mv e4 | ( | mv d4 | ! Spelling 1-0 | ) | mv e5 | result *");
}

#[test]
fn results_before_more_of_the_game() {
    check("1. e4 1-0 2. d4 *", "number 1 | mv e4 | ! Spelling 1-0 | number 2 | mv d4 | result *");
    check(
        "1. e4 1-0 {a} $1 1-0",
        "number 1 | mv e4 | comment a | nag 1 | ! Spelling 1-0 | result 1-0",
    );
}

#[test]
fn castling_with_zeros() {
    check("1. 0-0 0-0-0+ 0-1", "number 1 | mv 0-0 | mv 0-0-0+ | result 0-1");
    check("O-O o-o O-O-O# 1-0", "mv O-O | mv o-o | mv O-O-O# | result 1-0");
}

#[test]
fn signs_hang_on_moves_wherever_they_stand() {
    let reported = "mv O-O | ! Spelling -+ | nag 19 | mv Nf3 | ! Spelling -/+ | nag 17 | result *";
    check("O-O-+ Nf3-/+ *", reported);
    check("O-O-+ Nf3-/+ *          ", reported);
}

#[test]
fn null_moves() {
    check(
        "1. -- Z0 2. @@@@ null *",
        "number 1 | mv -- | mv Z0 | number 2 | mv @@@@ | mv null | result *",
    );
}

#[test]
fn odd_moves() {
    check(
        "e8=Q e8Q e8(Q)+ e8/Q Ng1-f3 e2e4 Pe4 *",
        concat!(
            "mv e8=Q | mv e8Q | mv e8(Q) | ! Spelling + | mv e8/Q | mv Ng1-f3 | mv e2e4 | mv Pe4 ",
            "| result *"
        ),
    );
    check("♘f3 ♞xf6+ *", "mv ♘f3 | mv ♞xf6+ | result *");
}

#[test]
fn latin_1() {
    check_bytes(
        b"[Site \"M\xfcnchen\"]\n\ne4 {\xe9} \xbd-\xbd",
        "tag Site=München | mv e4 | comment é | ! Spelling ?-? | result 1/2-1/2",
    );
}

#[test]
fn games_without_separators() {
    check_all(
        "[Event \"a\"]\n1. e4 *\n[Event \"b\"]\n1. d4 1-0",
        concat!(
            "game | tag Event=a | moves | number 1 | mv e4 | result * | end 19 ",
            "| game | tag Event=b | moves | number 1 | mv d4 | result 1-0 | end 21"
        ),
    );
    check_all(
        "1. e4 * 1. d4 1-0 e4 *",
        concat!(
            "game | moves | number 1 | mv e4 | result * | end 7 ",
            "| game | moves | number 1 | mv d4 | result 1-0 | end 9 ",
            "| game | moves | mv e4 | result * | end 4"
        ),
    );
    check_all(
        "[Event \"a\"] e4 * [Event \"b\"] *",
        concat!(
            "game | tag Event=a | moves | mv e4 | result * | end 16 ",
            "| game | tag Event=b | moves | result * | end 13"
        ),
    );
    check(
        "[Event \"a\"] e4\n[Event \"b\"] d4",
        "tag Event=a | mv e4 | ! NoResult  | tag Event=b | mv d4 | ! NoResult ",
    );
}

#[test]
fn games_without_moves_or_tags() {
    check_all(
        "[Event \"a\"]\n\n[Event \"b\"]\n\n*",
        concat!(
            "game | tag Event=a | moves | ! NoResult  | end 11 ",
            "| game | tag Event=b | moves | result * | end 14"
        ),
    );
    check_all("", "");
    check_all(" \n{a}\n", "");
}

#[test]
fn odd_tags() {
    check(
        "[Event\"a\"] [ Site  \"b\" ]\n[White \"c \\\"d\\\"\"][Black \"e \"f\" g\"]\n[Round x]\n*",
        concat!(
            "! TagSpelling [Event\"a\"] | tag Event=a | ! TagSpelling [ Site  \"b\" ] | tag Site=b ",
            "| tag White=c \\\"d\\\" | ! TagSpelling [Black \"e \"f\" g\"] | tag Black=e \"f\" g ",
            "| ! TagSpelling [Round x] | tag Round=x | result *"
        ),
    );
}

#[test]
fn unfinished_tags() {
    check(
        "[Event \"a\n[Site \"b\"\n[Round \"1\"]\n*",
        concat!(
            "! UnfinishedTag [Event \"a | tag Event=a | ! UnfinishedTag [Site \"b\" | tag Site=b ",
            "| tag Round=1 | result *"
        ),
    );
}

#[test]
fn brackets_among_the_moves() {
    check("e4 [%clk 1:00] e5 *", "mv e4 | ! UnknownToken [%clk 1:00] | mv e5 | result *");
    check("e4 ] <e5> *", "mv e4 | ! UnknownToken ] | ! UnknownToken <e5> | result *");
}

#[test]
fn variations() {
    check(
        "e4 (d4 (c4) (b4)) (a4) e5 *",
        "mv e4 | ( | mv d4 | ( | mv c4 | ) | ( | mv b4 | ) | ) | ( | mv a4 | ) | mv e5 | result *",
    );
    check("e4 ) e5 *", "mv e4 | ! StrayVariationEnd ) | mv e5 | result *");
    check("(d4 (c4)) e4 *", "! VariationWithoutMove ( | mv e4 | result *");
    check("e4 ((c4) d4) *", "mv e4 | ( | ! VariationWithoutMove ( | mv d4 | ) | result *");
    check("e4 * (d4)", "mv e4 | ( | mv d4 | ) | result *");
}

#[test]
fn unclosed_variations_end_with_the_game() {
    check(
        "e4 (d4 (c4\n[Event \"a\"]\n*",
        concat!(
            "mv e4 | ( | mv d4 | ( | mv c4 | ! UnfinishedVariation (d4 (c4 | ) | ) | ! NoResult  ",
            "| tag Event=a | result *"
        ),
    );
}

#[test]
fn limits() {
    let deep = format!("e4 {}{}e5 *", "(d4 ".repeat(MAX_NESTING + 1), ")".repeat(MAX_NESTING + 1));
    let lines = record(deep.as_bytes());
    assert_eq!(lines.iter().filter(|line| *line == "(").count(), MAX_NESTING);
    assert_eq!(lines.iter().filter(|line| *line == ")").count(), MAX_NESTING);
    assert!(lines.contains(&"! OverLimit(\"nesting\") (".to_owned()));
    assert!(lines.contains(&"mv e5".to_owned()));

    check(
        &format!("{} e4 *", "x".repeat(33)),
        &format!("! OverLimit(\"move\") {} | mv e4 | result *", "x".repeat(33)),
    );
    let long = format!("{{{}}} e4 *", "x".repeat(MAX_COMMENT_BYTES + 1));
    let lines = record(long.as_bytes());
    assert!(lines[2].starts_with("! OverLimit(\"comment\")"));
    assert_eq!(lines[3].len(), "comment ".len() + MAX_COMMENT_BYTES);
    assert_eq!(lines[4], "mv e4");

    let tags = "[A \"b\"]\n".repeat(MAX_TAGS + 1) + "*";
    let lines = record(tags.as_bytes());
    assert_eq!(lines.iter().filter(|line| line.starts_with("tag ")).count(), MAX_TAGS);
    assert!(lines.contains(&"! OverLimit(\"tags\") [A \"b\"]".to_owned()));
    for tag in [format!("[{} \"b\"]", "A".repeat(257)), format!("[A \"{}\"]", "b".repeat(65537))] {
        let lines = record(format!("{tag}\n[C \"d\"]\n*").as_bytes());
        assert!(lines[1].starts_with("! OverLimit(\"tag "), "{}", lines[1]);
        assert_eq!(lines[2], "tag C=d");
    }
}

const THREE: &str = "[Event \"a\"]\n[Site \"b\"]\n\n1. e4 (1. d4 {)} d5) 1... e5 *\n\n[Event \"c\"]\n\n\
                     1. c4 1-0\n1. d4 0-1\n";

#[test]
fn the_begin_and_end_of_a_skipped_game_are_reported() {
    let expected = "game | end 54 | game | end 22 | game | end 9";
    check_answers(THREE, &[("game", Flow::Skip)], expected);
    let expected = "game | tag Event=a | end 54 | game | tag Event=c | end 22 | game | moves \
                    | number 1 | mv d4 | result 0-1 | end 9";
    check_answers(THREE, &[("tag", Flow::Skip)], expected);
    let expected = "game | tag Event=a | tag Site=b | moves | number 1 | mv e4 | end 54 | game \
                    | tag Event=c | moves | number 1 | mv c4 | end 22 | game | moves | number 1 \
                    | mv d4 | end 9";
    check_answers(THREE, &[("mv", Flow::Skip)], expected);
}

#[test]
fn the_end_of_a_skipped_variation_is_not_reported() {
    check_answers(
        "e4 (d4 (c4 {)} ) ; )\n) e5 *",
        &[("(", Flow::Skip)],
        "game | moves | mv e4 | ( | mv e5 | result * | end 27",
    );
    check_answers(
        "e4 (d4 (c4) d5) e5 *",
        &[("mv d4", Flow::Skip)],
        "game | moves | mv e4 | ( | mv d4 | ) | mv e5 | result * | end 20",
    );
    check_answers(
        "e4 (d4\n[Event \"a\"]\n*",
        &[("(", Flow::Skip)],
        concat!(
            "game | moves | mv e4 | ( | ! UnfinishedVariation (d4 | ! NoResult  | end 6 ",
            "| game | tag Event=a | moves | result * | end 13"
        ),
    );
}

#[test]
fn nothing_is_reported_after_a_stop() {
    check_answers(
        THREE,
        &[("mv e4", Flow::Stop)],
        "game | tag Event=a | tag Site=b | moves | number 1 | mv e4",
    );
    check_answers("e4 * e4 *", &[("end", Flow::Stop)], "game | moves | mv e4 | result * | end 4");
}

#[test]
fn comments_before_the_first_tags_are_passed_over() {
    assert_eq!(find_game(b"{x}\n; y\n[Event \"a\"]\n", 0), Some(8));
    assert_eq!(find_game(b"{x} ; y\n", 0), None);
    assert_eq!(find_game(b" {x} 1. e4", 0), Some(1));
}

#[test]
fn marks_escapes_and_blanks_begin_no_game() {
    assert_eq!(past_blanks(b"\xef\xbb\xbf% x\n \t\r\n%y\n*", 0), 14);
}
