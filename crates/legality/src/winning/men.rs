//! The men of a position, each with the squares where it may stand at some time.
//!
//! Invariant: whatever is played, a man that is still on the board stands on a square of its
//! sets. The sets only ever grow.

use castellan_rules::{Bitboard, Color, MoveKind, Position, Rank, Role, Square, attacks};

/// At most sixteen men a side, the kings among them.
pub(super) const MAX_MEN: usize = 32;

/// A man other than a king.
#[derive(Clone, Copy, Debug)]
pub(super) struct Man {
    /// Whose it is.
    pub(super) color: Color,
    /// What it is at the start; a pawn may become anything.
    pub(super) role: Role,
    /// Where it stands at the start.
    pub(super) start: Square,
    /// Where it may stand in this role.
    pub(super) squares: Bitboard,
    /// Where a pawn may stand after its promotion.
    pub(super) promoted: Bitboard,
    /// Where it may move to, and so capture; for a pawn in its role, captures only.
    pub(super) arrivals: Bitboard,
    /// Whether somebody may capture it.
    pub(super) is_capturable: bool,
    /// Whether it is a pawn that has captured and so left the file where it started.
    pub(super) is_stray: bool,
}

impl Man {
    /// Everywhere it may stand.
    #[inline]
    pub(super) fn anywhere(&self) -> Bitboard {
        self.squares | self.promoted
    }

    /// The one square it keeps for ever, uncaptured, if it does.
    #[inline]
    pub(super) fn fixed_square(&self) -> Option<Square> {
        let is_fixed = !self.is_capturable && self.promoted.is_empty() && !self.squares.is_many();
        self.squares.first().filter(|_| is_fixed)
    }

    /// Whether it is a pawn that never leaves its file.
    #[inline]
    pub(super) fn is_pawn_of_file(&self) -> bool {
        let file = Bitboard::file(self.start.file());
        self.role == Role::Pawn && !self.is_stray && (self.squares & !file).is_empty()
    }

    /// The squares attacked from one square in its role at the start.
    #[inline]
    pub(super) fn attacks(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let piece = castellan_rules::Piece { color: self.color, role: self.role };
        attacks::of_piece(piece, square, occupied)
    }
}

/// The squares that a promoted man may attack from a square: it may have become a queen or a
/// knight, and these cover the rest.
#[inline]
pub(super) fn promoted_attacks(square: Square, occupied: Bitboard) -> Bitboard {
    attacks::queen(square, occupied) | attacks::knight(square)
}

/// A list of men without allocation.
#[derive(Clone)]
pub(super) struct Men {
    len: usize,
    list: [Man; MAX_MEN],
}

impl Men {
    /// All men but the kings, each on its square.
    ///
    /// A pawn that can be captured in passing is said to stand on the square behind it too,
    /// which makes that capture one like the others.
    pub(super) fn of(position: &Position) -> Men {
        let filler = Man {
            color: Color::White,
            role: Role::Pawn,
            start: Square::A1,
            squares: Bitboard::EMPTY,
            promoted: Bitboard::EMPTY,
            arrivals: Bitboard::EMPTY,
            is_capturable: false,
            is_stray: false,
        };
        let mut men = Men { len: 0, list: [filler; MAX_MEN] };
        for color in Color::ALL {
            for role in [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen] {
                for square in position.color(color) & position.role(role) {
                    men.push(Man { color, role, start: square, squares: square.into(), ..filler });
                }
            }
        }
        men.add_rights(position);
        men
    }

    /// Adds the squares that castling and a capture in passing give.
    fn add_rights(&mut self, position: &Position) {
        let castling = position.castling_rooks();
        let passed = position.en_passant();
        if castling.is_empty() && passed.is_none() {
            return;
        }
        let stepped = passed.and_then(|square| {
            square.offset(0, position.turn().fold(-1, 1)).map(|stepped| (square, stepped))
        });
        for man in self.iter_mut() {
            if (man.squares & castling).any() {
                man.squares |= castled_squares(man.color).1;
            }
            if let Some((passed, stepped)) = stepped
                && man.squares.contains(stepped)
            {
                man.squares |= passed.into();
            }
        }
    }

    /// Adds a man that stands on one square.
    pub(super) fn push_fixed(&mut self, color: Color, role: Role, square: Square) {
        self.push(Man {
            color,
            role,
            start: square,
            squares: square.into(),
            promoted: Bitboard::EMPTY,
            arrivals: Bitboard::EMPTY,
            is_capturable: false,
            is_stray: false,
        });
    }

    /// Keeps the men for which the question is answered with yes.
    pub(super) fn retain(&mut self, keep: impl Fn(&Man) -> bool) {
        let mut kept = 0;
        for index in 0..self.len {
            if keep(&self.list[index]) {
                self.list[kept] = self.list[index];
                kept += 1;
            }
        }
        self.len = kept;
    }

    fn push(&mut self, man: Man) {
        if let Some(slot) = self.list.get_mut(self.len) {
            *slot = man;
            self.len += 1;
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Takes one out.
    pub(super) fn remove(&mut self, index: usize) -> Man {
        let man = self.list[index];
        self.list.copy_within(index + 1..self.len, index);
        self.len -= 1;
        man
    }

    /// One of them, to change.
    pub(super) fn get_mut(&mut self, index: usize) -> &mut Man {
        &mut self.list[..self.len][index]
    }

    /// All of them.
    #[inline]
    pub(super) fn iter(&self) -> std::slice::Iter<'_, Man> {
        self.list[..self.len].iter()
    }

    /// All of them, to change.
    #[inline]
    pub(super) fn iter_mut(&mut self) -> std::slice::IterMut<'_, Man> {
        self.list[..self.len].iter_mut()
    }
}

/// Where castling, on either wing, puts the king and the rook.
pub(super) fn castled_squares(color: Color) -> (Bitboard, Bitboard) {
    use castellan_rules::File;
    let rank = Rank::First.relative_to(color);
    let on = |file| Bitboard::of(Square::new(file, rank));
    (on(File::C) | on(File::G), on(File::D) | on(File::F))
}

/// Whether a move cannot be taken back: a capture or a move of a pawn.
#[inline]
pub(super) fn is_irreversible(position: &Position, mv: castellan_rules::Move) -> bool {
    mv.role() == Role::Pawn
        || mv.kind() != MoveKind::Castle && position.color(!position.turn()).contains(mv.to())
}
