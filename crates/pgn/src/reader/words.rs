//! Reads words and numbers among the moves.

use std::ops::Range;

use super::{GameReader, Leave, PendingResult};
use crate::lexer::{BYTE_ORDER_MARK, Class, Word, class_of, classify, digits_end, word_end};
use crate::{Flow, GameResult, MAX_MOVE_BYTES, ProblemKind, Visitor};

/// An ellipsis in a single character.
const ELLIPSIS: &[u8] = "…".as_bytes();
/// Maximum number of digits of a move number.
const MAX_NUMBER_DIGITS: usize = 6;

impl GameReader<'_> {
    /// Reads a move number, a result, or castling with zeros.
    #[inline]
    pub(super) fn numeral(&mut self, visitor: &mut impl Visitor) -> Result<(), Leave> {
        let at = self.at;
        let mut end = at;
        let mut number = 0;
        while let Some(byte @ b'0'..=b'9') = self.source.get(end)
            && end - at < MAX_NUMBER_DIGITS
        {
            number = number * 10 + u32::from(byte - b'0');
            end += 1;
        }
        if self.source.get(end) != Some(&b'.') {
            return self.number_without_dot(visitor, number, end);
        }
        visitor.move_number(number, at);
        self.at = end + 1;
        // Nearly always exactly one space follows, and checking for it is faster than a loop.
        if self.source.get(self.at) == Some(&b' ') {
            self.at += 1;
        }
        Ok(())
    }

    #[cold]
    fn number_without_dot(
        &mut self,
        visitor: &mut impl Visitor,
        number: u32,
        end: usize,
    ) -> Result<(), Leave> {
        let at = self.at;
        let word_end = word_end(self.source, at);
        let rest = &self.source[end..word_end];
        let may_be_move = |byte: &u8| byte.is_ascii_alphabetic() || *byte >= 0x80;
        if rest.is_empty() {
            visitor.move_number(number, at);
        } else if rest.first().is_some_and(may_be_move)
            && !matches!(self.classify(word_end), Word::Result { .. })
        {
            visitor.move_number(number, at);
            self.tell(visitor, ProblemKind::Spelling, at..word_end);
        } else {
            return self.word(visitor);
        }
        self.at = end;
        Ok(())
    }

    fn classify(&self, end: usize) -> Word {
        classify(&self.source[self.at..end])
    }

    /// Reads a word that needs a closer look.
    #[cold]
    pub(super) fn word(&mut self, visitor: &mut impl Visitor) -> Result<(), Leave> {
        let at = self.at;
        let rest = &self.source[at..];
        if rest.starts_with(BYTE_ORDER_MARK) || rest.starts_with(ELLIPSIS) {
            self.at += ELLIPSIS.len();
            return Ok(());
        }
        let end = self.end_of_word();
        self.at = end;
        if end - at > MAX_MOVE_BYTES {
            self.tell(visitor, ProblemKind::OverLimit("move"), at..end);
            return Ok(());
        }
        match classify(&self.source[at..end]) {
            Word::Move { length, nag } => {
                return self.odd_move(visitor, at..at + length, end, nag);
            }
            Word::Result { result, is_standard } => {
                return self.result(visitor, result, at..end, is_standard);
            }
            Word::Sign(nag) => {
                self.tell(visitor, ProblemKind::Spelling, at..end);
                visitor.nag(nag, at);
            }
            Word::Filler => self.tell(visitor, ProblemKind::Spelling, at..end),
            Word::Unknown => self.tell(visitor, ProblemKind::UnknownToken, at..end),
        }
        Ok(())
    }

    /// Returns where the word ends, including the parentheses of `e8(Q)`.
    fn end_of_word(&self) -> usize {
        let end = match class_of(self.source[self.at]) {
            Class::Star => self.at + 1,
            _ => word_end(self.source, self.at),
        };
        let is_last_rank = matches!(self.source[end - 1], b'1' | b'8');
        match self.source.get(end..end + 3) {
            Some([b'(', b'Q' | b'R' | b'B' | b'N' | b'q' | b'r' | b'b' | b'n', b')'])
                if is_last_rank =>
            {
                end + 3
            }
            _ => end,
        }
    }

    /// Reads a move that is not in plain form, possibly with something attached to it up to
    /// `end`.
    fn odd_move(
        &mut self,
        visitor: &mut impl Visitor,
        mv: Range<usize>,
        end: usize,
        nag: Option<u8>,
    ) -> Result<(), Leave> {
        let after = mv.end;
        self.has_move = true;
        let flow = visitor.mv(&self.source[mv.clone()], mv.start);
        if flow != Flow::Continue {
            return self.leave_line(visitor, flow);
        }
        if after < end {
            self.tell(visitor, ProblemKind::Spelling, after..end);
        }
        if let Some(nag) = nag {
            visitor.nag(nag, after);
        }
        Ok(())
    }

    /// Reads a result, which ends the game unless what follows shows otherwise.
    fn result(
        &mut self,
        visitor: &mut impl Visitor,
        result: GameResult,
        range: Range<usize>,
        is_standard: bool,
    ) -> Result<(), Leave> {
        if !is_standard || self.depth > 0 || self.result.is_some() {
            self.tell(visitor, ProblemKind::Spelling, range.clone());
        }
        if self.depth > 0 {
            return Ok(());
        }
        if self.result.is_none() {
            let word = &self.source[range.clone()];
            let is_firm =
                word.iter().any(|byte| matches!(byte, b'-' | b'*' | b'/')) && !word.contains(&b':');
            self.result = Some(PendingResult { result, range, is_firm });
        }
        self.after_result(visitor)
    }

    /// Reads what may follow a result, such as comments. Moves belong to another game, unless
    /// their numbers show that this one continues.
    fn after_result(&mut self, visitor: &mut impl Visitor) -> Result<(), Leave> {
        while let Some(&byte) = self.source.get(self.at) {
            match class_of(byte) {
                Class::Space | Class::Dot => self.at += 1,
                Class::CommentStart => self.comment(visitor),
                Class::VariationEnd => self.end_variation(visitor),
                // An alternative to the last move that comes too late.
                Class::VariationStart => return Ok(()),
                Class::TagStart if self.begins_game_after_result() => return Err(Leave::Over),
                Class::Letter | Class::Digit | Class::Star | Class::Other => {
                    match self.after_result_word(visitor)? {
                        AfterResult::SameGame => return Ok(()),
                        AfterResult::Unclear => {}
                    }
                }
                _ => self.mark(visitor)?,
            }
        }
        Err(Leave::Over)
    }

    fn after_result_word(&mut self, visitor: &mut impl Visitor) -> Result<AfterResult, Leave> {
        let end = self.end_of_word();
        match self.classify(end) {
            Word::Result { .. } => {
                self.tell(visitor, ProblemKind::Spelling, self.at..end);
                self.at = end;
                return Ok(AfterResult::Unclear);
            }
            Word::Sign(_) | Word::Filler => {
                self.word(visitor)?;
                return Ok(AfterResult::Unclear);
            }
            Word::Move { .. } | Word::Unknown => {}
        }
        if self.has_firm_result() && !self.is_late_number() {
            return Err(Leave::Over);
        }
        if let Some(pending) = self.result.take() {
            self.tell(visitor, ProblemKind::Spelling, pending.range);
        }
        Ok(AfterResult::SameGame)
    }

    /// Returns `true` if the bracket at `at` belongs to the first tag of another game.
    fn begins_game_after_result(&self) -> bool {
        self.ends_at_tag() || (self.has_firm_result() && self.names_tag(self.at))
    }

    fn has_firm_result(&self) -> bool {
        self.result.as_ref().is_some_and(|pending| pending.is_firm)
    }

    /// Returns `true` if there is a move number at `at` other than that of a first move.
    fn is_late_number(&self) -> bool {
        let end = digits_end(self.source, self.at);
        let digits = &self.source[self.at..end];
        let is_number = self.source.get(end).is_none_or(|&byte| byte == b'.' || byte <= b' ');
        !digits.is_empty() && is_number && digits != b"1" && digits != b"0"
    }
}

/// What a word after a result says about the game.
enum AfterResult {
    /// The game continues.
    SameGame,
    /// It is not clear yet.
    Unclear,
}
