//! Following the pieces while moves are made.

use crate::{Piece, Square};

/// Is told which pieces leave and enter squares while a move is made.
///
/// A network that keeps sums over the pieces implements this; the rules know nothing of it.
/// Within one move a square may be emptied and filled again, always in that order.
pub trait Observer {
    /// A piece leaves a square.
    fn removed(&mut self, piece: Piece, square: Square);
    /// A piece enters an empty square.
    fn placed(&mut self, piece: Piece, square: Square);
}

/// Looks away.
pub struct NoObserver;

impl Observer for NoObserver {
    #[inline(always)]
    fn removed(&mut self, _piece: Piece, _square: Square) {}
    #[inline(always)]
    fn placed(&mut self, _piece: Piece, _square: Square) {}
}
