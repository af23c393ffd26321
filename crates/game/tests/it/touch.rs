//! Touch-move: the moves that touched pieces require (FIDE 4.3-4.5).

use std::time::Duration;

use castellan_game::{Command, Event, Obligation, Proposal};
use castellan_rules::{CastlingSpelling, Square, UciMove};

use crate::support::{BLACK, START, Table, WHITE, move_at};

fn square(text: &str) -> Square {
    text.parse().expect(text)
}

fn touch(table: &Table, text: &str) -> Command {
    Command::Touch { ply: table.game.ply(), square: square(text) }
}

/// Checks which moves White may play after touching these squares one after the other.
#[track_caller]
fn check(fen: &str, touched: &str, expected: &str) {
    let mut table = Table::touch_move(fen);
    for text in touched.split_whitespace() {
        table.act(WHITE, touch(&table, text));
    }
    let spelled = |mv| UciMove::from_move(mv, CastlingSpelling::KingTwoSquares).to_string();
    let mut allowed: Vec<String> = table.game.allowed_moves().into_iter().map(spelled).collect();
    allowed.sort();
    let mut expected: Vec<&str> = expected.split_whitespace().collect();
    expected.sort_unstable();
    assert_eq!(allowed, expected, "{fen} {touched}");
}

/// White: Ke1 Ra1 Rh1 Nc3 Pd5. Black: Ke8 Pe5 (just passed e6) Nb5 Qd6.
const MANY_OPTIONS: &str = "4k3/8/3q4/1n1Pp3/8/2N5/8/R3K2R w KQ e6 0 1";
const KING_MOVES: &str = "e1d1 e1d2 e1e2 e1f1 e1f2";

#[test]
fn the_first_touched_piece_that_can_move_must_move() {
    check(START, "g1", "g1f3 g1h3");
    check(START, "g1 b1", "g1f3 g1h3");
    check(START, "f1 g1 e2", "g1f3 g1h3");
}

#[test]
fn the_first_touched_enemy_piece_that_can_be_captured_must_be_captured() {
    check(MANY_OPTIONS, "b5", "c3b5");
    check(MANY_OPTIONS, "d6 b5", "c3b5");
    check(MANY_OPTIONS, "e5", "d5e6");
}

#[test]
fn touching_own_and_enemy_pieces_in_either_order_requires_the_capture() {
    check(MANY_OPTIONS, "c3 b5", "c3b5");
    check(MANY_OPTIONS, "b5 c3", "c3b5");
    check(MANY_OPTIONS, "d5 e5", "d5e6");
}

#[test]
fn if_the_capture_is_illegal_the_first_piece_that_can_move_or_be_captured_counts() {
    check(MANY_OPTIONS, "d5 b5", "d5e6");
    check(MANY_OPTIONS, "b5 d5", "c3b5");
    check(MANY_OPTIONS, "d6 d5", "d5e6");
}

#[test]
fn king_then_rook_means_castling() {
    let fen = "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    check(fen, "e1 h1", "e1g1");
    check(fen, "e1 a1", "e1c1");
    check(fen, "e1 a1 h1", "e1c1");
    check(fen, "e1", &format!("{KING_MOVES} e1g1 e1c1"));
}

#[test]
fn rook_then_king_means_no_castling_with_that_rook() {
    // The rook on h1 can move, so it must.
    check(
        "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1",
        "h1 e1",
        "h1g1 h1f1 h1h2 h1h3 h1h4 h1h5 h1h6 h1h7 h1h8",
    );
    let mut table = Table::touch_move("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1");
    table.act(WHITE, touch(&table, "h1"));
    table.act(WHITE, touch(&table, "e1"));
    let refusal = table.refused(WHITE, move_at(0, "e1g1"));
    assert_eq!(refusal.to_string(), "you touched the piece on h1, so you must move it");
}

#[test]
fn a_rook_without_moves_touched_before_the_king_rules_out_castling() {
    // In Chess960 a rook may have no move and its king may castle all the same.
    let fen = "4k3/8/8/8/8/8/5PPP/5KRN w K - 0 1";
    check(fen, "f1", "f1e1 f1e2 f1g1");
    check(fen, "g1 f1", "f1e1 f1e2");
    let mut table = Table::touch_move(fen);
    table.act(WHITE, touch(&table, "g1"));
    table.act(WHITE, touch(&table, "f1"));
    let refusal = table.refused(WHITE, move_at(0, "f1g1"));
    assert_eq!(
        refusal.to_string(),
        "you touched the rook on g1 before the king, so you cannot castle with it"
    );
}

