//! The interface through which the reader reports what it reads.

use std::ops::Range;

use crate::{GameResult, Problem};

/// What the reader should do next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// Continue reading.
    Continue,
    /// Skip what has just begun: the rest of the game, of the line of moves, or of the variation.
    Skip,
    /// Stop reading.
    Stop,
}

/// Receives the parts of games in the order they are written. They are not interpreted: a move is
/// just a text.
///
/// ```text
/// begin_game, tag*, begin_moves,
///     (mv | nag | comment | begin_variation ... end_variation)*, result?, end_game
/// ```
///
/// By default every method does nothing and continues. All texts are slices of the source and not
/// copied. `at` is the offset of the first byte of the text in the source passed to the reader.
pub trait Visitor {
    /// Called at the beginning of a game. `Skip` skips the game.
    fn begin_game(&mut self, _at: usize) -> Flow {
        Flow::Continue
    }
    /// Called for a tag. The value is the raw text between the quotation marks, including
    /// backslashes; see [`tag_value`](crate::tag_value). The offset is that of the value. `Skip`
    /// skips the rest of the game.
    fn tag(&mut self, _name: &[u8], _value: &[u8], _at: usize) -> Flow {
        Flow::Continue
    }
    /// Called after the tags. `Skip` skips the moves.
    fn begin_moves(&mut self, _at: usize) -> Flow {
        Flow::Continue
    }
    /// Called for a move number, without its dots.
    fn move_number(&mut self, _number: u32, _at: usize) {}
    /// Called for a move in any notation: `Nf3`, `0-0`, `--`, `e2-e4`. Glyphs such as `!?` and
    /// anything else attached to the move are split off and reported through
    /// [`nag`](Visitor::nag). `Skip` skips the rest of this line of moves: of the variation, or
    /// of the game.
    fn mv(&mut self, _text: &[u8], _at: usize) -> Flow {
        Flow::Continue
    }
    /// Called for a numeric annotation glyph, `$1` or `!`.
    fn nag(&mut self, _nag: u8, _at: usize) {}
    /// Called for a comment, with the text inside the braces or after the semicolon.
    fn comment(&mut self, _text: &[u8], _at: usize) {}
    /// Called at the beginning of a variation, which is an alternative to the last move. `Skip`
    /// skips it with all its inner variations, and then `end_variation` is not called.
    fn begin_variation(&mut self, _at: usize) -> Flow {
        Flow::Continue
    }
    /// Called at the end of a variation.
    fn end_variation(&mut self, _at: usize) {}
    /// Called for the result token.
    fn result(&mut self, _result: GameResult, _at: usize) {}
    /// Called when the text deviates from the standard; reading continues.
    fn problem(&mut self, _problem: Problem) {}
    /// Called at the end of a game, skipped games included. `range` spans the game in the source,
    /// from its first token to its last.
    fn end_game(&mut self, _range: Range<usize>) -> Flow {
        Flow::Continue
    }
}
