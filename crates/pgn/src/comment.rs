//! The text of a comment, normalized so that it survives being wrapped at 80 columns.

use std::fmt;

use crate::MAX_COMMENT_BYTES;

/// A comment that can be written and read back unchanged.
///
/// Files break lines wherever they are full, so a line break means no more than a space: runs of
/// spaces and line breaks become one space, and those at both ends are removed. An empty line was
/// put there on purpose and stays, as `\n\n`, except before a `[` or a `%`, which could be
/// mistaken for a tag or an escape at the start of a line. A comment that contains a brace cannot
/// be enclosed in braces; it is written after a semicolon, on one line, and so has no empty
/// lines.
///
/// ```
/// use castellan_pgn::Comment;
/// let comment = Comment::new(" a novelty,\n  or  not?\n\nWho knows ").unwrap();
/// assert_eq!(comment.as_str(), "a novelty, or not?\n\nWho knows");
/// assert!(Comment::new(" \n").is_none());
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Comment(Box<str>);

impl Comment {
    /// Creates a comment from a text; `None` if the text is blank. Anything over
    /// [`MAX_COMMENT_BYTES`] is cut off.
    pub fn new(text: &str) -> Option<Comment> {
        let text = cut(text, MAX_COMMENT_BYTES);
        let has_brace = text.contains(['{', '}']);
        let mut plain = String::with_capacity(text.len());
        let mut rest = text;
        loop {
            let word = rest.trim_start_matches(is_blank);
            if word.is_empty() {
                break;
            }
            let gap = &rest[..rest.len() - word.len()];
            let length = word.find(is_blank).unwrap_or(word.len());
            if !plain.is_empty() {
                let is_paragraph =
                    !has_brace && is_empty_line(gap) && !word.starts_with(['[', '%']);
                plain.push_str(if is_paragraph { "\n\n" } else { " " });
            }
            plain.push_str(&word[..length]);
            rest = &word[length..];
        }
        (!plain.is_empty()).then(|| Comment(plain.into_boxed_str()))
    }

    /// Returns the text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Comment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns the beginning of a text, at most `limit` bytes of it.
pub(crate) fn cut(text: &str, limit: usize) -> &str {
    &text[..text.floor_char_boundary(limit)]
}

fn is_blank(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c')
}

/// Returns `true` if this whitespace contains an empty line, whatever the line endings.
fn is_empty_line(blanks: &str) -> bool {
    let count = |end| blanks.bytes().filter(|byte| *byte == end).count();
    count(b'\n').max(count(b'\r')) >= 2
}
