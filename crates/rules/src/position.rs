//! Queries on a position. Its state, and how moves change it, live in `state`.

use std::hash::{Hash, Hasher};

use crate::movegen::{Selection, count, generate};
use crate::side::{Black, White};
use crate::{
    Bitboard, Color, File, Move, MoveList, NoObserver, Observer, Piece, Position, Rank, Role,
    Setup, Square,
};

/// The error for a move that is not legal in the position it was played in.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the move is not legal here")]
pub struct IllegalMove;

/// Evaluates an expression with the side to move as a type, so that it is compiled for each
/// color.
macro_rules! by_turn {
    ($position:expr, $side:ident => $call:expr) => {
        match $position.turn() {
            Color::White => {
                type $side = White;
                $call
            }
            Color::Black => {
                type $side = Black;
                $call
            }
        }
    };
}

impl Position {
    /// Returns the Chess960 start position with a number from 0 to 959; 518 is the standard one.
    /// Returns `None` for a larger number.
    pub fn chess960(number: u16) -> Option<Position> {
        let setup = Setup::chess960(number)?;
        Some(setup.position().expect("every Chess960 start position is playable"))
    }

    /// Returns `true` if a king or a rook that may castle stands where it cannot stand in
    /// standard chess, so that castling written as `e1g1` could be misread.
    pub fn is_chess960(&self) -> bool {
        self.castling_rooks().into_iter().any(|rook| {
            let is_rook_home = matches!(rook.file(), File::A | File::H);
            let king = self.piece_at(rook).map(|rook| self.king(rook.color));
            !is_rook_home || king.is_some_and(|king| king.file() != File::E)
        })
    }

    /// Returns the squares with a piece of this role.
    #[inline]
    pub fn role(&self, role: Role) -> Bitboard {
        self.pieces().role(role)
    }

    /// Returns the squares with a piece of this color.
    #[inline]
    pub fn color(&self, color: Color) -> Bitboard {
        self.pieces().color(color)
    }

    /// Returns the squares with any piece.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.pieces().occupied()
    }

    /// Returns the piece on a square, or `None` if the square is empty.
    #[inline]
    pub fn piece_at(&self, square: Square) -> Option<Piece> {
        self.pieces().piece_at(square)
    }

    /// Returns the square of a color's king.
    #[inline]
    pub fn king(&self, color: Color) -> Square {
        self.pieces().piece(Piece { color, role: Role::King }).first_or_a1()
    }

    /// Returns the enemy pieces that give check.
    #[inline]
    pub fn checkers(&self) -> Bitboard {
        let turn = self.turn();
        self.pieces().attackers(!turn, self.king(turn), self.occupied())
    }

    /// Returns `true` if the side to move is in check (FIDE 3.9.1).
    #[inline]
    pub fn is_check(&self) -> bool {
        self.checkers().any()
    }

    /// Returns every legal move.
    #[inline]
    pub fn legal_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        self.legal_moves_into(&mut moves);
        moves
    }

    /// Replaces the contents of `moves` with every legal move, so that the list can be reused.
    pub fn legal_moves_into(&self, moves: &mut MoveList) {
        moves.clear();
        by_turn!(self, S => generate::<S, MoveList>(self.board(), Selection::All, moves));
    }

    /// Replaces the contents of `moves` with the legal captures and promotions. Underpromotions
    /// are included.
    pub fn noisy_moves_into(&self, moves: &mut MoveList) {
        moves.clear();
        by_turn!(self, S => generate::<S, MoveList>(self.board(), Selection::Noisy, moves));
    }

    /// Replaces the contents of `moves` with the legal moves that are neither captures nor
    /// promotions: all those that [`noisy_moves_into`](Position::noisy_moves_into) leaves out.
    pub fn quiet_moves_into(&self, moves: &mut MoveList) {
        moves.clear();
        by_turn!(self, S => generate::<S, MoveList>(self.board(), Selection::Quiet, moves));
    }

    /// Returns the number of legal moves, several times faster than generating the list.
    pub fn count_legal_moves(&self) -> usize {
        by_turn!(self, S => count::<S>(self.board()))
    }

    /// Returns `true` if the side to move has a legal move.
    pub fn has_legal_move(&self) -> bool {
        self.count_legal_moves() > 0
    }

    /// Returns `true` if the side to move is checkmated (FIDE 5.1.1).
    pub fn is_checkmate(&self) -> bool {
        self.is_check() && !self.has_legal_move()
    }

    /// Returns `true` if the side to move is stalemated (FIDE 5.2.1).
    pub fn is_stalemate(&self) -> bool {
        !self.is_check() && !self.has_legal_move()
    }

    /// Returns the position after a move.
    pub fn play(&self, mv: Move) -> Result<Position, IllegalMove> {
        if self.is_legal(mv) { Ok(self.play_outlined(mv)) } else { Err(IllegalMove) }
    }

    /// Returns the position after a move that the caller knows to be legal, such as one from
    /// [`legal_moves`](Position::legal_moves). An illegal move gives a meaningless position.
    #[inline(always)]
    pub fn play_unchecked(&self, mv: Move) -> Position {
        self.play_observed(mv, &mut NoObserver)
    }

    /// Like [`play_unchecked`](Position::play_unchecked), for code where size matters more than
    /// speed: that function is inlined at every call.
    #[inline(never)]
    pub(crate) fn play_outlined(&self, mv: Move) -> Position {
        self.play_unchecked(mv)
    }

    /// Like [`play_unchecked`](Position::play_unchecked), but writes into an existing position.
    /// Code that follows a line can alternate between two positions this way. Copying a position
    /// right after making it would stall on its own writes.
    #[inline(always)]
    pub fn play_into_unchecked(&self, mv: Move, next: &mut Position) {
        by_turn!(self, S => self.after_into::<S>(mv, next));
    }

    /// Like [`play_unchecked`](Position::play_unchecked), but tells an observer which pieces leave
    /// and enter squares.
    #[inline(always)]
    pub fn play_observed(&self, mv: Move, observer: &mut impl Observer) -> Position {
        by_turn!(self, S => self.after::<S, _>(mv, observer))
    }

    /// Returns the position after a null move, which no rule allows but searches and annotators
    /// use. Returns `None` if the side to move is in check.
    pub fn null_move(&self) -> Option<Position> {
        (!self.is_check()).then(|| self.after_null_move())
    }

    /// Returns everything a FEN says about this position.
    pub fn to_setup(&self) -> Setup {
        Setup {
            pieces: *self.pieces(),
            turn: self.turn(),
            castling_rooks: self.castling_rooks(),
            en_passant: self.passed_square(),
            clocks: Some(crate::Clocks {
                halfmove_clock: self.halfmove_clock(),
                fullmove_number: self.fullmove_number(),
            }),
        }
    }
}

