//! Why a request failed.

use serde::Serialize;

/// The error of a request: a code for the page and a text for developers.
#[derive(Debug, Serialize)]
pub(crate) struct ApiError {
    code: Code,
    text: String,
}

/// The code of an error.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(untagged)]
enum Code {
    Request(ErrorCode),
    /// The game refused an action.
    #[cfg(feature = "table")]
    Refusal(&'static str),
}

/// The reasons that are not refusals of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
// Each module of the page has a part of the requests, and so a part of the codes.
#[allow(dead_code)]
pub(crate) enum ErrorCode {
    BadBoard,
    BadEvent,
    BadFen,
    BadLanguage,
    BadLevel,
    BadLink,
    BadMaterial,
    BadMove,
    BadNumber,
    BadRecord,
    BadRequest,
    BadScores,
    BadSnapshot,
    BadSquare,
    IllegalMove,
    Internal,
    NoGame,
    NoNode,
    NoStudy,
    NotLocal,
    NotThere,
    NullMove,
    TooLong,
    TooManyGames,
    TooManyGlyphs,
    TooManyMarks,
    TooManyMoves,
    TooManyStudies,
    Unreadable,
}

impl ApiError {
    pub(crate) fn new(code: ErrorCode, text: impl ToString) -> ApiError {
        ApiError { code: Code::Request(code), text: text.to_string() }
    }
}

#[cfg(feature = "table")]
impl From<castellan_game::Refusal> for ApiError {
    fn from(refusal: castellan_game::Refusal) -> ApiError {
        ApiError { code: Code::Refusal(refusal.code()), text: refusal.to_string() }
    }
}
