//! The error for a line that is not valid UCI, with its position.

use std::fmt;

/// The error for a line that cannot be parsed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("at byte {at}: expected {expected}")]
pub struct ParseUciError {
    /// The byte offset of the error, from 0; the length of the line if something is missing at
    /// its end.
    pub at: usize,
    /// What the parser expected there.
    pub expected: Expected,
}

/// What the parser expected at some position of a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Expected {
    /// A word that begins a command.
    Command,
    /// A word that begins a reply.
    Reply,
    /// `on` or `off`.
    OnOrOff,
    /// `startpos` or `fen`.
    Start,
    /// The fields of a FEN.
    Fen,
    /// Moves after the position.
    Moves,
    /// A move.
    Move,
    /// `name` followed by a name.
    Name,
    /// `name` or `author`.
    NameOrAuthor,
    /// `later`, a name, or a code.
    Registration,
    /// `checking`, `ok` or `error`.
    CheckState,
    /// `type` and one of the five option types.
    OptionKind,
    /// `true` or `false`.
    TrueOrFalse,
    /// A whole number.
    WholeNumber,
    /// A whole number that is not negative.
    Count,
    /// `cp` or `mate`.
    Score,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Expected::Command => "a command such as uci, position or go",
            Expected::Reply => "a reply such as uciok, info or bestmove",
            Expected::OnOrOff => "on or off",
            Expected::Start => "startpos or fen",
            Expected::Fen => "a FEN",
            Expected::Moves => "the word moves",
            Expected::Move => "a move such as e2e4",
            Expected::Name => "the word name followed by a name",
            Expected::NameOrAuthor => "name or author",
            Expected::Registration => "later, or a name and a code",
            Expected::CheckState => "checking, ok or error",
            Expected::OptionKind => "type followed by check, spin, combo, button or string",
            Expected::TrueOrFalse => "true or false",
            Expected::WholeNumber => "a whole number",
            Expected::Count => "a whole number that is not negative",
            Expected::Score => "cp or mate",
        })
    }
}
