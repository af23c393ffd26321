//! `castellan play --terminal`.

use castellan_testkit::play::{GameShape, Start, random_games};
use castellan_testkit::random::SplitMix64;

use crate::shell::castellan;

#[track_caller]
fn check(args: &[&str], lines: &str, end: &str) -> String {
    let ran = castellan(args, lines.replace(", ", "\n").as_bytes());
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{lines}");
    assert!(ran.out.ends_with(end), "{lines}: {}", ran.out);
    ran.out
}

#[test]
fn a_game_is_played_to_its_end_and_printed() {
    let result = "Result: 1-0, White wins by checkmate\n\
        1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n";
    let moves = "e4, e7e5, Bc4, nc6, Qh5, Nf6, Qxf7#";
    let out = check(&["play", "--terminal"], moves, result);
    assert_eq!(out, check(&["play", "--terminal"], &format!("{moves}, quit"), result));
    assert_eq!(out, check(&["play", "--terminal", "--ascii"], moves, result));
}

#[test]
fn the_end_of_input_prints_the_game_and_exits() {
    check(&["play", "--terminal"], "", "a  b  c  d  e  f  g  h\n\n");
    check(&["play", "--terminal"], "e4", "Result: *, the game is not finished\n1. e4 *\n");
}

#[test]
fn refusals_go_to_standard_error_and_the_game_goes_on() {
    let ran = castellan(&["play", "--terminal"], b"e5\ne4\n\xff\n");
    assert_eq!(ran.code, 0);
    let mut refusals = ran.err.lines();
    assert!(refusals.next().unwrap().starts_with("a pawn cannot move from e2 to e5"));
    assert_eq!(refusals.next(), Some("that line is not UTF-8 text"));
    assert!(ran.out.ends_with("Result: *, the game is not finished\n1. e4 *\n"), "{}", ran.out);
}

#[test]
fn a_line_that_is_too_long_is_refused() {
    let input = [b"e4\n".to_vec(), b"e".repeat(1_000_000), b"\ne5\n".to_vec()].concat();
    let ran = castellan(&["play", "--terminal"], &input);
    assert_eq!(ran.err, "that line is too long for a move\n");
    assert!(ran.out.ends_with("1. e4 e5 *\n"), "{}", ran.out);
}

#[test]
fn games_start_from_the_given_position() {
    let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
    let result = format!("From {fen}\n1. O-O *\n");
    check(&["play", "--terminal", "--fen", fen], "0-0", &result);
    let out = check(&["play", "--terminal", "--chess960", "0"], "", "");
    assert!(out.contains(" 1   B  B  Q  N  N  R  K  R\n"), "{out}");
    let out = check(&["play", "--terminal", "--chess960"], "", "");
    assert!(out.starts_with("Two-player Chess960 game, position "), "{out}");
}

#[test]
fn random_games_are_played_to_their_last_move() {
    for start in [Start::Standard, Start::Chess960] {
        let shape = GameShape { start, max_plies: 100, ..GameShape::default() };
        for game in random_games(11, shape).take(20) {
            let lines: Vec<String> = game.uci().chain(["fen".to_owned()]).collect();
            let fen = game.start.to_fen();
            let ran =
                castellan(&["play", "--terminal", "--fen", &fen], lines.join("\n").as_bytes());
            assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{fen} {lines:?}");
            let last =
                game.positions().last().expect("the starting position is among them").to_fen();
            assert!(ran.out.contains(&format!("\n{last}\n")), "{last} is not in\n{}", ran.out);
        }
    }
}

#[test]
fn no_input_makes_it_panic() {
    let words = "e4 e5 Nf3 nf6 O-O claim undo draw y n resign new moves fen flip board help e8=Q \
        claim\u{20}e4 e2-e4 0-0-0 =Q - a1a1 0000 bxc3 e.p. ♘f3 \u{0} \u{1b}[2J";
    let words: Vec<&str> = words.split(' ').collect();
    let mut rng = SplitMix64::new(5);
    let mut input = String::new();
    for _ in 0..3000 {
        for _ in 0..1 + rng.below(2) {
            input.push_str(rng.pick(&words).expect("there are words"));
            input.push(if rng.chance(10) { ' ' } else { '\n' });
        }
    }
    let ran = castellan(&["play", "--terminal"], input.as_bytes());
    assert_eq!(ran.code, 0);
    assert!(!ran.out.contains('\x1b') && !ran.err.contains('\x1b'));
}
