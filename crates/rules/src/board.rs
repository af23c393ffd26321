//! The state that a move changes, and making moves.
//!
//! Owns: the pieces and everything else the hash speaks of, together with the hash. The fields
//! are private to this file, so nothing can move a piece and forget the hash.

use crate::pieces::COLORS;
use crate::side::{Black, Side, White};
use crate::{Bitboard, Color, File, Move, MoveKind, Observer, Piece, Pieces, Rank, Role, Square};
use crate::{attacks, zobrist};

/// A pawn's double step on the move before, in one byte: nothing, or the file, and whether
/// an en passant capture is legal.
#[derive(Clone, Copy, PartialEq, Eq)]
struct LastStep(u8);

impl LastStep {
    const NONE: LastStep = LastStep(0);
    const LEGAL: u8 = 16;
    const STEP: u8 = 8;

    fn new(file: File, is_legal: bool) -> LastStep {
        LastStep(file as u8 | LastStep::STEP | if is_legal { LastStep::LEGAL } else { 0 })
    }

    #[inline(always)]
    fn is_legal(self) -> bool {
        self.0 & LastStep::LEGAL != 0
    }

    fn file(self) -> Option<File> {
        let file = File::ALL[usize::from(self.0 & 7)];
        (self != LastStep::NONE).then_some(file)
    }
}

/// A position's state. See the top of this file.
#[derive(Clone, Copy)]
pub(crate) struct Board {
    pieces: Pieces,
    castling_rooks: Bitboard,
    hash: u64,
    fullmove_number: u32,
    halfmove_clock: u16,
    turn: Color,
    last_step: LastStep,
}

const _: () = assert!(size_of::<Board>() == 88);

/// What a [`Board`] is made of, before anything is derived from it.
pub(crate) struct Parts {
    pub(crate) pieces: Pieces,
    pub(crate) turn: Color,
    pub(crate) castling_rooks: Bitboard,
    pub(crate) en_passant: Option<Square>,
    pub(crate) halfmove_clock: u16,
    pub(crate) fullmove_number: u32,
}

impl Board {
    /// The board of parts that have been checked.
    pub(crate) fn new(parts: &Parts) -> Board {
        let mut board = Board {
            pieces: parts.pieces,
            castling_rooks: parts.castling_rooks,
            hash: 0,
            fullmove_number: parts.fullmove_number,
            halfmove_clock: parts.halfmove_clock,
            turn: parts.turn,
            last_step: LastStep::NONE,
        };
        board.hash = board.recomputed_hash();
        if let Some(passed) = parts.en_passant {
            match board.turn {
                Color::White => board.set_last_step::<White>(passed),
                Color::Black => board.set_last_step::<Black>(passed),
            }
        }
        board
    }

    #[inline(always)]
    pub(crate) fn pieces(&self) -> &Pieces {
        &self.pieces
    }

    #[inline(always)]
    pub(crate) fn turn(&self) -> Color {
        self.turn
    }

    #[inline(always)]
    pub(crate) fn castling_rooks(&self) -> Bitboard {
        self.castling_rooks
    }

