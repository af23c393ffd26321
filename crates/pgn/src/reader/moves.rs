//! Reads the moves of a game and what comes between them.

use super::{GameReader, Leave, go_on};
use crate::lexer::{
    Class, begins_line, bracket_end, class_of, comment_after, digits_end, glyph, glyphs_end,
    line_end, looks_like_tag, plain_move_end,
};
use crate::{Flow, MAX_COMMENT_BYTES, MAX_NESTING, ProblemKind, Visitor};

impl GameReader<'_> {
    /// Reads until the game is over, which is reported as an `Err`, here and in everything it
    /// calls.
    pub(super) fn moves(&mut self, visitor: &mut impl Visitor) -> Result<(), Leave> {
        loop {
            let Some(&byte) = self.source.get(self.at) else {
                return Err(Leave::Over);
            };
            match class_of(byte) {
                Class::Space | Class::Dot => self.at += 1,
                Class::Letter => match plain_move_end(self.source, self.at) {
                    Some(end) => self.plain_move(visitor, end)?,
                    None => self.word(visitor)?,
                },
                Class::Digit => self.numeral(visitor)?,
                Class::CommentStart => self.comment(visitor),
                Class::VariationStart => self.begin_variation(visitor)?,
                Class::VariationEnd => self.end_variation(visitor),
                Class::TagStart if self.ends_at_tag() => return Err(Leave::Over),
                Class::Star | Class::Other => self.word(visitor)?,
                _ => self.mark(visitor)?,
            }
        }
    }

    /// Reads a move that is followed by a blank.
    #[inline(always)]
    fn plain_move(&mut self, visitor: &mut impl Visitor, end: usize) -> Result<(), Leave> {
        let at = self.at;
        self.at = end + 1;
        self.has_move = true;
        match visitor.mv(&self.source[at..end], at) {
            Flow::Continue => Ok(()),
            flow => self.leave_line(visitor, flow),
        }
    }

    /// Handles a visitor that does not want to continue after a move.
    #[cold]
    pub(super) fn leave_line(
        &mut self,
        visitor: &mut impl Visitor,
        flow: Flow,
    ) -> Result<(), Leave> {
        if flow == Flow::Stop || self.depth == 0 {
            return go_on(flow);
        }
        if !self.skip_variation() {
            return Err(Leave::Over);
        }
        self.close_variation(visitor);
        Ok(())
    }

    /// Reads the rarer tokens: anything that is not a move, a number, a comment or a variation.
    pub(super) fn mark(&mut self, visitor: &mut impl Visitor) -> Result<(), Leave> {
        match class_of(self.source[self.at]) {
            Class::CommentEnd => {
                self.tell(visitor, ProblemKind::NestedComment, self.at..self.at + 1);
                self.at += 1;
            }
            Class::LineComment => self.line_comment(visitor),
            Class::Escape if begins_line(self.source, self.at) => self.escape_line(),
            Class::Nag => self.numbered_nag(visitor),
            Class::Glyph => self.glyph(visitor),
            Class::TagStart => {
                let end = bracket_end(self.source, self.at);
                self.tell(visitor, ProblemKind::UnknownToken, self.at..end);
                self.at = end;
            }
            _ => self.word(visitor)?,
        }
        Ok(())
    }

    /// Returns `true` if the bracket at `at` begins the next game. Among the moves, a line that
    /// begins with a tag does, even if the line before also begins with one.
    pub(super) fn ends_at_tag(&self) -> bool {
        begins_line(self.source, self.at) && looks_like_tag(self.source, self.at)
    }

    #[inline]
    pub(super) fn comment(&mut self, visitor: &mut impl Visitor) {
        let start = self.at + 1;
        let comment = comment_after(self.source, start);
        self.at = comment.end;
        if !comment.is_closed {
            self.tell(visitor, ProblemKind::UnfinishedComment, start - 1..comment.end);
        } else if comment.is_nested {
            self.tell(visitor, ProblemKind::NestedComment, start - 1..comment.end);
        }
        self.comment_text(visitor, start, comment.text_end);
    }

    fn line_comment(&mut self, visitor: &mut impl Visitor) {
        let start = self.at + 1;
        self.at = line_end(self.source, start);
        self.comment_text(visitor, start, self.at);
    }

    /// Reports a comment, shortened to the maximum length.
    #[inline]
    fn comment_text(&self, visitor: &mut impl Visitor, start: usize, mut end: usize) {
        if end - start > MAX_COMMENT_BYTES {
            self.tell(visitor, ProblemKind::OverLimit("comment"), start..end);
            end = start + MAX_COMMENT_BYTES;
        }
        visitor.comment(&self.source[start..end], start);
    }

    fn begin_variation(&mut self, visitor: &mut impl Visitor) -> Result<(), Leave> {
        let at = self.at;
        self.at += 1;
        if self.depth == 0 {
            self.opened_at = at;
        }
        if !self.has_move {
            self.tell(visitor, ProblemKind::VariationWithoutMove, at..at + 1);
            return self.pass_variation();
        }
        if self.depth == MAX_NESTING {
            self.tell(visitor, ProblemKind::OverLimit("nesting"), at..at + 1);
            return self.pass_variation();
        }
        match visitor.begin_variation(at) {
            Flow::Continue => {
                self.depth += 1;
                self.outer_has_move = self.outer_has_move << 1 | u128::from(self.has_move);
                self.has_move = false;
                Ok(())
            }
            Flow::Skip => self.pass_variation(),
            Flow::Stop => Err(Leave::Stop),
        }
    }

    /// Skips a variation that has not been reported.
    fn pass_variation(&mut self) -> Result<(), Leave> {
        if self.skip_variation() {
            return Ok(());
        }
        self.is_unfinished = true;
        Err(Leave::Over)
    }

    pub(super) fn end_variation(&mut self, visitor: &mut impl Visitor) {
        self.at += 1;
        if self.depth == 0 {
            self.tell(visitor, ProblemKind::StrayVariationEnd, self.at - 1..self.at);
        } else {
            self.close_variation(visitor);
        }
    }

    /// Returns to the enclosing line; `at` is just after the parenthesis.
    fn close_variation(&mut self, visitor: &mut impl Visitor) {
        self.depth -= 1;
        self.has_move = self.outer_has_move & 1 == 1;
        self.outer_has_move >>= 1;
        visitor.end_variation(self.at - 1);
    }

    fn numbered_nag(&mut self, visitor: &mut impl Visitor) {
        let at = self.at;
        self.at = digits_end(self.source, at + 1);
        let digits = std::str::from_utf8(&self.source[at + 1..self.at]);
        match digits.ok().and_then(|digits| digits.parse().ok()) {
            Some(nag) => visitor.nag(nag, at),
            None => self.tell(visitor, ProblemKind::UnknownToken, at..self.at),
        }
    }

    fn glyph(&mut self, visitor: &mut impl Visitor) {
        let at = self.at;
        self.at = glyphs_end(self.source, at);
        let (nag, is_known) = glyph(&self.source[at..self.at]);
        if !is_known {
            self.tell(visitor, ProblemKind::Spelling, at..self.at);
        }
        visitor.nag(nag, at);
    }
}
