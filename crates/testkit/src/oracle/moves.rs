//! Generates moves and plays them.
//!
//! First all moves are generated that the pieces could make if kings could be captured. Then each
//! one is played on a copy and dropped if the mover's own king is attacked there (FIDE 3.9.2).

use std::fmt;

use super::Oracle;
use super::board::{BISHOP_STEPS, KING_STEPS, KNIGHT_STEPS, ROOK_STEPS};
use super::board::{Color, Piece, Role, Square, Step};

/// A move. Castling is always the king moving onto the square of its own rook: `e1h1`, never
/// `e1g1`. `Display` writes UCI in this notation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OracleMove {
    /// The square where the piece stands.
    pub from: Square,
    /// The square it moves to; for castling, the square of the rook.
    pub to: Square,
    /// The piece that a pawn promotes to on the last rank.
    pub promotion: Option<Role>,
}

impl fmt::Display for OracleMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.from, self.to)?;
        self.promotion.map_or(Ok(()), |role| write!(f, "{}", role.letter()))
    }
}

impl Oracle {
    /// Returns all legal moves, in no particular order.
    #[must_use]
    pub fn legal_moves(&self) -> Vec<OracleMove> {
        let mut moves = self.pseudo_legal_moves();
        moves.retain(|mv| !self.exposes_king(*mv));
        moves
    }

    /// Returns the position after a move from [`Oracle::legal_moves`]. Nothing is checked: any
    /// other move may produce nonsense.
    #[must_use]
    pub fn play_unchecked(&self, mv: OracleMove) -> Oracle {
        let mut after = self.clone();
        after.update_clocks(self, mv);
        after.update_castling(mv);
        after.en_passant = self.jumped_over(mv);
        after.move_pieces(self, mv);
        after.turn = self.turn.opponent();
        after
    }

    /// Returns `true` if the move is castling: only then may a king land on its own rook.
    #[must_use]
    pub fn is_castling(&self, mv: OracleMove) -> bool {
        self.board.holds(mv.from, self.turn, Role::King)
            && self.board.holds(mv.to, self.turn, Role::Rook)
    }

    /// Returns `true` if the move captures en passant: a pawn changes its file without capturing
    /// anything on its target square.
    #[must_use]
    pub fn is_en_passant(&self, mv: OracleMove) -> bool {
        self.board.holds(mv.from, self.turn, Role::Pawn)
            && mv.from.file() != mv.to.file()
            && self.board.get(mv.to).is_none()
    }

    /// Returns `true` if the move captures a piece, en passant included.
    #[must_use]
    pub fn is_capture(&self, mv: OracleMove) -> bool {
        self.is_en_passant(mv) || self.holds_color(mv.to, self.turn.opponent())
    }

    pub(super) fn exposes_king(&self, mv: OracleMove) -> bool {
        let after = self.play_unchecked(mv);
        after.board.is_attacked(after.king(self.turn), after.turn)
    }

    pub(super) fn pseudo_legal_moves(&self) -> Vec<OracleMove> {
        let mut moves = Vec::with_capacity(64);
        for from in Square::all() {
            let Some(piece) = self.board.get(from).filter(|piece| piece.color == self.turn) else {
                continue;
            };
            match piece.role {
                Role::Pawn => self.push_pawn(from, &mut moves),
                Role::Knight => self.push_steps(from, &KNIGHT_STEPS, &mut moves),
                Role::Bishop => self.push_slides(from, &BISHOP_STEPS, &mut moves),
                Role::Rook => self.push_slides(from, &ROOK_STEPS, &mut moves),
                // The queen moves in the same eight directions as the king, but slides.
                Role::Queen => self.push_slides(from, &KING_STEPS, &mut moves),
                Role::King => self.push_steps(from, &KING_STEPS, &mut moves),
            }
        }
        self.push_castling(&mut moves);
        moves
    }

    fn holds_color(&self, square: Square, color: Color) -> bool {
        self.board.get(square).is_some_and(|piece| piece.color == color)
    }

