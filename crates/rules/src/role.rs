//! Piece types, promotions and pieces.

use crate::Color;

/// The type of a piece, regardless of its color.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Role {
    /// The pawn.
    Pawn,
    /// The knight.
    Knight,
    /// The bishop.
    Bishop,
    /// The rook.
    Rook,
    /// The queen.
    Queen,
    /// The king.
    King,
}

impl Role {
    /// All six roles, from the pawn to the king.
    pub const ALL: [Role; 6] =
        [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];

    /// Returns the index, from 0 for the pawn to 5 for the king.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Returns the English letter in upper case, `P` for the pawn.
    #[inline]
    pub const fn letter(self) -> char {
        match self {
            Role::Pawn => 'P',
            Role::Knight => 'N',
            Role::Bishop => 'B',
            Role::Rook => 'R',
            Role::Queen => 'Q',
            Role::King => 'K',
        }
    }

    /// Returns the role with this upper-case English letter, or `None` if there is none.
    #[inline]
    pub const fn from_letter(letter: char) -> Option<Role> {
        match letter {
            'P' => Some(Role::Pawn),
            'N' => Some(Role::Knight),
            'B' => Some(Role::Bishop),
            'R' => Some(Role::Rook),
            'Q' => Some(Role::Queen),
            'K' => Some(Role::King),
            _ => None,
        }
    }

    /// Returns the English name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Pawn => "pawn",
            Role::Knight => "knight",
            Role::Bishop => "bishop",
            Role::Rook => "rook",
            Role::Queen => "queen",
            Role::King => "king",
        }
    }
}

/// The piece a pawn promotes to: four values, so that a king or a pawn cannot be expressed (FIDE
/// 3.7.3.3).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Promotion {
    /// To a knight.
    Knight,
    /// To a bishop.
    Bishop,
    /// To a rook.
    Rook,
    /// To a queen.
    Queen,
}

const _: () = assert!(size_of::<Option<Promotion>>() == 1);

impl Promotion {
    /// All four promotions, from the knight to the queen.
    pub const ALL: [Promotion; 4] =
        [Promotion::Knight, Promotion::Bishop, Promotion::Rook, Promotion::Queen];

    /// Returns the role the pawn promotes to.
    #[inline]
    pub const fn role(self) -> Role {
        match self {
            Promotion::Knight => Role::Knight,
            Promotion::Bishop => Role::Bishop,
            Promotion::Rook => Role::Rook,
            Promotion::Queen => Role::Queen,
        }
    }

    /// Returns the English letter in upper case.
    #[inline]
    pub const fn letter(self) -> char {
        self.role().letter()
    }

    /// Returns the promotion to this role, or `None` for a pawn and a king.
    #[inline]
    pub const fn from_role(role: Role) -> Option<Promotion> {
        match role {
            Role::Knight => Some(Promotion::Knight),
            Role::Bishop => Some(Promotion::Bishop),
            Role::Rook => Some(Promotion::Rook),
            Role::Queen => Some(Promotion::Queen),
            Role::Pawn | Role::King => None,
        }
    }
}

/// A piece: a role and its color.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Piece {
    /// The color of the player who owns the piece.
    pub color: Color,
    /// The type of the piece.
    pub role: Role,
}

impl Piece {
    /// Returns the FEN letter: upper case for White, lower case for Black.
    #[inline]
    pub const fn letter(self) -> char {
        match self.color {
            Color::White => self.role.letter(),
            Color::Black => self.role.letter().to_ascii_lowercase(),
        }
    }

    /// Returns the piece with this FEN letter, or `None` if there is none.
    #[inline]
    pub const fn from_letter(letter: char) -> Option<Piece> {
        let color = if letter.is_ascii_uppercase() { Color::White } else { Color::Black };
        match Role::from_letter(letter.to_ascii_uppercase()) {
            Some(role) => Some(Piece { color, role }),
            None => None,
        }
    }
}
