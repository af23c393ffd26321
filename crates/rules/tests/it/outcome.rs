//! Games that end without a claim, according to FIDE articles 5 and 9.6.

use castellan_rules::{EndReason, Outcome};

use crate::line::{line, play};

#[track_caller]
fn check(start: &str, moves: &str, said: &str, score: &str) {
    let outcome = line(start, moves).outcome();
    let outcome = outcome.unwrap_or_else(|| panic!("{start} {moves} goes on"));
    assert_eq!((outcome.to_string().as_str(), outcome.score()), (said, score), "{start} {moves}");
}

#[track_caller]
fn goes_on(start: &str, moves: &str) {
    assert_eq!(line(start, moves).outcome(), None, "{start} {moves}");
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// FIDE 5.1.1.
#[test]
fn checkmate_wins() {
    check(START, "f2f3 e7e5 g2g4 d8h4", "Black wins by checkmate", "0-1");
    check(START, "e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7", "White wins by checkmate", "1-0");
    check("6k1/5ppp/8/8/8/8/8/R3K3 w - -", "a1a8", "White wins by checkmate", "1-0");
    goes_on("6k1/5pp1/8/8/8/8/8/R3K3 w - -", "a1a8");
}

/// FIDE 3.1.3 and 3.7.3.1: an en passant capture may be the only way out of check.
#[test]
fn en_passant_saves_from_mate() {
    let start = "1r6/b2p4/4k3/4P3/2K5/7r/8/8 b - -";
    goes_on(start, "d7d5");
    check(&start.replace("4P3", "8"), "d7d5", "Black wins by checkmate", "0-1");
}

/// FIDE 5.2.1.
#[test]
fn stalemate_draws() {
    check("7k/8/5KQ1/8/8/8/8/8 w - -", "g6f7", "draw by stalemate", "1/2-1/2");
    // The bishop is pinned, and the king has no square to go to.
    check("kb5R/8/1K6/8/8/8/8/8 b - -", "", "draw by stalemate", "1/2-1/2");
    goes_on("7k/8/5KQ1/8/8/8/8/8 w - -", "g6g5");
}

/// FIDE 9.6.1: the fifth time, without a claim.
#[test]
fn fivefold_repetition_draws() {
    let round = "g1f3 g8f6 f3g1 f6g8 ";
    goes_on(START, &round.repeat(3));
    check(START, &round.repeat(4), "draw by fivefold repetition", "1/2-1/2");
    // The five occurrences need not be in a row.
    let detour = format!("{round}b1c3 b8c6 c3b1 c6b8 {round}{round}");
    check(START, &detour, "draw by fivefold repetition", "1/2-1/2");
    // The start position does not count, because its castling rights are lost.
    let rooks = "h1g1 h8g8 g1h1 g8h8 ";
    goes_on("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", &rooks.repeat(4));
    check(
        "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -",
        &rooks.repeat(5),
        "draw by fivefold repetition",
        "1/2-1/2",
    );
}

/// FIDE 9.6.2: seventy-five moves by each player without a pawn move or a capture.
#[test]
fn seventy_five_moves_draw() {
    let start = "7k/8/8/8/8/6p1/P7/K6R b - - 148 200";
    goes_on(start, "h8g8");
    check(start, "h8g8 h1h2", "draw by the seventy-five-move rule", "1/2-1/2");
    goes_on(start, "h8g8 a2a3");
    goes_on(start, "h8g8 h1h3 g3g2");
    let mut past = line(start, "h8g8 h1h3 g8g7");
    assert_eq!(past.outcome().map(|outcome| outcome.reason), Some(EndReason::SeventyFiveMoves));
    play(&mut past, "h3g3");
    assert_eq!(past.outcome(), None, "the players went on, and a capture has reset the counter");
}

/// FIDE 9.6.2: "If the last move resulted in checkmate, that shall take precedence."
#[test]
fn mate_takes_precedence_over_seventy_five_moves() {
    let mate = "6k1/5ppp/8/8/8/8/8/R3K3 w - - 149 200";
    check(mate, "a1a8", "White wins by checkmate", "1-0");
    check(mate, "a1a7", "draw by the seventy-five-move rule", "1/2-1/2");
    let stalemate = "7k/8/5KQ1/8/8/8/8/8 w - - 149 200";
    check(stalemate, "g6f7", "draw by stalemate", "1/2-1/2");
}

#[test]
fn an_outcome_says_who_won_and_why() {
    let mate = line(START, "f2f3 e7e5 g2g4 d8h4").outcome();
    let black = Some(castellan_rules::Color::Black);
    assert_eq!(mate, Some(Outcome { reason: EndReason::Checkmate, winner: black }));
    let stalemate = line("kb5R/8/1K6/8/8/8/8/8 b - -", "").outcome();
    assert_eq!(stalemate, Some(Outcome { reason: EndReason::Stalemate, winner: None }));
}
