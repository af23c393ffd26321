//! A board that only replays moves known to be legal, as fast as possible.
//!
//! A search for a position plays through millions of moves. The positions of `castellan-rules` know
//! everything about legal moves and cost more than ten times as much. This board knows which pieces
//! stand where, the castling rights and the en passant capture. Invariant: after the moves of a game
//! it equals the position of the rules, which a test checks over random games.

use castellan_pgn::Played;
use castellan_rules::{
    Color, Move, MoveKind, Piece, Position, Promotion, Role, Square, castled_squares,
};

/// A move in two bytes: six bits for each square, four for the kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct PackedMove(u16);

/// The kinds of packed moves. Promotions follow each other in the order of [`Promotion::ALL`].
const NORMAL: u16 = 0;
const DOUBLE_STEP: u16 = 1;
/// A double step after which a pawn may capture en passant.
const CAPTURABLE_DOUBLE_STEP: u16 = 2;
const EN_PASSANT: u16 = 3;
const CASTLE: u16 = 4;
const NULL: u16 = 5;
const PROMOTION: u16 = 8;

impl PackedMove {
    /// Packs a move, given the position after it.
    pub(super) fn new(played: Played, after: &Position) -> PackedMove {
        let Played::Move(mv) = played else { return PackedMove(NULL << 12) };
        let kind = match mv.kind() {
            MoveKind::Normal => NORMAL,
            MoveKind::DoubleStep if after.en_passant().is_some() => CAPTURABLE_DOUBLE_STEP,
            MoveKind::DoubleStep => DOUBLE_STEP,
            MoveKind::EnPassant => EN_PASSANT,
            MoveKind::Castle => CASTLE,
            MoveKind::Promotion(piece) => {
                let index = Promotion::ALL.iter().position(|&it| it == piece).unwrap_or(0);
                PROMOTION + index as u16
            }
        };
        PackedMove(mv.from().index() as u16 | (mv.to().index() as u16) << 6 | kind << 12)
    }

    fn from(self) -> usize {
        usize::from(self.0 & 63)
    }

    fn to(self) -> usize {
        usize::from(self.0 >> 6 & 63)
    }

    fn kind(self) -> u16 {
        self.0 >> 12
    }

    fn promotion(self) -> Promotion {
        Promotion::ALL[usize::from(self.kind() & 3)]
    }

    /// Returns the move in a position; `None` for a null move.
    pub(super) fn unpack(self, position: &Position) -> Option<Move> {
        let (from, to) = (Square::ALL[self.from()], Square::ALL[self.to()]);
        let kind = match self.kind() {
            NULL => return None,
            DOUBLE_STEP | CAPTURABLE_DOUBLE_STEP => MoveKind::DoubleStep,
            EN_PASSANT => MoveKind::EnPassant,
            CASTLE => MoveKind::Castle,
            PROMOTION.. => MoveKind::Promotion(self.promotion()),
            _ => MoveKind::Normal,
        };
        let role = position.piece_at(from)?.role;
        Some(Move::new(from, to, role, kind))
    }
}

/// A piece as a number: 0 for an empty square, then White's and Black's six roles.
type PieceCode = u8;

const EMPTY: PieceCode = 0;
const WHITE_KING: PieceCode = 6;
const BLACK_KING: PieceCode = 12;

pub(super) fn code(piece: Piece) -> PieceCode {
    let role = match piece.role {
        Role::Pawn => 1,
        Role::Knight => 2,
        Role::Bishop => 3,
        Role::Rook => 4,
        Role::Queen => 5,
        Role::King => 6,
    };
    role + piece.color.fold(0, 6)
}

/// One random number for each piece on each square; zeros for no piece.
static KEYS: [[u64; 64]; 13] = keys();

const fn keys() -> [[u64; 64]; 13] {
    let mut keys = [[0; 64]; 13];
    let (mut piece, mut seed) = (1, 0x4361_7374_656c_6c61_u64);
    while piece < 13 {
        let mut square = 0;
        while square < 64 {
            // A linear congruential step, whose high bits are mixed into the low ones.
            seed = seed.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            keys[piece][square] = (seed ^ seed >> 29).wrapping_mul(0xd6e8_feb8_6659_fd93);
            square += 1;
        }
        piece += 1;
    }
    keys
}

/// Bits for the number of pieces of a kind in [`Material`].
const COUNT_BITS: u32 = 5;

/// How many pieces of each kind and color there are, in one number.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Material(u64);

impl Material {
    pub(super) fn add(&mut self, piece: PieceCode) {
        self.0 = self.0.wrapping_add(Material::one(piece));
    }

