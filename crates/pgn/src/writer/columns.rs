//! Wraps words into lines of at most 80 columns.

use std::fmt;

const MAX_COLUMNS: usize = 80;

/// Fills lines with words. The last word is held back, because a closing bracket may attach to
/// it.
pub(super) struct Columns<'a, W> {
    out: &'a mut W,
    /// Number of columns used in the current line.
    column: usize,
    /// The word held back, with the brackets attached to it.
    pending: String,
    /// Whether the text held back consists only of opening brackets, to which the next word
    /// attaches.
    is_opening: bool,
}

impl<'a, W: fmt::Write> Columns<'a, W> {
    pub(super) fn new(out: &'a mut W) -> Columns<'a, W> {
        Columns { out, column: 0, pending: String::new(), is_opening: false }
    }

    /// Adds a separate word.
    pub(super) fn word(&mut self, word: &str) -> fmt::Result {
        if !self.is_opening {
            self.flush()?;
        }
        self.is_opening = false;
        self.pending.push_str(word);
        Ok(())
    }

    /// Adds a word that must stay on the same line as the one before it.
    pub(super) fn joined_word(&mut self, word: &str) -> fmt::Result {
        if !self.is_opening && !self.pending.is_empty() {
            self.pending.push(' ');
        }
        self.is_opening = false;
        self.pending.push_str(word);
        Ok(())
    }

    /// Adds a bracket that attaches to the next word.
    pub(super) fn open(&mut self, bracket: char) -> fmt::Result {
        if !self.is_opening {
            self.flush()?;
        }
        self.is_opening = true;
        self.pending.push(bracket);
        Ok(())
    }

    /// Adds a bracket that attaches to the previous word.
    pub(super) fn close(&mut self, bracket: char) {
        self.is_opening = false;
        self.pending.push(bracket);
    }

    /// Adds a comment up to the end of the line.
    pub(super) fn line_end_comment(&mut self, text: &str) -> fmt::Result {
        self.word(";")?;
        self.pending.push_str(text);
        self.end_line()
    }

    /// Adds an empty line, inside a comment.
    pub(super) fn empty_line(&mut self) -> fmt::Result {
        self.end_line()?;
        self.out.write_char('\n')
    }

    /// Returns `true` if the word held back is the name of a command whose value is still to
    /// come.
    pub(super) fn is_in_command(&self) -> bool {
        let command = self.pending.rfind("[%").map(|at| &self.pending[at..]);
        command.is_some_and(|command| !command.contains([' ', ']']))
    }

    /// Ends the current line if anything is on it.
    pub(super) fn end_line(&mut self) -> fmt::Result {
        self.flush()?;
        if self.column > 0 {
            self.out.write_char('\n')?;
        }
        self.column = 0;
        Ok(())
    }

    fn flush(&mut self) -> fmt::Result {
        if self.pending.is_empty() {
            return Ok(());
        }
        let width = self.pending.chars().count();
        if self.column > 0 && self.column + 1 + width > MAX_COLUMNS {
            self.out.write_char('\n')?;
            self.column = 0;
        } else if self.column > 0 {
            self.out.write_char(' ')?;
            self.column += 1;
        }
        self.out.write_str(&self.pending)?;
        self.column += width;
        self.pending.clear();
        Ok(())
    }
}
