//! The state of a position, and making moves.
//!
//! Owns: the pieces and everything else the hash speaks of, together with the hash. The fields
//! are private to this file, so nothing can move a piece and forget the hash. What can be asked
//! of a position stands in `position`.

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

    /// Its part of the hash: only a legal capture makes a position another one.
    #[inline(always)]
    fn key(self) -> u64 {
        let key = zobrist::en_passant(File::ALL[usize::from(self.0 & 7)]);
        if self.is_legal() { key } else { 0 }
    }

    fn file(self) -> Option<File> {
        let file = File::ALL[usize::from(self.0 & 7)];
        (self != LastStep::NONE).then_some(file)
    }
}

/// A position one can play from: pieces, turn, castling rights, en passant and clocks.
///
/// The only ways in are a [`Setup`] that passed its checks and a legal move. Small enough to
/// copy: a move gives a new position and leaves the old one as it was.
///
/// Two positions are equal if they are the same by the repetition rule (FIDE 9.2.3): the same
/// pieces on the same squares, the same turn, the same castling rights, and the same legal en
/// passant capture, if any. The clocks do not count.
///
/// ```
/// use castellan_rules::{Position, UciMove};
/// let start = Position::start();
/// let mv = UciMove::parse("e2e4")?.resolve(&start)?;
/// let next = start.play(mv)?;
/// assert_eq!(next.to_fen(), "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Position {
    pieces: Pieces,
    castling_rooks: Bitboard,
    hash: u64,
    fullmove_number: u32,
    halfmove_clock: u16,
    turn: Color,
    last_step: LastStep,
}

const _: () = assert!(size_of::<Position>() == 88);

/// What a position is made of, before anything is derived from it.
pub(crate) struct Parts {
    pub(crate) pieces: Pieces,
    pub(crate) turn: Color,
    pub(crate) castling_rooks: Bitboard,
    pub(crate) en_passant: Option<Square>,
    pub(crate) halfmove_clock: u16,
    pub(crate) fullmove_number: u32,
}

impl Position {
    /// The position of parts that have been checked.
    pub(crate) fn new(parts: &Parts) -> Position {
        let mut position = Position {
            pieces: parts.pieces,
            castling_rooks: parts.castling_rooks,
            hash: 0,
            fullmove_number: parts.fullmove_number,
            halfmove_clock: parts.halfmove_clock,
            turn: parts.turn,
            last_step: LastStep::NONE,
        };
        position.hash = position.recomputed_hash();
        if let Some(passed) = parts.en_passant {
            let capturers = match position.turn {
                Color::White => position.en_passant_capturers::<White>(passed),
                Color::Black => position.en_passant_capturers::<Black>(passed),
            };
            position.last_step = LastStep::new(passed.file(), capturers.any());
            position.hash ^= position.last_step.key();
        }
        position
    }

    /// All pieces.
    #[inline(always)]
    pub fn pieces(&self) -> &Pieces {
        &self.pieces
    }

    /// Whose turn it is.
    #[inline(always)]
    pub fn turn(&self) -> Color {
        self.turn
    }

    /// The rooks that may still castle, of both colours.
    #[inline(always)]
    pub fn castling_rooks(&self) -> Bitboard {
        self.castling_rooks
    }

    /// A number that equal positions share and others almost never do.
    #[inline(always)]
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// Moves of either side since the last capture or pawn move.
    #[inline]
    pub fn halfmove_clock(&self) -> u16 {
        self.halfmove_clock
    }

    /// The number of the move being played, from 1, counted up after Black's move.
    #[inline]
    pub fn fullmove_number(&self) -> u32 {
        self.fullmove_number
    }

    /// The square that a pawn passed over on the last move, whether or not it can be captured
    /// there.
    #[inline]
    pub fn passed_square(&self) -> Option<Square> {
        let rank = Rank::Sixth.relative_to(self.turn);
        self.last_step.file().map(|file| Square::new(file, rank))
    }

    /// The square of an en passant capture, if one is legal.
    #[inline(always)]
    pub fn en_passant(&self) -> Option<Square> {
        if self.last_step.is_legal() { self.passed_square() } else { None }
    }