    fn remove(&mut self, piece: PieceCode) {
        self.0 = self.0.wrapping_sub(Material::one(piece));
    }

    fn one(piece: PieceCode) -> u64 {
        if piece == EMPTY { 0 } else { 1 << (COUNT_BITS * u32::from(piece - 1)) }
    }

    /// Returns the material with the colors exchanged.
    pub(super) fn exchanged(self) -> Material {
        const HALF: u32 = 6 * COUNT_BITS;
        Material(self.0 >> HALF | (self.0 & ((1 << HALF) - 1)) << HALF)
    }
}

/// Stands for no square.
const NO_SQUARE: u8 = 64;

/// A board that moves are replayed on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Replay {
    squares: [PieceCode; 64],
    /// Hash of the squares alone.
    hash: u64,
    /// The rooks that may castle, one bit for each square.
    castling: u64,
    pub(super) material: Material,
    /// The number of pieces.
    pub(super) count: u8,
    is_black: bool,
    /// The square of an en passant capture, or [`NO_SQUARE`].
    en_passant: u8,
}

impl Replay {
    pub(super) fn new(position: &Position) -> Replay {
        let mut replay = Replay {
            squares: [EMPTY; 64],
            hash: 0,
            castling: position.castling_rooks().into_iter().map(|rook| 1 << rook.index()).sum(),
            material: Material::default(),
            count: 0,
            is_black: position.turn() == Color::Black,
            en_passant: position.en_passant().map_or(NO_SQUARE, |square| square.index() as u8),
        };
        for (square, piece) in position.pieces().iter() {
            replay.put(square.index(), code(piece));
        }
        replay
    }

    /// Plays a move.
    #[inline]
    pub(super) fn play(&mut self, mv: PackedMove) {
        let (from, to, kind) = (mv.from(), mv.to(), mv.kind());
        let was_black = self.is_black;
        self.is_black = !was_black;
        self.en_passant = NO_SQUARE;
        if kind == NORMAL {
            let piece = self.take(from);
            self.take(to);
            self.put(to, piece);
            self.lose_rights(piece, from, to);
            return;
        }
        self.play_special(mv, was_black);
    }

    fn play_special(&mut self, mv: PackedMove, was_black: bool) {
        let (from, to) = (mv.from(), mv.to());
        match mv.kind() {
            NULL => return,
            CASTLE => {
                let (king, rook) = (self.take(from), self.take(to));
                let (king_to, rook_to) = castled_squares(Square::ALL[from], Square::ALL[to]);
                self.put(king_to.index(), king);
                self.put(rook_to.index(), rook);
                self.lose_rights(king, from, to);
                return;
            }
            _ => {}
        }
        let pawn = self.take(from);
        self.take(to);
        let piece = match mv.kind() {
            PROMOTION.. => {
                let color = if was_black { Color::Black } else { Color::White };
                code(Piece { color, role: mv.promotion().role() })
            }
            _ => pawn,
        };
        self.put(to, piece);
        self.lose_rights(piece, from, to);
        match mv.kind() {
            CAPTURABLE_DOUBLE_STEP => self.en_passant = usize::midpoint(from, to) as u8,
            // The captured pawn is on the rank that the other one came from.
            EN_PASSANT => {
                self.take(from & !7 | to & 7);
            }
            _ => {}
        }
    }

    /// Ends castling rights: those of a king that moves, and that of a rook which moves or is taken.
    #[inline]
    fn lose_rights(&mut self, piece: PieceCode, from: usize, to: usize) {
        let home = match piece {
            WHITE_KING => 0xff,
            BLACK_KING => 0xff << 56,
            _ => 0,
        };
        self.castling &= !(home | 1 << from | 1 << to);
    }

    #[inline]
    fn take(&mut self, square: usize) -> PieceCode {
        let piece = std::mem::replace(&mut self.squares[square], EMPTY);
        self.hash ^= KEYS[usize::from(piece)][square];
        self.material.remove(piece);
        self.count -= u8::from(piece != EMPTY);
        piece
    }

    #[inline]
    fn put(&mut self, square: usize, piece: PieceCode) {
        self.squares[square] = piece;
        self.hash ^= KEYS[usize::from(piece)][square];
        self.material.add(piece);
        self.count += u8::from(piece != EMPTY);
    }

    /// Returns the hash of the pieces on their squares.
    pub(super) fn hash(&self) -> u64 {
        self.hash
    }

    /// Returns `true` if both are the same position (FIDE 9.2.3).
    #[inline]
    pub(super) fn is_same(&self, other: &Replay) -> bool {
        // The hash decides nearly always, without looking at the squares.
        self.hash == other.hash && self == other
    }
}
