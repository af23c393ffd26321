//! Shows a text with carets under some of its columns.

use crate::limits::TEXT_COLUMNS;
use crate::terminal::printable;

/// Formats two lines: the text, and a caret under each of the columns, which count from 1. Of a
/// long text only the part around the first column is shown.
pub(super) fn point_at(text: &str, columns: &[usize], indent: usize) -> String {
    let room = TEXT_COLUMNS.saturating_sub(indent + 2 * CUT.len());
    let length = text.chars().count();
    let first = columns.iter().copied().min().unwrap_or(1);
    let start = if length <= room { 0 } else { first.saturating_sub(1 + room / 2) };
    let shown: String = text.chars().skip(start).take(room).collect();
    let before = if start > 0 { CUT } else { "" };
    let after = if start + room < length { CUT } else { "" };
    let margin = " ".repeat(indent);
    let caret = |index| if columns.contains(&(start + index + 1)) { '^' } else { ' ' };
    // An error may be just after the end.
    let carets: String = (0..=shown.chars().count()).map(caret).collect();
    let blank = " ".repeat(before.len());
    let line = format!("{margin}{before}{}{after}", printable(&shown));
    let carets = format!("{margin}{blank}{carets}");
    format!("{}\n{}\n", line.trim_end(), carets.trim_end())
}

/// Marks a part of the text that is not shown.
const CUT: &str = "...";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn carets_stand_under_their_columns() {
        assert_eq!(point_at("abc", &[1], 2), "  abc\n  ^\n");
        assert_eq!(point_at("abc", &[3, 2], 2), "  abc\n   ^^\n");
        assert_eq!(point_at("abc", &[4, 1], 2), "  abc\n  ^  ^\n");
        assert_eq!(point_at("ßb\x07d", &[3], 0), "ßb\u{fffd}d\n  ^\n");
        assert_eq!(point_at("", &[1], 0), "\n^\n");
    }

    #[test]
    fn a_long_text_is_cut_on_both_sides() {
        let text = format!("{}X{}", "a".repeat(100), "b".repeat(100));
        let shown = point_at(&text, &[101, 190], 4);
        let [line, carets] = shown.lines().collect::<Vec<_>>()[..] else {
            panic!("two lines, not {shown:?}");
        };
        assert_eq!(line.len(), TEXT_COLUMNS);
        assert!(line.starts_with("    ...a") && line.ends_with("b..."), "{line}");
        assert_eq!(line.find('X'), carets.find('^'));
        assert_eq!(carets.matches('^').count(), 1);
    }
}
