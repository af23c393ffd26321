//! Views of positions and moves for the page.
//!
//! This module defines the form of boards, moves and counts. A board is 64 letters, a1 first,
//! with a dot for an empty square, so that the page can draw it without parsing a FEN.

#[cfg(any(feature = "table", feature = "review"))]
use castellan_game::{End, EndReason};
use castellan_rules::{
    CastlingSpelling, Color, Move, MoveKind, Piece, Pieces, Position, Role, Square, UciMove, san,
};
use serde::Serialize;

/// A position with its legal moves.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct PositionView {
    pub(crate) fen: String,
    #[cfg_attr(feature = "typescript", ts(type = "BoardText"))]
    pub(crate) board: String,
    pub(crate) turn: ColorView,
    /// Square of the king if it is in check.
    pub(crate) check: Option<String>,
    pub(crate) moves: Vec<MoveView>,
    /// White's material advantage in pawns.
    pub(crate) difference: i32,
}

/// A legal move.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct MoveView {
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) uci: String,
    pub(crate) san: String,
    #[cfg_attr(feature = "typescript", ts(type = "\"q\" | \"r\" | \"b\" | \"n\" | null"))]
    pub(crate) promotion: Option<char>,
    pub(crate) is_capture: bool,
    /// The rook to castle with; the user may select it instead of the king's target square.
    pub(crate) rook: Option<String>,
}

/// White or Black.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(rename = "Color"))]
pub(crate) enum ColorView {
    White,
    Black,
}

impl From<Color> for ColorView {
    fn from(color: Color) -> ColorView {
        color.fold(ColorView::White, ColorView::Black)
    }
}

/// How a game ended.
#[cfg(any(feature = "table", feature = "review"))]
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct EndView {
    reason: EndReason,
    winner: Option<ColorView>,
    /// The result in PGN notation; `*` if the game was aborted.
    score: &'static str,
}

#[cfg(any(feature = "table", feature = "review"))]
impl From<End> for EndView {
    fn from(end: End) -> EndView {
        EndView { reason: end.reason, winner: end.winner.map(Into::into), score: end.score() }
    }
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
            turn: position.turn().into(),
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
            is_capture: position.is_capture(mv),
            rook: (mv.kind() == MoveKind::Castle).then(|| mv.to().to_string()),
            uci,
        }
    }
}

/// A place where a PGN text could not be read.
#[cfg(any(feature = "table", feature = "review"))]
#[derive(Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct PgnProblem {
    line: u64,
    column: u64,
    token: String,
    text: String,
}

#[cfg(any(feature = "table", feature = "review"))]
impl PgnProblem {
    pub(crate) fn new(source: &[u8], problem: &castellan_pgn::Problem) -> PgnProblem {
        let (line, column) = castellan_pgn::line_and_column(source, problem.at);
        let text = problem.kind.to_string();
        PgnProblem { line, column, token: problem.token.to_string(), text }
    }
}

/// Returns the square of the king of the side to move if it is in check.
pub(crate) fn check(position: &Position) -> Option<String> {
    position.is_check().then(|| position.king(position.turn()).to_string())
}

/// Returns the 64 letters of a board.
pub(crate) fn board(pieces: &Pieces) -> String {
    let letter = |square| pieces.piece_at(square).map_or('.', Piece::letter);
    Square::ALL.into_iter().map(letter).collect()
}

/// Returns White's material advantage in pawns, by the usual piece values.
pub(crate) fn difference(pieces: &Pieces) -> i32 {
    pieces
        .iter()
        .map(|(_, piece)| {
            let value = match piece.role {
                Role::Pawn => 1,
                Role::Knight | Role::Bishop => 3,
                Role::Rook => 5,
                Role::Queen => 9,
                Role::King => 0,
            };
            piece.color.fold(value, -value)
        })
        .sum()
}