#[test]
fn if_castling_is_illegal_the_king_must_move_and_may_castle_on_the_other_side() {
    // f1 is attacked.
    let fen = "4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1";
    check(fen, "e1 h1", "e1d1 e1d2 e1e2 e1c1");
}

#[test]
fn a_king_that_cannot_move_frees_the_rook_touched_after_it() {
    // The king on h1 has no square; rook and pawn do.
    let fen = "4k3/8/8/8/8/8/R5PP/6RK w - - 0 1";
    let mut table = Table::touch_move(fen);
    table.act(WHITE, touch(&table, "h1"));
    table.act(WHITE, touch(&table, "g1"));
    assert_eq!(table.game.obligation(), None);
    table.play("g2g4");
}

#[test]
fn pieces_without_a_legal_move_or_capture_create_no_obligation() {
    let mut table = Table::touch_move(START);
    for text in ["a1", "d1", "e8", "d7"] {
        table.act(WHITE, touch(&table, text));
    }
    assert_eq!(table.game.obligation(), None);
    assert_eq!(table.game.allowed_moves().len(), 20);
    assert_eq!(table.game.touched().len(), 4);
}

#[test]
fn another_move_is_refused_with_the_reason() {
    let mut table = Table::touch_move(START);
    table.act(WHITE, touch(&table, "g1"));
    assert_eq!(table.game.obligation(), Some(Obligation::Move(Square::G1)));
    let refusal = table.refused(WHITE, move_at(0, "e2e4"));
    assert_eq!(refusal.code(), "touched_piece");
    assert_eq!(refusal.to_string(), "you touched the piece on g1, so you must move it");
    table.play("g1f3");
    assert_eq!(table.game.touched(), []);
}

#[test]
fn a_touch_is_refused_without_touch_move_on_the_wrong_turn_and_on_an_empty_square() {
    let mut table = Table::untimed(START);
    assert_eq!(table.refused(WHITE, touch(&table, "e2")).code(), "touch_move_off");
    let mut table = Table::touch_move(START);
    assert_eq!(table.refused(BLACK, touch(&table, "e7")).code(), "not_your_turn");
    assert_eq!(table.refused(WHITE, touch(&table, "e4")).code(), "empty_square");
    table.play("e2e4");
    let stale = Command::Touch { ply: 0, square: Square::G1 };
    assert_eq!(table.refused(WHITE, stale).code(), "stale");
}

#[test]
fn touching_a_piece_again_changes_nothing() {
    let mut table = Table::touch_move(START);
    assert_eq!(table.act(WHITE, touch(&table, "g1")), [Event::Touched { square: Square::G1 }]);
    assert_eq!(table.act(WHITE, touch(&table, "g1")), []);
}

#[test]
fn touching_a_piece_that_can_move_declines_a_draw_offer() {
    let mut table = Table::touch_move(START);
    table.act(WHITE, Command::Offer(Proposal::Draw));
    table.play("e2e4");
    table.act(BLACK, touch(&table, "a8"));
    assert!(table.game.offer(Proposal::Draw).is_some());
    table.act(BLACK, touch(&table, "g8"));
    assert_eq!(table.game.offer(Proposal::Draw), None);
}

#[test]
fn a_claim_after_touching_a_piece_is_refused() {
    let mut table = Table::touch_move("4k3/8/8/8/8/8/8/R3K3 w - - 120 90");
    table.act(WHITE, touch(&table, "a1"));
    let claim = Command::Claim { ply: 0, announced: None, lag: Duration::ZERO };
    assert_eq!(table.refused(WHITE, claim).code(), "touched_before_claim");
}

/// FIDE 4.7: a released piece stays.
#[test]
fn touch_move_games_have_no_takebacks() {
    let mut table = Table::touch_move(START);
    assert!(table.game.settings().allows_takeback);
    table.play("e2e4 e7e5");
    let takeback = Command::Offer(Proposal::Takeback);
    assert_eq!(table.refused(WHITE, takeback).code(), "takeback_off");
}
