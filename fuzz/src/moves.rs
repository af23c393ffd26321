//! The property of moves.

use castellan_rules::{CastlingSpelling, Move, MoveList, Position, San, UciMove, san};

use crate::scene;

/// Maximum number of moves played per input.
const MAX_MOVES: usize = 120;
/// The oracle is slow, so it is consulted only every this many moves.
const ORACLE_EVERY: usize = 8;

/// Checks moves. The input is a line with a FEN or a Chess960 number, then one byte per move,
/// which is an index into the list of legal moves. At every step the list, the count, the hash
/// and the notations agree with each other, and at some steps the oracle agrees as well.
pub fn moves(data: &[u8]) {
    let (start, choices) = scene::split_line(data);
    let Some(mut position) = scene::position(start) else {
        return;
    };
    for (ply, &choice) in choices.iter().take(MAX_MOVES).enumerate() {
        let legal = assert_consistent(&position);
        let Some(&mv) = legal.get(usize::from(choice) % legal.len().max(1)) else {
            break;
        };
        assert_notations(&position, mv);
        let next = position.play(mv).unwrap_or_else(|_| panic!("{position:?} {mv:?} is listed"));
        assert_eq!(next.hash(), position.play_unchecked(mv).hash(), "{position:?} {mv:?}");
        if ply % ORACLE_EVERY == 0 {
            assert_played_alike(&position, mv, &next);
        }
        position = next;
    }
    assert_consistent(&position);
    scene::assert_agreement(&position, &scene::oracle(&position));
}

/// Checks that the stored properties of a position equal what can be computed from it.
fn assert_consistent(position: &Position) -> MoveList {
    let legal = position.legal_moves();
    assert_eq!(legal.len(), position.count_legal_moves(), "{position:?}");
    assert_eq!(position.has_legal_move(), !legal.is_empty(), "{position:?}");
    assert_eq!(position.is_check(), position.checkers().any(), "{position:?}");
    assert_eq!(position.hash(), position.recomputed_hash(), "{position:?}");
    let again = position.to_setup().position();
    assert_eq!(again.as_ref(), Ok(position), "{position:?} is a setup that can be played");
    if let Some(passed) = position.null_move() {
        assert_eq!(passed.hash(), passed.recomputed_hash(), "{position:?} passed");
    }
    legal
}

fn assert_notations(position: &Position, mv: Move) {
    let text = san::write(position, mv);
    let found = San::parse(&text).map(|san| san.resolve(position));
    assert_eq!(found, Ok(Ok(mv)), "{position:?} {text}");
    let spelled = UciMove::from_move(mv, CastlingSpelling::KingTakesRook);
    assert_eq!(UciMove::parse(&spelled.to_string()), Ok(spelled), "{position:?} {mv:?}");
    assert_eq!(spelled.resolve(position), Ok(mv), "{position:?} {mv:?}");
}

/// Checks that the oracle sees the same moves before the move and the same position after it.
fn assert_played_alike(position: &Position, mv: Move, next: &Position) {
    for &mv in &position.legal_moves() {
        assert!(position.is_legal(mv), "{position:?} {mv:?}");
    }
    let oracle = scene::oracle(position);
    scene::assert_agreement(position, &oracle);
    let played = oracle.play_uci(&scene::spell(mv));
    let played = played.unwrap_or_else(|| panic!("the oracle refuses {mv:?} in {position:?}"));
    scene::assert_agreement(next, &played);
}
