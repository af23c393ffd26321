//! Tests every spelling of a move: which move it denotes and which deviation is forgiven.

use castellan_rules::{Position, San, san};

use super::{Played, Resolved, resolve};
use crate::ProblemKind;

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1";
const PROMOTION: &str = "3r3k/4P3/8/8/8/8/8/4K3 w - - 0 1";
const CAPTURE: &str = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";

#[track_caller]
fn check(fen: &str, text: &str, exact: &str, forgiven: Option<ProblemKind>) {
    let position = Position::from_fen(fen).expect("the tests' positions are playable");
    let resolved = resolve(&position, text.as_bytes());
    let mv = San::parse(exact).expect("it is exact").resolve(&position).expect("it is legal");
    assert_eq!(san::write(&position, mv), exact);
    assert_eq!(resolved, Ok(Resolved { played: Played::Move(mv), forgiven }), "{text}");
}

#[track_caller]
fn expect_refusal(fen: &str, text: &str, why: &str) {
    let position = Position::from_fen(fen).expect("the tests' positions are playable");
    let problem = resolve(&position, text.as_bytes()).expect_err("the text means no legal move");
    assert_eq!(problem.to_string(), why, "{text}");
}

#[test]
fn exact_san_needs_no_forgiveness() {
    check(START, "e4", "e4", None);
    check(START, "Nf3", "Nf3", None);
    check(CAPTURE, "exd5", "exd5", None);
    check(PROMOTION, "exd8=N", "exd8=N", None);
}

#[test]
fn castling_in_other_letters() {
    for (text, exact) in
        [("0-0", "O-O"), ("o-o", "O-O"), ("0-0-0", "O-O-O"), ("OO", "O-O"), ("o-o-o", "O-O-O")]
    {
        check(CASTLING, text, exact, Some(ProblemKind::CastlingSpelling));
    }
}

#[test]
fn promotions_without_an_equals_sign() {
    for text in ["e8Q", "e8(Q)", "e8/Q", "e8q", "e8=q"] {
        check(PROMOTION, text, "e8=Q+", Some(ProblemKind::PromotionSpelling));
    }
    check(PROMOTION, "exd8Q", "exd8=Q+", Some(ProblemKind::PromotionSpelling));
}

#[test]
fn both_squares_named() {
    for text in ["Ng1-f3", "g1f3", "g1-f3"] {
        check(START, text, "Nf3", Some(ProblemKind::LongAlgebraic));
    }
    check(START, "e2-e4", "e4", Some(ProblemKind::LongAlgebraic));
    // More than needed, but valid SAN: only a strict reader objects.
    check(CAPTURE, "e4xd5", "exd5", None);
    check(CASTLING, "e1g1", "O-O", Some(ProblemKind::LongAlgebraic));
    check(PROMOTION, "e7e8q", "e8=Q+", Some(ProblemKind::LongAlgebraic));
}

#[test]
fn capture_marks_wrong_or_missing() {
    check(CAPTURE, "ed5", "exd5", Some(ProblemKind::CaptureMark));
    check(START, "Nxf3", "Nf3", Some(ProblemKind::CaptureMark));
    check(CAPTURE, "e4:d5", "exd5", Some(ProblemKind::LongAlgebraic));
}

#[test]
fn figurines_and_small_letters() {
    check(START, "\u{2658}f3", "Nf3", Some(ProblemKind::Figurine));
    check(START, "\u{265E}f3", "Nf3", Some(ProblemKind::Figurine));
    check(START, "\u{2659}e4", "e4", Some(ProblemKind::Figurine));
    check(START, "nf3", "Nf3", Some(ProblemKind::Spelling));
    check(START, "Pe4", "e4", Some(ProblemKind::Spelling));
}

#[test]
fn null_moves() {
    for text in ["--", "Z0", "@@@@", "null"] {
        let resolved = resolve(&Position::start(), text.as_bytes()).expect("a turn may be passed");
        assert_eq!(resolved.played, Played::Null);
    }
    expect_refusal(
        "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1",
        "--",
        "illegal move: the king would still be in check",
    );
}

#[test]
fn meaningless_text_is_refused_with_the_reason() {
    expect_refusal(START, "Nf4", "illegal move: no knight can move to f4");
    expect_refusal(START, "e5", "illegal move: a pawn cannot move from e2 to e5");
    expect_refusal(START, "g1g3", "illegal move: a knight cannot move from g1 to g3");
    expect_refusal(START, "Bg1f3", "illegal move: no bishop can move to f3");
    expect_refusal("4k3/8/8/8/8/8/8/R3K2R w - - 0 1", "R1", "not a move or any other PGN token");
    expect_refusal(
        "4k3/8/8/8/8/8/4K3/R6R w - - 0 1",
        "Rd1",
        "ambiguous: the pieces on a1 and h1 can both go there",
    );
    expect_refusal(CASTLING, "O-O-O-O", "not a move or any other PGN token");
    expect_refusal(START, "0-0", "illegal move: castling kingside is blocked by a piece");
    expect_refusal(START, &"N".repeat(40), "limit exceeded: the length of a move");
    expect_refusal(START, "", "not a move or any other PGN token");
}