    #[inline(always)]
    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }

    pub(crate) fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    pub(crate) fn fullmove_number(&self) -> u32 {
        self.fullmove_number
    }

    /// The square a pawn has just passed over, whether or not it can be taken there.
    pub(crate) fn passed_square(&self) -> Option<Square> {
        let rank = Rank::Sixth.relative_to(self.turn);
        self.last_step.file().map(|file| Square::new(file, rank))
    }

    /// The square of a legal en passant capture.
    #[inline(always)]
    pub(crate) fn en_passant(&self) -> Option<Square> {
        if self.last_step.is_legal() { self.passed_square() } else { None }
    }

    /// The hash computed from nothing.
    pub(crate) fn recomputed_hash(&self) -> u64 {
        let mut hash = zobrist::turn(self.turn) ^ zobrist::castling(self.castling_rooks);
        for color in Color::ALL {
            for role in Role::ALL {
                let piece = Piece { color, role };
                for square in self.pieces.piece(piece) {
                    hash ^= zobrist::piece(piece, square);
                }
            }
        }
        match self.en_passant() {
            Some(passed) => hash ^ zobrist::en_passant(passed.file()),
            None => hash,
        }
    }

    /// The same position by the repetition rule: clocks do not count (FIDE 9.2.3).
    pub(crate) fn is_same_position(&self, other: &Board) -> bool {
        self.hash == other.hash
            && self.pieces == other.pieces
            && self.turn == other.turn
            && self.castling_rooks == other.castling_rooks
            && self.en_passant() == other.en_passant()
    }

    /// The pawns of the side to move, `S`, that may capture on the square just passed over.
    ///
    /// Two men leave the capturing pawn's rank at once, which no pin foresees, so the king is
    /// looked at on the board as it would be.
    #[inline(never)]
    pub(crate) fn en_passant_capturers<S: Side>(&self, passed: Square) -> Bitboard {
        let ours = self.pieces.color(S::COLOR);
        let king = (ours & self.pieces.role(Role::King)).first_or_a1();
        let victim = S::back(Bitboard::of(passed));
        let beside = attacks::pawn(<S::Other as Side>::COLOR, passed);
        let mut capturers = Bitboard::EMPTY;
        for from in beside & ours & self.pieces.role(Role::Pawn) {
            let occupied = self.pieces.occupied() ^ Bitboard::of(from) ^ victim | passed.into();
            let attackers = self.pieces.attackers(<S::Other as Side>::COLOR, king, occupied);
            if (attackers & !victim).is_empty() {
                capturers |= from.into();
            }
        }
        capturers
    }

    /// Notes that a pawn of the side not to move has just passed over a square.
    fn set_last_step<S: Side>(&mut self, passed: Square) {
        let is_legal = self.en_passant_capturers::<S>(passed).any();
        self.last_step = LastStep::new(passed.file(), is_legal);
        if is_legal {
            self.hash ^= zobrist::en_passant(passed.file());
        }
    }

    /// The board after a move of the side to move, which is `S`.
    ///
    /// The move must be legal here; another one gives a board without sense.
    #[inline(always)]
    pub(crate) fn play<S: Side, O: Observer>(&self, mv: Move, observer: &mut O) -> Board {
        let mut next = *self;
        next.pass_turn::<S>();
        let piece = Piece { color: S::COLOR, role: mv.role };
        match mv.kind {
            MoveKind::Normal => next.shift::<S, O>(piece, piece.role, mv, observer),
            MoveKind::DoubleStep => next.double_step::<S, O>(mv, observer),
            MoveKind::Promotion(promotion) => {
                next.shift::<S, O>(piece, promotion.role(), mv, observer);
            }
            MoveKind::EnPassant => next.capture_en_passant::<S, O>(mv, observer),
            MoveKind::Castle => next.castle::<S, O>(mv, observer),
        }
        next
    }

    /// The board with the other side to move: a null move.
    pub(crate) fn pass(&self) -> Board {
        let mut next = *self;
        match self.turn {
            Color::White => next.pass_turn::<White>(),
            Color::Black => next.pass_turn::<Black>(),
        }
        next
    }

    /// Ends the turn of `S`: clocks, the chance of en passant, the side to move.
    #[inline(always)]
    fn pass_turn<S: Side>(&mut self) {
        if self.last_step.is_legal() {
            self.hash ^= zobrist::en_passant(File::ALL[usize::from(self.last_step.0 & 7)]);
        }
        self.last_step = LastStep::NONE;
        self.hash ^= zobrist::turn(Color::Black);
        self.turn = <S::Other as Side>::COLOR;
        self.halfmove_clock = self.halfmove_clock.saturating_add(1);
        if S::COLOR == Color::Black {
            self.fullmove_number = self.fullmove_number.saturating_add(1);
        }
    }

    /// A piece goes from a square to a square, where it may capture and may become another.
    #[inline(always)]
    fn shift<S: Side, O: Observer>(
        &mut self,
        piece: Piece,
        role_after: Role,
        mv: Move,
        observer: &mut O,
    ) {
        let after = Piece { color: S::COLOR, role: role_after };
        let moved = Bitboard::of(mv.from) | mv.to.into();
        self.hash ^= zobrist::piece(piece, mv.from) ^ zobrist::piece(after, mv.to);
        observer.removed(piece, mv.from);
        if self.pieces.color(<S::Other as Side>::COLOR).contains(mv.to) {
            let role = self.captured_role(mv.to);
            let captured = Piece { color: <S::Other as Side>::COLOR, role };
            self.hash ^= zobrist::piece(captured, mv.to);
            self.halfmove_clock = 0;
            observer.removed(captured, mv.to);
        }
        for set in &mut self.pieces.sets {
            *set &= !moved;
        }
        self.pieces.add(after, mv.to);
        observer.placed(after, mv.to);
        if piece.role == Role::Pawn {
            self.halfmove_clock = 0;
        }
        let home = if piece.role == Role::King { S::rank(Rank::First) } else { Bitboard::EMPTY };
        self.lose_castling(moved | home);
    }

    /// The role of the man on an occupied square, without a branch: kings are not captured.
    #[inline(always)]
    fn captured_role(&self, square: Square) -> Role {
        let is = |role| (self.pieces.role(role).0 >> square as u32) & 1;
        let index = is(Role::Knight) + 2 * is(Role::Bishop) + 3 * is(Role::Rook);
        match index + 4 * is(Role::Queen) {
            0 => Role::Pawn,
            1 => Role::Knight,
            2 => Role::Bishop,
            3 => Role::Rook,
            _ => Role::Queen,
        }
    }

    /// Castling ends for every rook that is touched.
    #[inline(always)]
    fn lose_castling(&mut self, touched: Bitboard) {
        let lost = self.castling_rooks & touched;
        if lost.any() {
            self.hash ^= zobrist::castling(lost);
            self.castling_rooks ^= lost;
        }
    }

    #[inline(always)]
    fn double_step<S: Side, O: Observer>(&mut self, mv: Move, observer: &mut O) {
        let pawn = Piece { color: S::COLOR, role: Role::Pawn };
        self.remove(pawn, mv.from, observer);
        self.place(pawn, mv.to, observer);
        self.halfmove_clock = 0;
        let passed = S::forward(Bitboard::of(mv.from)).first_or_a1();
        self.last_step = LastStep::new(passed.file(), false);
        let theirs = self.pieces.color(<S::Other as Side>::COLOR) & self.pieces.role(Role::Pawn);
        if (attacks::pawn(S::COLOR, passed) & theirs).any() {
            self.set_last_step::<S::Other>(passed);
        }
    }

    #[inline(never)]
    fn capture_en_passant<S: Side, O: Observer>(&mut self, mv: Move, observer: &mut O) {
        let pawn = Piece { color: S::COLOR, role: Role::Pawn };
        let victim = Piece { color: <S::Other as Side>::COLOR, role: Role::Pawn };
        self.remove(pawn, mv.from, observer);
        self.remove(victim, S::back(mv.to.into()).first_or_a1(), observer);
        self.place(pawn, mv.to, observer);
        self.halfmove_clock = 0;
    }

    #[inline(never)]
    fn castle<S: Side, O: Observer>(&mut self, mv: Move, observer: &mut O) {
        let king = Piece { color: S::COLOR, role: Role::King };
        let rook = Piece { color: S::COLOR, role: Role::Rook };
        let (king_to, rook_to) = castled_squares(mv.from, mv.to);
        self.remove(king, mv.from, observer);
        self.remove(rook, mv.to, observer);
        self.place(king, king_to, observer);
        self.place(rook, rook_to, observer);
        self.lose_castling(S::rank(Rank::First));
    }

    /// Takes a man off the square it stands on.
    #[inline(always)]
    fn remove<O: Observer>(&mut self, piece: Piece, square: Square, observer: &mut O) {
        self.pieces.sets[piece.role.index()] &= !Bitboard::of(square);
        self.pieces.sets[COLORS + piece.color.index()] &= !Bitboard::of(square);
        self.hash ^= zobrist::piece(piece, square);
        observer.removed(piece, square);
    }

    /// Puts a man on an empty square.
    #[inline(always)]
    fn place<O: Observer>(&mut self, piece: Piece, square: Square, observer: &mut O) {
        self.pieces.add(piece, square);
        self.hash ^= zobrist::piece(piece, square);
        observer.placed(piece, square);
    }
}

/// Where king and rook go when the king castles with the rook on a square: to the g- and
/// f-files or to the c- and d-files, wherever they come from (FIDE Guidelines II.3.2).
#[inline]
pub(crate) fn castled_squares(king: Square, rook: Square) -> (Square, Square) {
    let (king_file, rook_file) = if rook > king { (File::G, File::F) } else { (File::C, File::D) };
    (Square::new(king_file, king.rank()), Square::new(rook_file, king.rank()))
}
