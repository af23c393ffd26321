//! What the page sees of positions and moves.
//!
//! Owns: the shape of boards, moves and counts. A board is 64 letters, a1 first, a point where
//! nothing stands, so that the page never reads a FEN.

use castellan_rules::{
    CastlingSpelling, Color, Move, MoveKind, Piece, Pieces, Position, Role, Square, UciMove, san,
};
use serde::Serialize;

/// A position with everything that can be done in it.
#[derive(Serialize)]
pub(crate) struct PositionView {
    pub(crate) fen: String,
    pub(crate) board: String,
    pub(crate) turn: &'static str,
    /// The king in check.
    pub(crate) check: Option<String>,
    pub(crate) moves: Vec<MoveView>,
    pub(crate) difference: i32,
}

/// A legal move.
#[derive(Serialize)]
pub(crate) struct MoveView {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) uci: String,
    pub(crate) san: String,
    pub(crate) promotion: Option<char>,
    pub(crate) is_capture: bool,
    /// The rook to castle with; it may be named instead of the king's target.
    pub(crate) rook: Option<String>,
}

pub(crate) fn color_name(color: Color) -> &'static str {
    color.fold("white", "black")
}

impl PositionView {
    pub(crate) fn new(
        position: &Position,
        moves: &[Move],
        castling: CastlingSpelling,
    ) -> PositionView {
        PositionView {
            fen: position.to_fen(),
            board: board(&position.to_setup().pieces),
            turn: color_name(position.turn()),
            check: check(position),
            moves: moves.iter().map(|&mv| MoveView::new(position, mv, castling)).collect(),
            difference: difference(&position.to_setup().pieces),
        }
    }
}

impl MoveView {
    pub(crate) fn new(position: &Position, mv: Move, castling: CastlingSpelling) -> MoveView {
        let uci = UciMove::from_move(mv, castling).to_string();
        MoveView {
            from: uci[..2].to_owned(),
            to: uci[2..4].to_owned(),
            san: san::write(position, mv),
            promotion: mv.promotion().map(|promotion| promotion.letter().to_ascii_lowercase()),
            is_capture: captured(position, mv).is_some(),
            rook: (mv.kind() == MoveKind::Castle).then(|| mv.to().to_string()),
            uci,
        }
    }
}

/// The king in check, if it is.
pub(crate) fn check(position: &Position) -> Option<String> {
    position.is_check().then(|| position.king(position.turn()).to_string())
}

/// What a move takes.
pub(crate) fn captured(position: &Position, mv: Move) -> Option<char> {
    match mv.kind() {
        MoveKind::Castle => None,
        MoveKind::EnPassant => Some(Piece { color: !position.turn(), role: Role::Pawn }.letter()),
        _ => position.piece_at(mv.to()).map(Piece::letter),
    }
}

/// The 64 letters of a board.
pub(crate) fn board(pieces: &Pieces) -> String {
    let letter = |square| pieces.piece_at(square).map_or('.', Piece::letter);
    Square::ALL.into_iter().map(letter).collect()
}

/// How many pawns' worth White is ahead, by the usual reckoning.
pub(crate) fn difference(pieces: &Pieces) -> i32 {
    pieces
        .iter()
        .map(|(_, piece)| {
            let worth = match piece.role {
                Role::Pawn => 1,
                Role::Knight | Role::Bishop => 3,
                Role::Rook => 5,
                Role::Queen => 9,
                Role::King => 0,
            };
            piece.color.fold(worth, -worth)
        })
        .sum()
}
