//! Parsing of positions and moves that the page passes as FEN and UCI.

use castellan_rules::{Line, Move, Position, UciMove};

use crate::error::{ApiError, ErrorCode};

/// Parses a FEN.
pub(crate) fn parse_fen(fen: &str) -> Result<Position, ApiError> {
    Position::from_fen(fen).map_err(|error| ApiError::new(ErrorCode::BadFen, error))
}

/// Parses a UCI move and resolves it in a position.
pub(crate) fn parse_move(position: &Position, text: &str) -> Result<Move, ApiError> {
    let uci_move =
        UciMove::parse(text).map_err(|error| ApiError::new(ErrorCode::BadMove, error))?;
    uci_move.resolve(position).map_err(|reason| ApiError::new(ErrorCode::IllegalMove, reason))
}

/// Parses a line from a FEN and moves in UCI.
#[cfg_attr(not(any(feature = "engine", feature = "review")), allow(dead_code))]
pub(crate) fn parse_line(fen: &str, moves: &[String]) -> Result<Line, ApiError> {
    let mut line = Line::new(parse_fen(fen)?);
    for text in moves {
        let mv = parse_move(line.position(), text)?;
        line.play(mv).map_err(|error| ApiError::new(ErrorCode::IllegalMove, error))?;
    }
    Ok(line)
}
