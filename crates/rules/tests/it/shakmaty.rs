//! The rules agree with the crate `shakmaty` on the recorded games: legal moves, check, FEN and
//! the exact SAN of every legal move.

use castellan_rules::{Position, san};
use castellan_testkit::python_chess::games;
use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};

use crate::support::{fen, legal_uci, spell, uci};

fn agree(position: &Position, other: &Chess) {
    let fen = position.to_fen();
    assert_eq!(fen, Fen::from_position(other, EnPassantMode::Legal).to_string());
    let mut moves: Vec<String> = other.legal_moves().iter().map(|&mv| spell_other(mv)).collect();
    moves.sort_unstable();
    assert_eq!(legal_uci(position), moves, "{fen}");
    assert_eq!(position.is_check(), other.is_check(), "{fen}");
    assert_eq!(position.checkers().0, other.checkers().0, "{fen}");
    assert_eq!(position.is_checkmate(), other.is_checkmate(), "{fen}");
    assert_eq!(position.is_stalemate(), other.is_stalemate(), "{fen}");
}

fn agree_on_san(position: &Position, other: &Chess) {
    let mut ours: Vec<(String, String)> =
        position.legal_moves().iter().map(|&mv| (spell(mv), san::write(position, mv))).collect();
    let mut theirs: Vec<(String, String)> = other
        .legal_moves()
        .iter()
        .map(|&mv| (spell_other(mv), SanPlus::from_move(other.clone(), mv).to_string()))
        .collect();
    ours.sort_unstable();
    theirs.sort_unstable();
    assert_eq!(ours, theirs, "{position:?}");
}

fn spell_other(mv: shakmaty::Move) -> String {
    UciMove::from_move(mv, CastlingMode::Chess960).to_string()
}

fn chess(text: &str) -> Chess {
    let fen: Fen = text.parse().expect("the recorded games start from good FENs");
    fen.into_position(CastlingMode::Chess960).expect("and from playable positions")
}

/// Compares every second game, so that two tests run in parallel.
fn agree_in_share(share: usize) {
    let mut positions = 0;
    for game in games().skip(share).step_by(2) {
        let (mut position, mut other) = (fen(game.start_fen), chess(game.start_fen));
        agree(&position, &other);
        for text in &game.moves {
            position = position.play_unchecked(uci(&position, text));
            let spelled: UciMove = text.parse().expect("the recorded moves are in UCI");
            let mv = spelled.to_move(&other).expect("the recorded moves are legal");
            other.play_unchecked(mv);
            agree(&position, &other);
            agree_on_san(&position, &other);
            positions += 1;
        }
    }
    assert!(positions >= 50_000, "only {positions} positions");
}

#[test]
fn every_other_game() {
    agree_in_share(0);
}

#[test]
fn the_other_games() {
    agree_in_share(1);
}
