//! Checks whether a refusal is true, computed on the board without the tables of the rules crate.

use castellan_rules::{
    CastlingSide, Color, IllegalMoveReason, Move, Piece, Position, Promotion, Rank, Role,
    SetupProblem, Square, UciMove,
};

/// Panics unless the refusal correctly describes this attempt.
#[track_caller]
pub(crate) fn assert_true(position: &Position, spelled: UciMove, refusal: IllegalMoveReason) {
    let is_true = match spelled {
        UciMove::Null => refusal == IllegalMoveReason::NullMove,
        UciMove::Normal { from, to, promotion } => {
            Attempt { position, from, to, promotion }.is_true(refusal)
        }
    };
    assert!(is_true, "{position:?} {spelled}: {refusal}");
}

struct Attempt<'a> {
    position: &'a Position,
    from: Square,
    to: Square,
    promotion: Option<Promotion>,
}

impl Attempt<'_> {
    fn is_true(&self, refusal: IllegalMoveReason) -> bool {
        let turn = self.position.turn();
        let piece = self.position.piece_at(self.from);
        if let IllegalMoveReason::EmptySquare(from) = refusal {
            return from == self.from && piece.is_none();
        }
        let Some(piece) = piece else { return false };
        if let IllegalMoveReason::NotYourPiece(from) = refusal {
            return from == self.from && piece.color != turn;
        }
        piece.color == turn && self.is_true_of_own(refusal, piece)
    }

    fn is_true_of_own(&self, refusal: IllegalMoveReason, piece: Piece) -> bool {
        let Attempt { position, from, to, promotion } = *self;
        let is_last =
            piece.role == Role::Pawn && to.rank() == Rank::Eighth.relative_to(piece.color);
        match refusal {
            IllegalMoveReason::EmptySquare(_)
            | IllegalMoveReason::NotYourPiece(_)
            | IllegalMoveReason::NullMove => false,
            IllegalMoveReason::OwnPieceOnTarget(square) => {
                square == to && position.color(piece.color).contains(to)
            }
            IllegalMoveReason::WrongMovement(role, a, b) => {
                (role, a, b) == (piece.role, from, to) && !self.is_way(piece)
            }
            IllegalMoveReason::Blocked(role, a, b) => {
                (role, a, b) == (piece.role, from, to)
                    && self.is_way(piece)
                    && self.is_blocked(piece)
            }
            IllegalMoveReason::NothingToCapture(square) => {
                square == to && self.is_empty_capture(piece)
            }
            IllegalMoveReason::PromotionMissing => is_last && promotion.is_none(),
            IllegalMoveReason::PromotionImpossible => !is_last && promotion.is_some(),
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
            IllegalMoveReason::NoCastlingRight(wing) => {
                piece.role == Role::King && !self.has_right(wing)
            }
            IllegalMoveReason::CastlingBlocked(wing) => self.is_castling_blocked(wing),
            IllegalMoveReason::CastlingInCheck => piece.role == Role::King && position.is_check(),
            IllegalMoveReason::CastlingThroughCheck(wing) => {
                let is_castling = |mv: &Move| mv.castling_side() == Some(wing);
                self.has_right(wing)
                    && !self.is_castling_blocked(wing)
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
    fn is_way(&self, piece: Piece) -> bool {
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
        let is_prey = self.position.color(!piece.color).contains(self.to);
        is_diagonal && !is_prey && self.position.passed_square() != Some(self.to)
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
    fn has_right(&self, wing: CastlingSide) -> bool {
        let turn = self.position.turn();
        let rook = Some(Piece { color: turn, role: Role::Rook });
        if self.position.piece_at(self.to) == rook {
            return self.position.castling_rooks().contains(self.to);
        }
        self.right(wing).is_some()
    }

    fn right(&self, wing: CastlingSide) -> Option<Square> {
        let turn = self.position.turn();
        let king = self.position.king(turn);
        let rooks = self.position.castling_rooks() & self.position.color(turn);
        rooks.into_iter().find(|&rook| (rook > king) == (wing == CastlingSide::King))
    }

    /// Returns `true` if a third piece stands in the way of the king or the rook (FIDE Guidelines
    /// II.3.2.4).
    fn is_castling_blocked(&self, wing: CastlingSide) -> bool {
        let king = self.position.king(self.position.turn());
        let Some(rook) = self.right(wing) else {
            return false;
        };
        let (king_file, rook_file) = if wing == CastlingSide::King { (6, 5) } else { (2, 3) };
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
