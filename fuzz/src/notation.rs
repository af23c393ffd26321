//! The properties of SAN and UCI moves.

use castellan_rules::{CastlingSpelling, Move, Position, San, UciMove, san};

use crate::positions;

/// Checks SAN. The input is a line with a SAN move, optionally followed by a line with a
/// position. The move is parsed completely or refused at a byte, its text form parses back to the
/// same move, and the move found in the position is legal and is found again by its exact
/// notation.
pub fn san(data: &[u8]) {
    let (text, position) = split(data);
    match San::parse(&text) {
        Err(error) => assert!(text.is_char_boundary(error.at), "{text:?}: {error}"),
        Ok(san) => {
            let shown = san.to_string();
            assert_eq!(San::parse(&shown), Ok(san), "{text:?} is shown as {shown:?}");
            if let Some(position) = position {
                assert_san_is_found(&position, san);
            }
        }
    }
}

fn assert_san_is_found(position: &Position, san: San) {
    match san.resolve(position) {
        Ok(mv) => {
            assert!(san.candidates(position).contains(&mv), "{position:?} {san}");
            assert_legal(position, mv);
            let exact = san::write(position, mv);
            let again = San::parse(&exact).map(|exact| exact.resolve(position));
            assert_eq!(again, Ok(Ok(mv)), "{position:?} {san} is written {exact}");
        }
        Err(error) => assert!(!error.to_string().is_empty(), "{position:?} {san}"),
    }
}

/// Checks UCI moves. The input is a line with a UCI move, optionally followed by a line with a
/// position. The same holds as for SAN; in addition, each UCI move has only one text form.
pub fn uci_move(data: &[u8]) {
    let (text, position) = split(data);
    let Ok(spelled) = UciMove::parse(&text) else {
        return;
    };
    assert_eq!(spelled.to_string(), text);
    let Some(position) = position else { return };
    match spelled.resolve(&position) {
        Ok(mv) => {
            assert_legal(&position, mv);
            let exact = UciMove::from_move(mv, CastlingSpelling::KingTakesRook);
            assert_eq!(exact.resolve(&position), Ok(mv), "{position:?} {spelled}");
            let short = UciMove::from_move(mv, CastlingSpelling::KingTwoSquares);
            assert!([exact, short].contains(&spelled), "{position:?} {spelled} became {exact}");
        }
        Err(refusal) => assert!(!refusal.to_string().is_empty(), "{position:?} {spelled}"),
    }
}

fn split(data: &[u8]) -> (String, Option<Position>) {
    let (text, rest) = positions::split_line(data);
    let (start, _) = positions::split_line(rest);
    (String::from_utf8_lossy(text).into_owned(), positions::position(start))
}

fn assert_legal(position: &Position, mv: Move) {
    assert!(position.legal_moves().contains(&mv), "{position:?} {mv:?}");
    assert!(position.is_legal(mv), "{position:?} {mv:?}");
    assert!(
        positions::oracle(position).play_uci(&positions::spell(mv)).is_some(),
        "{position:?} {mv:?}"
    );
}
