//! Callbacks that follow the pieces while a move is made.

use crate::{Piece, Square};

/// A listener that is told which pieces leave and enter squares while a move is made.
///
/// A neural network that keeps an incremental accumulator implements this trait; the rules know
/// nothing about networks. Within one move a square may be emptied and filled again, always in
/// that order.
pub trait Observer {
    /// Called when a piece leaves a square.
    fn removed(&mut self, piece: Piece, square: Square);
    /// Called when a piece enters an empty square.
    fn placed(&mut self, piece: Piece, square: Square);
}

/// An observer that ignores everything.
pub struct NoObserver;

impl Observer for NoObserver {
    #[inline(always)]
    fn removed(&mut self, _piece: Piece, _square: Square) {}
    #[inline(always)]
    fn placed(&mut self, _piece: Piece, _square: Square) {}
}
