//! The `position` command: a start and the moves since.

use std::fmt;

use castellan_rules::{CastlingSpelling, FenError, Line, MAX_PLIES, Position, Refusal, UciMove};

use crate::words::{Moves, OneLine, Words};
use crate::{Expected, ParseUciError};

/// `position startpos moves e2e4`, as it was said; [`to_line`](PositionCommand::to_line) says
/// what it means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PositionCommand {
    /// Where the game started.
    pub start: Start,
    /// The moves since then.
    pub moves: Vec<UciMove>,
}

/// Where a game started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Start {
    /// `startpos`.
    Startpos,
    /// `fen` and a FEN, not yet looked at.
    Fen(String),
}

/// Why a position and its moves do not make a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PlayMovesError {
    /// The start is no position.
    #[error("in the FEN: {0}")]
    Fen(#[from] FenError),
    /// A move is not legal there.
    #[error("move {number}, {mv}: {refusal}")]
    Refused {
        /// Which move, counted from 1.
        number: usize,
        /// The move.
        mv: UciMove,
        /// Why not.
        refusal: Refusal,
    },
    /// There are more moves than a line holds.
    #[error("there are more than {MAX_PLIES} moves")]
    TooLong,
}

impl PositionCommand {
    /// The command that tells of a line.
    pub fn from_line(line: &Line, castling: CastlingSpelling) -> PositionCommand {
        let is_usual = line.start().to_fen() == Position::start().to_fen();
        let start = if is_usual { Start::Startpos } else { Start::Fen(line.start().to_fen()) };
        let spell = |mv: &_| UciMove::from_move(*mv, castling);
        PositionCommand { start, moves: line.moves().iter().map(spell).collect() }
    }

    /// Plays the moves from the start.
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
        for (index, said) in self.moves.iter().enumerate() {
            let refused =
                |refusal| PlayMovesError::Refused { number: index + 1, mv: *said, refusal };
            let mv = said.resolve(line.position()).map_err(refused)?;
            // A move that was resolved is legal, so only the length is left to complain of.
            line.play(mv).map_err(|_| PlayMovesError::TooLong)?;
        }
        Ok(line)
    }

    /// Reads what stands after `position`.
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