impl Default for Position {
    fn default() -> Position {
        Position::start()
    }
}

impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        self.is_same_position(other)
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash());
    }
}

impl std::fmt::Debug for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.to_fen())
    }
}

/// Returns the roles on the back rank of a Chess960 start position, from the a-file, in the
/// Scharnagl numbering: the number encodes the light-squared bishop, the dark-squared bishop, the
/// queen and the knights.
pub(crate) fn chess960_back_rank(number: u16) -> Option<[Role; 8]> {
    const KNIGHTS: [(usize, usize); 10] =
        [(0, 1), (0, 2), (0, 3), (0, 4), (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4)];
    if number >= 960 {
        return None;
    }
    let number = usize::from(number);
    let mut files: [Option<Role>; 8] = [None; 8];
    files[number % 4 * 2 + 1] = Some(Role::Bishop);
    files[number / 4 % 4 * 2] = Some(Role::Bishop);
    put_on_free(&mut files, number / 16 % 6, Role::Queen);
    let (first, second) = KNIGHTS[number / 96];
    // Putting the first knight down leaves one fewer free file to the left of the second.
    put_on_free(&mut files, first, Role::Knight);
    put_on_free(&mut files, second - 1, Role::Knight);
    for role in [Role::Rook, Role::King, Role::Rook] {
        put_on_free(&mut files, 0, role);
    }
    Some(files.map(|role| role.expect("eight pieces fill eight files")))
}

/// Puts a piece on the free file that has `left` free files to its left.
fn put_on_free(files: &mut [Option<Role>; 8], left: usize, role: Role) {
    let free = files.iter_mut().filter(|file| file.is_none()).nth(left);
    *free.expect("the callers count free files") = Some(role);
}

impl Setup {
    /// Returns the setup of the Chess960 start position with a number from 0 to 959, or `None` for
    /// a larger number.
    pub fn chess960(number: u16) -> Option<Setup> {
        let back_rank = chess960_back_rank(number)?;
        let mut setup = Setup::empty();
        setup.clocks = Some(crate::Clocks { halfmove_clock: 0, fullmove_number: 1 });
        for (file, role) in File::ALL.into_iter().zip(back_rank) {
            for color in Color::ALL {
                let square = Square::new(file, Rank::First.relative_to(color));
                setup.pieces.put(Piece { color, role }, square);
                let pawn = Piece { color, role: Role::Pawn };
                setup.pieces.put(pawn, Square::new(file, Rank::Second.relative_to(color)));
            }
        }
        setup.castling_rooks = setup.pieces.role(Role::Rook);
        Some(setup)
    }
}
