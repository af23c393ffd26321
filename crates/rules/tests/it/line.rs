//! Lines of moves: repetitions, counters, claims and undo.

use std::collections::HashMap;

use castellan_rules::{Claims, Line, LineError, MAX_PLIES, Move, MoveKind, Position, Role, Square};
use castellan_testkit::oracle::Oracle;
use castellan_testkit::random::SplitMix64;

use crate::support::{fen, spell, uci};

/// Creates a line from a FEN and UCI moves.
#[track_caller]
pub(crate) fn line(start: &str, moves: &str) -> Line {
    let mut line = Line::new(fen(start));
    play(&mut line, moves);
    line
}

#[track_caller]
pub(crate) fn play(line: &mut Line, moves: &str) {
    for text in moves.split_whitespace() {
        let mv = uci(line.position(), text);
        line.play(mv).unwrap_or_else(|error| panic!("{text}: {error}"));
    }
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
const KNIGHTS: &str = "g1f3 g8f6 f3g1 f6g8 ";

/// FIDE 9.2.3: the same player to move, the same pieces on the same squares, the same moves.
#[test]
fn occurrences_are_counted() {
    let mut line = line(START, "");
    assert_eq!(line.repetitions(), 1);
    for times in 2..=7 {
        play(&mut line, "g1f3");
        assert_eq!(line.repetitions(), times - 1, "the knights have been out so often");
        play(&mut line, "g8f6 f3g1 f6g8");
        assert_eq!(line.repetitions(), times);
    }
}

#[test]
fn the_same_pieces_with_the_other_player_to_move_are_another_position() {
    // The king loses a tempo on the way, so that the position recurs with Black to move.
    let mut line = line("7k/8/8/8/8/8/8/K7 w - -", "a1b1 h8g8 b1b2 g8h8 b2a1");
    assert_eq!(line.position().occupied(), line.start().occupied());
    assert_eq!(line.repetitions(), 1);
    play(&mut line, "h8g8 a1b2 g8h8 b2a1");
    assert_eq!(line.repetitions(), 2);
}

/// FIDE 9.2.3.1: a possible en passant capture makes a different position.
#[test]
fn a_legal_en_passant_capture_makes_a_difference() {
    let round = "e8d8 e1d1 d8e8 d1e1 ";
    let mut line = line("4k3/8/8/8/3p4/8/4P3/4K3 w - -", "e2e4");
    assert!(line.position().en_passant().is_some());
    for times in 1..=3 {
        play(&mut line, round);
        assert_eq!(line.repetitions(), times, "without the chance to capture");
    }
}

#[test]
fn an_en_passant_capture_that_a_pin_forbids_makes_none() {
    let mut line = line("3k4/8/8/8/3p4/8/4P3/3RK3 w - -", "e2e4");
    assert_eq!(line.position().en_passant(), None);
    assert!(line.position().passed_square().is_some());
    for times in 2..=3 {
        play(&mut line, "d8c8 e1f1 c8d8 f1e1");
        assert_eq!(line.repetitions(), times);
    }
}

/// FIDE 9.2.3.2: a king or rook that has moved makes a different position, though nothing is
/// captured.
#[test]
fn lost_castling_rights_make_a_difference() {
    let round = "h1g1 h8g8 g1h1 g8h8";
    let mut with_rights = line("r3k2r/8/8/8/8/8/8/R3K2R w KQkq -", "");
    let mut without = line("r3k2r/8/8/8/8/8/8/R3K2R w Qq -", "");
    for times in 1..=4 {
        play(&mut with_rights, round);
        play(&mut without, round);
        assert_eq!(with_rights.repetitions(), times);
        assert_eq!(without.repetitions(), times + 1);
    }
}

#[test]
fn a_pawn_move_or_a_capture_starts_anew() {
    let mut line = line(START, &KNIGHTS.repeat(2));
    assert_eq!(line.repetitions(), 3);
    play(&mut line, "e2e4 e7e5");
    assert_eq!(line.repetitions(), 1);
    play(&mut line, KNIGHTS);
    assert_eq!(line.repetitions(), 2);
    play(&mut line, "g1f3 g8f6 f3e5 f6e4 e5f3 e4f6 f3g1 f6g8");
    assert_eq!(line.repetitions(), 1, "both pawns are gone");
}

/// The clock of a FEN counts moves that are not part of the line.
#[test]
fn a_clock_from_before_the_line_is_no_history() {
    for clock in [1, 2, 3, 4, 5, 50, 149] {
        let mut line = line(&format!("7k/8/8/8/8/8/8/K7 w - - {clock} 200"), "");
        assert_eq!(line.repetitions(), 1);
        for times in 2..=4 {
            play(&mut line, "a1b1 h8g8 b1a1 g8h8");
            assert_eq!(line.repetitions(), times, "clock {clock}");
        }
    }
}

/// FIDE 9.2: threefold repetition is claimed on the board or by announcing the move.
#[test]
fn threefold_repetition_can_be_claimed() {
    let mut line = line(START, &format!("{KNIGHTS}g1f3 g8f6 f3g1"));
    assert_eq!(line.claims(), Claims::default());
    let home = uci(line.position(), "f6g8");
    assert!(line.claims_after(home).threefold_repetition, "the start for the third time");
    let elsewhere = uci(line.position(), "f6d5");
    assert_eq!(line.claims_after(elsewhere), Claims::default());
    line.play(home).expect("just found");
    assert_eq!(line.claims(), Claims { threefold_repetition: true, fifty_moves: false });
    assert!(line.claims().any());
    assert_eq!(line.outcome(), None, "no player has claimed it");
    play(&mut line, "e2e4");
    assert!(!line.claims().any(), "the claim is gone with the next move");
}

#[test]
fn announcing_a_move_does_not_play_it() {
    let line = line(START, &format!("{KNIGHTS}g1f3 g8f6 f3g1"));
    let before = line.clone();
    line.claims_after(uci(line.position(), "f6g8"));
    assert_eq!(line.moves(), before.moves());
    assert_eq!(line.position(), before.position());
}

#[test]
fn an_illegal_move_announces_nothing() {
    let line = line("7k/8/8/8/8/8/8/K7 w - - 120 200", "");
    assert!(line.claims().fifty_moves);
    let illegal = Move::new(Square::A1, Square::A3, Role::King, MoveKind::Normal);
    assert_eq!(line.claims_after(illegal), Claims::default());
}

/// FIDE 9.3: fifty moves by each player, without the movement of any pawn and any capture.
#[test]
fn fifty_moves_can_be_claimed() {
    let mut line = line("7k/8/8/8/8/6p1/P7/K6R b - - 98 100", "");
    assert!(!line.claims().fifty_moves);
    assert!(!line.claims_after(uci(line.position(), "h8g8")).fifty_moves);
    play(&mut line, "h8g8");
    assert_eq!(line.position().halfmove_clock(), 99);
    assert!(!line.claims().fifty_moves);
    assert!(line.claims_after(uci(line.position(), "h1h2")).fifty_moves);
    assert!(!line.claims_after(uci(line.position(), "a2a3")).fifty_moves, "a pawn moves");
    let mut quiet = line.clone();
    play(&mut quiet, "h1h4");
    assert_eq!(quiet.claims(), Claims { threefold_repetition: false, fifty_moves: true });
    assert_eq!(quiet.outcome(), None, "no player has claimed it");
    play(&mut quiet, "g8f7 h4h3 f7f6");
    assert!(quiet.claims().fifty_moves, "the claim stays while nothing happens");
    assert!(!quiet.claims_after(uci(quiet.position(), "h3g3")).fifty_moves, "a capture");
}

#[test]
fn taking_back_leads_to_where_it_came_from() {
    let mut line = line(START, &KNIGHTS.repeat(2));
    assert_eq!((line.repetitions(), line.moves().len(), line.positions().len()), (3, 8, 9));
    assert_eq!(line.undo().map(spell).as_deref(), Some("f6g8"));
    assert_eq!(line.repetitions(), 2);
    play(&mut line, "f6g8");
    assert_eq!(line.repetitions(), 3);
    while line.undo().is_some() {}
    assert_eq!(line.undo(), None);
    assert_eq!(line.position().to_fen(), START);
    assert_eq!((line.repetitions(), line.moves().len(), line.positions().len()), (1, 0, 1));
}

#[test]
fn a_refused_move_changes_nothing() {
    let mut line = line(START, "e2e4");
    let illegal = uci(&Position::start(), "d2d4");
    assert_eq!(line.play(illegal), Err(LineError::Illegal));
    assert_eq!(LineError::Illegal.to_string(), "the move is not legal here");
    assert_eq!((line.moves().len(), line.positions().len()), (1, 2));
    assert_eq!(line.turn(), line.position().turn());
}

#[test]
fn a_line_has_an_end() {
    let mut line = line(START, "");
    let round: Vec<Move> = {
        let mut round = Line::default();
        play(&mut round, KNIGHTS);
        round.moves().to_vec()
    };
    for &mv in round.iter().cycle().take(MAX_PLIES) {
        line.play(mv).expect("there is room, and a line goes on past its end");
    }
    assert_eq!(line.moves().len(), MAX_PLIES);
    assert_eq!(line.play(round[0]), Err(LineError::Full));
    assert_eq!(LineError::Full.to_string(), "the line has reached the maximum of 20000 plies");
    assert_eq!(line.repetitions(), 5_001);
    line.undo();
    assert_eq!(line.play(round[3]), Ok(()));
}

/// Endings in which random moves often repeat positions; the fourth keeps castling rights for a
/// while.
const REPETITIVE: [&str; 5] = [
    "7k/8/8/8/8/8/8/K7 w - - 0 1",
    "6rk/7p/8/8/8/8/P7/KR6 w - - 7 9",
    "rk6/p1p5/P1P5/8/8/p1p5/P1P5/RK6 b - - 0 30",
    "k6r/p6p/P6P/8/8/p6p/P6P/4K2R w K - 0 1",
    "k7/8/8/8/5p2/8/4P2P/6BK w - - 3 40",
];

/// Returns a random legal move, but two times in three the reverse of the player's last move.
fn homesick_move(rng: &mut SplitMix64, line: &Line) -> Option<Move> {
    let last = line.moves().iter().nth_back(1);
    let back = last.map(|mv| Move::new(mv.to(), mv.from(), mv.role(), MoveKind::Normal));
    match back.filter(|&back| line.position().is_legal(back)) {
        Some(back) if rng.chance(66) => Some(back),
        _ => rng.pick(&line.position().legal_moves()).copied(),
    }
}

/// Counts by comparing all earlier positions as the oracle describes them.
#[test]
fn repetitions_equal_the_naive_count() {
    let mut deepest = 0;
    for seed in 0..100 {
        let mut rng = SplitMix64::new(seed);
        let start = REPETITIVE[rng.below(REPETITIVE.len())];
        let mut line = line(start, "");
        let mut oracle = Oracle::from_fen(start).expect("a good FEN");
        let mut seen: HashMap<String, usize> = HashMap::new();
        for _ in 0..200 {
            let count = seen.entry(oracle.repetition_key()).or_default();
            *count += 1;
            assert_eq!(line.repetitions(), *count, "{start} {:?}", line.moves());
            assert_eq!(line.claims().threefold_repetition, *count >= 3);
            deepest = deepest.max(*count);
            let Some(mv) = homesick_move(&mut rng, &line) else {
                break;
            };
            let next = oracle.play_uci(&spell(mv)).expect("the oracle agrees");
            let before = seen.get(&next.repetition_key()).copied().unwrap_or(0);
            assert_eq!(line.claims_after(mv).threefold_repetition, before >= 2);
            let foreseen = line.outcome_after(mv);
            line.play(mv).expect("a listed move is legal");
            assert_eq!(foreseen, line.outcome());
            oracle = next;
        }
    }
    assert!(deepest >= 10, "the most a position recurs is {deepest}");
}
