use castellan_rules::{Piece, Pieces, San, Square};
use castellan_testkit::play::{GameShape, random_games};

use super::*;

/// Returns the solution that begins with a mistake in a position, all moves in SAN.
fn solution(fen: &str, moves: &str) -> Solution {
    let before = Position::from_fen(fen).unwrap();
    let mut position = before;
    let mut played = Vec::new();
    for text in moves.split(' ') {
        let mv = San::parse(text).unwrap().resolve(&position).unwrap();
        position = position.play_unchecked(mv);
        played.push(mv);
    }
    let mistake = played.remove(0);
    Solution { before, mistake, start: before.play_unchecked(mistake), moves: played }
}

#[track_caller]
fn check(fen: &str, moves: &str, expected: &[Theme]) {
    let solution = solution(fen, moves);
    assert_eq!(themes(&solution), expected);
    assert_eq!(themes(&mirrored(&solution)), expected, "with colors reversed");
}

#[test]
fn mates_are_named_by_their_length_and_their_picture() {
    use Theme::{BackRankMate, MateIn1, MateIn2, Sacrifice, SmotheredMate};
    check("6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1", "Ra3 Rd8#", &[MateIn1, BackRankMate]);
    // The king could go to h7, but a bishop guards that square: not a back-rank mate.
    check("6k1/5pp1/8/8/4B3/8/r4PPP/3R2K1 b - - 0 1", "Ra3 Rd8#", &[MateIn1]);
    check(
        "r1r3k1/6pp/7N/8/2Q5/8/6PP/6K1 b - - 0 1",
        "Kh8 Qg8+ Rxg8 Nf7#",
        &[MateIn2, SmotheredMate, Sacrifice],
    );
}

#[test]
fn a_fork_attacks_two_pieces_and_captures_one() {
    check("r3k3/7p/8/3N4/8/8/8/4K3 b - - 0 1", "h6 Nc7+ Kd7 Nxa8", &[Theme::Fork]);
    // The knight is lost at once, so the attack is no fork.
    check("r2bk3/7p/8/3N4/8/8/8/4K3 b - - 0 1", "h6 Nc7+", &[]);
}

#[test]
fn a_pin_keeps_a_piece_from_recapturing_or_wins_it() {
    use Theme::{HangingPiece, Pin, QuietMove};
    check("3qk3/4n3/8/8/8/5B2/8/4R1K1 b - - 0 1", "Qd5 Bxd5", &[Pin, HangingPiece]);
    check("4k3/4q2p/8/8/8/8/5K2/3R4 b - - 0 1", "h6 Re1 h5 Rxe7+", &[Pin, QuietMove]);
}

#[test]
fn a_skewer_wins_the_piece_behind() {
    check("3q4/7p/8/3k4/8/8/8/R5K1 b - - 0 1", "h6 Rd1+ Kc5 Rxd8", &[Theme::Skewer]);
    // Another piece is captured than the one behind the king.
    check("8/7p/8/3k3q/8/8/8/R4BK1 b - - 0 1", "h6 Rd1+ Kc5 Rd8", &[Theme::QuietMove]);
}

#[test]
fn a_discovery_opens_the_line_of_another_piece() {
    use Theme::{DiscoveredAttack, DiscoveredCheck, DoubleCheck, Sacrifice};
    check(
        "3q1k2/7p/8/8/8/3B4/8/3R2K1 b - - 0 1",
        "Kg8 Bxh7+ Kxh7 Rxd8",
        &[DiscoveredAttack, Sacrifice],
    );
    check("q3k3/7p/8/8/4N3/8/8/4R1K1 b - - 0 1", "h6 Nc5+", &[DiscoveredCheck]);
    check("q3k3/7p/8/8/4N3/8/8/4R1K1 b - - 0 1", "h6 Nd6+", &[DoubleCheck, DiscoveredCheck]);
}

#[test]
fn a_trapped_piece_has_no_safe_square() {
    use Theme::{QuietMove, TrappedPiece};
    let trap = "h6 Kb2 h5 Kxa2";
    check("4k3/7p/8/8/8/1P6/b1P5/2K5 b - - 0 1", trap, &[TrappedPiece, QuietMove]);
    // Without the pawns, the bishop could have left along the diagonal.
    check("4k3/7p/8/8/8/8/b7/2K5 b - - 0 1", trap, &[QuietMove]);
}

