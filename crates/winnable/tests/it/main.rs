//! Which side can still win, compared with a slow reference implementation and with labeled
//! positions.

use std::collections::HashSet;

use castellan_rules::{Color, File, Move, Piece, Position, Rank, Role, Setup, Square};
use castellan_testkit::play::{GameShape, random_games};
use castellan_testkit::random::SplitMix64;
use castellan_testkit::scatter::scattered_positions;
use castellan_winnable::{Budget, CanWin, can_win, can_win_quickly, is_dead};

/// Returns how many random positions a test examines; an environment variable can ask for more.
fn position_count() -> usize {
    let asked = std::env::var("CASTELLAN_WINNING_POSITIONS").ok();
    asked.and_then(|number| number.parse().ok()).unwrap_or(300)
}

/// Replays the moves of a positive answer up to the mate.
#[track_caller]
fn replay(position: &Position, moves: &[Move], winner: Color) -> Vec<Position> {
    let mut line = vec![*position];
    for &mv in moves {
        let next = line[line.len() - 1].play(mv).expect("the moves are legal");
        line.push(next);
    }
    let last = line[line.len() - 1];
    assert!(last.is_checkmate() && last.turn() != winner, "{position:?} {winner}");
    line
}

/// Visits every position that can arise, up to a limit. Returns whether White and Black can mate
/// in any of them, as far as that is known.
fn slow_can_win(position: &Position, limit: usize) -> [Option<bool>; 2] {
    let mut seen = HashSet::from([*position]);
    let mut todo = vec![*position];
    let mut index = 0;
    let mut mates = [false; 2];
    while let Some(&here) = todo.get(index)
        && todo.len() <= limit
    {
        index += 1;
        if here.is_checkmate() {
            mates[(!here.turn()).index()] = true;
        }
        for &mv in &here.legal_moves() {
            let next = here.play(mv).expect("it is legal");
            if seen.insert(next) {
                todo.push(next);
            }
        }
    }
    let is_exhausted = index == todo.len();
    mates.map(|has_mate| (has_mate || is_exhausted).then_some(has_mate))
}

/// Compares all answers about one position. Returns how many answers both implementations know.
#[track_caller]
fn compare(position: &Position, limit: usize) -> usize {
    let slow = slow_can_win(position, limit);
    let known = Color::ALL.into_iter().zip(slow).filter(|&(winner, slow)| {
        let answer = can_win(position, winner, &mut Budget::of_nodes(3_000));
        if let CanWin::Yes(moves) = &answer {
            check_no_position_given_up(&replay(position, moves, winner), winner);
        }
        let fast = answer.answer();
        let quick = can_win_quickly(position, winner);
        for (one, other) in [(slow, fast), (slow, quick), (fast, quick)] {
            let agree = one.is_none() || other.is_none() || one == other;
            assert!(agree, "{position:?} {winner} {answer:?} {slow:?} {quick:?}");
        }
        slow.is_some() && fast.is_some()
    });
    known.count()
}

/// Checks that no position on the way to a mate is given up.
#[track_caller]
fn check_no_position_given_up(line: &[Position], winner: Color) {
    for position in line.iter().rev().take(24) {
        assert_ne!(can_win_quickly(position, winner), Some(false), "{position:?} {winner}");
        let answer = can_win(position, winner, &mut Budget::of_nodes(50));
        assert!(!matches!(answer, CanWin::No(_)), "{position:?} {winner} {answer:?}");
    }
}

fn put(setup: &mut Setup, rng: &mut SplitMix64, color: Color, role: Role) {
    let free: Vec<Square> = (!setup.pieces.occupied()).into_iter().collect();
    if let Some(&square) = rng.pick(&free) {
        setup.pieces.put(Piece { color, role }, square);
    }
}

/// Returns a position with a wall of pawns face to face from edge to edge, with gaps, and few
/// other pieces, so that little moves.
fn blocked_position(rng: &mut SplitMix64) -> Position {
    loop {
        let mut setup = Setup::empty();
        let mut low = 1 + rng.below(4);
        for file in File::ALL {
            low = if low == 1 || low < 4 && rng.chance(50) { low + 1 } else { low - 1 };
            let is_there = rng.chance(95);
            for (color, rank) in [(Color::White, low), (Color::Black, low + 1)] {
                if is_there && rng.chance(99) {
                    let square = Square::new(file, Rank::ALL[rank]);
                    setup.pieces.put(Piece { color, role: Role::Pawn }, square);
                }
            }
        }
        for color in Color::ALL {
            put(&mut setup, rng, color, Role::King);
            if rng.chance(25) {
                let roles = [Role::Bishop, Role::Bishop, Role::Knight, Role::Rook];
                let role = roles[rng.below(4)];
                put(&mut setup, rng, color, role);
            }
        }
        setup.turn = if rng.chance(50) { Color::White } else { Color::Black };
        if let Ok(position) = setup.position() {
            return position;
        }
    }
}

#[test]
fn the_slow_reference_agrees_in_blocked_positions() {
    let mut rng = SplitMix64::new(5);
    let mut compared = 0;
    for _ in 0..position_count() {
        let position = blocked_position(&mut rng);
        compared += compare(&position, 4_000);
    }
    assert!(compared * 6 > position_count(), "{compared}");
}

