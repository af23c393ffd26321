//! Problems in a game, and where they are.

use std::fmt;

use castellan_rules::{IllegalMoveReason, ResolveSanError, Square};

/// How bad a problem is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// The text violates the standard but was understood; reported only to strict callers.
    Forgiven,
    /// The text was not understood. The game is broken there; everything before it is kept.
    Broken,
}

/// A problem found in a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Offset of the first byte concerned, in the bytes passed to the reader.
    pub at: usize,
    /// The text concerned, shortened, as UTF-8; invalid bytes become `?`.
    pub token: String,
    /// What is wrong.
    pub kind: ProblemKind,
}

impl Problem {
    /// Creates a problem about some bytes of the source, of which the first line is kept for
    /// display.
    pub(crate) fn new(at: usize, token: &[u8], kind: ProblemKind) -> Problem {
        const MAX_LETTERS: usize = 40;
        let line = token.split(|&byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
        let mut start = &line[..line.len().min(4 * MAX_LETTERS)];
        if let Err(error) = std::str::from_utf8(start)
            && error.error_len().is_none()
        {
            // The cut is in the middle of a character.
            start = &start[..error.valid_up_to()];
        }
        let printable = |letter| if letter == char::REPLACEMENT_CHARACTER { '?' } else { letter };
        let text = String::from_utf8_lossy(start);
        let token = text.chars().take(MAX_LETTERS).map(printable).collect();
        Problem { at, token, kind }
    }
}

/// The kind of a problem.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ProblemKind {
    // Forgiven.
    /// `0-0`, `o-o`: castling written with nonstandard letters.
    CastlingSpelling,
    /// `e8Q`, `e8(Q)`, `e8/Q`: a promotion without its equals sign.
    PromotionSpelling,
    /// `Ng1-f3`: a move that names both squares.
    LongAlgebraic,
    /// A move that specifies its origin more precisely than needed.
    OverSpecified,
    /// A capture without `x`, or an `x` without a capture.
    CaptureMark,
    /// A check mark that is missing or wrong. Only strict callers look for it.
    CheckMark,
    /// A figurine instead of a piece letter.
    Figurine,
    /// A null move.
    NullMove,
    /// A wrong move number.
    MoveNumber,
    /// Another deviation that was understood, such as a letter in the wrong case.
    Spelling,
    /// A comment inside a comment.
    NestedComment,
    /// A tag in nonstandard form that was understood.
    TagSpelling,
    /// The result at the end is missing.
    NoResult,
    /// The result at the end and the `Result` tag differ.
    ResultMismatch,
    /// The text is not UTF-8 and was read as Latin-1.
    Latin1,

    // Broken.
    /// The move is not legal.
    IllegalMove(ResolveSanError),
    /// The move names both squares and is not legal.
    Refused(IllegalMoveReason),
    /// Several moves match; these are the origins of two of them.
    Ambiguous(Square, Square),
    /// The token is neither a move nor anything else that belongs in a game.
    UnknownToken,
    /// The `FEN` tag is not a playable position; the text says why.
    BadFen(String),
    /// A tag is incomplete.
    UnfinishedTag,
    /// A comment is not closed.
    UnfinishedComment,
    /// A variation is not closed.
    UnfinishedVariation,
    /// A closing parenthesis without an open variation.
    StrayVariationEnd,
    /// A variation before the first move.
    VariationWithoutMove,
    /// Something exceeds a limit, which the text names.
    OverLimit(&'static str),
}

impl ProblemKind {
    /// Returns how severe the problem is.
    pub fn severity(&self) -> Severity {
        match self {
            ProblemKind::CastlingSpelling
            | ProblemKind::PromotionSpelling
            | ProblemKind::LongAlgebraic
            | ProblemKind::OverSpecified
            | ProblemKind::CaptureMark
            | ProblemKind::CheckMark
            | ProblemKind::Figurine
            | ProblemKind::NullMove
            | ProblemKind::MoveNumber
            | ProblemKind::Spelling
            | ProblemKind::NestedComment
            | ProblemKind::TagSpelling
            | ProblemKind::NoResult
            | ProblemKind::ResultMismatch
            | ProblemKind::Latin1 => Severity::Forgiven,
            _ => Severity::Broken,
        }
    }
}

impl fmt::Display for ProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProblemKind::CastlingSpelling => "castling is written O-O or O-O-O",
            ProblemKind::PromotionSpelling => "a promotion is written with an equals sign",
            ProblemKind::LongAlgebraic => "the move names both squares",
            ProblemKind::OverSpecified => "the move gives its origin more precisely than needed",
            ProblemKind::CaptureMark => "the capture mark is wrong or missing",
            ProblemKind::CheckMark => "the check mark is wrong or missing",
            ProblemKind::Figurine => "a figurine is used instead of a piece letter",
            ProblemKind::NullMove => "a null move",
            ProblemKind::MoveNumber => "the move number is wrong",
            ProblemKind::Spelling => "not the standard spelling",
            ProblemKind::NestedComment => "a comment inside a comment",
            ProblemKind::TagSpelling => "the tag is not in the standard format",
            ProblemKind::NoResult => "the result is missing",
            ProblemKind::ResultMismatch => "the result differs from the Result tag",
            ProblemKind::Latin1 => "the text is not UTF-8 and was read as Latin-1",
            ProblemKind::IllegalMove(why) => return write!(f, "illegal move: {why}"),
            ProblemKind::Refused(why) => return write!(f, "illegal move: {why}"),
            ProblemKind::Ambiguous(one, other) => {
                return write!(f, "ambiguous: the pieces on {one} and {other} can both go there");
            }
            ProblemKind::UnknownToken => "not a move or any other PGN token",
            ProblemKind::BadFen(why) => return write!(f, "bad FEN tag: {why}"),
            ProblemKind::UnfinishedTag => "the tag is incomplete",
            ProblemKind::UnfinishedComment => "the comment is not closed",
            ProblemKind::UnfinishedVariation => "the variation is not closed",
            ProblemKind::StrayVariationEnd => "a closing parenthesis without an open variation",
            ProblemKind::VariationWithoutMove => "a variation starts before the first move",
            ProblemKind::OverLimit(what) => return write!(f, "limit exceeded: {what}"),
        })
    }
}
