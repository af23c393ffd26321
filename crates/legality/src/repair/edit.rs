//! Changes of a text.

use crate::reading::Span;

/// One part of a text and what is to stand there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Edit {
    span: Span,
    with: String,
}

impl Edit {
    /// Puts something in place of a part.
    pub(super) fn replace(span: Span, with: impl Into<String>) -> Edit {
        Edit { span, with: with.into() }
    }

    /// Puts something in at a byte.
    pub(super) fn insert(at: usize, with: impl Into<String>) -> Edit {
        Edit::replace(Span { start: at, end: at }, with)
    }

    /// Takes a part away.
    pub(super) fn delete(span: Span) -> Edit {
        Edit::replace(span, "")
    }
}

/// The text with some changes, which stand in order and do not overlap.
pub(super) fn applied(text: &str, edits: &[Edit]) -> String {
    let mut result = String::with_capacity(text.len() + 8);
    let mut at = 0;
    for edit in edits {
        result.push_str(Span { start: at, end: edit.span.start }.of(text));
        result.push_str(&edit.with);
        at = edit.span.end;
    }
    result.push_str(Span { start: at, end: text.len() }.of(text));
    result
}
