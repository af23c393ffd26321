//! Positions parsed from the input, and comparisons of the rules with the oracle.

use castellan_rules::{CastlingSpelling, EnPassantField, FenStyle, Move, Position, UciMove};
use castellan_testkit::oracle::Oracle;

/// A FEN style that includes everything the rules know about a position.
const FULL: FenStyle = FenStyle {
    castling: castellan_rules::CastlingLetters::XFen,
    en_passant: EnPassantField::Always,
};

/// Returns the bytes up to the first line feed, and those after it.
pub(crate) fn split_line(data: &[u8]) -> (&[u8], &[u8]) {
    match data.iter().position(|&byte| byte == b'\n') {
        Some(end) => (&data[..end], &data[end + 1..]),
        None => (data, &[]),
    }
}

/// The rules stop counting at 65,535, but the oracle does not; inputs stay below that.
const HALFMOVE_CLOCK_LIMIT: u16 = 60_000;

/// Returns the position of a FEN or of a Chess960 number; the starting position if the text is
/// empty.
pub(crate) fn position(text: &[u8]) -> Option<Position> {
    let text = String::from_utf8_lossy(text);
    if text.is_empty() {
        return Some(Position::start());
    }
    let position = match text.parse::<u16>() {
        Ok(number) => Position::chess960(number % 960)?,
        Err(_) => Position::from_fen(&text).ok()?,
    };
    (position.halfmove_clock() < HALFMOVE_CLOCK_LIMIT).then_some(position)
}

/// Writes everything that the rules know about a position.
pub(crate) fn full_fen(position: &Position) -> String {
    position.to_fen_in(FULL)
}

/// Returns the same position for the oracle.
pub(crate) fn oracle(position: &Position) -> Oracle {
    let text = full_fen(position);
    Oracle::from_fen(&text).unwrap_or_else(|error| panic!("the oracle refuses {text}: {error}"))
}

/// Writes a move in the notation that means the same in every game.
pub(crate) fn spell(mv: Move) -> String {
    UciMove::from_move(mv, CastlingSpelling::KingTakesRook).to_string()
}

/// Checks that the oracle sees the same legal moves, the same check and the same FEN.
pub(crate) fn assert_agreement(position: &Position, oracle: &Oracle) {
    let mut ours: Vec<String> = position.legal_moves().iter().map(|&mv| spell(mv)).collect();
    ours.sort_unstable();
    assert_eq!(ours, oracle.legal_uci(), "{position:?}");
    assert_eq!(position.is_check(), oracle.is_check(), "{position:?}");
    assert_eq!(position.to_fen(), oracle.to_fen());
}