    /// The hash worked out anew: always [`hash`](Position::hash), which tests make sure of.
    #[inline]
    pub fn recomputed_hash(&self) -> u64 {
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
    pub(crate) fn is_same_position(&self, other: &Position) -> bool {
        self.hash == other.hash
            && self.pieces == other.pieces
            && self.turn == other.turn
            && self.castling_rooks == other.castling_rooks
            && self.en_passant() == other.en_passant()
    }

    /// The pawns of the side to move, `S`, that may capture en passant.
    #[inline(always)]
    pub(crate) fn en_passant_capturers<S: Side>(&self, passed: Square) -> Bitboard {
        self.capturers::<S>(passed, S::back(passed.into()))
    }

    /// The pawns of `S` that may capture a pawn which has passed over a square and whose bit on
    /// the board, before or after its step, is `victim`.
    ///
    /// Two men leave the capturing pawn's rank at once, which no pin foresees, so the king is
    /// looked at on the board as it would be.
    #[inline(never)]
    fn capturers<S: Side>(&self, passed: Square, victim: Bitboard) -> Bitboard {
        let ours = self.pieces.color(S::COLOR);
        let king = (ours & self.pieces.role(Role::King)).first_or_a1();
        let beside = attacks::pawn(<S::Other as Side>::COLOR, passed);
        let mut capturers = Bitboard::EMPTY;
        for from in beside & ours & self.pieces.role(Role::Pawn) {
            let occupied = self.pieces.occupied() & !victim & !Bitboard::of(from) | passed.into();
            let attackers = self.pieces.attackers(<S::Other as Side>::COLOR, king, occupied);
            if (attackers & !victim).is_empty() {
                capturers |= from.into();
            }
        }
        capturers
    }

    /// The board after a move of the side to move, which is `S`.
    ///
    /// The move must be legal here; another one gives a board without sense. The new sets are
    /// written once, in one piece: changing them one by one in a copy costs more than twice as
    /// much, because what reads them back in wide registers waits for the narrow writes.
    #[inline(always)]
    pub(crate) fn after<S: Side, O: Observer>(&self, mv: Move, observer: &mut O) -> Position {
        let mut role_after = mv.role;
        let mut emptied = Bitboard::of(mv.from) | mv.to.into();
        let mut last_step = LastStep::NONE;
        let mut hash = self.hash_without_step() ^ zobrist::turn(Color::Black);
        match mv.kind {
            MoveKind::Normal => {}
            MoveKind::DoubleStep => {
                last_step = self.step_taken::<S>(mv);
                hash ^= last_step.key();
            }
            MoveKind::Promotion(promotion) => role_after = promotion.role(),
            MoveKind::EnPassant => {
                let victim = S::back(mv.to.into());
                emptied |= victim;
                let pawn = Piece { color: <S::Other as Side>::COLOR, role: Role::Pawn };
                hash ^= zobrist::piece(pawn, victim.first_or_a1());
                observer.removed(pawn, victim.first_or_a1());
            }
            MoveKind::Castle => return self.castle::<S, O>(mv, observer),
        }
        let before = Piece { color: S::COLOR, role: mv.role };
        let after = Piece { color: S::COLOR, role: role_after };
        hash ^= zobrist::piece(before, mv.from) ^ zobrist::piece(after, mv.to);
        observer.removed(before, mv.from);
        let mut halfmove_clock =
            if mv.role == Role::Pawn { 0 } else { self.halfmove_clock.saturating_add(1) };
        if self.pieces.color(<S::Other as Side>::COLOR).contains(mv.to) {
            let role = self.captured_role(mv.to);
            let captured = Piece { color: <S::Other as Side>::COLOR, role };
            hash ^= zobrist::piece(captured, mv.to);
            halfmove_clock = 0;
            observer.removed(captured, mv.to);
        }
        observer.placed(after, mv.to);
        let home = if mv.role == Role::King { S::rank(Rank::First) } else { Bitboard::EMPTY };
        let lost = self.castling_rooks & (emptied | home);
        if lost.any() {
            hash ^= zobrist::castling(lost);
        }
        Position {
            pieces: self.pieces.replaced(emptied, after, mv.to),
            castling_rooks: self.castling_rooks & !lost,
            hash,
            fullmove_number: self.next_fullmove_number::<S>(),
            halfmove_clock,
            turn: <S::Other as Side>::COLOR,
            last_step,
        }
    }

    /// The board with the other side to move: a null move.
    pub(crate) fn after_pass(&self) -> Position {
        let fullmove_number = match self.turn {
            Color::White => self.next_fullmove_number::<White>(),
            Color::Black => self.next_fullmove_number::<Black>(),
        };
        Position {
            hash: self.hash_without_step() ^ zobrist::turn(Color::Black),
            fullmove_number,
            halfmove_clock: self.halfmove_clock.saturating_add(1),
            turn: !self.turn,
            last_step: LastStep::NONE,
            ..*self
        }
    }

    /// The hash once the chance of an en passant capture has passed.
    #[inline(always)]
    fn hash_without_step(&self) -> u64 {
        if self.last_step.is_legal() { self.hash ^ self.last_step.key() } else { self.hash }
    }

    /// The move number after a move of `S`.
    #[inline(always)]
    fn next_fullmove_number<S: Side>(&self) -> u32 {
        match S::COLOR {
            Color::White => self.fullmove_number,
            Color::Black => self.fullmove_number.saturating_add(1),
        }
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

    /// What a double step of `S` leaves behind: whether a pawn stands beside its target, and if
    /// so, whether it may capture.
    #[inline(always)]
    fn step_taken<S: Side>(&self, step: Move) -> LastStep {
        let passed = S::forward(Bitboard::of(step.from)).first_or_a1();
        let theirs = self.pieces.color(<S::Other as Side>::COLOR) & self.pieces.role(Role::Pawn);
        let is_legal = (attacks::pawn(S::COLOR, passed) & theirs).any()
            && self.capturers::<S::Other>(passed, step.from.into()).any();
        LastStep::new(passed.file(), is_legal)
    }

    #[inline(never)]
    fn castle<S: Side, O: Observer>(&self, mv: Move, observer: &mut O) -> Position {
        let king = Piece { color: S::COLOR, role: Role::King };
        let rook = Piece { color: S::COLOR, role: Role::Rook };
        let (king_to, rook_to) = castled_squares(mv.from, mv.to);
        let mut next = self.after_pass();
        next.remove(king, mv.from, observer);
        next.remove(rook, mv.to, observer);
        next.place(king, king_to, observer);
        next.place(rook, rook_to, observer);
        let lost = next.castling_rooks & S::rank(Rank::First);
        next.hash ^= zobrist::castling(lost);
        next.castling_rooks ^= lost;
        next
    }

    /// Takes a man off the square it stands on.
    fn remove<O: Observer>(&mut self, piece: Piece, square: Square, observer: &mut O) {
        self.pieces.clear(square);
        self.hash ^= zobrist::piece(piece, square);
        observer.removed(piece, square);
    }

    /// Puts a man on an empty square.
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
