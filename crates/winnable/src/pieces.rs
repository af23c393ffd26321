//! The pieces of a position, each with the squares where it may ever stand.
//!
//! Invariant: whatever is played, a piece that is still on the board stands on a square of its
//! sets. The sets only ever grow.

use castellan_rules::{Bitboard, Color, Position, Rank, Role, Square, attacks};

/// The most pieces on a board: sixteen per side, kings included.
pub(crate) const MAX_PIECES: usize = 32;

/// A piece other than a king.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TrackedPiece {
    /// The color of the piece.
    pub(crate) color: Color,
    /// Its role in the given position; a pawn may become anything.
    pub(crate) role: Role,
    /// Its square in the given position.
    pub(crate) start: Square,
    /// Where it may stand in this role.
    pub(crate) squares: Bitboard,
    /// Where a pawn may stand after promotion.
    pub(crate) promoted: Bitboard,
    /// Where it may move, and therefore capture; for a pawn that has not promoted, captures only.
    pub(crate) arrivals: Bitboard,
    /// Whether an enemy may capture it.
    pub(crate) is_capturable: bool,
    /// Whether it is a pawn that has captured and may have left the file where it started.
    pub(crate) is_stray: bool,
}

impl TrackedPiece {
    /// Creates a piece that stays on its square.
    pub(crate) fn new(color: Color, role: Role, square: Square) -> TrackedPiece {
        TrackedPiece {
            color,
            role,
            start: square,
            squares: square.into(),
            promoted: Bitboard::EMPTY,
            arrivals: Bitboard::EMPTY,
            is_capturable: false,
            is_stray: false,
        }
    }

    /// Returns all squares where it may stand.
    #[inline]
    pub(crate) fn anywhere(&self) -> Bitboard {
        self.squares | self.promoted
    }

    /// Returns the square it never leaves, if it neither moves nor is captured.
    #[inline]
    pub(crate) fn fixed_square(&self) -> Option<Square> {
        let is_fixed =
            !self.is_capturable && self.promoted.is_empty() && !self.squares.has_multiple();
        self.squares.first().filter(|_| is_fixed)
    }

    /// Returns whether it is a pawn that never leaves its file.
    #[inline]
    pub(crate) fn is_pawn_of_file(&self) -> bool {
        let file = Bitboard::file(self.start.file());
        self.role == Role::Pawn && !self.is_stray && (self.squares & !file).is_empty()
    }

    /// Returns the squares attacked from a square in its original role.
    #[inline]
    pub(crate) fn attacks(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let piece = castellan_rules::Piece { color: self.color, role: self.role };
        attacks::of_piece(piece, square, occupied)
    }
}

/// Returns the squares that a promoted piece may attack from a square. It may have become a queen
/// or a knight, which together cover the other pieces.
#[inline]
pub(crate) fn promoted_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    attacks::queen(square, occupied) | attacks::knight(square)
}

/// A list of pieces without heap allocation.
#[derive(Clone)]
pub(crate) struct PieceList {
    len: usize,
    list: [TrackedPiece; MAX_PIECES],
}

impl PieceList {
    /// Returns all pieces except the kings, each on its square.
    ///
    /// A pawn that can be captured en passant also gets the square behind it, which turns that
    /// capture into an ordinary one.
    pub(crate) fn of(position: &Position) -> PieceList {
        let filler = TrackedPiece::new(Color::White, Role::Pawn, Square::A1);
        let mut pieces = PieceList { len: 0, list: [filler; MAX_PIECES] };
        for color in Color::ALL {
            for role in [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
                for square in position.color(color) & position.role(role) {
                    pieces.push(TrackedPiece::new(color, role, square));
                }
            }
        }
        pieces.add_rights(position);
        pieces
    }

    /// Adds the squares that castling and en passant captures give.
    fn add_rights(&mut self, position: &Position) {
        let castling = position.castling_rooks();
        let passed = position.en_passant();
        if castling.is_empty() && passed.is_none() {
            return;
        }
        let stepped = passed.and_then(|square| {
            square.offset(0, position.turn().fold(-1, 1)).map(|stepped| (square, stepped))
        });
        for piece in self.iter_mut() {
            if (piece.squares & castling).any() {
                piece.squares |= castling_targets(piece.color).1;
            }
            if let Some((passed, stepped)) = stepped
                && piece.squares.contains(stepped)
            {
                piece.squares |= passed.into();
            }
        }
    }

    /// Keeps the pieces for which `keep` returns `true`.
    pub(crate) fn retain(&mut self, keep: impl Fn(&TrackedPiece) -> bool) {
        let mut kept = 0;
        for index in 0..self.len {
            if keep(&self.list[index]) {
                self.list[kept] = self.list[index];
                kept += 1;
            }
        }
        self.len = kept;
    }

    /// Adds a piece, unless the list is full.
    pub(crate) fn push(&mut self, piece: TrackedPiece) {
        if let Some(slot) = self.list.get_mut(self.len) {
            *slot = piece;
            self.len += 1;
        }
    }

    /// Returns the number of pieces.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Removes a piece and returns it.
    pub(crate) fn remove(&mut self, index: usize) -> TrackedPiece {
        let piece = self.list[index];
        self.list.copy_within(index + 1..self.len, index);
        self.len -= 1;
        piece
    }

    /// Returns a mutable reference to a piece.
    pub(crate) fn get_mut(&mut self, index: usize) -> &mut TrackedPiece {
        &mut self.list[..self.len][index]
    }

    /// Iterates over the pieces.
    #[inline]
    pub(crate) fn iter(&self) -> std::slice::Iter<'_, TrackedPiece> {
        self.list[..self.len].iter()
    }

    /// Iterates over the pieces mutably.
    #[inline]
    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, TrackedPiece> {
        self.list[..self.len].iter_mut()
    }
}

/// Returns where castling, on either side, puts the king and the rook.
pub(crate) fn castling_targets(color: Color) -> (Bitboard, Bitboard) {
    use castellan_rules::File;
    let rank = Rank::First.relative_to(color);
    let on = |file| Bitboard::of(Square::new(file, rank));
    (on(File::C) | on(File::G), on(File::D) | on(File::F))
}

/// Returns whether a move is irreversible: a capture or a pawn move.
#[inline]
pub(crate) fn is_irreversible(position: &Position, mv: castellan_rules::Move) -> bool {
    mv.role() == Role::Pawn || position.is_capture(mv)
}
