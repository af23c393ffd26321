//! Checks the reasons that the rules give for illegal moves, square by square and without the
//! tables of the rules crate.

use castellan_rules::{
    CastlingSide, Color, IllegalMoveReason, Move, Piece, Position, Promotion, Rank, Role,
    SetupProblem, Square, UciMove,
};

/// Panics unless the reason is true of this attempt.
#[track_caller]
pub(crate) fn assert_true(position: &Position, spelled: UciMove, reason: IllegalMoveReason) {
    let is_true = match spelled {
        UciMove::Null => reason == IllegalMoveReason::NullMove,
        UciMove::Normal { from, to, promotion } => {
            Attempt { position, from, to, promotion }.is_true(reason)
        }
    };
    assert!(is_true, "{position:?} {spelled}: {reason}");
}

struct Attempt<'a> {
    position: &'a Position,
    from: Square,
    to: Square,
    promotion: Option<Promotion>,
}

impl Attempt<'_> {
    fn is_true(&self, reason: IllegalMoveReason) -> bool {
        let turn = self.position.turn();
        let piece = self.position.piece_at(self.from);
        if let IllegalMoveReason::EmptySquare(from) = reason {
            return from == self.from && piece.is_none();
        }
        let Some(piece) = piece else { return false };
        if let IllegalMoveReason::NotYourPiece(from) = reason {
            return from == self.from && piece.color != turn;
        }
        piece.color == turn && self.is_true_of_own(reason, piece)
    }

    fn is_true_of_own(&self, reason: IllegalMoveReason, piece: Piece) -> bool {
        let Attempt { position, from, to, promotion } = *self;
        let reaches_last_rank =
            piece.role == Role::Pawn && to.rank() == Rank::Eighth.relative_to(piece.color);
        match reason {
            IllegalMoveReason::EmptySquare(_)
            | IllegalMoveReason::NotYourPiece(_)
            | IllegalMoveReason::NullMove => false,
            IllegalMoveReason::OwnPieceOnTarget(square) => {
                square == to && position.color(piece.color).contains(to)
            }
            IllegalMoveReason::WrongMovement(role, a, b) => {
                (role, a, b) == (piece.role, from, to) && !self.is_possible_movement(piece)
            }
            IllegalMoveReason::Blocked(role, a, b) => {
                (role, a, b) == (piece.role, from, to)
                    && self.is_possible_movement(piece)
                    && self.is_blocked(piece)
            }
            IllegalMoveReason::NothingToCapture(square) => {
                square == to && self.is_empty_capture(piece)
            }
            IllegalMoveReason::PromotionMissing => reaches_last_rank && promotion.is_none(),
            IllegalMoveReason::PromotionImpossible => !reaches_last_rank && promotion.is_some(),
            IllegalMoveReason::StillInCheck => position.is_check() && self.exposes_king(piece),
            IllegalMoveReason::Pinned(role, square) => {
                (role, square) == (piece.role, from)
                    && role != Role::King
                    && !position.is_check()
                    && self.exposes_king(piece)
            }
            IllegalMoveReason::KingIntoCheck(square) => {
                square == to && piece.role == Role::King && self.exposes_king(piece)
            }
            IllegalMoveReason::NoCastlingRight(side) => {
                piece.role == Role::King && !self.has_right(side)
            }
            IllegalMoveReason::CastlingBlocked(side) => self.is_castling_blocked(side),
            IllegalMoveReason::CastlingInCheck => piece.role == Role::King && position.is_check(),
            IllegalMoveReason::CastlingThroughCheck(side) => {
                let is_castling = |mv: &Move| mv.castling_side() == Some(side);
                self.has_right(side)
                    && !self.is_castling_blocked(side)
                    && !position.legal_moves().iter().any(is_castling)
            }
        }
    }

    /// Returns the number of files to the right and of ranks forward.
    fn distance(&self, color: Color) -> (i32, i32) {
        let number = |index: usize| i32::try_from(index).expect("below eight");
        let files = number(self.to.file().index()) - number(self.from.file().index());
        let ranks = number(self.to.rank().index()) - number(self.from.rank().index());
        (files, color.fold(ranks, -ranks))
    }

    /// Returns `true` if a piece of this type can move that far in that direction on some board.
    fn is_possible_movement(&self, piece: Piece) -> bool {
        let (files, ranks) = self.distance(piece.color);
        let (across, along) = (files.abs(), ranks.abs());
        let is_home = self.from.rank() == Rank::Second.relative_to(piece.color);
        let (is_line, is_diagonal) = ((across == 0) != (along == 0), across == along && across > 0);
        match piece.role {
            Role::Pawn => ranks == 1 && across <= 1 || is_home && ranks == 2 && across == 0,
            Role::Knight => (across, along) == (1, 2) || (across, along) == (2, 1),
            Role::Bishop => is_diagonal,
            Role::Rook => is_line,
            Role::Queen => is_line || is_diagonal,
            Role::King => across.max(along) == 1,
        }
    }

    /// Returns `true` if a piece stands in front of the target, or on it for a pawn push.
    fn is_blocked(&self, piece: Piece) -> bool {
        let (files, ranks) = self.distance(Color::White);
        let is_straight_pawn = piece.role == Role::Pawn && files == 0;
        let steps = files.abs().max(ranks.abs());
        let last = if is_straight_pawn { steps } else { steps - 1 };
        (1..=last).any(|step| {
            let square = self.from.offset(files.signum() * step, ranks.signum() * step);
            square.is_some_and(|square| self.position.occupied().contains(square))
        })
    }

    fn is_empty_capture(&self, piece: Piece) -> bool {
        let (files, ranks) = self.distance(piece.color);
        let is_diagonal = piece.role == Role::Pawn && (files.abs(), ranks) == (1, 1);
        let is_enemy = self.position.color(!piece.color).contains(self.to);
        is_diagonal && !is_enemy && self.position.passed_square() != Some(self.to)
    }

    /// Makes the move on a plain setup and tests whether the king is attacked.
    fn exposes_king(&self, piece: Piece) -> bool {
        let mut setup = self.position.to_setup();
        let is_pawn_capture = piece.role == Role::Pawn && self.from.file() != self.to.file();
        if is_pawn_capture && setup.en_passant == Some(self.to) {
            setup.pieces.clear(Square::new(self.to.file(), self.from.rank()));
        }
        setup.pieces.clear(self.from);
        setup.pieces.put(piece, self.to);
        setup.turn = !piece.color;
        setup.problems().contains(SetupProblem::OpponentInCheck)
    }

    /// Returns `true` if the intended rook has the right to castle: the one on the target, or any
    /// on that side of the king.
    fn has_right(&self, side: CastlingSide) -> bool {
        let turn = self.position.turn();
        let rook = Some(Piece { color: turn, role: Role::Rook });
        if self.position.piece_at(self.to) == rook {
            return self.position.castling_rooks().contains(self.to);
        }
        self.right(side).is_some()
    }

    fn right(&self, side: CastlingSide) -> Option<Square> {
        let turn = self.position.turn();
        let king = self.position.king(turn);
        let rooks = self.position.castling_rooks() & self.position.color(turn);
        rooks.into_iter().find(|&rook| (rook > king) == (side == CastlingSide::King))
    }

    /// Returns `true` if a third piece stands in the way of the king or the rook (FIDE Guidelines
    /// II.3.2.4).
    fn is_castling_blocked(&self, side: CastlingSide) -> bool {
        let king = self.position.king(self.position.turn());
        let Some(rook) = self.right(side) else {
            return false;
        };
        let (king_file, rook_file) = if side == CastlingSide::King { (6, 5) } else { (2, 3) };
        [(king, king_file), (rook, rook_file)].into_iter().any(|(from, to_file)| {
            let file = from.file().index();
            (file.min(to_file)..=file.max(to_file)).any(|file| {
                let square = Square::from_index(from.rank().index() * 8 + file);
                square.is_some_and(|square| {
                    square != king && square != rook && self.position.occupied().contains(square)
                })
            })
        })
    }
}
