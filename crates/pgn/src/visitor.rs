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
/// All texts are bytes of the source, not copied. `at` is the offset of the first byte of the
/// text in the source handed to the reader.
pub trait Visitor {
    /// A game begins. `Skip` leaves it out.
    fn begin_game(&mut self, at: usize) -> Flow;
    /// A tag. The value is what stands between the quotes, backslashes and all; see
    /// [`tag_value`](crate::tag_value). `Skip` leaves the rest of the game out.
    fn tag(&mut self, name: &[u8], value: &[u8], at: usize) -> Flow;
    /// The tags are over. `Skip` leaves the moves out.
    fn begin_moves(&mut self, at: usize) -> Flow;
    /// A move number as written, dots not included.
    fn move_number(&mut self, number: u32, at: usize);
    /// A move, in whatever notation: `Nf3`, `0-0`, `--`, `e2-e4`. Glyphs such as `!?` and what
    /// follows are cut off and told as [`nag`](Visitor::nag). `Skip` leaves out the rest of this
    /// line of moves: of the variation, or of the game.
    fn mv(&mut self, text: &[u8], at: usize) -> Flow;
    /// A numeric annotation glyph, `$1` or `!`.
    fn nag(&mut self, nag: u8, at: usize);
    /// A comment, what stands within the braces or after the semicolon.
    fn comment(&mut self, text: &[u8], at: usize);
    /// A variation begins: an alternative to the last move. `Skip` leaves it out, with all
    /// variations in it; then `end_variation` is not called.
    fn begin_variation(&mut self, at: usize) -> Flow;
    /// The variation ends.
    fn end_variation(&mut self, at: usize);
    /// The result token.
    fn result(&mut self, result: GameResult, at: usize);
    /// Something is not as the standard has it; reading goes on.
    fn problem(&mut self, problem: Problem);
    /// The game is over; `range` is all of it in the source, from its first to its last token.
    /// Called for skipped games, too.
    fn end_game(&mut self, range: Range<usize>) -> Flow;
}
