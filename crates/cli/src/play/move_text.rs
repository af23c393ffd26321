//! Parses moves as people type them.
//!
//! SAN and UCI are accepted as they are. Beyond that, only unambiguous spellings are accepted:
//! castling with zeros or in lower case, `nf3` (there is no n-file), `e8Q` as in FIDE C.11,
//! `e2-e4`, `e.p.` after a capture, and `Nd5` or `ed5` for `Nxd5` and `exd5`. A lower-case `b`
//! remains a file: a player who types `bxc4` must not get a bishop move because the pawn move is
//! illegal.

use std::fmt;

use castellan_rules::san::SanMove;
use castellan_rules::{IllegalMoveReason, Move, Position, ResolveSanError, Role, San, UciMove};

/// Why a text is not a legal move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum MoveTextError {
    /// The text is not a move at all.
    NotAMove,
    /// The squares are given, but the move between them is illegal.
    Illegal(IllegalMoveReason),
    /// The text is valid SAN, but does not resolve to a legal move here.
    Unresolved(ResolveSanError),
}

impl fmt::Display for MoveTextError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MoveTextError::NotAMove => {
                f.write_str("this is neither a move nor a command; type help for a list")
            }
            MoveTextError::Illegal(reason) => reason.fmt(f),
            MoveTextError::Unresolved(error) => error.fmt(f),
        }
    }
}

/// Finds the legal move that the text describes.
pub(super) fn find_move(position: &Position, text: &str) -> Result<Move, MoveTextError> {
    let text = text.trim();
    let squares = text.replacen('-', "", 1).to_ascii_lowercase();
    if let Ok(mv) = UciMove::parse(&squares) {
        return mv.resolve(position).map_err(MoveTextError::Illegal);
    }
    let san = San::parse(&standard(text)).map_err(|_| MoveTextError::NotAMove)?;
    match san.resolve(position) {
        Err(ResolveSanError::IsACapture(_)) if names_piece(&san) => {
            san.candidates(position).first().copied().ok_or(MoveTextError::NotAMove)
        }
        found => found.map_err(MoveTextError::Unresolved),
    }
}

/// Returns whether the text says which piece moves even without the `x`: `d5` alone means a step,
/// not a capture.
fn names_piece(san: &San) -> bool {
    matches!(san.mv, SanMove::Normal { role, file, .. } if role != Role::Pawn || file.is_some())
}

