//! What the reader tells, as it reads.

use std::ops::Range;

use crate::{GameResult, Problem};

/// What the reader should do next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// Go on.
    Continue,
    /// Leave out what has just begun: the rest of the game, of the line of moves, or the variation.
    Skip,
    /// Read no more at all.
    Stop,
}

/// Is told the parts of games in the order they are written. Nothing here means anything yet: a
/// move is a text.
///
/// ```text
/// begin_game, tag*, begin_moves,
///     (mv | nag | comment | begin_variation ... end_variation)*, result?, end_game
/// ```
///
/// Every method does nothing and goes on unless it is written. All texts are bytes of the
/// source, not copied. `at` is the offset of the first byte of the
/// text in the source handed to the reader.
pub trait Visitor {
    /// A game begins. `Skip` leaves it out.
    fn begin_game(&mut self, _at: usize) -> Flow {
        Flow::Continue
    }
    /// A tag. The value is what stands between the quotes, backslashes and all; see
    /// [`tag_value`](crate::tag_value). `Skip` leaves the rest of the game out.
    fn tag(&mut self, _name: &[u8], _value: &[u8], _at: usize) -> Flow {
        Flow::Continue
    }
    /// The tags are over. `Skip` leaves the moves out.
    fn begin_moves(&mut self, _at: usize) -> Flow {
        Flow::Continue
    }
    /// A move number as written, dots not included.
    fn move_number(&mut self, _number: u32, _at: usize) {}
    /// A move, in whatever notation: `Nf3`, `0-0`, `--`, `e2-e4`. Glyphs such as `!?` and what
    /// follows are cut off and told as [`nag`](Visitor::nag). `Skip` leaves out the rest of this
    /// line of moves: of the variation, or of the game.
    fn mv(&mut self, _text: &[u8], _at: usize) -> Flow {
        Flow::Continue
    }
    /// A numeric annotation glyph, `$1` or `!`.
    fn nag(&mut self, _nag: u8, _at: usize) {}
    /// A comment, what stands within the braces or after the semicolon.
    fn comment(&mut self, _text: &[u8], _at: usize) {}
    /// A variation begins: an alternative to the last move. `Skip` leaves it out, with all
    /// variations in it; then `end_variation` is not called.
    fn begin_variation(&mut self, _at: usize) -> Flow {
        Flow::Continue
    }
    /// The variation ends.
    fn end_variation(&mut self, _at: usize) {}
    /// The result token.
    fn result(&mut self, _result: GameResult, _at: usize) {}
    /// Something is not as the standard has it; reading goes on.
    fn problem(&mut self, _problem: Problem) {}
    /// The game is over; `range` is all of it in the source, from its first to its last token.
    /// Called for skipped games, too.
    fn end_game(&mut self, _range: Range<usize>) -> Flow {
        Flow::Continue
    }
}