    fn push_steps(&self, from: Square, steps: &[Step], moves: &mut Vec<OracleMove>) {
        for to in steps.iter().filter_map(|step| from.step(*step)) {
            if !self.holds_color(to, self.turn) {
                moves.push(OracleMove { from, to, promotion: None });
            }
        }
    }

    fn push_slides(&self, from: Square, steps: &[Step], moves: &mut Vec<OracleMove>) {
        for step in steps {
            let mut next = from.step(*step);
            while let Some(to) = next {
                if self.holds_color(to, self.turn) {
                    break;
                }
                moves.push(OracleMove { from, to, promotion: None });
                if self.board.get(to).is_some() {
                    break;
                }
                next = to.step(*step);
            }
        }
    }

    fn push_pawn(&self, from: Square, moves: &mut Vec<OracleMove>) {
        let forward = self.turn.forward();
        let is_empty = |square: &Square| self.board.get(*square).is_none();
        let one_ahead = from.step((0, forward)).filter(is_empty);
        let stands_at_home = from.rank().abs_diff(self.turn.back_rank()) == 1;
        let two_ahead = one_ahead
            .filter(|_| stands_at_home)
            .and_then(|square| square.step((0, forward)))
            .filter(is_empty);
        let captures = [-1, 1].map(|side| {
            from.step((side, forward)).filter(|to| {
                self.holds_color(*to, self.turn.opponent()) || self.en_passant == Some(*to)
            })
        });
        let targets = [one_ahead, two_ahead, captures[0], captures[1]];
        for to in targets.into_iter().flatten() {
            push_pawn_arrival(from, to, self.turn, moves);
        }
    }

    /// Returns the square that a double step passes over, whether or not a pawn can capture
    /// there.
    fn jumped_over(&self, mv: OracleMove) -> Option<Square> {
        let is_pawn = self.board.holds(mv.from, self.turn, Role::Pawn);
        let is_double = mv.from.rank().abs_diff(mv.to.rank()) == 2;
        (is_pawn && is_double).then(|| mv.from.step((0, self.turn.forward()))).flatten()
    }

    fn update_clocks(&mut self, before: &Oracle, mv: OracleMove) {
        let is_pawn = before.board.holds(mv.from, before.turn, Role::Pawn);
        // Saturating, because a FEN may start with any number.
        self.halfmove_clock = if is_pawn || before.is_capture(mv) {
            0
        } else {
            before.halfmove_clock.saturating_add(1)
        };
        if before.turn == Color::Black {
            self.fullmove_number = before.fullmove_number.saturating_add(1);
        }
    }

    fn update_castling(&mut self, mv: OracleMove) {
        if self.board.holds(mv.from, self.turn, Role::King) {
            self.castling.forget_both(self.turn);
        }
        self.castling.forget(mv.from);
        self.castling.forget(mv.to);
    }

    fn move_pieces(&mut self, before: &Oracle, mv: OracleMove) {
        if before.is_castling(mv) {
            self.castle(mv.from, mv.to);
            return;
        }
        if before.is_en_passant(mv) {
            // The captured pawn is on the mover's rank and the target's file.
            self.board.set(mv.from.on_file(mv.to.file()), None);
        }
        let piece = before
            .board
            .get(mv.from)
            .map(|piece| Piece { color: piece.color, role: mv.promotion.unwrap_or(piece.role) });
        self.board.set(mv.from, None);
        self.board.set(mv.to, piece);
    }
}

/// Adds one move, or the four promotions on the last rank.
fn push_pawn_arrival(from: Square, to: Square, color: Color, moves: &mut Vec<OracleMove>) {
    if to.rank() == color.opponent().back_rank() {
        let promote = |role| OracleMove { from, to, promotion: Some(role) };
        moves.extend(Role::PROMOTIONS.map(promote));
    } else {
        moves.push(OracleMove { from, to, promotion: None });
    }
}
