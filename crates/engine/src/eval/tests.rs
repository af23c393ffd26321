//! Invariants of the evaluation.

use std::sync::Arc;

use castellan_nnue::Network;
use castellan_rules::{Bitboard, Piece, Pieces, Position, Setup, Square, UciMove};
use castellan_testkit::network::{NetworkShape, PlainNetwork};
use castellan_testkit::play::{GameShape, Start, random_games};
use castellan_testkit::scatter::scattered_positions;

use super::{Evaluator, IncrementalState, SharedNetwork};
use crate::margins::Margins;

/// Returns the position with the colors exchanged and the board flipped vertically.
fn mirrored(position: &Position) -> Position {
    let setup = position.to_setup();
    let mut pieces = Pieces::EMPTY;
    for (square, piece) in setup.pieces.iter() {
        pieces.put(Piece { color: !piece.color, role: piece.role }, square.flip());
    }
    let castling_rooks: Bitboard = setup.castling_rooks.into_iter().map(Square::flip).collect();
    let en_passant = setup.en_passant.map(Square::flip);
    Setup { pieces, turn: !setup.turn, castling_rooks, en_passant, clocks: setup.clocks }
        .position()
        .unwrap()
}

fn new_evaluator(position: &Position, network: Option<&SharedNetwork>) -> Evaluator {
    Evaluator::new(position, network, &Margins::NETWORK)
}

fn positions() -> impl Iterator<Item = Position> {
    let shapes =
        [Start::Standard, Start::Chess960].map(|start| GameShape { start, ..GameShape::default() });
    let games = shapes.into_iter().flat_map(|shape| random_games(5, shape).take(40));
    let played = games.flat_map(|game| game.positions().collect::<Vec<_>>());
    let scattered = scattered_positions(6).take(3000);
    played.chain(scattered).map(|oracle| Position::from_fen(&oracle.to_fen()).unwrap())
}

#[test]
fn colors_exchanged_are_worth_the_same() {
    for position in positions().filter(|position| !position.is_check()) {
        let other = mirrored(&position);
        let value = new_evaluator(&position, None).evaluate(&position);
        assert_eq!(value, new_evaluator(&other, None).evaluate(&other), "{position:?}");
    }
}

#[test]
fn incremental_sums_equal_recomputed_ones() {
    for shape in [Start::Standard, Start::Chess960] {
        let shape = GameShape { start: shape, ..GameShape::default() };
        for game in random_games(7, shape).take(40) {
            let mut position = Position::from_fen(&game.start.to_fen()).unwrap();
            let mut evaluator = new_evaluator(&position, None);
            for text in game.uci() {
                let mv = UciMove::parse(&text).unwrap();
                let mv = mv.resolve(&position).unwrap();
                let before = *evaluator.state();
                let aside = evaluator.play(&position, mv);
                evaluator.undo();
                assert_eq!(*evaluator.state(), before);
                position = evaluator.play(&position, mv);
                assert_eq!(position, aside);
                assert_eq!(*evaluator.state(), IncrementalState::new(&position), "{position:?}");
                // The pawn cache must not change the result either.
                let fresh = new_evaluator(&position, None).evaluate(&position);
                assert_eq!(evaluator.evaluate(&position), fresh, "{position:?}");
            }
        }
    }
}

#[track_caller]
fn value(fen: &str) -> i32 {
    let position = Position::from_fen(fen).unwrap();
    let value = new_evaluator(&position, None).evaluate(&position);
    value * position.turn().fold(1, -1)
}

