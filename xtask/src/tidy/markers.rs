//! Checks that markers such as `TODO` name an issue, as in `TODO(#12)`.
//!
//! In Rust files only comments are checked. A marker in backticks is a mention and does not count.

use crate::tidy::problem::Problem;
use crate::tidy::tracked::TrackedFile;

const MARKERS: [&str; 3] = ["TODO", "FIXME", "XXX"];

/// Extensions of the files to check; data files may contain anything.
const EXTENSIONS: [&str; 14] = [
    "css", "html", "js", "md", "mjs", "py", "rs", "sh", "sql", "svelte", "toml", "ts", "yaml",
    "yml",
];

/// Checks every file that people write.
pub(super) fn check(files: &[TrackedFile]) -> Vec<Problem> {
    let written = files
        .iter()
        .filter(|file| file.has_extension(&EXTENSIONS) || file.path.starts_with(".ci/"));
    written.flat_map(check_file).collect()
}

fn check_file(file: &TrackedFile) -> Vec<Problem> {
    let comments = file.rust.as_ref().map(|source| source.comments.as_str());
    let Some(text) = comments.or(file.text.as_deref()) else {
        return Vec::new();
    };
    let problem = |(index, line)| {
        let marker = loose_marker(line)?;
        let what = format!("{marker} without an issue number, as in {marker}(#12)");
        Some(Problem::new(&file.path, index + 1, what))
    };
    text.lines().enumerate().filter_map(problem).collect()
}

/// Returns the first marker in a line that names no issue.
fn loose_marker(line: &str) -> Option<&'static str> {
    let spoken = line.split('`').step_by(2);
    let mut words = spoken.flat_map(|piece| {
        let is_word = |c: char| c == '_' || c.is_alphanumeric();
        let mut rest = piece;
        std::iter::from_fn(move || {
            rest = &rest[rest.find(is_word)?..];
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(length);
            rest = after;
            Some((word, after))
        })
    });
    words.find_map(|(word, after)| {
        let marker = MARKERS.into_iter().find(|&marker| marker == word)?;
        (!names_issue(after)).then_some(marker)
    })
}

/// Returns whether the text begins with `(#` digits `)`.
fn names_issue(text: &str) -> bool {
    let number = text.strip_prefix("(#").and_then(|rest| rest.split_once(')'));
    number.is_some_and(|(digits, _)| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::problem::expect;
    use crate::tidy::tracked::file;

    #[track_caller]
    fn check_text(path: &str, text: &str, expected: &[&str]) {
        expect(&check(&[file(path, text)]), expected);
    }

    #[test]
    fn loose_markers_are_problems() {
        let what = "a.rs:2: TODO without an issue number, as in TODO(#12)";
        check_text("a.rs", "x();\ny(); // TODO: more\n", &[what]);
        let what = "a.md:1: FIXME without an issue number, as in FIXME(#12)";
        check_text("a.md", "FIXME(soon)", &[what]);
        let what = "a.ts:1: XXX without an issue number, as in XXX(#12)";
        check_text("a.ts", "// XXX(#) look", &[what]);
        let what = ".ci/run:1: TODO without an issue number, as in TODO(#12)";
        check_text(".ci/run", "# TODO", &[what]);
    }

    #[test]
    fn markers_with_an_issue_are_fine() {
        check_text("a.rs", "// TODO(#12): more\n", &[]);
        let what = "a.rs:1: TODO without an issue number, as in TODO(#12)";
        check_text("a.rs", "// TODO(#12) and TODO\n", &[what]);
    }

    #[test]
    fn other_words_are_fine() {
        check_text("a.rs", "let s = \"TODO\"; // `TODO` TODOS my_TODO\n", &[]);
        check_text("a.pgn", "[Event \"XXX\"]", &[]);
    }
}
