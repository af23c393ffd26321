//! Moves before they are made: trial moves and premoves.
//!
//! This module decides which premoves are possible. A piece may premove to any square that it
//! could reach on some board, because the pieces in its way may have moved by then. Whether the
//! move is legal is checked once its position is on the board. Several premoves can follow each
//! other: each is made on the board that the ones before it leave.

use castellan_rules::{
    Bitboard, CastlingSpelling, Color, Piece, Pieces, Promotion, Rank, Role, Square, UciMove,
    attacks, castled_squares,
};
use serde::{Deserialize, Serialize};

use crate::error::{ApiError, ErrorCode};
use crate::games::PlyView;
use crate::position::{parse_fen, parse_move};
use crate::view::{MoveView, board};

/// Maximum number of premoves that wait.
const MAX_WAITING: usize = 32;

/// A request to try a move.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct TryMoveRequest {
    fen: String,
    uci: String,
    is_chess960: bool,
}

pub(crate) fn try_move(request: &TryMoveRequest) -> Result<PlyView, ApiError> {
    let before = parse_fen(&request.fen)?;
    let mv = parse_move(&before, &request.uci)?;
    Ok(PlyView::new(mv, &before, CastlingSpelling::for_game(request.is_chess960)))
}

/// A position in which a player is waiting for the opponent's move.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct PremoveRequest {
    fen: String,
    is_white: bool,
    is_chess960: bool,
    /// The premoves that wait already, in UCI.
    waiting: Vec<String>,
}

/// The board after the premoves that wait, and the possible next ones.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct PremoveBoard {
    #[cfg_attr(feature = "typescript", ts(type = "BoardText"))]
    board: String,
    moves: Vec<MoveView>,
}

pub(crate) fn premoves(request: &PremoveRequest) -> Result<PremoveBoard, ApiError> {
    let setup = parse_fen(&request.fen)?.to_setup();
    let color = if request.is_white { Color::White } else { Color::Black };
    let mut trial = TrialBoard {
        pieces: setup.pieces,
        rooks: setup.castling_rooks & setup.pieces.color(color),
        castling: CastlingSpelling::for_game(request.is_chess960),
    };
    if request.waiting.len() > MAX_WAITING {
        return Err(ApiError::new(ErrorCode::TooManyMoves, "too many premoves"));
    }
    for text in &request.waiting {
        let mv = UciMove::parse(text).map_err(|error| ApiError::new(ErrorCode::BadMove, error))?;
        trial.make(mv);
    }
    let found = trial.pieces.color(color).into_iter().flat_map(|from| {
        let to = trial.targets(from);
        to.into_iter().flat_map(|to| trial.views(from, to)).collect::<Vec<_>>()
    });
    Ok(PremoveBoard { moves: found.collect(), board: board(&trial.pieces) })
}

/// A board on which one side has moved several times in a row. It need not be a valid position.
struct TrialBoard {
    pieces: Pieces,
    /// The rooks with which that side may still castle.
    rooks: Bitboard,
    castling: CastlingSpelling,
}

impl TrialBoard {
    /// Makes a premove, whatever stands in its way.
    fn make(&mut self, mv: UciMove) {
        let UciMove::Normal { from, to, promotion } = mv else { return };
        let Some(piece) = self.pieces.piece_at(from) else { return };
        if let Some(rook) = self.castling_rook(from, to) {
            let (king_to, rook_to) = castled_squares(from, rook);
            self.pieces.clear(from);
            self.pieces.clear(rook);
            self.put(piece, king_to);
            self.put(Piece { role: Role::Rook, ..piece }, rook_to);
        } else {
            self.pieces.clear(from);
            let role = promotion.map_or(piece.role, Promotion::role);
            self.put(Piece { role, ..piece }, to);
        }
        // A king that moves loses all rights; a rook, its own.
        let lost = if piece.role == Role::King { self.rooks } else { Bitboard::EMPTY };
        self.rooks &= !(Bitboard::of(from) | to.into() | lost);
    }

    fn put(&mut self, piece: Piece, square: Square) {
        self.pieces.clear(square);
        self.pieces.put(piece, square);
    }

    /// Returns the squares that the piece on a square could reach on some board.
    fn targets(&self, from: Square) -> Bitboard {
        let Some(piece) = self.pieces.piece_at(from) else { return Bitboard::EMPTY };
        match piece.role {
            Role::Pawn => pawn_reach(piece.color, from),
            Role::King => attacks::king(from) | self.castling_targets(from),
            _ => attacks::of_piece(piece, from, Bitboard::EMPTY),
        }
    }

    /// Returns the king's target squares for castling with each rook that still has the right.
    fn castling_targets(&self, king: Square) -> Bitboard {
        let target = |rook| self.castled_to(king, rook);
        self.rooks.into_iter().filter_map(target).fold(Bitboard::EMPTY, Bitboard::with)
    }

    fn castled_to(&self, king: Square, rook: Square) -> Option<Square> {
        match self.castling {
            CastlingSpelling::KingTakesRook => Some(rook),
            CastlingSpelling::KingTwoSquares => king.offset(if rook > king { 2 } else { -2 }, 0),
        }
    }

    /// Returns the rook that the king castles with if it moves to `to`.
    fn castling_rook(&self, from: Square, to: Square) -> Option<Square> {
        self.pieces.piece_at(from).filter(|piece| piece.role == Role::King)?;
        let is_meant = |rook: &Square| self.castled_to(from, *rook) == Some(to);
        self.rooks.into_iter().find(is_meant).filter(|_| !attacks::king(from).contains(to))
    }

    /// Returns the premove, or one for each piece that a pawn can promote to.
    fn views(&self, from: Square, to: Square) -> Vec<MoveView> {
        let promotes = self.pieces.piece_at(from).is_some_and(|piece| {
            piece.role == Role::Pawn && to.rank() == Rank::Eighth.relative_to(piece.color)
        });
        let promotions = if promotes { Promotion::ALL.map(Some).to_vec() } else { vec![None] };
        let rook = self.castling_rook(from, to);
        let view = |promotion| MoveView {
            rook: rook.map(|rook| rook.to_string()),
            ..self.view(from, to, promotion)
        };
        promotions.into_iter().map(view).collect()
    }

    fn view(&self, from: Square, to: Square, promotion: Option<Promotion>) -> MoveView {
        let uci = UciMove::Normal { from, to, promotion }.to_string();
        let color = |square| self.pieces.piece_at(square).map(|piece: Piece| piece.color);
        MoveView {
            from: from.to_string(),
            to: to.to_string(),
            san: uci.clone(),
            promotion: promotion.map(|promotion| promotion.letter().to_ascii_lowercase()),
            is_capture: color(to).is_some_and(|other| Some(other) != color(from)),
            rook: None,
            uci,
        }
    }
}

fn pawn_reach(color: Color, from: Square) -> Bitboard {
    let ahead = color.fold(1, -1);
    let steps = if from.rank() == Rank::Second.relative_to(color) { 2 } else { 1 };
    let forward = (1..=steps).filter_map(|step| from.offset(0, step * ahead));
    forward.fold(attacks::pawn(color, from), Bitboard::with)
}
