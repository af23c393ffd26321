//! A line of moves as it is being played.

use castellan_rules::Position;

use crate::Played;

/// The main line or a variation, as far as it has been played.
///
/// The current position and the one before the last move, where a variation would start, are kept
/// in two slots that swap roles with every move. Copying a position that was just written would
/// stall until the write is complete.
///
/// ```
/// use castellan_pgn::{Branch, resolve};
/// use castellan_rules::Position;
/// let mut branch = Branch::new(Position::start());
/// branch.play(resolve(branch.now(), b"e4").unwrap().played);
/// assert_eq!(branch.now().to_fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
/// assert_eq!(branch.before(), Some(&Position::start()));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Branch {
    places: [Position; 2],
    /// Index of the slot with the current position.
    now: bool,
    has_moved: bool,
}

impl Branch {
    /// Creates a line without moves.
    pub fn new(start: Position) -> Branch {
        Branch { places: [start; 2], now: false, has_moved: false }
    }

    /// Returns the current position.
    #[inline]
    pub fn now(&self) -> &Position {
        &self.places[usize::from(self.now)]
    }

    /// Returns the position before the last move; `None` if there was no move.
    pub fn before(&self) -> Option<&Position> {
        self.has_moved.then(|| &self.places[usize::from(!self.now)])
    }

    /// Plays a move that [`resolve`](crate::resolve) has found in the position
    /// [`now`](Branch::now). Any other move corrupts the position.
    #[inline]
    pub fn play(&mut self, played: Played) {
        let [one, other] = &mut self.places;
        let (from, to) = if self.now { (other, one) } else { (one, other) };
        match played {
            Played::Move(mv) => from.play_into_unchecked(mv, to),
            // `resolve` refuses a null move in check.
            Played::Null => *to = from.null_move().unwrap_or(*from),
        }
        self.now = !self.now;
        self.has_moved = true;
    }
}
