//! A line of moves while it is being played.

use castellan_rules::Position;

use crate::Played;

/// The main line or a variation, as far as it has been played.
///
/// The position now and the one before the last move, where a variation begins, lie in two
/// places and change roles with every move: copying one that was just written would wait for it.
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
    /// Which of them is now.
    now: bool,
    has_moved: bool,
}

impl Branch {
    /// A line without moves.
    pub fn new(start: Position) -> Branch {
        Branch { places: [start; 2], now: false, has_moved: false }
    }

    /// The position the line has come to.
    #[inline]
    pub fn now(&self) -> &Position {
        &self.places[usize::from(self.now)]
    }

    /// The position before the last move, if there was one.
    pub fn before(&self) -> Option<&Position> {
        self.has_moved.then(|| &self.places[usize::from(!self.now)])
    }

    /// Plays what [`resolve`](crate::resolve) has found in the position [`now`](Branch::now);
    /// anything else leads to nonsense.
    #[inline]
    pub fn play(&mut self, played: Played) {
        let [one, other] = &mut self.places;
        let (from, to) = if self.now { (other, one) } else { (one, other) };
        match played {
            Played::Move(mv) => from.play_into_unchecked(mv, to),
            // In check it has been refused.
            Played::Null => *to = from.pass().unwrap_or(*from),
        }
        self.now = !self.now;
        self.has_moved = true;
    }
}
