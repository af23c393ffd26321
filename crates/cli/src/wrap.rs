//! Running text in lines of limited width.

use crate::limits::TEXT_COLUMNS;

/// Words with single spaces between them, in lines of up to 80 columns; a longer word has a line
/// to itself. There is no line end after the last line.
pub(crate) fn wrap<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let mut text = String::new();
    let mut column = 0;
    for word in words {
        let width = word.chars().count();
        if column > 0 {
            let fits = column + 1 + width <= TEXT_COLUMNS;
            text.push(if fits { ' ' } else { '\n' });
            column = if fits { column + 1 } else { 0 };
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
}
