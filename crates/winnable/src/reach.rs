//! An upper bound on what every piece can ever do: reach, capture, be captured, promote.
//!
//! The bound is a fixpoint computed from below. At first no piece moves and none is captured;
//! then everything that this makes possible is added, until nothing is new. By induction over the
//! moves of a game, no piece ever stands where the bound does not allow it, so what it excludes
//! is impossible.

use castellan_rules::{Bitboard, Color, Position, Rank, Role, Square, attacks};

use crate::kings::KingPairs;
use crate::pieces::{PieceList, TrackedPiece, castling_targets, promoted_attacks};

/// A queen or rook with more squares than this is considered at large.
const AT_LARGE: usize = 16;

/// What the pieces of a position can do.
#[derive(Clone)]
pub(crate) struct Reach {
    /// Every piece except the kings.
    pub(crate) pieces: PieceList,
    /// The possible squares of the two kings.
    pub(crate) kings: KingPairs,
    /// By color, the pieces other than kings that neither move nor are captured.
    pub(crate) fixed: [Bitboard; 2],
    /// By color, the kings that never move.
    pub(crate) fixed_kings: [Bitboard; 2],
    /// Whether only the time until the next capture is considered.
    is_quiet: bool,
}

impl Reach {
    /// Returns what the pieces of a position can ever do.
    pub(crate) fn of(position: &Position) -> Reach {
        let mut reach = Reach::initial(position);
        while reach.grow() {}
        reach
    }

    /// Returns the same, or `None` as soon as a queen or rook of a color, or a pawn promoted to
    /// one, is at large: then there is hardly ever a proof.
    pub(crate) fn of_shut_in(position: &Position, color: Color) -> Option<Reach> {
        let mut reach = Reach::initial(position);
        while reach.grow() {
            let is_at_large = |piece: &TrackedPiece| {
                let is_heavy = piece.role == Role::Rook || piece.role == Role::Queen;
                let squares = if is_heavy { piece.squares } else { piece.promoted };
                piece.color == color && squares.count() > AT_LARGE
            };
            if reach.pieces.iter().any(is_at_large) {
                return None;
            }
        }
        Some(reach)
    }

    /// Starts with pieces that may be anywhere in their sets. Returns what they can ever do or,
    /// if `is_quiet`, what they can do until the next capture.
    pub(crate) fn from(pieces: &PieceList, kings: &KingPairs, is_quiet: bool) -> Reach {
        let none = [Bitboard::EMPTY; 2];
        let mut pieces = pieces.clone();
        for piece in pieces.iter_mut() {
            piece.arrivals = Bitboard::EMPTY;
            piece.is_capturable = false;
        }
        let kings = kings.clone();
        let mut reach = Reach { pieces, kings, fixed: none, fixed_kings: none, is_quiet };
        while reach.grow() {}
        reach
    }

    fn initial(position: &Position) -> Reach {
        let pieces = PieceList::of(position);
        let kings = KingPairs::of(position.king(Color::White), position.king(Color::Black));
        let none = [Bitboard::EMPTY; 2];
        let mut reach = Reach { pieces, kings, fixed: none, fixed_kings: none, is_quiet: false };
        for color in Color::ALL {
            if (position.castling_rooks() & position.color(color)).any() {
                reach.kings.add(color, castling_targets(color).0);
            }
        }
        reach
    }

    /// Runs one round. Returns whether anything is new.
    fn grow(&mut self) -> bool {
        self.fixed = self.fixed_squares();
        let mut has_grown = self.grow_kings();
        let kings = Color::ALL.map(|color| self.kings.squares(color));
        self.fixed_kings =
            kings.map(|squares| if squares.has_multiple() { Bitboard::EMPTY } else { squares });
        let mut occupiable = [Bitboard::EMPTY; 2];
        for piece in self.pieces.iter() {
            occupiable[piece.color.index()] |= piece.anywhere();
        }
        let mut arrivals =
            kings.map(|squares| if squares.has_multiple() { squares } else { Bitboard::EMPTY });
        let kings = self.fixed_kings[0] | self.fixed_kings[1];
        let walls = self.fixed[0] | self.fixed[1] | kings;
        let guards = self.guards();
        let is_quiet = self.is_quiet;
        for piece in self.pieces.iter_mut() {
            // No piece moves onto a piece of its own side or onto a king.
            let own = self.fixed[piece.color.index()] | kings;
            let closed = if is_quiet { walls } else { own };
            let enemies = occupiable[(!piece.color).index()];
            let walls = walls | beyond_guards(piece, &guards);
            let barriers = Barriers { walls, closed, own, enemies, is_quiet };
            has_grown |= grow_piece(piece, &barriers);
            arrivals[piece.color.index()] |= piece.arrivals;
        }
        for piece in self.pieces.iter_mut() {
            if !is_quiet
                && !piece.is_capturable
                && (piece.anywhere() & arrivals[(!piece.color).index()]).any()
            {
                piece.is_capturable = true;
                has_grown = true;
            }
        }
        has_grown
    }

    /// Returns the pawns that stay pawns on their files and are never captured: no pawn that
    /// comes toward them on the file gets past.
    fn guards(&self) -> [Bitboard; 2] {
        let mut guards = [Bitboard::EMPTY; 2];
        for piece in self.pieces.iter() {
            if piece.is_pawn_of_file() && !piece.is_capturable && piece.promoted.is_empty() {
                guards[piece.color.index()] |= piece.start.into();
            }
        }
        guards
    }

