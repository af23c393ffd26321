//! The program that a driver starts.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use super::ProcessLimits;

/// A program, its arguments, its working directory and its limits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// A path, or a name to search for in the system's program path.
    pub path: PathBuf,
    /// The command line arguments.
    pub args: Vec<String>,
    /// The working directory; `None` for the current one.
    pub folder: Option<PathBuf>,
    /// The limits that the operating system enforces for the process.
    pub limits: ProcessLimits,
}

/// The error for a text that is not a command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseProgramError {
    /// The text contains no word.
    #[error("the command is empty")]
    Empty,
    /// A quotation mark is not closed.
    #[error("at byte {at}: the closing quotation mark is missing")]
    Unclosed {
        /// The byte offset of the quotation mark.
        at: usize,
    },
}

impl Program {
    /// Creates a program without arguments, run in the current directory.
    pub fn new(path: impl Into<PathBuf>) -> Program {
        let limits = ProcessLimits::default();
        Program { path: path.into(), args: Vec::new(), folder: None, limits }
    }
}

/// Parses words separated by whitespace. A word with spaces is enclosed in single or double
/// quotation marks, within which no other character is special.
///
/// ```
/// use castellan_uci::Program;
/// let program: Program = "'/opt/my engine' --net \"a b.nnue\"".parse()?;
/// assert_eq!(program.path.to_str(), Some("/opt/my engine"));
/// assert_eq!(program.args, ["--net", "a b.nnue"]);
/// # Ok::<(), castellan_uci::ParseProgramError>(())
/// ```
impl FromStr for Program {
    type Err = ParseProgramError;

    fn from_str(text: &str) -> Result<Program, ParseProgramError> {
        let mut words = parse_args(text)?.into_iter();
        let path = words.next().ok_or(ParseProgramError::Empty)?;
        Ok(Program { args: words.collect(), ..Program::new(path) })
    }
}

/// Parses the arguments of a program, written as on a command line. The text may be empty.
///
/// # Errors
///
/// If a quotation mark is not closed.
pub fn parse_args(text: &str) -> Result<Vec<String>, ParseProgramError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' | '\'' => {
                let quoted = text[at + 1..].split_once(letter);
                let (inner, _) = quoted.ok_or(ParseProgramError::Unclosed { at })?;
                word.get_or_insert_default().push_str(inner);
                letters.by_ref().take(inner.chars().count() + 1).for_each(drop);
            }
            _ if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    Ok(words)
}

/// Writes the program and its arguments for display; the result may not parse back.
impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        self.args.iter().try_for_each(|arg| write!(f, " {arg}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<&[&str], ParseProgramError>) {
        let words = text.parse::<Program>().map(|program| {
            let path = program.path.to_string_lossy().into_owned();
            [path].into_iter().chain(program.args).collect::<Vec<_>>()
        });
        let expected: Result<Vec<String>, _> =
            expected.map(|words| words.iter().map(|&word| word.to_owned()).collect());
        assert_eq!(words, expected, "{text:?}");
    }

    #[test]
    fn arguments_are_separated_by_whitespace_or_quoted() {
        check("a", Ok(&["a"]));
        check("  a  b\tc ", Ok(&["a", "b", "c"]));
        check("'a b' \"c 'd'\" e", Ok(&["a b", "c 'd'", "e"]));
        check("--net='ä ö'.x ''", Ok(&["--net=ä ö.x", ""]));
        check("C:\\x\\y.exe", Ok(&["C:\\x\\y.exe"]));
    }

    #[test]
    fn empty_text_and_unclosed_quotation_marks_are_refused() {
        check(" ", Err(ParseProgramError::Empty));
        check("a 'b", Err(ParseProgramError::Unclosed { at: 2 }));
    }
}
