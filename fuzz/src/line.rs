//! The property of lines: repetitions, claims and outcomes equal a naive count.

use std::collections::HashMap;

use castellan_rules::{EndReason, Line, Move, MoveKind};
use castellan_testkit::oracle::Oracle;

use crate::positions;

/// Maximum number of moves played per input.
const MAX_MOVES: usize = 120;
/// Bytes below this return the player's last moved piece to its square, if that is legal: this
/// property is about lines that repeat positions.
const RETURN_BELOW: u8 = 160;

/// Checks lines of moves. The input is a line with a FEN or a Chess960 number, then one byte per
/// move. Occurrences, claims and the outcome equal a naive count over the oracle's positions, and
/// undoing all moves leads back to the start.
pub fn line(data: &[u8]) {
    let (start, choices) = positions::split_line(data);
    let Some(start) = positions::position(start) else {
        return;
    };
    let mut line = Line::new(start);
    let mut oracle = positions::oracle(&start);
    let mut seen = HashMap::from([(oracle.repetition_key(), 1)]);
    assert_line(&line, &oracle, 1);
    for &choice in choices.iter().take(MAX_MOVES) {
        let Some(mv) = choose(&line, choice) else {
            break;
        };
        let next = oracle.play_uci(&positions::spell(mv));
        oracle = next.unwrap_or_else(|| panic!("the oracle refuses {mv:?} after {line:?}"));
        let count = seen.entry(oracle.repetition_key()).or_default();
        *count += 1;
        let (announced, foreseen) = (line.claims_after(mv), line.outcome_after(mv));
        line.play(mv).unwrap_or_else(|error| panic!("{error}: {mv:?} after {line:?}"));
        assert_eq!(announced, line.claims(), "{mv:?} was announced: {line:?}");
        assert_eq!(foreseen, line.outcome(), "{mv:?}: {line:?}");
        assert_line(&line, &oracle, *count);
    }
    while line.undo().is_some() {}
    assert_eq!(*line.position(), start);
    assert_eq!(line.repetitions(), 1);
}

fn choose(line: &Line, choice: u8) -> Option<Move> {
    let position = line.position();
    let last = line.moves().iter().nth_back(1);
    let back = last.map(|mv| Move::new(mv.to(), mv.from(), mv.role(), MoveKind::Normal));
    match back {
        Some(back) if choice < RETURN_BELOW && position.is_legal(back) => Some(back),
        _ => {
            let legal = position.legal_moves();
            legal.get(usize::from(choice) % legal.len().max(1)).copied()
        }
    }
}

fn assert_line(line: &Line, oracle: &Oracle, occurrences: usize) {
    let clock = oracle.halfmove_clock();
    assert_eq!(line.repetitions(), occurrences, "{line:?}");
    let claims = line.claims();
    assert_eq!(claims.threefold_repetition, occurrences >= 3, "{line:?}");
    assert_eq!(claims.fifty_moves, clock >= 100, "{line:?}");
    // FIDE 9.6.2: checkmate takes precedence over the move count; so does stalemate, a draw
    // either way.
    let expected = if oracle.is_checkmate() {
        Some(EndReason::Checkmate)
    } else if oracle.is_stalemate() {
        Some(EndReason::Stalemate)
    } else if occurrences >= 5 {
        Some(EndReason::FivefoldRepetition)
    } else {
        (clock >= 150).then_some(EndReason::SeventyFiveMoves)
    };
    let outcome = line.outcome();
    assert_eq!(outcome.map(|outcome| outcome.reason), expected, "{line:?}");
    let winner = outcome.and_then(|outcome| outcome.winner);
    let is_mate = expected == Some(EndReason::Checkmate);
    assert_eq!(winner, is_mate.then_some(!line.turn()), "{line:?}");
}
