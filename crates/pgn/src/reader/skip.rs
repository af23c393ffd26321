//! Fast skipping.

use memchr::{memchr_iter, memchr3_iter};

use super::GameReader;
use super::null_visitor::NullVisitor;
use crate::lexer::{
    Class, begins_line, bracket_end, class_of, comment_after, is_game_start, line_end,
    looks_like_tag,
};

impl GameReader<'_> {
    /// Moves to the end of the game without reporting anything.
    pub(super) fn skip_rest(&mut self) {
        if !self.is_in_moves {
            // A visitor that always continues never makes the reader stop early.
            let _ = self.tags(&mut NullVisitor);
        }
        match self.plain_game_end() {
            Some(end) => self.at = end,
            None => {
                let _ = self.moves(&mut NullVisitor);
            }
        }
    }

    /// Returns where the game ends if that is easy to determine: at the next line that begins a
    /// game, with no result before it that could end the game earlier.
    fn plain_game_end(&self) -> Option<usize> {
        if let Some(b'[' | b'%' | 0xef) = self.source.get(self.at) {
            return None;
        }
        let mut end = self.source.len();
        for feed in memchr_iter(b'\n', &self.source[self.at..]) {
            let line = self.at + feed + 1;
            match self.source.get(line) {
                Some(b'[') if is_game_start(self.source, line) => {
                    end = line;
                    break;
                }
                Some(b'[') if looks_like_tag(self.source, line) => return None,
                // An escape line, possibly after a byte order mark.
                Some(b'%' | 0xef) => return None,
                _ => {}
            }
        }
        let last = self.trimmed(end).max(self.at);
        self.has_no_inner_result(last).then_some(end)
    }

    /// Returns `true` if nothing before `end` looks like a result, except for a final result.
    /// Every result that can be followed by a game without tags contains a dash, a slash or a
    /// star.
    fn has_no_inner_result(&self, end: usize) -> bool {
        let text = &self.source[self.at..end];
        let is_number = |byte: u8| byte.is_ascii_digit() || byte >= 0x80;
        memchr3_iter(b'-', b'*', b'/', text).all(|at| {
            let is_last = match text[at] {
                b'*' => at + 1 == text.len(),
                _ => text[at..].iter().all(|&byte| is_number(byte) || matches!(byte, b'-' | b'/')),
            };
            let before = at.checked_sub(1).map(|before| text[before]);
            is_last || (text[at] != b'*' && before.is_some_and(|byte| !is_number(byte)))
        })
    }

    /// Moves past the parenthesis that closes the variation containing `at`. Returns `false` if
    /// there is none.
    pub(super) fn skip_variation(&mut self) -> bool {
        let mut depth = 1_usize;
        while let Some(&byte) = self.source.get(self.at) {
            let next = self.at + 1;
            self.at = match class_of(byte) {
                Class::CommentStart => comment_after(self.source, next).end,
                Class::LineComment => line_end(self.source, next),
                Class::Escape if begins_line(self.source, self.at) => line_end(self.source, next),
                Class::TagStart if self.ends_at_tag() => return false,
                Class::TagStart => bracket_end(self.source, self.at),
                Class::VariationStart => {
                    depth += 1;
                    next
                }
                Class::VariationEnd => {
                    depth -= 1;
                    next
                }
                _ => next,
            };
            if depth == 0 {
                return true;
            }
        }
        false
    }
}
