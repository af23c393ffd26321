//! Moves as users type them, with the piece letters of their language.

use castellan_legality::Language;
use castellan_pgn::{Played, resolve};
use castellan_rules::{CastlingSpelling, Move, Position, Role, UciMove};
use serde::Deserialize;

use crate::error::{ApiError, ErrorCode};
use crate::language::parse_language;
use crate::position::parse_fen;
use crate::view::MoveView;

/// Maximum number of characters that are considered.
const MAX_MOVE_CHARS: usize = 24;

/// A move typed by the user.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct MoveText {
    fen: String,
    text: String,
    language: String,
}

pub(crate) fn read_move(request: &MoveText) -> Result<MoveView, ApiError> {
    let position = parse_fen(&request.fen)?;
    let language = parse_language(&request.language)?;
    let text: String = request.text.trim().chars().take(MAX_MOVE_CHARS).collect();
    let mv = find(&position, &text, language).ok_or_else(|| {
        ApiError::new(ErrorCode::BadMove, format!("{text} is not a legal move here"))
    })?;
    Ok(MoveView::new(&position, mv, CastlingSpelling::for_game(position.is_chess960())))
}

/// Finds the move: by its squares, with the letters of the language, or in English.
fn find(position: &Position, text: &str, language: Language) -> Option<Move> {
    let squares = text.replace(['-', ' '], "").to_ascii_lowercase();
    if let Ok(uci_move) = UciMove::parse(&squares)
        && let Ok(mv) = uci_move.resolve(position)
    {
        return Some(mv);
    }
    // A lowercase letter is a file rather than a piece, and an uppercase letter is read in the
    // user's language before English.
    let capitalized = capitalized(text);
    let spellings =
        [english(text, language), text.to_owned(), english(&capitalized, language), capitalized];
    spellings.iter().find_map(|text| lenient(position, text))
}

fn lenient(position: &Position, text: &str) -> Option<Move> {
    match resolve(position, text.as_bytes()).ok()?.played {
        Played::Move(mv) => Some(mv),
        Played::Null => None,
    }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// Replaces the piece letters of the language by the English ones.
fn english(text: &str, language: Language) -> String {
    let letter = |letter: char| {
        let role = Role::ALL.into_iter().find(|&role| language.letter(role) == letter);
        role.map_or(letter, Role::letter)
    };
    text.chars().map(letter).collect()
}
