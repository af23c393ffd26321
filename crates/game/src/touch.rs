//! Touch-move (FIDE 4.3-4.5): the moves that touched pieces require.
//!
//! This module decides which legal moves are left after a player has touched pieces. The page
//! decides what counts as a touch: it sends none for a player who only adjusts a piece (4.2).
//! Invariant: if the player has a legal move at all, at least one is left.

use std::fmt;

use castellan_rules::{Move, MoveKind, Position, Role, Square};

/// A move that touched pieces require or forbid.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Obligation {
    /// The piece on this square must move (FIDE 4.3.1).
    Move(Square),
    /// The piece on this square must be captured (FIDE 4.3.2).
    Capture(Square),
    /// One touched piece must capture the other (FIDE 4.3.3).
    CaptureWith {
        /// Square of the player's own piece.
        from: Square,
        /// Square of the opponent's piece.
        victim: Square,
    },
    /// The king must castle with the rook on this square (FIDE 4.4.1).
    Castle(Square),
    /// The king must not castle with the rook on this square, because the rook was touched before
    /// the king (FIDE 4.4.2).
    NoCastling(Square),
}

/// The consequences of the pieces touched this turn.
pub(crate) struct TouchConsequences {
    /// The obligation of the player to move, if any.
    pub(crate) obligation: Option<Obligation>,
    /// The legal moves that are left.
    pub(crate) moves: Vec<Move>,
}

impl TouchConsequences {
    /// Computes the consequences of touching these pieces in this order.
    pub(crate) fn of(position: &Position, touched: &[Square]) -> TouchConsequences {
        let legal = position.legal_moves();
        let is_barred = |mv: &Move| is_rook_before_king(touched, *mv);
        let free: Vec<Move> = legal.iter().copied().filter(|mv| !is_barred(mv)).collect();
        // A player whose only legal moves are castling may castle after all.
        let free = if free.is_empty() { legal.to_vec() } else { free };
        let touches = Touches { position, touched, free: &free };
        let obligation = touches
            .castle()
            .or_else(|| touches.capture_with())
            .or_else(|| touches.first_possible());
        let moves = match obligation {
            None => free,
            Some(obligation) => {
                free.into_iter().filter(|&mv| fulfills(position, obligation, mv)).collect()
            }
        };
        TouchConsequences { obligation, moves }
    }

    /// Returns why a legal move is not allowed; `None` if it is allowed.
    pub(crate) fn objection(&self, mv: Move) -> Option<Obligation> {
        if self.moves.contains(&mv) {
            return None;
        }
        let barred = Obligation::NoCastling(mv.to());
        let is_king_touched = self.obligation == Some(Obligation::Move(mv.from()));
        let is_castling = mv.kind() == MoveKind::Castle;
        Some(self.obligation.filter(|_| !(is_castling && is_king_touched)).unwrap_or(barred))
    }
}

/// The touches of a turn, and the moves that their order does not rule out.
struct Touches<'a> {
    position: &'a Position,
    touched: &'a [Square],
    free: &'a [Move],
}

impl Touches<'_> {
    /// FIDE 4.4.1: the first touched piece that can move is the king, and the next is a rook that
    /// it can castle with.
    fn castle(&self) -> Option<Obligation> {
        if self.theirs().next().is_some() {
            return None;
        }
        let mut own = self.own().skip_while(|&square| !self.can_move(square));
        let (king, rook) = (own.next()?, own.next()?);
        let is_legal = self
            .free
            .iter()
            .any(|mv| mv.kind() == MoveKind::Castle && mv.from() == king && mv.to() == rook);
        is_legal.then_some(Obligation::Castle(rook))
    }

    /// FIDE 4.3.3: the player's first touched piece can capture the opponent's first touched piece.
    fn capture_with(&self) -> Option<Obligation> {
        let (from, victim) = (self.own().next()?, self.theirs().next()?);
        let obligation = Obligation::CaptureWith { from, victim };
        self.free.iter().any(|&mv| fulfills(self.position, obligation, mv)).then_some(obligation)
    }

    /// FIDE 4.3.1, 4.3.2 and the rest of 4.3.3: the first touched piece that can be moved or
    /// captured.
    fn first_possible(&self) -> Option<Obligation> {
        let exempt = self.exempt_rook();
        let mut obligations =
            self.touched.iter().filter(|&&square| Some(square) != exempt).map(|&square| {
                if self.is_own(square) {
                    Obligation::Move(square)
                } else {
                    Obligation::Capture(square)
                }
            });
        obligations
            .find(|&obligation| self.free.iter().any(|&mv| fulfills(self.position, obligation, mv)))
    }

    /// FIDE 4.4.3: a player who meant to castle but cannot, and whose king has no legal move, may
    /// make any move. The rook touched after the king then requires nothing.
    fn exempt_rook(&self) -> Option<Square> {
        let mut own = self.own();
        let (king, rook) = (own.next()?, own.next()?);
        let role = |square| self.position.piece_at(square).map(|piece| piece.role);
        let is_castling = role(king) == Some(Role::King) && role(rook) == Some(Role::Rook);
        (is_castling && !self.can_move(king)).then_some(rook)
    }

    fn own(&self) -> impl Iterator<Item = Square> {
        self.touched.iter().copied().filter(|&square| self.is_own(square))
    }

    fn theirs(&self) -> impl Iterator<Item = Square> {
        self.touched.iter().copied().filter(|&square| !self.is_own(square))
    }

    fn is_own(&self, square: Square) -> bool {
        self.position.color(self.position.turn()).contains(square)
    }

    fn can_move(&self, square: Square) -> bool {
        self.free.iter().any(|mv| mv.from() == square)
    }
}

/// Returns `true` if a move castles with a rook that was touched before the king (FIDE 4.4.2).
fn is_rook_before_king(touched: &[Square], mv: Move) -> bool {
    let order = |square| touched.iter().position(|&other| other == square);
    let rook_first = order(mv.to()).zip(order(mv.from())).is_some_and(|(rook, king)| rook < king);
    mv.kind() == MoveKind::Castle && rook_first
}

/// Returns `true` if a legal move fulfills the obligation.
fn fulfills(position: &Position, obligation: Obligation, mv: Move) -> bool {
    match obligation {
        Obligation::Move(own) => mv.from() == own,
        Obligation::Capture(victim) => captured(position, mv) == Some(victim),
        Obligation::CaptureWith { from, victim } => {
            mv.from() == from && captured(position, mv) == Some(victim)
        }
        Obligation::Castle(rook) => mv.kind() == MoveKind::Castle && mv.to() == rook,
        Obligation::NoCastling(rook) => mv.kind() != MoveKind::Castle || mv.to() != rook,
    }
}

/// Returns the square of the piece that a move captures.
fn captured(position: &Position, mv: Move) -> Option<Square> {
    position.captured(mv).map(|(_, square)| square)
}

impl fmt::Display for Obligation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Obligation::Move(own) => {
                write!(f, "you touched the piece on {own}, so you must move it")
            }
            Obligation::Capture(victim) => {
                write!(f, "you touched the piece on {victim}, so you must capture it")
            }
            Obligation::CaptureWith { from, victim } => {
                write!(
                    f,
                    "you touched both pieces, so the one on {from} must capture the one on {victim}"
                )
            }
            Obligation::Castle(rook) => {
                write!(f, "you touched the king and the rook on {rook}, so you must castle with it")
            }
            Obligation::NoCastling(rook) => {
                write!(
                    f,
                    "you touched the rook on {rook} before the king, so you cannot castle with it"
                )
            }
        }
    }
}