#[test]
fn defenders_are_deflected_or_removed() {
    use Theme::{Deflection, RemovedDefender, Sacrifice};
    let deflection = "Ra8 Qxc5 Qxc5 Rxa8+";
    let fen = "1r4k1/5ppp/8/2nq4/8/Q7/5PPP/R5K1 b - - 0 1";
    check(fen, deflection, &[Deflection, Sacrifice]);
    check("6k1/6p1/4bn2/6B1/8/8/8/3R2K1 b - - 0 1", "Bd5 Bxf6 gxf6 Rxd5", &[RemovedDefender]);
    // The rook defends the bishop, too.
    check("3r2k1/6p1/4bn2/6B1/8/8/8/3R2K1 b - - 0 1", "Bd5 Bxf6 gxf6 Rxd5", &[]);
}

#[test]
fn special_moves_are_named() {
    use Theme::{Castling, EnPassant, Promotion, QuietMove, Underpromotion};
    check("8/P6k/8/8/8/8/8/K7 b - - 0 1", "Kg7 a8=Q", &[Promotion]);
    check("8/P6k/8/8/8/8/8/K7 b - - 0 1", "Kg7 a8=N", &[Promotion, Underpromotion]);
    check("4k3/3p4/8/4P3/8/8/8/4K3 b - - 0 1", "d5 exd6", &[EnPassant]);
    check("4k3/7p/8/8/8/8/8/4K2R b K - 0 1", "h6 O-O", &[QuietMove, Castling]);
    // The rook gives check from its new square, so nothing is discovered.
    check("5k2/7p/8/8/8/8/8/4K2R b K - 0 1", "h6 O-O+", &[Castling]);
}

#[test]
fn names_are_distinct_and_themes_are_in_order() {
    let names: std::collections::BTreeSet<_> =
        Theme::ALL.iter().map(|theme| theme.name()).collect();
    assert_eq!(names.len(), Theme::ALL.len());
    assert!(Theme::ALL.is_sorted());
}

/// Returns the position with ranks and colors reversed.
fn mirrored_position(position: &Position) -> Position {
    let mut setup = position.to_setup();
    let mut pieces = Pieces::default();
    for (square, piece) in position.pieces().iter() {
        pieces.put(Piece { color: !piece.color, role: piece.role }, square.flip());
    }
    setup.pieces = pieces;
    setup.turn = !setup.turn;
    setup.castling_rooks = setup.castling_rooks.into_iter().map(Square::flip).collect();
    setup.en_passant = setup.en_passant.map(Square::flip);
    setup.position().unwrap()
}

fn mirrored(solution: &Solution) -> Solution {
    let flip = |mv: &Move| Move::new(mv.from().flip(), mv.to().flip(), mv.role(), mv.kind());
    let before = mirrored_position(&solution.before);
    let mistake = flip(&solution.mistake);
    Solution {
        before,
        mistake,
        start: before.play_unchecked(mistake),
        moves: solution.moves.iter().map(flip).collect(),
    }
}

#[test]
fn colors_do_not_matter_in_any_line_of_random_games() {
    let mut seen = std::collections::BTreeSet::new();
    for game in random_games(31, GameShape::default()).take(80) {
        let positions: Vec<Position> =
            game.positions().map(|old| Position::from_fen(&old.to_fen()).unwrap()).collect();
        for window in positions.windows(7).step_by(3) {
            let moves: Vec<Move> =
                window.windows(2).map(|pair| move_between(&pair[0], &pair[1])).collect();
            for length in [1, 3, 5] {
                let line = Solution {
                    before: window[0],
                    mistake: moves[0],
                    start: window[1],
                    moves: moves[1..=length].to_vec(),
                };
                let found = themes(&line);
                assert!(found.is_sorted(), "{found:?}");
                assert_eq!(found, themes(&mirrored(&line)), "{:?}", line.before.to_fen());
                seen.extend(found);
            }
        }
    }
    assert!(seen.len() > 12, "the games show too few themes: {seen:?}");
}

fn move_between(one: &Position, other: &Position) -> Move {
    let moves = one.legal_moves();
    moves.iter().copied().find(|mv| one.play_unchecked(*mv) == *other).unwrap()
}
