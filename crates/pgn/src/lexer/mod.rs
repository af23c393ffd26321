//! The parts of a PGN text, as places in it.
//!
//! Owns: what a byte can begin, where a word, a tag or a comment ends, where the next game
//! begins. Does not own: what has been read so far; that is the reader's.

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
