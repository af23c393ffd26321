use castellan_rules::{Color, Piece, Setup, Square, fen};
use castellan_testkit::play::{GameShape, Start, random_games};

use super::{examine, examine_quickly, is_refuted};
use crate::tests_common::{case, found};
use crate::{Case, Code, Finding};

fn findings(case: &Case) -> Vec<Finding> {
    found(|findings| examine(case, findings))
}

/// Checks the name of the first finding; an empty name means that there is none.
#[track_caller]
fn check(fen: &str, expected: &str) {
    let case = case(fen);
    let found = findings(&case);
    assert_eq!(found.first().map_or("", |finding| finding.code.name()), expected);
    assert_eq!(is_refuted(&case), !expected.is_empty());
}

/// Checks that a FEN is possible, and impossible with another castling field.
#[track_caller]
fn check_rights(placement: &str, turn: &str, fine: &str, wrong: &str) {
    check(&format!("{placement} {turn} {fine} - 0 1"), "");
    check(&format!("{placement} {turn} {wrong} - 0 1"), "castling-contradiction");
}

/// Checks that no position of random games is refuted.
fn check_games(seed: u64, games: usize, shape: GameShape) {
    for game in random_games(seed, shape).take(games) {
        for position in game.positions() {
            let fen = position.to_fen();
            let case = case(&fen);
            // Without castling rights, a game from another start position looks like a standard
            // one.
            if shape.start == Start::Standard || !case.is_standard {
                let found = findings(&case);
                assert!(found.is_empty(), "{fen} was reached, but {found:?}");
            }
        }
    }
}

#[test]
fn no_position_of_a_game_is_accused() {
    check_games(1, 60, GameShape::default());
}

#[test]
fn no_position_of_a_quiet_opening_is_accused() {
    check_games(2, 300, GameShape { max_plies: 30, by_kind_percent: 0, ..GameShape::default() });
}

#[test]
fn no_position_of_a_game_full_of_promotions_is_accused() {
    check_games(3, 30, GameShape { max_plies: 400, by_kind_percent: 90, ..GameShape::default() });
}

#[test]
fn no_position_of_a_game_from_another_start_is_accused() {
    check_games(4, 40, GameShape { start: Start::Chess960, ..GameShape::default() });
}

#[test]
fn the_slow_argument_finds_what_the_quick_one_finds() {
    let wrong = case("4k3/8/8/8/P7/P7/PP6/4K3 w - - 0 1");
    let mut quick = Vec::new();
    examine_quickly(&wrong, &mut quick);
    assert_eq!(quick, findings(&wrong));
    assert_eq!(quick.first().map(|finding| finding.code), Some(Code::PawnOrigin));
}

#[test]
fn colors_are_treated_alike() {
    let texts = [
        "rnbqkbnr/1ppppppp/8/8/8/1P2P3/PpPP1PPP/RNBQK1NR w KQkq - 0 1",
        "r3k3/ppp1p1pp/8/8/8/8/8/R1R1K2R b q - 0 1",
        "4k1b1/5pp1/6p1/8/8/8/8/4K3 b - - 0 1",
        "8/8/8/8/8/6P1/6P1/R3K2k w Q - 0 1",
    ];
    for text in texts {
        let setup = flipped(&fen::parse(text).expect("the text is a FEN"));
        let other = Case::of(&setup).expect("the pieces themselves are possible");
        let codes = |case: &Case| findings(case).iter().map(|found| found.code).collect::<Vec<_>>();
        // White moves first, so parity would not be symmetric.
        assert_eq!(codes(&other), codes(&case(text)), "{text}");
    }
}

/// Returns the board seen from the other side, with colors exchanged.
fn flipped(setup: &Setup) -> Setup {
    let mut other = Setup { turn: !setup.turn, ..Setup::empty() };
    for (square, piece) in setup.pieces.iter() {
        other.pieces.put(Piece { color: !piece.color, ..piece }, square.flip());
    }
    other.castling_rooks = setup.castling_rooks.into_iter().map(Square::flip).collect();
    other
}

#[test]
fn pawns_come_from_the_triangle_behind_them() {
    check("4k3/8/8/8/8/P7/PP6/4K3 w - - 0 1", "pawn-origin");
    check("4k3/8/8/8/8/P7/P7/4K3 w - - 0 1", "");
    check("4k3/8/8/8/P7/P7/P7/4K3 w - - 0 1", "");
}

#[test]
fn pawns_change_files_by_capturing_missing_pieces() {
    check("rnbqkbnr/pppppppp/8/8/8/2P5/P1PPPPPP/RNBQKBNR w KQkq - 0 1", "pawn-captures");
    check("rnbqkbnr/1ppppppp/8/8/8/2P5/P1PPPPPP/RNBQKBNR w KQkq - 0 1", "pawn-captures");
    check("r1bqkbnr/pppppppp/8/8/8/2P5/P1PPPPPP/RNBQKBNR w KQkq - 0 1", "");
    check("rnbqkbnr/4pppp/8/P7/P7/P7/P7/RNBQKBNR w KQkq - 0 1", "pawn-captures");
    // Both bishops were captured at home, where no pawn can go.
    check("4k2r/pp1pp1p1/1np2n1p/qr3p2/2PP1N1P/B1PQP1PB/P2KNPR1/R7 b - - 0 1", "pawn-captures");
    // The light-squared bishop was not captured on a dark square.
    check("rnbqkbnr/1ppppppp/8/8/8/1P2P3/PpPP1PPP/RNBQK1NR w KQkq - 0 1", "pawn-way");
    check("rnbqkbnr/1ppppppp/8/8/8/1P2P3/PpPP1PPP/RNBQKBR1 w Qkq - 0 1", "");
}

