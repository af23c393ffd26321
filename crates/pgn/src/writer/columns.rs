//! Words into lines of at most 80 columns.

use std::fmt;

const MAX_COLUMNS: usize = 80;

/// Fills lines with words. The last word waits, since a closing bracket may stick to it.
pub(super) struct Columns<'a, W> {
    out: &'a mut W,
    /// How many columns of the current line are full.
    column: usize,
    /// The word that waits, with the brackets that stick to it.
    pending: String,
    /// Whether the word that waits is only brackets, to which the next word sticks.
    is_opening: bool,
}

impl<'a, W: fmt::Write> Columns<'a, W> {
    pub(super) fn new(out: &'a mut W) -> Columns<'a, W> {
        Columns { out, column: 0, pending: String::new(), is_opening: false }
    }

    /// A word of its own.
    pub(super) fn word(&mut self, word: &str) -> fmt::Result {
        if !self.is_opening {
            self.flush()?;
        }
        self.is_opening = false;
        self.pending.push_str(word);
        Ok(())
    }

    /// A word that stays on the line of the one before.
    pub(super) fn joined_word(&mut self, word: &str) -> fmt::Result {
        if !self.is_opening && !self.pending.is_empty() {
            self.pending.push(' ');
        }
        self.is_opening = false;
        self.pending.push_str(word);
        Ok(())
    }

    /// A bracket that sticks to the next word.
    pub(super) fn open(&mut self, bracket: char) -> fmt::Result {
        if !self.is_opening {
            self.flush()?;
        }
        self.is_opening = true;
        self.pending.push(bracket);
        Ok(())
    }

    /// A bracket that sticks to the word before.
    pub(super) fn close(&mut self, bracket: char) {
        self.is_opening = false;
        self.pending.push(bracket);
    }

    /// A comment to the end of the line.
    pub(super) fn line_end_comment(&mut self, text: &str) -> fmt::Result {
        self.word(";")?;
        self.pending.push_str(text);
        self.end_line()
    }

    /// A line without anything, within a comment.
    pub(super) fn empty_line(&mut self) -> fmt::Result {
        self.end_line()?;
        self.out.write_char('\n')
    }

    /// Whether the word that waits is the name of a command, whose value is to follow.
    pub(super) fn is_in_command(&self) -> bool {
        let command = self.pending.rfind("[%").map(|at| &self.pending[at..]);
        command.is_some_and(|command| !command.contains([' ', ']']))
    }

    /// Ends the line, if there is anything on it.
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
