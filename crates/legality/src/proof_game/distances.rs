//! The number of moves a piece needs from one square to another.
//!
//! The distances are measured on a board that is empty except for the pieces that never move in
//! any game to the wanted position. Real paths are never shorter, so the distances are valid in a
//! lower bound.

use castellan_rules::{Bitboard, Color, Piece, Pieces, Rank, Role, Square, attacks};

/// The distance of a square that cannot be reached.
pub(super) const NEVER: u8 = u8::MAX;

/// The moves between any two squares, for each piece.
pub(super) struct Distances {
    /// By piece, then by destination, then by origin.
    moves: Vec<u8>,
    /// How many of a pawn's moves must be captures; by color, destination and origin.
    captures: Vec<u8>,
}

impl Distances {
    /// Measures the paths around pieces that never move.
    pub(super) fn around(unmoved: Bitboard, wanted: &Pieces) -> Distances {
        let mut distances =
            Distances { moves: vec![NEVER; 12 * 64 * 64], captures: vec![NEVER; 2 * 64 * 64] };
        for color in Color::ALL {
            distances.measure_pawns(color, unmoved);
            for role in [Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King] {
                let piece = Piece { color, role };
                let forbidden = if role == Role::King {
                    unmoved | guarded(!color, unmoved, wanted)
                } else {
                    unmoved
                };
                for to in Square::ALL {
                    let start = row(piece, to);
                    let row = &mut distances.moves[start..start + 64];
                    measure(piece, to, unmoved, forbidden, row);
                }
            }
        }
        distances
    }

    /// Returns the moves a piece needs.
    #[inline]
    pub(super) fn moves(&self, piece: Piece, from: Square, to: Square) -> u8 {
        self.moves[row(piece, to) + from.index()]
    }

    /// Returns how many of a pawn's moves must be captures.
    #[inline]
    pub(super) fn captures(&self, color: Color, from: Square, to: Square) -> u8 {
        self.captures[(color.index() * 64 + to.index()) * 64 + from.index()]
    }

    fn measure_pawns(&mut self, color: Color, unmoved: Bitboard) {
        for from in Square::ALL {
            if from.rank() == Rank::Eighth.relative_to(color) {
                continue;
            }
            self.walk_pawn(color, from, from, 0, unmoved);
            let Some(two) = double_step(color, from, unmoved) else { continue };
            self.walk_pawn(color, from, two, 1, unmoved);
        }
    }

    /// Moves a pawn that has reached the square `at` in this many moves as far as it can go, one
    /// rank at a time. The shortest path and the path with the fewest captures need not be the
    /// same.
    fn walk_pawn(&mut self, color: Color, from: Square, at: Square, moves: u8, unmoved: Bitboard) {
        let mut captures = [NEVER; 64];
        captures[at.index()] = 0;
        let mut edge = Bitboard::of(at);
        let mut moves = moves;
        while edge.any() {
            let mut next = Bitboard::EMPTY;
            for square in edge {
                self.note_pawn(color, from, square, moves, captures[square.index()]);
                let straight = ahead(color, square).map_or(Bitboard::EMPTY, Bitboard::of);
                for to in (straight | attacks::pawn(color, square)) & !unmoved {
                    let count = captures[square.index()] + u8::from(to.file() != square.file());
                    captures[to.index()] = captures[to.index()].min(count);
                    next = next.with(to);
                }
            }
            edge = next;
            moves += 1;
        }
    }

    fn note_pawn(&mut self, color: Color, from: Square, to: Square, moves: u8, captures: u8) {
        let pawn = Piece { color, role: Role::Pawn };
        let known = &mut self.moves[row(pawn, to) + from.index()];
        *known = (*known).min(moves);
        let index = (color.index() * 64 + to.index()) * 64 + from.index();
        self.captures[index] = self.captures[index].min(captures);
    }
}

/// The moves to each wanted square, with more obstacles than the pieces that never move: also
/// pawns that have arrived.
pub(super) struct Terrain {
    /// By destination, then by origin. Only the rows of wanted pieces are filled.
    moves: Vec<[u8; 64]>,
}

impl Terrain {
    /// Measures the paths to the squares of wanted pieces around obstacles.
    pub(super) fn around(obstacles: Bitboard, wanted: &Pieces) -> Terrain {
        let mut terrain = Terrain { moves: vec![[NEVER; 64]; 64] };
        let guarded = Color::ALL.map(|color| guarded(!color, obstacles, wanted));
        for (to, piece) in wanted.iter().filter(|(_, piece)| piece.role != Role::Pawn) {
            let is_king = piece.role == Role::King;
            let guarded = if is_king { guarded[piece.color.index()] } else { Bitboard::EMPTY };
            measure(piece, to, obstacles, obstacles | guarded, &mut terrain.moves[to.index()]);
        }
        terrain
    }

    /// Returns the moves of the piece that is wanted on a square.
    #[inline]
    pub(super) fn moves(&self, from: Square, to: Square) -> u8 {
        self.moves[to.index()][from.index()]
    }

    /// Returns the moves from the best promotion square.
    pub(super) fn after_promotion(&self, color: Color, to: Square) -> u8 {
        let last_rank = Bitboard::rank(Rank::Eighth.relative_to(color));
        last_rank.into_iter().map(|from| self.moves(from, to)).min().unwrap_or(NEVER)
    }
}

/// Walks backward from a destination: a piece can move from one square to another exactly if it
/// can move back.
fn measure(piece: Piece, to: Square, blocked: Bitboard, forbidden: Bitboard, row: &mut [u8]) {
    let mut seen = forbidden.with(to);
    let mut edge = Bitboard::of(to);
    let mut count = 0;
    while edge.any() {
        let mut next = Bitboard::EMPTY;
        for square in edge {
            row[square.index()] = count;
            next |= attacks::of_piece(piece, square, blocked);
        }
        // A piece can stay on a destination that is forbidden, but cannot move there.
        let is_closed = count == 0 && forbidden.contains(to);
        edge = if is_closed { Bitboard::EMPTY } else { next & !seen };
        seen |= edge;
        count += 1;
    }
}

/// Returns the square in front of a pawn.
pub(super) fn ahead(color: Color, square: Square) -> Option<Square> {
    square.offset(0, color.fold(1, -1))
}

fn row(piece: Piece, to: Square) -> usize {
    ((piece.color.index() * 6 + piece.role.index()) * 64 + to.index()) * 64
}

/// Returns where a pawn's double step ends (FIDE 3.7.2), unless a piece that never moves is in
/// its way.
fn double_step(color: Color, from: Square, unmoved: Bitboard) -> Option<Square> {
    let one = ahead(color, from)?;
    let two = ahead(color, one)?;
    let is_free = !unmoved.contains(one) && !unmoved.contains(two);
    (from.rank() == Rank::Second.relative_to(color) && is_free).then_some(two)
}

/// Returns the squares guarded by those wanted pawns that are already in place.
fn guarded(color: Color, unmoved: Bitboard, wanted: &Pieces) -> Bitboard {
    let pawns = wanted.piece(Piece { color, role: Role::Pawn }) & unmoved;
    pawns.into_iter().fold(Bitboard::EMPTY, |all, square| all | attacks::pawn(color, square))
}
