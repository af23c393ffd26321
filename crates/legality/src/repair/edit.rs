//! Text edits.

use crate::reading::Span;

/// A byte range of a text and its replacement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Edit {
    span: Span,
    with: String,
}

impl Edit {
    /// Creates an edit that replaces a range.
    pub(super) fn replace(span: Span, with: impl Into<String>) -> Edit {
        Edit { span, with: with.into() }
    }

    /// Creates an edit that inserts text at a byte offset.
    pub(super) fn insert(at: usize, with: impl Into<String>) -> Edit {
        Edit::replace(Span { start: at, end: at }, with)
    }

    /// Creates an edit that deletes a range.
    pub(super) fn delete(span: Span) -> Edit {
        Edit::replace(span, "")
    }
}

/// Applies edits, which must be in order and must not overlap.
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
