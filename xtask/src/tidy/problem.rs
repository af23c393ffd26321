//! The problems that checks report.

use std::fmt;

/// A violation of a convention, and its location.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Problem {
    file: String,
    line: usize,
    what: String,
}

impl Problem {
    /// Returns a problem in a line, counted from 1.
    pub(super) fn new(file: &str, line: usize, what: impl Into<String>) -> Problem {
        Problem { file: file.to_owned(), line, what: what.into() }
    }

    /// Returns a problem of a whole file, shown at its first line.
    pub(super) fn of_file(file: &str, what: impl Into<String>) -> Problem {
        Problem::new(file, 1, what)
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

/// Compares the printed problems with the expected lines.
#[cfg(test)]
#[track_caller]
pub(super) fn expect(problems: &[Problem], expected: &[&str]) {
    let printed: Vec<String> = problems.iter().map(Problem::to_string).collect();
    assert_eq!(printed, expected);
}