/// Converts the typed text to standard SAN.
fn standard(text: &str) -> String {
    let text = text.strip_suffix("e.p.").map_or(text, str::trim_end);
    let body = text.trim_end_matches(['+', '#']);
    match body.replace(['0', 'o'], "O").as_str() {
        "O-O" => return "O-O".into(),
        "O-O-O" => return "O-O-O".into(),
        _ => {}
    }
    let mut letters: Vec<char> = body.chars().collect();
    if let Some(first @ ('k' | 'q' | 'r' | 'n')) = letters.first_mut() {
        *first = first.to_ascii_uppercase();
    }
    if let [.., before, last @ ('q' | 'r' | 'b' | 'n' | 'Q' | 'R' | 'B' | 'N')] = &mut letters[..] {
        *last = last.to_ascii_uppercase();
        if matches!(before, '1' | '8') {
            letters.insert(letters.len() - 1, '=');
        }
    }
    // In the long form of a piece move, as in Ng1-f3, a dash follows the first square.
    let dash = letters.iter().position(|&letter| letter == '-');
    if let Some(dash) = dash.filter(|&dash| dash > 0 && letters[dash - 1].is_ascii_digit()) {
        letters.remove(dash);
    }
    letters.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use castellan_rules::{CastlingSpelling, Square};

    use super::*;

    /// White can castle both ways, promote on a8 and b8, take d5 with pawn or knight and take en
    /// passant on h6.
    const MANY_OPTIONS: &str = "1n2k3/P7/8/3p2Pp/4P3/2N5/8/R3K2R w KQ h6 0 9";

    #[track_caller]
    fn check(fen: &str, text: &str, expected: &str) {
        let position = Position::from_fen(fen).unwrap();
        let mv = find_move(&position, text)
            .map(|mv| UciMove::from_move(mv, CastlingSpelling::KingTwoSquares).to_string());
        assert_eq!(mv.as_deref().map_err(ToString::to_string), Ok(expected), "{text}");
    }

    #[track_caller]
    fn refuse(fen: &str, text: &str, expected: &str) {
        let position = Position::from_fen(fen).unwrap();
        assert_eq!(find_move(&position, text).unwrap_err().to_string(), expected, "{text}");
    }

    #[test]
    fn castling_in_every_spelling() {
        for text in ["O-O", "0-0", "o-o", "e1g1", "e1h1", "E1G1", "e1-g1", "O-O+"] {
            check(MANY_OPTIONS, text, "e1g1");
        }
        for text in ["O-O-O", "0-0-0", "o-o-o", "e1c1", "e1a1"] {
            check(MANY_OPTIONS, text, "e1c1");
        }
    }

    #[test]
    fn promotion_in_every_spelling() {
        for text in ["a8=Q", "a8Q", "a8q", "a8=q", "a7a8q", "a7-a8=Q", "a7a8Q"] {
            check(MANY_OPTIONS, text, "a7a8q");
        }
        for text in ["axb8=N+", "axb8N", "ab8n", "a7b8n"] {
            check(MANY_OPTIONS, text, "a7b8n");
        }
        let missing = "the pawn must promote to a queen, rook, bishop or knight";
        refuse(MANY_OPTIONS, "a8", missing);
        refuse(MANY_OPTIONS, "a7a8", missing);
    }

    #[test]
    fn lower_case_pieces_and_captures_without_x_are_accepted() {
        check(MANY_OPTIONS, "nd1", "c3d1");
        check(MANY_OPTIONS, "Nc3-d1", "c3d1");
        check(MANY_OPTIONS, "nxd5", "c3d5");
        check(MANY_OPTIONS, "Nd5", "c3d5");
        check(MANY_OPTIONS, "ed5", "e4d5");
        check(MANY_OPTIONS, "gxh6 e.p.", "g5h6");
        check(MANY_OPTIONS, "rxh5", "h1h5");
    }

    #[test]
    fn a_pawn_step_is_not_a_capture_and_a_lower_case_b_is_not_a_bishop() {
        refuse(MANY_OPTIONS, "d5", "the move captures on d5, so write it with an x");
        let bishop = "4k3/8/8/8/2p5/8/B7/4K3 w - -";
        refuse(bishop, "bxc4", "no pawn can move to c4");
        check(bishop, "Bxc4", "a2c4");
    }

    #[test]
    fn an_illegal_move_is_refused_with_the_reason() {
        let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";
        refuse(start, "e2e5", "a pawn cannot move from e2 to e5");
        refuse(start, "O-O", "castling kingside is blocked by a piece");
        refuse(start, "Nd4", "no knight can move to d4");
        refuse(start, "Nxf3", "there is nothing to capture on f3");
        refuse(start, "0000", "a null move is not allowed");
        for text in ["", "hello", "e9", "O-O-O-O", "-", "♘f3", "e4 e5", "=Q", "x", "e.p.", "q"] {
            refuse(start, text, "this is neither a move nor a command; type help for a list");
        }
    }

    #[test]
    fn an_ambiguous_move_is_refused() {
        let fen = "4k3/8/8/8/8/8/8/R3K2R w - -";
        let position = Position::from_fen(fen).unwrap();
        check(fen, "rab1", "a1b1");
        let rooks = Position::from_fen("4k3/8/8/8/8/R6R/8/4K3 w - -").unwrap();
        assert_eq!(
            find_move(&rooks, "Rd3"),
            Err(MoveTextError::Unresolved(ResolveSanError::Ambiguous(Square::A3, Square::H3)))
        );
        assert!(find_move(&position, "Rd1").is_ok());
    }
}
