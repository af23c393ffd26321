//! Incremental evaluation equals evaluation from scratch.

use std::sync::Arc;

use castellan_nnue::{Accumulators, Changes, Network};
use castellan_rules::{Color, Move, MoveKind, Position, Role, UciMove};
use castellan_testkit::network::{NetworkShape, PlainNetwork};
use castellan_testkit::play::{GameShape, Start, random_games};
use castellan_testkit::random::SplitMix64;
use castellan_testkit::scatter::scattered_positions;

use crate::reference;

const SHAPES: [NetworkShape; 4] = [
    NetworkShape { hidden: 64, king_buckets: 1 },
    NetworkShape { hidden: 192, king_buckets: 4 },
    NetworkShape { hidden: 128, king_buckets: 16 },
    NetworkShape { hidden: 320, king_buckets: 7 },
];

fn networks() -> impl Iterator<Item = (PlainNetwork, Arc<Network>)> {
    SHAPES.into_iter().zip(1..).map(|(shape, seed)| {
        let plain = PlainNetwork::random(shape, seed);
        let network = Network::parse(&plain.to_file()).expect("the network is sound");
        (plain, Arc::new(network))
    })
}

/// Returns random games, each as a start position and its moves.
fn games(seed: u64, count: usize) -> impl Iterator<Item = (Position, Vec<Move>)> {
    let shapes =
        [Start::Standard, Start::Chess960].map(|start| GameShape { start, ..GameShape::default() });
    let games = shapes.into_iter().flat_map(move |shape| random_games(seed, shape).take(count));
    games.map(|game| {
        let start = Position::from_fen(&game.start.to_fen()).expect("a start is sound");
        let mut position = start;
        let moves = game.uci().map(|text| {
            let mv = UciMove::parse(&text).expect("the oracle writes moves");
            let mv = mv.resolve(&position).expect("the move is legal");
            position = position.play_unchecked(mv);
            mv
        });
        (start, moves.collect())
    })
}

fn play(accumulators: &mut Accumulators, position: &Position, mv: Move) -> Position {
    let mut changes = Changes::NONE;
    let next = position.play_observed(mv, &mut changes);
    accumulators.push(changes);
    next
}

#[test]
fn games_are_evaluated_as_if_from_scratch() {
    for (plain, network) in networks() {
        // Promotions, castling moves, moves of a king, captures.
        let mut kinds = [0; 4];
        let mut random = SplitMix64::new(3);
        for (start, moves) in games(41, 25) {
            let mut accumulators = Accumulators::new(Arc::clone(&network), &start);
            let mut position = start;
            for mv in moves {
                let count = position.occupied().count();
                kinds[0] += i32::from(mv.promotion().is_some());
                kinds[1] += i32::from(mv.kind() == MoveKind::Castle);
                kinds[2] += i32::from(mv.role() == Role::King);
                position = play(&mut accumulators, &position, mv);
                kinds[3] += i32::from(position.occupied().count() < count);
                // Only some positions are evaluated, so that accumulators have to catch up over
                // several plies.
                if random.chance(40) {
                    let value = accumulators.evaluate(&position);
                    assert_eq!(value, reference::value(&plain, &position), "{position:?}");
                    assert_eq!(value, accumulators.evaluate(&position));
                }
            }
        }
        assert!(kinds.iter().all(|&kind| kind > 10), "{kinds:?}");
    }
}

/// Walks randomly through a tree with moves, null moves and undos, evaluates now and then, and
/// sometimes starts a new line.
#[test]
fn searches_are_evaluated_as_if_from_scratch() {
    for (plain, network) in networks() {
        let mut random = SplitMix64::new(5);
        let mut line = vec![Position::start()];
        let mut accumulators = Accumulators::new(network, &line[0]);
        for _ in 0..6000 {
            let position = line[line.len() - 1];
            match random.below(10) {
                0..4 if line.len() > 1 => {
                    accumulators.pop();
                    line.pop();
                }
                4 if !position.is_check() => {
                    accumulators.push(Changes::NONE);
                    line.extend(position.null_move());
                }
                5 if random.chance(5) => {
                    accumulators.reset(&position);
                    line = vec![position];
                }
                _ => {
                    let moves = position.legal_moves();
                    if let Some(&mv) = random.pick(&moves).filter(|_| line.len() < 40) {
                        line.push(play(&mut accumulators, &position, mv));
                    }
                }
            }
            if random.chance(30) {
                let position = line[line.len() - 1];
                let value = accumulators.evaluate(&position);
                assert_eq!(value, reference::value(&plain, &position), "{position:?}");
            }
        }
    }
}

#[test]
fn positions_from_no_game_are_evaluated_alike() {
    for (plain, network) in networks() {
        let mut accumulators = Accumulators::new(network, &Position::start());
        let positions = scattered_positions(9).take(1000);
        for position in positions.map(|oracle| Position::from_fen(&oracle.to_fen()).unwrap()) {
            accumulators.reset(&position);
            let value = accumulators.evaluate(&position);
            assert_eq!(value, reference::value(&plain, &position), "{position:?}");
        }
    }
}

#[test]
fn integer_arithmetic_stays_close_to_exact_values() {
    for (plain, network) in networks() {
        for (start, moves) in games(43, 2) {
            let mut accumulators = Accumulators::new(Arc::clone(&network), &start);
            let mut position = start;
            for mv in moves {
                position = play(&mut accumulators, &position, mv);
                let value = f64::from(accumulators.evaluate(&position));
                let real = reference::real_value(&plain, &position);
                // Each of the two integer divisions cuts off less than one.
                assert!((value - real).abs() < 1.5, "{value} {real} {position:?}");
            }
        }
    }
}

#[test]
fn the_material_network_counts_material() {
    let shape = NetworkShape { hidden: 64, king_buckets: 2 };
    let network = Arc::new(Network::parse(&PlainNetwork::material(shape).to_file()).unwrap());
    let value = |fen: &str| {
        let position = Position::from_fen(fen).unwrap();
        let value = Accumulators::new(Arc::clone(&network), &position).evaluate(&position);
        value * position.turn().fold(1, -1)
    };
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR";
    assert_eq!(value(&format!("{start} w KQkq - 0 1")), 0);
    for (without, least, most) in [
        ("rnbqkbnr/ppp1pppp/8/8/8/8/PPPPPPPP/RNBQKBNR", 60, 120),
        ("r1bqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", 260, 340),
        ("rn1qkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", 260, 360),
        ("1nbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", 450, 550),
        ("rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", 850, 1000),
    ] {
        for turn in Color::ALL.map(|color| color.fold('w', 'b')) {
            let value = value(&format!("{without} {turn} - - 0 1"));
            assert!((least..=most).contains(&value), "{without} {turn} {value}");
        }
    }
}
