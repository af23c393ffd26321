//! The part of a text around an error in it, with the place pointed at.

use crate::limits::EXCERPT_CHARS;
use crate::terminal::printable;

/// Two lines, each with a line end before it: the text, cut if it is long, and a caret under the
/// column, which counts from 1.
pub(super) fn point_at(text: &str, column: usize) -> String {
    let first = column.saturating_sub(1 + EXCERPT_CHARS);
    let shown: String = text.chars().skip(first).take(2 * EXCERPT_CHARS).collect();
    let has_more = text.chars().nth(first + 2 * EXCERPT_CHARS).is_some();
    let before = if first > 0 { "..." } else { "" };
    let after = if has_more { "..." } else { "" };
    let indent = " ".repeat(2 + before.len() + column.saturating_sub(1 + first));
    format!("\n  {before}{}{after}\n{indent}^", printable(&shown))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_the_column() {
        assert_eq!(point_at("abc", 1), "\n  abc\n  ^");
        assert_eq!(point_at("abc", 3), "\n  abc\n    ^");
        assert_eq!(point_at("abc", 4), "\n  abc\n     ^");
        assert_eq!(point_at("ßb\x07d", 3), "\n  ßb\u{fffd}d\n    ^");
        assert_eq!(point_at("", 1), "\n  \n  ^");
    }

    #[test]
    fn a_long_text_is_cut_on_both_sides() {
        let text = format!("{}X{}", "a".repeat(100), "b".repeat(100));
        let shown = point_at(&text, 101);
        let [_, line, caret] = shown.split('\n').collect::<Vec<_>>()[..] else {
            panic!("two lines, not {shown:?}");
        };
        assert_eq!(line.len(), 2 + 3 + 120 + 3);
        assert_eq!(line.find('X'), caret.find('^'));
    }
}