/// Kings shut in by pawns in a corner, with pieces around: stalemates, last moves and smothered
/// kings.
#[test]
fn the_slow_reference_agrees_in_narrow_corners() {
    let mut rng = SplitMix64::new(6);
    let mut compared = 0;
    for _ in 0..position_count() {
        let mut setup = Setup::empty();
        for color in Color::ALL {
            put(&mut setup, &mut rng, color, Role::King);
        }
        for _ in 0..8 + rng.below(7) {
            // Few files, so that all pieces are close together.
            let file = File::ALL[rng.below(3)];
            let square = Square::new(file, Rank::ALL[1 + rng.below(6)]);
            let color = if rng.chance(50) { Color::White } else { Color::Black };
            let role = if rng.chance(80) { Role::Pawn } else { Role::Bishop };
            if !setup.pieces.occupied().contains(square) {
                setup.pieces.put(Piece { color, role }, square);
            }
        }
        setup.turn = if rng.chance(50) { Color::White } else { Color::Black };
        let Ok(position) = setup.position() else { continue };
        compared += compare(&position, 4_000);
    }
    assert!(compared * 50 > position_count(), "{compared}");
}

#[test]
fn random_placements_are_judged_alike() {
    for oracle in scattered_positions(7).take(100) {
        let position = Position::from_fen(&oracle.to_fen()).expect("the oracle has checked it");
        compare(&position, 200);
    }
}

#[test]
fn a_game_that_goes_on_to_mate_was_never_dead() {
    let mut mates = 0;
    for game in random_games(8, GameShape::default()).take(100) {
        let positions: Vec<Position> = game
            .positions()
            .map(|oracle| Position::from_fen(&oracle.to_fen()).expect("it was played to"))
            .collect();
        let last = positions[positions.len() - 1];
        if !last.is_checkmate() {
            continue;
        }
        mates += 1;
        for position in &positions {
            assert_ne!(can_win_quickly(position, !last.turn()), Some(false), "{position:?}");
            assert_ne!(is_dead(position), Some(true), "{position:?}");
        }
    }
    assert!(mates > 3, "{mates}");
}

/// Returns each position of a file with whether White and Black can win.
fn labeled(text: &str) -> impl Iterator<Item = (Position, [bool; 2])> + '_ {
    text.lines().map(|line| {
        let (fen, verdict) = line.split_once(';').expect("a line has a verdict");
        let position = Position::from_fen(fen).expect("a line has a FEN");
        let can_win = |name| verdict == "both" || verdict == name;
        (position, [can_win("white"), can_win("black")])
    })
}

/// Checks each position of a file. Returns how many questions are left open.
#[track_caller]
fn check_file(text: &str, nodes: u64) -> usize {
    let mut open = 0;
    for (position, expected) in labeled(text) {
        for (winner, expected) in Color::ALL.into_iter().zip(expected) {
            match can_win(&position, winner, &mut Budget::of_nodes(nodes)) {
                CanWin::Yes(moves) => {
                    replay(&position, &moves, winner);
                    assert!(expected, "{position:?} {winner}");
                }
                CanWin::No(reason) => assert!(!expected, "{position:?} {winner} {reason:?}"),
                CanWin::Unknown(_) => open += 1,
            }
        }
    }
    open
}

#[test]
fn positions_of_games_are_all_decided() {
    assert_eq!(check_file(include_str!("../data/lichess.txt"), 100_000), 0);
}

#[test]
fn hard_positions_are_never_wrong_and_seldom_open() {
    let open = check_file(include_str!("../data/hard.txt"), 20_000);
    assert!(open <= 48, "{open} of 600 questions are open");
}

#[test]
fn the_quick_test_finds_all_that_cannot_be_won_in_games() {
    for (position, expected) in labeled(include_str!("../data/lichess.txt")) {
        for (winner, expected) in Color::ALL.into_iter().zip(expected) {
            let quick = can_win_quickly(&position, winner);
            assert!(quick == Some(false) || expected, "{position:?} {winner}");
            assert!(quick != Some(false) || !expected, "{position:?} {winner}");
        }
    }
}

#[track_caller]
fn check(fen: &str, expected: [bool; 2]) {
    let position = Position::from_fen(fen).expect("the FEN is sound");
    for (winner, expected) in Color::ALL.into_iter().zip(expected) {
        let answer = can_win(&position, winner, &mut Budget::of_nodes(500_000));
        assert_eq!(answer.answer(), Some(expected), "{fen} {winner} {answer:?}");
    }
}

#[test]
fn kings_that_cannot_pass_each_other_are_enough() {
    check("3k1b2/2p1pBp1/KpP1P1P1/1P3B2/4B1B1/5B2/8/8 w - - 3 57", [false, false]);
}

#[test]
fn is_dead_tries_slow_proofs_only_for_pawn_walls() {
    let wall = Position::from_fen("3k1b2/2p1pBp1/KpP1P1P1/1P3B2/4B1B1/5B2/8/8 w - - 3 57");
    let wall = wall.expect("the FEN is sound");
    assert_eq!(can_win_quickly(&wall, Color::White), None);
    assert_eq!(is_dead(&wall), Some(true));
    assert_eq!(is_dead(&Position::start()), None);
}

#[test]
fn a_mate_on_the_board_takes_precedence_over_material() {
    check("8/8/8/8/8/2b1k1b1/8/3RKR2 w - -", [false, true]);
}

#[test]
fn an_en_passant_capture_counts() {
    // The pawn that has just made a double step is the only piece that can be captured.
    check("8/8/8/8/kpP5/1p6/1P6/1K6 b - c3", [true, true]);
}
