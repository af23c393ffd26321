//! Games of every kind, none of whose positions may be refuted.

use castellan_rules::{Color, Move, Position, Promotion, Role};
use castellan_testkit::play::{GameShape, Start, random_games};
use castellan_testkit::random::SplitMix64;

use super::{examine, found_quickly};
use crate::tests_common::case;
use crate::{Budget, Case};

/// The nodes spent on each position.
const NODES: u64 = 3_000;

#[track_caller]
fn check_not_refuted(case: &Case, text: impl Fn() -> String) {
    let mut findings = found_quickly(case);
    examine(case, &mut Budget::of_nodes(NODES), &mut findings);
    assert!(findings.is_empty(), "{}: {findings:?}", text());
}

fn check_random_games(seed: u64, shape: GameShape, games: usize) {
    for game in random_games(seed, shape).take(games) {
        for position in game.positions().step_by(3) {
            let fen = position.to_fen();
            let case = case(&fen);
            // Without castling rights, nothing shows that the game began from another start
            // position.
            if shape.start == Start::Standard || !case.is_standard {
                check_not_refuted(&case, || fen.clone());
            }
        }
    }
}

#[test]
fn no_position_of_a_random_game_is_refuted() {
    check_random_games(1, GameShape { max_plies: 150, ..GameShape::default() }, 40);
    check_random_games(2, GameShape { by_kind_percent: 95, ..GameShape::default() }, 20);
}

#[test]
fn no_position_of_a_random_chess960_game_is_refuted() {
    let shape = GameShape { start: Start::Chess960, max_plies: 150, by_kind_percent: 50 };
    check_random_games(3, shape, 40);
}

/// The preferences of a player in [`promoting_game`], as weights; a quiet move weighs ten.
struct MovePreferences {
    promotion: usize,
    pawn_move: usize,
    pawn_takes: usize,
    piece_takes: usize,
    /// How many pieces may be gone before captures are no longer played.
    most_gone: usize,
}

/// Plays a game with few captures and many promotions, and returns its positions.
fn promoting_game(
    rng: &mut SplitMix64,
    preferences: &MovePreferences,
    plies: usize,
) -> Vec<Position> {
    let mut positions = vec![Position::start()];
    for _ in 0..plies {
        let position = positions[positions.len() - 1];
        let moves = position.legal_moves();
        let weights: Vec<usize> =
            moves.iter().map(|&mv| preference(&position, mv, preferences)).collect();
        let total: usize = weights.iter().sum();
        if total == 0 {
            break;
        }
        let mut draw = rng.below(total);
        let chosen = weights.iter().position(|&weight| {
            let is_chosen = draw < weight;
            draw = draw.saturating_sub(weight);
            is_chosen
        });
        let mv = moves[chosen.expect("the draw is below the sum")];
        positions.push(position.play_unchecked(mv));
    }
    positions
}

fn preference(position: &Position, mv: Move, preferences: &MovePreferences) -> usize {
    // Checks end games too soon.
    let next = position.play_unchecked(mv);
    if next.is_check() || !next.has_legal_move() {
        return usize::from(next.has_legal_move());
    }
    if next.occupied().count() < 32 - preferences.most_gone {
        return 0;
    }
    let is_pawn = mv.role() == Role::Pawn;
    let takes = position.is_capture(mv);
    match (mv.promotion(), is_pawn, takes) {
        (Some(Promotion::Bishop), ..) => 2 * preferences.promotion,
        (Some(_), ..) => preferences.promotion,
        (_, true, true) => preferences.pawn_takes,
        (_, true, false) => preferences.pawn_move,
        (_, false, true) => preferences.piece_takes,
        (_, false, false) => 10,
    }
}

#[test]
fn no_position_of_a_promoting_game_is_refuted() {
    let mut rng = SplitMix64::new(4);
    // Positions with many queens and rooks, and positions in which few pieces are missing.
    let (mut promoted, mut tight) = (0, 0);
    for most_gone in (3..=10).cycle().take(40) {
        let preferences = MovePreferences {
            promotion: 1000,
            pawn_move: 30,
            pawn_takes: 40,
            piece_takes: most_gone / 4,
            most_gone,
        };
        let game = promoting_game(&mut rng, &preferences, 300);
        for position in game.iter().step_by(3) {
            let case = Case::of(&position.to_setup()).expect("games have no obvious faults");
            check_not_refuted(&case, || position.to_fen());
            let queens = case.setup.pieces.role(Role::Queen) | case.setup.pieces.role(Role::Rook);
            promoted += usize::from(queens.count() > 6);
            tight += usize::from(case.missing(Color::White) + case.missing(Color::Black) < 8);
        }
    }
    assert!(promoted > 300 && tight > 1000, "{promoted} {tight}");
}
