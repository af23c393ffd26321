//! The lexer: the tokens of a PGN text, as offsets into it.
//!
//! This module knows which token a byte can begin, where a word, tag or comment ends, and where
//! the next game begins. It keeps no state; the reader does that.

mod boundary;
mod classes;
mod comment;
mod tag;
mod word;

pub use boundary::game_starts;
pub(crate) use boundary::{
    BYTE_ORDER_MARK, begins_line, is_game_start, last_game_start, looks_like_tag, next_game_start,
};
pub(crate) use classes::{Class, class_of, digits_end, plain_move_end, word_end};
pub(crate) use comment::{bracket_end, comment_after, line_end};
pub(crate) use tag::{Spelling, tag_at};
pub(crate) use word::{Word, classify, glyph, glyphs_end};
