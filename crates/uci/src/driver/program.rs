//! What is started.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// A program, its arguments and where it runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// A path, or a name to be looked for where the system looks for programs.
    pub path: PathBuf,
    /// The arguments.
    pub args: Vec<String>,
    /// The working folder; ours if there is none.
    pub folder: Option<PathBuf>,
}

/// Why a text is no command line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ParseProgramError {
    /// There is no word in it.
    #[error("there is no program")]
    Empty,
    /// A quotation mark without a second one.
    #[error("at byte {at}: the quotation is not closed")]
    Unclosed {
        /// Where it begins.
        at: usize,
    },
}

impl Program {
    /// A program without arguments, in our own folder.
    pub fn new(path: impl Into<PathBuf>) -> Program {
        Program { path: path.into(), args: Vec::new(), folder: None }
    }
}

/// Words between blanks; a word with blanks in it stands between quotation marks, single or
/// double, in which nothing else has a meaning.
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
        let mut words = words.into_iter();
        let path = words.next().ok_or(ParseProgramError::Empty)?;
        Ok(Program { path: path.into(), args: words.collect(), folder: None })
    }
}

/// The program and its arguments, for people.
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
    fn words_stand_between_blanks_or_in_quotation_marks() {
        check("a", Ok(&["a"]));
        check("  a  b\tc ", Ok(&["a", "b", "c"]));
        check("'a b' \"c 'd'\" e", Ok(&["a b", "c 'd'", "e"]));
        check("--net='ä ö'.x ''", Ok(&["--net=ä ö.x", ""]));
        check("C:\\x\\y.exe", Ok(&["C:\\x\\y.exe"]));
    }

    #[test]
    fn nothing_and_open_quotations_are_no_program() {
        check(" ", Err(ParseProgramError::Empty));
        check("a 'b", Err(ParseProgramError::Unclosed { at: 2 }));
    }
}