    fn fixed_squares(&self) -> [Bitboard; 2] {
        let mut fixed = [Bitboard::EMPTY; 2];
        for piece in self.pieces.iter() {
            if let Some(square) = piece.fixed_square() {
                fixed[piece.color.index()] |= square.into();
            }
        }
        fixed
    }

    fn grow_kings(&mut self) -> bool {
        let allowed = Color::ALL.map(|color| {
            let enemies = self.fixed[(!color).index()];
            let closed = if self.is_quiet { enemies } else { Bitboard::EMPTY };
            self.open_to_king(color) & !closed
        });
        self.kings.grow(allowed)
    }

    /// Returns the squares where a king neither collides with a fixed piece of its own side nor
    /// is always attacked.
    pub(crate) fn open_to_king(&self, color: Color) -> Bitboard {
        !self.fixed[color.index()] & !self.always_attacked(!color)
    }

    /// Returns the squares that fixed pieces of a color attack for the rest of the game, as far
    /// as the enemy king is concerned, which cannot hide behind itself.
    fn always_attacked(&self, color: Color) -> Bitboard {
        let fixed = self.fixed[color.index()];
        if fixed.is_empty() {
            return Bitboard::EMPTY;
        }
        let blockers =
            self.pieces.iter().fold(self.kings.squares(color), |all, piece| all | piece.anywhere());
        let mut attacked = Bitboard::EMPTY;
        for piece in self.pieces.iter().filter(|piece| piece.color == color) {
            if let Some(square) = piece.fixed_square() {
                attacked |= piece.attacks(square, blockers);
            }
        }
        attacked
    }
}

/// What limits the movement of a piece.
struct Barriers {
    /// Squares that no line passes.
    walls: Bitboard,
    /// Squares where the piece cannot go and stay.
    closed: Bitboard,
    /// Squares where it cannot even capture.
    own: Bitboard,
    /// Squares where enemies may stand.
    enemies: Bitboard,
    is_quiet: bool,
}

/// Lets a piece move as far as the barriers allow. Returns whether anything is new.
fn grow_piece(piece: &mut TrackedPiece, barriers: &Barriers) -> bool {
    let before = (piece.squares, piece.promoted, piece.arrivals);
    if piece.role == Role::Pawn {
        let arrivals = grow_pawn(piece, barriers);
        let last = Bitboard::rank(Rank::Eighth.relative_to(piece.color));
        piece.promoted |= piece.squares & last;
        piece.squares &= !last;
        let mut promoted = piece.promoted;
        let moves =
            flood(&mut promoted, barriers, |square| promoted_attacks(square, barriers.walls));
        piece.promoted = promoted;
        piece.arrivals |= arrivals | moves;
    } else {
        let mover = *piece;
        let moves =
            flood(&mut piece.squares, barriers, |square| mover.attacks(square, barriers.walls));
        piece.arrivals |= moves;
    }
    before != (piece.squares, piece.promoted, piece.arrivals)
}

/// Returns the squares that a pawn that keeps to its file cannot reach because of enemy pawns
/// that keep to theirs: the start squares of these and everything behind, because they only come
/// nearer.
fn beyond_guards(piece: &TrackedPiece, guards: &[Bitboard; 2]) -> Bitboard {
    if !piece.is_pawn_of_file() {
        return Bitboard::EMPTY;
    }
    let file = Bitboard::file(piece.start.file());
    let ahead = file & ahead_of(piece.color, piece.start);
    let facing = guards[(!piece.color).index()] & ahead;
    let nearest = match piece.color {
        Color::White => facing.first(),
        Color::Black => facing.last(),
    };
    nearest.map_or(Bitboard::EMPTY, |guard| (file & ahead_of(piece.color, guard)).with(guard))
}

/// Returns every square that comes after a square in the square order of a color.
fn ahead_of(color: Color, square: Square) -> Bitboard {
    let bit = Bitboard::of(square).0;
    match color {
        Color::White => Bitboard(!(bit | (bit - 1))),
        Color::Black => Bitboard(bit - 1),
    }
}

/// Adds the pushes and captures of a pawn, and returns the squares of the captures.
fn grow_pawn(piece: &mut TrackedPiece, barriers: &Barriers) -> Bitboard {
    let mut captures = Bitboard::EMPTY;
    let mut todo = piece.squares;
    while let Some(square) = todo.first() {
        todo = todo.without(square);
        let push = match piece.color {
            Color::White => Bitboard(Bitboard::of(square).0 << 8),
            Color::Black => Bitboard(Bitboard::of(square).0 >> 8),
        };
        let taken = attacks::pawn(piece.color, square) & barriers.enemies;
        captures |= taken;
        let entered = if barriers.is_quiet { Bitboard::EMPTY } else { taken };
        let new = (push & !barriers.walls | entered) & !piece.squares;
        piece.squares |= new;
        todo |= new;
    }
    captures
}

/// Follows moves to squares that are not closed, and returns where moves and captures end.
fn flood(
    squares: &mut Bitboard,
    barriers: &Barriers,
    attacks: impl Fn(Square) -> Bitboard,
) -> Bitboard {
    let mut arrivals = Bitboard::EMPTY;
    let mut todo = *squares;
    while let Some(square) = todo.first() {
        todo = todo.without(square);
        let to = attacks(square);
        arrivals |= to & !barriers.own;
        todo |= to & !barriers.closed & !*squares;
        *squares |= to & !barriers.closed;
    }
    arrivals
}
