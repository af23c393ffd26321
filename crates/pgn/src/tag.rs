//! Decoding of tag values and comments.

use std::borrow::Cow;

/// Decodes the value of a tag: unescapes `\"` and `\\`, and reads bytes that are not UTF-8 as
/// Latin-1.
///
/// ```
/// assert_eq!(castellan_pgn::tag_value(br#"the \"Immortal\""#), "the \"Immortal\"");
/// assert_eq!(castellan_pgn::tag_value(b"M\xfcnchen"), "München");
/// ```
pub fn tag_value(raw: &[u8]) -> Cow<'_, str> {
    let text = text(raw);
    if !text.contains('\\') {
        return text;
    }
    let mut value = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        // A backslash before any other character is literal, as in file paths.
        let escaped = (char == '\\').then(|| chars.next_if(|next| matches!(next, '"' | '\\')));
        value.push(escaped.flatten().unwrap_or(char));
    }
    Cow::Owned(value)
}

/// Decodes the text of a comment as UTF-8, or as Latin-1 if it is not valid UTF-8.
///
/// ```
/// assert_eq!(castellan_pgn::text("Zürich".as_bytes()), "Zürich");
/// assert_eq!(castellan_pgn::text(b"Z\xfcrich"), "Zürich");
/// ```
pub fn text(raw: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(raw) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(raw.iter().map(|&byte| char::from(byte)).collect()),
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use super::{tag_value, text};

    #[test]
    fn backslashes_are_undone_before_quotes_and_backslashes_only() {
        assert_eq!(tag_value(br#"a \"b\" \\ c\d \"#), r#"a "b" \ c\d \"#);
        assert_eq!(tag_value(br#"\\""#), r#"\""#);
    }

    #[test]
    fn unchanged_text_is_not_copied() {
        assert!(matches!(tag_value("Kasparov, Г.".as_bytes()), Cow::Borrowed(_)));
    }

    #[test]
    fn latin_1_is_read_where_utf_8_fails() {
        assert_eq!(text(b"\xa1Ol\xe9!"), "¡Olé!");
    }
}
