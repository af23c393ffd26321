//! Properties: no position of a game is refuted, and the search agrees with walking through all
//! pawn moves. Then examples.

mod games;
mod walk;

use super::{examine, examine_quickly};
use crate::tests_common::{case, found};
use crate::{Budget, Case, Code, Finding};

fn found_quickly(case: &Case) -> Vec<Finding> {
    found(|findings| examine_quickly(case, findings))
}

#[track_caller]
fn check(text: &str, expected: &[Code]) {
    let case = case(text);
    let mut findings = found_quickly(&case);
    if findings.is_empty() {
        let is_settled = examine(&case, &mut Budget::of_nodes(100_000), &mut findings);
        assert!(is_settled, "{text}");
    }
    assert_eq!(findings.iter().map(|found| found.code).collect::<Vec<_>>(), expected, "{text}");
}

#[test]
fn captures_can_be_too_few_for_the_pawns() {
    // A doubled pawn, although no black piece is gone.
    check("rnbqkbnr/pppppppp/8/8/8/2P5/P1PPPPPP/RNBQKBNR w KQkq -", &[Code::TooFewCaptures]);
    // Six captures onto the a-file, but only four black pieces are gone.
    check("rnbqkbnr/4pppp/8/P7/P7/P7/P7/RNBQKBNR w KQkq -", &[Code::NoCaptureOrder]);
    // Three captures with three pieces gone, unless one of these is a bishop that never left
    // home.
    check("r1bqkbnr/2pppppp/8/8/P7/P7/P2PPPPP/RNBQKBNR w KQkq -", &[]);
    check("rnbqk1nr/2pppppp/8/8/P7/P7/P2PPPPP/RNBQKBNR w KQkq -", &[Code::TooFewCaptures]);
}

#[test]
fn captures_can_be_too_few_for_the_promotions() {
    // The pawn cannot have passed the one on a7 without another capture.
    check("rnbqkbnr/1ppppppp/8/8/8/Q7/1PPPPPPP/RNBQKBNR w KQkq -", &[Code::NoCaptureOrder]);
    // It can after a piece has captured that pawn, but not if the rook on a8 never moved.
    check("rnbqkbnr/1ppppppp/8/8/8/8/QPPPPPPP/RNBQKBN1 w Qk -", &[]);
    check("rnbqkbnr/1ppppppp/8/8/8/8/QPPPPPPP/RNBQKBN1 w Qkq -", &[Code::NoCaptureOrder]);
}

#[test]
fn promotions_can_need_more_captures_than_there_were() {
    // Twelve promotions. One capture between g and h would be needed, but both pawns are there.
    check("4R3/1r4B1/np1B2R1/1B2P2N/Qbb2n2/1n1NbBpp/2rqNp1k/q1NK4 w - -", &[Code::NoCaptureOrder]);
    // Pawns have passed each other on too many files.
    check("b6N/r2P2qp/R3b3/K4BBq/4B2p/pR1Q1Rn1/Bn1P2r1/k2B1NRR w - -", &[Code::TooFewCaptures]);
}

#[test]
fn a_bishop_is_captured_on_its_own_color() {
    // On b2 the pawn cannot have captured the bishop from f1, which is the only missing piece.
    let rest = "/PpPP1PPP/RNBQK1NR w KQkq -";
    check(&format!("rnbqkbnr/1ppppppp/8/8/8/1P2P3{rest}"), &[Code::NoCaptureOrder]);
    // On b3 it can have, before the white pawn moved on.
    check(&format!("rnbqkbnr/1ppppppp/8/8/1P6/4P3{rest}"), &[]);
}

#[test]
fn unmoved_pieces_stand_in_the_way() {
    // The f-pawn would have given check to a king that never moved.
    check("rnbqk1nr/ppppp1pp/8/8/8/2P5/PP1PPNPP/RNBQKBNR w KQkq -", &[Code::NoCaptureOrder]);
    check("rnbqk1nr/ppppp1pp/8/8/8/2P5/PP1PPNPP/RNBQKBNR w KQ -", &[]);
    // Neither d-pawn could promote there, so other pieces captured both.
    check("rnbqkbnr/ppp1pppp/8/8/8/8/PPP1PPPP/RNBQKBNR w KQkq -", &[]);
    // A bishop promoted on a8 would still be there.
    check("rnbqkbnr/1ppppppp/8/8/2B5/8/1PPPPPPP/RNBQKBNR w KQ -", &[Code::NoCaptureOrder]);
    check("Bnbqkbnr/1ppppppp/8/8/8/8/1PPPPPPP/RNBQKBNR w KQ -", &[]);
    check("rnbqkbnr/2pppppp/1p6/8/2B5/8/1PPPPPPP/RNBQKBNR w KQ -", &[]);
}

#[test]
fn a_bishop_that_never_left_home_was_captured_there() {
    // Two dark-squared bishops would be one promotion, but here the original one is not among
    // them.
    check("rnbqkbnr/pppppppp/8/8/5B2/8/PPPPPPPP/RN1QKBNR w KQkq -", &[Code::Caged]);
    // Black's only capture was on c1, and the pawn on b6 did not make it.
    check("rnbqkbnr/1ppppppp/1p6/8/8/8/PPPPPPPP/RN1QKBNR w KQkq -", &[Code::TooFewCaptures]);
    check("rnbqkbnr/1ppppppp/1p6/8/8/3P4/PPP1PPPP/RN1QKBNR w KQkq -", &[]);
}

#[test]
fn a_spent_budget_settles_nothing() {
    let case = case("4k3/4pppp/8/P7/P7/P7/P7/RNBQKBNR w KQ -");
    let mut findings = Vec::new();
    assert!(!examine(&case, &mut Budget::of_nodes(100), &mut findings));
    assert!(findings.is_empty());
}

#[test]
fn surplus_pieces_are_left_to_the_counting_checks() {
    let case = case("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBQR w KQkq -");
    let mut findings = found_quickly(&case);
    assert!(examine(&case, &mut Budget::of_nodes(100), &mut findings));
    assert!(findings.is_empty());
}

#[test]
fn before_a_double_step_the_pawn_had_not_moved() {
    // Black's pawn promoted on b1 while two white pawns changed files around it. It cannot have
    // done so while one of them stood on b2.
    let pieces = "r1bqkb1r/p1pppppp/3q4/8/1P6/P7/2PPPPPP/RNBQKBNR b KQkq";
    check(&format!("{pieces} -"), &[]);
    check(&format!("{pieces} b3"), &[Code::NoCaptureOrder]);
}
