//! The board as an array of 64 squares, each empty or holding one piece.
//!
//! This module defines the basic types of the oracle (color, role, piece, square) and decides
//! whether a square is attacked. It walks from square to square; there are no tables and no bit
//! tricks that could be wrong.

use std::fmt;

/// White or Black.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Color {
    /// The side that moves first.
    White,
    /// The other side.
    Black,
}

impl Color {
    /// Returns the other color.
    #[must_use]
    pub fn opponent(self) -> Color {
        match self {
            Color::White => Color::Black,
            Color::Black => Color::White,
        }
    }

    /// Returns the rank the pieces start on, counted from 0.
    pub(super) fn back_rank(self) -> u8 {
        match self {
            Color::White => 0,
            Color::Black => 7,
        }
    }

    /// Returns the direction in which pawns move.
    pub(super) fn forward(self) -> i8 {
        match self {
            Color::White => 1,
            Color::Black => -1,
        }
    }
}

/// The kind of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Pawn.
    Pawn,
    /// Knight.
    Knight,
    /// Bishop.
    Bishop,
    /// Rook.
    Rook,
    /// Queen.
    Queen,
    /// King.
    King,
}

impl Role {
    /// The pieces a pawn can promote to.
    pub const PROMOTIONS: [Role; 4] = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];

    /// Returns the lowercase English letter.
    #[must_use]
    pub fn letter(self) -> char {
        match self {
            Role::Pawn => 'p',
            Role::Knight => 'n',
            Role::Bishop => 'b',
            Role::Rook => 'r',
            Role::Queen => 'q',
            Role::King => 'k',
        }
    }
}

/// A role with its color.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Piece {
    /// The owner of the piece.
    pub color: Color,
    /// The kind of the piece.
    pub role: Role,
}

impl Piece {
    /// Returns the letter as in FEN: uppercase for White.
    #[must_use]
    pub fn letter(self) -> char {
        match self.color {
            Color::White => self.role.letter().to_ascii_uppercase(),
            Color::Black => self.role.letter(),
        }
    }

    pub(super) fn from_letter(letter: char) -> Option<Piece> {
        let role = match letter.to_ascii_lowercase() {
            'p' => Role::Pawn,
            'n' => Role::Knight,
            'b' => Role::Bishop,
            'r' => Role::Rook,
            'q' => Role::Queen,
            'k' => Role::King,
            _ => return None,
        };
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        Some(Piece { color, role })
    }
}

/// One of the 64 squares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Square {
    rank: u8,
    file: u8,
}

impl Square {
    /// Returns the square on `file` and `rank`, both counted from 0, if it is on the board.
    #[must_use]
    pub fn new(file: u8, rank: u8) -> Option<Square> {
        (file < 8 && rank < 8).then_some(Square { rank, file })
    }

    /// Parses a square such as `e4`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Square> {
        let [file, rank] = *text.as_bytes() else {
            return None;
        };
        Square::new(file.checked_sub(b'a')?, rank.checked_sub(b'1')?)
    }

    /// Returns the file, counted from 0 for the a-file.
    #[must_use]
    pub fn file(self) -> u8 {
        self.file
    }

    /// Returns the rank, counted from 0 for the first rank.
    #[must_use]
    pub fn rank(self) -> u8 {
        self.rank
    }

    /// Returns all squares, a1 first, rank by rank.
    pub fn all() -> impl Iterator<Item = Square> {
        (0..8).flat_map(|rank| (0..8).map(move |file| Square { rank, file }))
    }

    /// Returns the square some files and ranks away, unless that leaves the board.
    pub(super) fn step(self, (files, ranks): Step) -> Option<Square> {
        Square::new(self.file.checked_add_signed(files)?, self.rank.checked_add_signed(ranks)?)
    }

    /// Returns the square on another file of the same rank.
    pub(super) fn on_file(self, file: u8) -> Square {
        Square { rank: self.rank, file }
    }

    fn index(self) -> usize {
        usize::from(self.rank) * 8 + usize::from(self.file)
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file), char::from(b'1' + self.rank))
    }
}

/// A distance in files and ranks.
pub(super) type Step = (i8, i8);

pub(super) const ROOK_STEPS: [Step; 4] = [(1, 0), (-1, 0), (0, 1), (0, -1)];
pub(super) const BISHOP_STEPS: [Step; 4] = [(1, 1), (1, -1), (-1, 1), (-1, -1)];
pub(super) const KING_STEPS: [Step; 8] =
    [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];
pub(super) const KNIGHT_STEPS: [Step; 8] =
    [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)];

/// The 64 squares and the pieces on them.
#[derive(Clone, Debug)]
pub(super) struct Board([Option<Piece>; 64]);

impl Board {
    pub(super) fn empty() -> Board {
        Board([None; 64])
    }

    pub(super) fn get(&self, square: Square) -> Option<Piece> {
        self.0[square.index()]
    }

    pub(super) fn set(&mut self, square: Square, piece: Option<Piece>) {
        self.0[square.index()] = piece;
    }

    pub(super) fn holds(&self, square: Square, color: Color, role: Role) -> bool {
        self.get(square) == Some(Piece { color, role })
    }

    /// Returns the squares of the pieces of one color and role.
    pub(super) fn find(&self, color: Color, role: Role) -> impl Iterator<Item = Square> {
        Square::all().filter(move |square| self.holds(*square, color, role))
    }

    /// Returns `true` if a piece of `by` attacks `target` (FIDE 3.1.2). A pinned piece attacks
    /// too, and it does not matter what is on the target.
    pub(super) fn is_attacked(&self, target: Square, by: Color) -> bool {
        let jumps_from = |steps: &[Step], role| {
            steps.iter().filter_map(|step| target.step(*step)).any(|s| self.holds(s, by, role))
        };
        let slides_from = |steps: &[Step], role| {
            steps
                .iter()
                .filter_map(|step| self.first_piece(target, *step))
                .any(|piece| piece.color == by && (piece.role == role || piece.role == Role::Queen))
        };
        // A pawn attacks forward, so looking from its target it is one rank backward.
        let pawn_steps = [(1, -by.forward()), (-1, -by.forward())];
        jumps_from(&pawn_steps, Role::Pawn)
            || jumps_from(&KNIGHT_STEPS, Role::Knight)
            || jumps_from(&KING_STEPS, Role::King)
            || slides_from(&ROOK_STEPS, Role::Rook)
            || slides_from(&BISHOP_STEPS, Role::Bishop)
    }

    /// Returns the first piece in a direction from a square.
    fn first_piece(&self, from: Square, step: Step) -> Option<Piece> {
        let mut square = from.step(step)?;
        while self.get(square).is_none() {
            square = square.step(step)?;
        }
        self.get(square)
    }
}