#[test]
fn more_material_is_better() {
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    assert!(value(start).abs() < 60);
    for (without, least) in [
        ("rnbqkbnr/ppp1pppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 40),
        ("r1bqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 200),
        ("rn1qkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 200),
        ("1nbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQk - 0 1", 300),
        ("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 650),
    ] {
        assert!(value(without) > value(start) + least, "{without} {}", value(without));
    }
}

#[test]
fn unwinnable_endings_are_draws() {
    for fen in [
        "8/8/4k3/8/8/3KN3/8/8 w - - 0 1",
        "8/8/4k3/8/8/3KB3/8/8 b - - 0 1",
        "8/8/4k3/8/8/2NKN3/8/8 w - - 0 1",
        // Both bishops stand on dark squares.
        "8/8/4k3/8/3K4/4B3/8/2B5 w - - 0 1",
    ] {
        assert_eq!(value(fen), 0, "{fen}");
    }
}

#[test]
fn a_bare_king_is_driven_to_the_edge() {
    let center = value("8/8/8/4k3/8/8/8/R3K3 w - - 0 1");
    let edge = value("4k3/8/8/8/8/8/8/R3K3 w - - 0 1");
    assert!(edge > center && center > 500);
    // A dark-squared bishop can mate only in a dark corner.
    let wrong = value("k7/8/2K5/8/8/4BN2/8/8 w - - 0 1");
    let right = value("7k/8/5K2/8/8/4BN2/8/8 w - - 0 1");
    assert!(right > wrong);
}

#[test]
fn opposite_bishops_are_drawish() {
    let opposite = value("8/5k2/3b4/8/2P5/1P1BK3/8/8 w - - 0 1");
    let same = value("8/5k2/4b3/8/2P5/1P1BK3/8/8 w - - 0 1");
    assert!(same > opposite + 30, "{same} {opposite}");
}

fn network(shape: NetworkShape) -> SharedNetwork {
    let file = PlainNetwork::random(shape, 3).to_file();
    Arc::new(Network::parse(&file).unwrap())
}

#[test]
fn a_network_values_exchanged_colors_alike() {
    let network = network(NetworkShape { hidden: 64, king_buckets: 3 });
    for position in positions().filter(|position| !position.is_check()) {
        let other = mirrored(&position);
        let value = new_evaluator(&position, Some(&network)).evaluate(&position);
        let exchanged = new_evaluator(&other, Some(&network)).evaluate(&other);
        assert_eq!(value, exchanged, "{position:?}");
    }
}

#[test]
fn a_network_follows_moves_passes_and_taking_back() {
    let network = network(NetworkShape { hidden: 128, king_buckets: 4 });
    for start in [Start::Standard, Start::Chess960] {
        let shape = GameShape { start, ..GameShape::default() };
        for game in random_games(9, shape).take(20) {
            let mut position = Position::from_fen(&game.start.to_fen()).unwrap();
            let mut evaluator = new_evaluator(&position, Some(&network));
            for text in game.uci() {
                let mv = UciMove::parse(&text).unwrap().resolve(&position).unwrap();
                let aside = evaluator.play(&position, mv);
                if let Some(passed) = aside.null_move() {
                    evaluator.null_move();
                    let fresh = new_evaluator(&passed, Some(&network)).evaluate(&passed);
                    assert_eq!(evaluator.evaluate(&passed), fresh, "{passed:?}");
                    evaluator.undo();
                }
                evaluator.undo();
                position = evaluator.play(&position, mv);
                let fresh = new_evaluator(&position, Some(&network)).evaluate(&position);
                assert_eq!(evaluator.evaluate(&position), fresh, "{position:?}");
            }
        }
    }
}

#[test]
fn a_network_is_overruled_where_the_ending_is_known() {
    let network = network(NetworkShape { hidden: 64, king_buckets: 1 });
    for fen in [
        "8/8/4k3/8/8/3KN3/8/8 w - - 0 1",
        "4k3/8/8/8/8/8/8/R3K3 b - - 0 1",
        "7k/8/5K2/8/8/4BN2/8/8 w - - 0 1",
    ] {
        let position = Position::from_fen(fen).unwrap();
        let by_hand = new_evaluator(&position, None).evaluate(&position);
        let value = new_evaluator(&position, Some(&network)).evaluate(&position);
        assert_eq!(value, by_hand, "{fen}");
    }
    // A knight against a bishop: neither side can win.
    let position = Position::from_fen("8/8/4k3/3b4/8/3KN3/8/8 w - - 0 1").unwrap();
    assert_eq!(new_evaluator(&position, Some(&network)).evaluate(&position), 0);
}
