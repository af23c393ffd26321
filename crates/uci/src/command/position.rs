//! The `position` command: a starting position and the moves played since.

use std::fmt;

use castellan_rules::{
    CastlingSpelling, FenError, IllegalMoveReason, Line, MAX_PLIES, Position, UciMove,
};

use crate::words::{Moves, OneLine, Words};
use crate::{Expected, ParseUciError};

/// A command such as `position startpos moves e2e4`, as written.
/// [`to_line`](PositionCommand::to_line) validates it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PositionCommand {
    /// The starting position.
    pub start: Start,
    /// The moves played since then.
    pub moves: Vec<UciMove>,
}

/// The starting position of a game.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// `startpos`.
    Startpos,
    /// `fen` followed by a FEN, which has not been parsed.
    Fen(String),
}

/// Why a position and its moves do not form a valid game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlayMovesError {
    /// The FEN is invalid.
    #[error("in the FEN: {0}")]
    Fen(#[from] FenError),
    /// A move is illegal.
    #[error("move {number}, {mv}: {reason}")]
    Refused {
        /// The number of the move, from 1.
        number: usize,
        /// The illegal move.
        mv: UciMove,
        /// Why the move is illegal.
        reason: IllegalMoveReason,
    },
    /// There are more moves than a [`Line`] can hold.
    #[error("there are more than {MAX_PLIES} moves")]
    TooLong,
}

impl PositionCommand {
    /// Creates the command that describes a line.
    pub fn from_line(line: &Line, castling: CastlingSpelling) -> PositionCommand {
        let is_usual = line.start().to_fen() == Position::start().to_fen();
        let start = if is_usual { Start::Startpos } else { Start::Fen(line.start().to_fen()) };
        let spell = |mv: &_| UciMove::from_move(*mv, castling);
        PositionCommand { start, moves: line.moves().iter().map(spell).collect() }
    }

    /// Plays the moves from the starting position.
    ///
    /// ```
    /// use castellan_uci::{GuiCommand, PositionCommand};
    /// let GuiCommand::Position(position) =
    ///     GuiCommand::parse("position startpos moves e2e4 e2e4")? else { panic!() };
    /// let error = position.to_line().unwrap_err();
    /// assert!(error.to_string().starts_with("move 2, e2e4: "));
    /// # Ok::<(), castellan_uci::ParseUciError>(())
    /// ```
    pub fn to_line(&self) -> Result<Line, PlayMovesError> {
        let mut line = match &self.start {
            Start::Startpos => Line::default(),
            Start::Fen(fen) => Line::new(Position::from_fen(fen)?),
        };
        for (index, uci_move) in self.moves.iter().enumerate() {
            let refused =
                |reason| PlayMovesError::Refused { number: index + 1, mv: *uci_move, reason };
            let mv = uci_move.resolve(line.position()).map_err(refused)?;
            // A resolved move is legal, so only the length can be wrong.
            line.play(mv).map_err(|_| PlayMovesError::TooLong)?;
        }
        Ok(line)
    }

    /// Parses the words after `position`.
    pub(super) fn parse(words: &mut Words<'_>) -> Result<PositionCommand, ParseUciError> {
        let start = match words.next().map(|word| (word.at, word.text)) {
            Some((_, "startpos")) => Start::Startpos,
            Some((_, "fen")) => {
                let fen = words.until(&["moves"]);
                if fen.is_empty() {
                    return Err(words.expected(Expected::Fen));
                }
                Start::Fen(fen)
            }
            Some((at, _)) => return Err(ParseUciError { at, expected: Expected::Start }),
            None => return Err(words.expected(Expected::Start)),
        };
        let has_moves = words.take("moves");
        let moves = if has_moves { words.moves() } else { Vec::new() };
        match words.peek() {
            None => Ok(PositionCommand { start, moves }),
            Some(_) if has_moves => Err(words.expected(Expected::Move)),
            Some(_) => Err(words.expected(Expected::Moves)),
        }
    }
}

impl fmt::Display for PositionCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.start {
            Start::Startpos => f.write_str("position startpos")?,
            Start::Fen(fen) => write!(f, "position fen {}", OneLine(fen))?,
        }
        if self.moves.is_empty() {
            return Ok(());
        }
        write!(f, " moves{}", Moves(&self.moves))
    }
}
