use castellan_rules::{Move, Position, San, UciMove};
use castellan_testkit::play::{GameShape, random_games};

use super::{find, leads_to, lower_bound};
use crate::tests_common::case;
use crate::{Budget, Case};

/// More nodes than any of these searches needs.
const PLENTY: u64 = 3_000_000;

/// Returns the positions of random games, each beginning with the start position.
fn random_lines(seed: u64, count: usize, max_plies: usize) -> Vec<Vec<Position>> {
    let shape = GameShape { max_plies, ..GameShape::default() };
    let lines = random_games(seed, shape).take(count).map(|game| {
        let mut positions = vec![Position::start()];
        for uci in game.uci() {
            let last = positions[positions.len() - 1];
            let mv = UciMove::parse(&uci).unwrap().resolve(&last).unwrap();
            positions.push(last.play(mv).unwrap());
        }
        positions
    });
    lines.collect()
}

/// Plays a game by the rules and returns its final position.
fn end_of(game: &[Move]) -> Position {
    game.iter().fold(Position::start(), |position, &mv| position.play(mv).unwrap())
}

#[track_caller]
fn is_found(fen: &str) -> Vec<Move> {
    let case = case(fen);
    let game = find(&case, None, &mut Budget::of_nodes(PLENTY)).expect("there is a game");
    let end = end_of(&game);
    assert_eq!(end, case.setup.position().unwrap(), "{fen}");
    if case.setup.en_passant.is_some() {
        assert_eq!(end.passed_square(), case.setup.en_passant, "{fen}");
    }
    game
}

#[track_caller]
fn is_not_found(fen: &str) {
    let mut budget = Budget::of_nodes(100_000);
    assert_eq!(find(&case(fen), None, &mut budget), None, "{fen}");
    assert!(budget.spent() <= 100_000);
}

#[test]
fn every_position_of_the_first_plies_is_found() {
    for line in random_lines(1, 60, 8) {
        for (ply, position) in line.iter().enumerate() {
            let case = Case::of(&position.to_setup()).unwrap();
            let game = find(&case, None, &mut Budget::of_nodes(PLENTY));
            let game = game.unwrap_or_else(|| panic!("ply {ply}: {}", position.to_fen()));
            assert_eq!(end_of(&game), *position);
            assert!(game.len() <= ply, "{} in {} plies", position.to_fen(), game.len());
        }
    }
}

#[test]
fn positions_far_from_the_start_are_found() {
    for line in random_lines(2, 24, 60) {
        let position = line[line.len() - 1];
        let case = Case::of(&position.to_setup()).unwrap();
        let game = find(&case, None, &mut Budget::of_nodes(PLENTY));
        assert_eq!(end_of(&game.unwrap_or_else(|| panic!("{}", position.to_fen()))), position);
    }
}

#[test]
fn no_game_makes_fewer_moves_than_the_bound() {
    for line in random_lines(3, 150, 250) {
        for (ply, position) in line.iter().enumerate() {
            let case = Case::of(&position.to_setup()).unwrap();
            // Each setup has distances of its own to compute, so later positions are only
            // sampled.
            if ply > 24 && ply % 7 > 0 {
                continue;
            }
            let bound = lower_bound(&case).unwrap_or_else(|| panic!("{}", position.to_fen()));
            let moves = [ply.div_ceil(2) as u32, ply as u32 / 2];
            assert!(
                bound[0] <= moves[0] && bound[1] <= moves[1],
                "{} {bound:?}",
                position.to_fen()
            );
        }
    }
}

#[test]
fn the_bound_counts_what_every_game_must_do() {
    #[track_caller]
    fn check(fen: &str, expected: [u32; 2]) {
        assert_eq!(lower_bound(&case(fen)), Some(expected), "{fen}");
    }
    check("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", [0, 0]);
    // Castling moves two pieces at once, and the bishop has to make room.
    check("rnbqkbnr/pppppppp/8/8/8/5NP1/PPPPPPBP/RNBQ1RK1 b kq - 0 1", [4, 0]);
    // A right is lost by moving there and back.
    check("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w Qkq - 0 1", [2, 0]);
    check("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1", [2, 2]);
    // A double step, a capture, and a victim that costs its own side no move.
    check("rnbqkbnr/ppp1pppp/8/3P4/8/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", [2, 0]);
    // The third knight is a promoted pawn: a double step, three steps and a capture.
    check("rnbqkbnN/pppppp1p/8/8/8/8/PPPPPP1P/RNBQKBNR w KQq - 0 1", [5, 0]);
}

