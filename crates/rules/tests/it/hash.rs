//! The hash: incrementally updated, equal for equal positions, and different for positions that
//! FIDE 9.2.3 distinguishes.

use castellan_rules::Position;
use castellan_testkit::play::GameShape;
use castellan_testkit::scatter::scattered_positions;

use crate::support::{CHESS960, after, fen, games};

fn incremental_equals_recomputed(seed: u64, shape: GameShape) {
    for game in games(seed, 300, shape) {
        for position in game.positions() {
            assert_eq!(position.hash(), position.recomputed_hash(), "{position:?}");
            assert_eq!(position.hash(), fen(&position.to_fen()).hash(), "{position:?}");
            if let Some(passed) = position.null_move() {
                assert_eq!(passed.hash(), passed.recomputed_hash(), "{position:?} passed");
            }
        }
    }
}

#[test]
fn incremental_equals_recomputed_in_games() {
    incremental_equals_recomputed(21, GameShape::default());
}

#[test]
fn incremental_equals_recomputed_in_chess960_games() {
    incremental_equals_recomputed(22, CHESS960);
}

#[test]
fn incremental_equals_recomputed_after_every_move_of_scattered_positions() {
    for oracle in scattered_positions(23).take(5_000) {
        let position = fen(&oracle.to_fen());
        for &mv in &position.legal_moves() {
            let next = position.play_unchecked(mv);
            assert_eq!(next.hash(), next.recomputed_hash(), "{position:?} {mv:?}");
        }
    }
}

#[track_caller]
fn same(one: &Position, other: &Position) {
    assert_eq!(one.hash(), other.hash(), "{one:?} and {other:?}");
    assert_eq!(one, other);
}

#[track_caller]
fn different(one: &Position, other: &Position) {
    assert_ne!(one.hash(), other.hash(), "{one:?} and {other:?}");
    assert_ne!(one, other);
}

#[test]
fn the_order_of_moves_does_not_matter() {
    let start = Position::start();
    let one = after(&start, "g1f3 g8f6 b1c3 b8c6");
    same(&one, &after(&start, "b1c3 b8c6 g1f3 g8f6"));
    same(&one, &after(&start, "b1c3 g8f6 g1f3 b8c6"));
    same(&start, &after(&start, "g1f3 g8f6 f3g1 f6g8"));
    same(
        &after(&start, "e2e3 e7e6"),
        &fen("rnbqkbnr/pppp1ppp/4p3/8/8/4P3/PPPP1PPP/RNBQKBNR w KQkq -"),
    );
}

#[test]
fn the_turn_matters() {
    different(&fen("4k3/8/8/8/8/8/4P3/4K3 w - -"), &fen("4k3/8/8/8/8/8/4P3/4K3 b - -"));
}

#[test]
fn a_piece_and_its_square_matter() {
    let pawn = fen("4k3/8/8/8/8/8/4P3/4K3 w - -");
    different(&pawn, &fen("4k3/8/8/8/8/8/3P4/4K3 w - -"));
    different(&pawn, &fen("4k3/8/8/8/8/8/4N3/4K3 w - -"));
    different(&pawn, &fen("4k3/8/8/8/8/8/8/4K3 w - -"));
}

/// FIDE 9.2.3.2: a lost castling right makes a different position.
#[test]
fn each_castling_right_matters() {
    let rights = ["KQkq", "Qkq", "Kkq", "KQq", "KQk", "KQ", "kq", "K", "-"];
    let positions: Vec<Position> =
        rights.iter().map(|rights| fen(&format!("r3k2r/8/8/8/8/8/8/R3K2R w {rights} -"))).collect();
    for (i, one) in positions.iter().enumerate() {
        for other in &positions[..i] {
            different(one, other);
        }
    }
    let start = fen("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -");
    different(&start, &after(&start, "h1g1 h8g8 g1h1 g8h8"));
    different(&start, &after(&start, "e1f1 e8f8 f1e1 f8e8"));
}

/// FIDE 9.2.3.1: a pawn that could be captured en passant makes a different position, but only if
/// the capture is legal.
#[test]
fn en_passant_matters_only_when_legal() {
    let with = |placement: &str, square: &str| fen(&format!("{placement} w - {square}"));
    let check = |placement: &str, is_legal: bool| {
        let (said, unsaid) = (with(placement, "d6"), with(placement, "-"));
        if is_legal {
            different(&said, &unsaid);
        } else {
            same(&said, &unsaid);
        }
        assert_eq!(said.en_passant().is_some(), is_legal, "{placement}");
        assert!(said.passed_square().is_some(), "{placement}");
    };
    check("4k3/8/8/3pP3/8/8/8/4K3", true);
    // No pawn stands beside the pawn.
    check("4k3/8/8/3p4/8/8/4P3/4K3", false);
    // The capturing pawn is pinned on its file.
    check("4r1k1/8/8/3pP3/8/8/8/4K3", false);
    // Both pawns would leave the rank between the king and the rook.
    check("4k3/8/8/K2pP2r/8/8/8/8", false);
    // The capture does not resolve the check.
    check("4q2k/8/8/3pP3/K7/8/8/8", false);
}

#[test]
fn the_clocks_do_not_matter() {
    let early = fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1");
    same(&early, &fen("4k3/8/8/8/8/8/4P3/4K3 w - - 99 1"));
    same(&early, &fen("4k3/8/8/8/8/8/4P3/4K3 w - - 0 5900"));
}

#[test]
fn passing_changes_the_turn_and_forgets_the_step() {
    let position = fen("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1");
    let passed = position.null_move().expect("the king is not in check");
    same(&passed, &fen("4k3/8/8/3pP3/8/8/8/4K3 b - - 1 1"));
    assert!(
        fen("4k3/8/8/8/8/8/8/K3r3 w - -").null_move().is_none(),
        "a king may not be left in check"
    );
}

/// Not a guarantee, but a hash with frequent collisions would be useless.
#[test]
fn different_positions_have_different_hashes() {
    let mut seen: std::collections::HashMap<u64, String> = std::collections::HashMap::new();
    for game in games(24, 300, GameShape::default()) {
        for position in game.positions() {
            let key = position.to_fen().rsplitn(3, ' ').last().map(str::to_owned);
            let key = key.expect("a FEN has more than three fields");
            let known = seen.entry(position.hash()).or_insert_with(|| key.clone());
            assert_eq!(*known, key);
        }
    }
    assert!(seen.len() > 20_000);
}

#[test]
fn the_start_position_is_number_518() {
    let numbered = Position::chess960(518).expect("518 is a Chess960 number");
    assert_eq!(Position::start(), numbered);
    assert_eq!(Position::start().hash(), numbered.recomputed_hash());
    assert_eq!(Position::start().to_fen(), numbered.to_fen());
}