#[test]
fn pieces_do_not_leave_a_cage() {
    check("rnbqkbnr/pppppppp/8/8/5B2/8/PPPPPPPP/RN1QKBNR w KQkq - 0 1", "caged");
    check("rnbqkbnr/pppppppp/8/8/5B2/3P4/PPP1PPPP/RN1QKBNR w KQkq - 0 1", "");
    check("rnbqkbnr/pppppppp/8/8/R7/8/PPPPPPPP/1NBQKBNR w Kkq - 0 1", "caged");
    check("rnbqkbnr/pppppppp/8/8/R7/8/1PPPPPPP/1NBQKBNR w Kkq - 0 1", "");
    check("7b/6p1/3k4/8/8/2K5/8/8 w - - 0 1", "caged");
}

#[test]
fn pieces_do_not_pass_a_pawn_that_is_always_in_the_way() {
    check("4k1b1/5pp1/6p1/8/8/8/8/4K3 b - - 0 1", "barred");
    check("4k1b1/5pp1/7p/8/8/8/8/4K3 b - - 0 1", "");
    check("8/8/8/8/8/6P1/6P1/R3K2k w - - 0 1", "");
    check("8/8/8/8/8/6P1/6P1/R3K2k w Q - 0 1", "castling-contradiction");
}

#[test]
fn promoted_pieces_have_a_pawn_and_a_way_out() {
    check("rnbqkbnr/1ppppppp/8/8/8/Q7/1PPPPPPP/RNBQKBNR w KQkq - 0 1", "castling-contradiction");
    check("rnbqkbnr/1ppppppp/8/8/2B5/8/1PPPPPPP/RNBQKBNR w KQ - 0 1", "no-promotion");
    check("r1bqkbnr/1ppppppp/8/8/3B4/8/1PPPPPPP/RNBQKBNR w KQ - 0 1", "");
    check_rights("r3k3/ppp1p1pp/8/8/8/8/8/R1R1K2R", "b", "-", "q");
    check_rights("rnbqkbnr/pppppp1p/8/3b4/8/6P1/PPPPPP2/RNBQK1NR", "w", "-", "K");
    check_rights("1nbqkbnr/1ppppppp/1p6/3rN3/8/8/1PPPPPPP/R1BQKBNR", "b", "-", "Q");
}

#[test]
fn an_unmoved_king_was_never_checked_from_an_adjacent_square() {
    check("rnbqk1nr/ppppp1pp/8/8/8/2P5/PP1PPNPP/RNBQKBNR w KQkq - 0 1", "castling-contradiction");
    check("8/8/8/8/8/3k4/4P3/4K3 b - - 0 1", "no-promotion");
    check("8/8/8/8/4k3/3P4/8/4K3 b - - 0 1", "");
}

#[test]
fn moves_come_in_turn() {
    check("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "");
    check("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1", "parity");
    check("rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R w KQkq - 0 1", "parity");
    check("rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 0 1", "");
    check("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1", "");
    let placement = "r1bqkb1r/ppppp1pp/8/8/2pP4/8/1PP1PPPP/R1BQKB1R";
    check(&format!("{placement} b KQkq d3 0 1"), "castling-contradiction");
    check_rights("r1bqkb1r/1ppppppp/8/2P5/8/8/PPPPP1PP/R1BQKB1R", "w", "Q", "Qq");
    check_rights("rnb1kb2/pppppppr/7p/8/8/P5PP/1PPPP1PR/RNB1KBN1", "w", "Q", "Qq");
}

#[test]
fn each_capture_has_its_own_victim() {
    // The pawns of the e-file and the h-file captured on f3 and g3, but of the missing pieces
    // only the knight can have been there: the two pawns were confined to their files.
    check("r1bqkbnr/p2ppppp/8/8/8/5PP1/PPPP1PP1/RNBQKBNR w KQkq - 0 1", "pawn-captures");
    check("r1bqkb1r/p2ppppp/8/8/8/5PP1/PPPP1PP1/RNBQKBNR w KQkq - 0 1", "");
    // The c-pawns passed each other by two black captures on b6 and c6. The missing white pawn
    // was on neither square, because White's only capture brought another pawn to the f-file.
    check("rnbqkbnr/p1Ppp1p1/1pp4p/8/5P1P/3P1P2/PP1Q4/RNB1KB1R b KQkq - 0 1", "no-victim");
    // Which of the officers is left decides which could have been captured.
    let rest = |piece| format!("2nb3K/pkPRp1p1/p2p4/P1p5/1Pp4{piece}/2PP2P1/4P2P/n7 w - - 0 1");
    check(&rest("Q"), "barred");
    check(&rest("B"), "");
    // A queen locked in at home can only have been captured by a knight.
    check("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "");
}

#[test]
fn two_pieces_in_a_corridor_keep_their_order() {
    let rest = "2b4r/p2p1pp1/2p1r2p/1p2q1k1/P1Nnp3/8/1PPPPPPP";
    check(&format!("{rest}/R1B1KQ1R w - - 0 1"), "corridor");
    check(&format!("{rest}/R1BQ1K1R w - - 0 1"), "");
}

#[test]
fn two_pawns_can_close_a_gate_together() {
    check("4k3/8/8/8/8/4P3/1K1PRP2/4b3 b - - 0 1", "barred");
    check("4k3/8/8/8/4P3/8/1K1PRP2/4b3 b - - 0 1", "");
}

#[test]
fn the_turn_matters_to_parity_alone() {
    let placement = "r1bqkb1r/1ppppppp/8/2P5/8/8/PPPPP1PP/R1BQKB1R";
    for (turn, expected) in [(Color::White, "castling-contradiction"), (Color::Black, "")] {
        check(&format!("{placement} {} Qq - 0 1", turn.fold("w", "b")), expected);
    }
}
