//! Wraps text to a limited width.

use crate::limits::TEXT_COLUMNS;

/// Joins words with single spaces into lines of up to 80 columns. A longer word gets its own
/// line. There is no line break after the last line.
pub(crate) fn wrap<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    wrap_words(words, 0)
}

/// Wraps a text that starts after an indent already written, and indents its other lines equally.
pub(crate) fn wrap_indented(text: &str, indent: usize) -> String {
    wrap_words(text.split(' '), indent)
}

fn wrap_words<'a>(words: impl IntoIterator<Item = &'a str>, indent: usize) -> String {
    let mut text = String::new();
    let mut column = indent;
    for (index, word) in words.into_iter().enumerate() {
        let width = word.chars().count();
        if index > 0 {
            if column + 1 + width <= TEXT_COLUMNS {
                text.push(' ');
                column += 1;
            } else {
                text.push('\n');
                text.push_str(&" ".repeat(indent));
                column = indent;
            }
        }
        text.push_str(word);
        column += width;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_full_but_not_over() {
        let text = wrap(std::iter::repeat_n("Nf3", 41));
        let widths: Vec<usize> = text.lines().map(str::len).collect();
        assert_eq!(widths, [79, 79, 3]);
        assert_eq!(wrap(["a", &"b".repeat(78)]).lines().count(), 1);
        assert_eq!(wrap(["a", &"b".repeat(79)]).lines().count(), 2);
        assert_eq!(wrap([]), "");
    }

    #[test]
    fn lines_hang_under_the_first() {
        let text = wrap_indented(&["half-moves"; 8].join(" "), 10);
        let widths: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
        assert_eq!(widths, [65, 10 + 21]);
        assert!(text.contains("\n          half-moves"));
        assert_eq!(wrap_indented("", 4), "");
    }
}