#[test]
fn no_game_is_found_for_an_impossible_position() {
    // Neither side can lose a tempo without a trace.
    is_not_found("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1");
    // A bishop is outside, although all pawns are at home.
    is_not_found("rnbqkbnr/pppppppp/8/8/5B2/8/PPPPPPPP/RN1QKBNR w KQkq - 0 20");
    // Doubled pawns, although nothing was captured.
    is_not_found("rnbqkbnr/pppppppp/8/8/8/2P5/P1PPPPPP/RNBQKBNR w KQkq - 0 20");
    // Two queens and eight pawns.
    is_not_found("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBQR w Qkq - 0 20");
    // No last move explains the check.
    is_not_found("8/8/8/8/8/3k4/4P3/4K3 b - - 0 40");
}

#[test]
fn games_from_other_starts_are_not_looked_for() {
    let fen = "bqnbrnkr/pppppppp/8/8/8/8/PPPPPPPP/BQNBRNKR w HEhe - 0 1";
    assert_eq!(find(&case(fen), None, &mut Budget::of_nodes(1000)), None);
}

#[test]
fn lost_castling_rights_need_moves() {
    let game = is_found("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w - - 0 1");
    assert!(game.len() >= 8);
    // After 1. Nf3 Nf6 2. Rg1 Rg8 3. Rh1 Rh8.
    assert_eq!(is_found("rnbqkb1r/pppppppp/5n2/8/8/5N2/PPPPPPPP/RNBQKB1R w Qq - 6 4").len(), 6);
}

#[test]
fn an_en_passant_square_means_that_the_double_step_came_last() {
    // The shortest games to these pieces end differently.
    let game = is_found("rnbqkbnr/ppp1pppp/8/8/3pP3/P6P/1PPP1PP1/RNBQKBNR b KQkq e3 0 3");
    assert_eq!(game.len(), 5);
    // The same without the square: another move came last.
    is_found("rnbqkbnr/ppp1pppp/8/8/3pP3/P6P/1PPP1PP1/RNBQKBNR b KQkq - 0 3");
    // A square on which no pawn can capture is kept all the same.
    assert_eq!(is_found("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1").len(), 1);
}

#[test]
fn a_check_is_explained() {
    is_found("rnbqkbnr/ppppp2p/5p2/6pQ/4P3/2N5/PPPP1PPP/R1B1KBNR b KQkq - 1 3");
    // Only a pawn that arrived by a capture can give this check.
    is_found("8/4b3/3k3p/1p1p2p1/p1pPK3/2P3P1/3B3P/8 w - - 0 45");
    // A pawn from e2 could be captured en passant, so it came from e3.
    is_found("rnbq1bnr/ppp1pppp/8/3k4/3pP3/8/PPPP1PPP/RNBQKBNR b KQ - 0 6");
    // A double check.
    is_found("rnb1kb1r/pp2pppp/2pN1n2/8/8/8/PPPPQPPP/R1B1KBNR b KQkq - 0 6");
}

#[test]
fn real_positions_are_found() {
    is_found("r1bqkb1r/pppp1ppp/2n2n2/4p3/2B1P3/5N2/PPPP1PPP/RNBQK2R w KQkq - 4 4");
    is_found("r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 5 8");
    // Pawns that had to pass each other.
    is_found("8/8/5R1p/4P3/P2Pk3/4p3/4K3/8 b - - 1 53");
    // A rook that arrived before the pawns closed the way.
    is_found("7r/1p2kp2/p1p1r1p1/P1PpPpRp/1P1P1P1P/6P1/5K2/3R4 w - - 1 36");
}

#[test]
fn no_game_continues_after_a_dead_position() {
    let game = is_found("8/8/4k3/8/8/4K3/8/8 w - - 0 60");
    let before = end_of(&game[..game.len() - 1]);
    assert!(before.occupied().count() == 3, "the last move is a capture");
}

#[test]
fn a_game_of_the_believed_length_is_preferred() {
    let case = case("rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2");
    for (plies, expected) in [(None, 2), (Some(2), 2), (Some(4), 4), (Some(6), 6), (Some(3), 2)] {
        let game = find(&case, plies, &mut Budget::of_nodes(PLENTY)).unwrap();
        assert_eq!(game.len(), expected, "{plies:?}");
    }
}

#[test]
fn the_same_question_has_the_same_answer() {
    let fen = "8/ppp3rk/3p4/6B1/3PPnbP/1PP5/P5P1/5RK1 w - - 3 29";
    assert_eq!(is_found(fen), is_found(fen));
}

#[test]
fn a_wrong_game_is_noticed() {
    let start = Position::start();
    let mv = |text| San::parse(text).unwrap().resolve(&start).unwrap();
    let after_e4 = case("rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
    assert!(leads_to(&[mv("e4")], &after_e4));
    assert!(!leads_to(&[mv("e3")], &after_e4));
    assert!(!leads_to(&[], &after_e4));
    assert!(!leads_to(&[mv("e4"), mv("e4")], &after_e4));
}
