//! The property of moves.

use castellan_rules::{
    Bitboard, CastlingSpelling, Move, MoveKind, MoveList, Position, San, UciMove, attacks, san,
};

use crate::positions;

/// Maximum number of moves played per input.
const MAX_MOVES: usize = 120;
/// The oracle is slow, so it is consulted only every this many moves.
const ORACLE_EVERY: usize = 8;

/// Checks moves. The input is a line with a FEN or a Chess960 number, then one byte per move,
/// which is an index into the list of legal moves. At every step the list, the count, the hash
/// and the notations agree with each other, and at some steps the oracle agrees as well.
pub fn moves(data: &[u8]) {
    let (start, choices) = positions::split_line(data);
    let Some(mut position) = positions::position(start) else {
        return;
    };
    for (ply, &choice) in choices.iter().take(MAX_MOVES).enumerate() {
        let legal = assert_consistent(&position);
        let Some(&mv) = legal.get(usize::from(choice) % legal.len().max(1)) else {
            break;
        };
        assert_notations(&position, mv);
        let next = position.play(mv).unwrap_or_else(|_| panic!("{position:?} {mv:?} is listed"));
        let mut overwritten = Position::start();
        position.play_into_unchecked(mv, &mut overwritten);
        assert_eq!(
            positions::full_fen(&overwritten),
            positions::full_fen(&next),
            "{position:?} {mv:?}"
        );
        assert_eq!(overwritten.hash(), next.recomputed_hash(), "{position:?} {mv:?}");
        if ply % ORACLE_EVERY == 0 {
            assert_played_alike(&position, mv, &next);
        }
        position = next;
    }
    assert_consistent(&position);
    positions::assert_agreement(&position, &positions::oracle(&position));
}

/// Checks the properties of a position against other ways to compute them.
fn assert_consistent(position: &Position) -> MoveList {
    let legal = position.legal_moves();
    // The counter has an algorithm of its own where the processor has vectors.
    assert_eq!(legal.len(), position.count_legal_moves(), "{position:?}");
    let (mut noisy, mut quiet) = (MoveList::new(), MoveList::new());
    position.noisy_moves_into(&mut noisy);
    position.quiet_moves_into(&mut quiet);
    for mv in &legal {
        let is_noisy =
            position.piece_at(mv.to()).is_some_and(|piece| piece.color != position.turn())
                || mv.promotion().is_some()
                || mv.kind() == MoveKind::EnPassant;
        assert_eq!(noisy.contains(mv), is_noisy, "{position:?} {mv:?}");
        assert_eq!(quiet.contains(mv), !is_noisy, "{position:?} {mv:?}");
    }
    assert_eq!(noisy.len() + quiet.len(), legal.len(), "{position:?}");
    assert_eq!(position.checkers(), checkers_one_by_one(position), "{position:?}");
    assert_eq!(position.hash(), position.recomputed_hash(), "{position:?}");
    let again = position.to_setup().position();
    assert_eq!(again.as_ref(), Ok(position), "{position:?} is a setup that can be played");
    if let Some(passed) = position.null_move() {
        assert_eq!(passed.hash(), passed.recomputed_hash(), "{position:?} passed");
    }
    legal
}

/// Returns the enemy pieces that attack the king. The rules look outward from the king; this
/// function asks every piece what it attacks.
fn checkers_one_by_one(position: &Position) -> Bitboard {
    let king = position.king(position.turn());
    let enemies = position.color(!position.turn()).into_iter();
    let gives_check = |&square: &_| {
        let piece = position.piece_at(square).expect("a piece of a color stands here");
        attacks::of_piece(piece, square, position.occupied()).contains(king)
    };
    enemies.filter(gives_check).fold(Bitboard::EMPTY, Bitboard::with)
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
    let oracle = positions::oracle(position);
    positions::assert_agreement(position, &oracle);
    let played = oracle.play_uci(&positions::spell(mv));
    let played = played.unwrap_or_else(|| panic!("the oracle refuses {mv:?} in {position:?}"));
    positions::assert_agreement(next, &played);
}
