//! A sequence of moves from a position: what no single position knows.

use crate::{Claims, Color, EndReason, Move, Outcome, Position};

/// How many plies a line can hold.
///
/// The longest game that the seventy-five-move rule allows has 17,697 plies; lines that go on
/// past an end have some room.
pub const MAX_PLIES: usize = 20_000;

/// Why a move was not added to a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LineError {
    /// It is not legal.
    #[error("the move is not legal here")]
    Illegal,
    /// The line has [`MAX_PLIES`] plies.
    #[error("the line is full, it has {MAX_PLIES} plies")]
    Full,
}

/// A start position and the moves played from it, with every position on the way.
///
/// Knows repetitions and counters, and so the draws that hang on them. A line can be played on
/// after it is decided: whether a game then goes on is not for the board to say.
#[derive(Clone, Debug)]
pub struct Line {
    /// One more than there are moves.
    positions: Vec<Position>,
    moves: Vec<Move>,
}

impl Line {
    /// A line without moves.
    pub fn new(start: Position) -> Line {
        Line { positions: vec![start], moves: Vec::new() }
    }

    /// The position it starts from.
    pub fn start(&self) -> &Position {
        &self.positions[0]
    }

    /// The position after all moves.
    pub fn position(&self) -> &Position {
        &self.positions[self.moves.len()]
    }

    /// Every position, the start first.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// The moves played.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Plays a move; a refused one changes nothing.
    pub fn play(&mut self, mv: Move) -> Result<(), LineError> {
        if self.moves.len() >= MAX_PLIES {
            return Err(LineError::Full);
        }
        let next = self.position().play(mv).map_err(|_| LineError::Illegal)?;
        self.positions.push(next);
        self.moves.push(mv);
        Ok(())
    }

    /// Takes the last move back.
    pub fn undo(&mut self) -> Option<Move> {
        let mv = self.moves.pop()?;
        self.positions.pop();
        Some(mv)
    }

    /// How often the current position has occurred, this time included.
    pub fn repetitions(&self) -> usize {
        1 + self.earlier(self.position(), self.moves.len())
    }

    /// How often a position that would stand at a ply has occurred before it.
    ///
    /// Positions are the same with the same player to move and the same possible moves
    /// (FIDE 9.2.3), and only since the last move that cannot be undone.
    fn earlier(&self, position: &Position, ply: usize) -> usize {
        let reversible = usize::from(position.halfmove_clock()).min(ply);
        let plies = (2..=reversible).step_by(2).map(|back| ply - back);
        plies.filter(|&earlier| self.positions[earlier] == *position).count()
    }

    /// The end of the game, if it has come by itself.
    pub fn outcome(&self) -> Option<Outcome> {
        let position = self.position();
        if !position.has_legal_move() {
            // FIDE 9.6.2: a mate takes precedence over the seventy-five-move rule.
            return Some(if position.is_check() {
                Outcome { reason: EndReason::Checkmate, winner: Some(!position.turn()) }
            } else {
                Outcome::draw(EndReason::Stalemate)
            });
        }
        if self.repetitions() >= 5 {
            return Some(Outcome::draw(EndReason::FivefoldRepetition));
        }
        let is_long = position.halfmove_clock() >= 150;
        is_long.then_some(Outcome::draw(EndReason::SeventyFiveMoves))
    }

    /// What the player to move may claim as the position stands (FIDE 9.2.1.2, 9.3.2).
    pub fn claims(&self) -> Claims {
        Claims {
            threefold_repetition: self.repetitions() >= 3,
            fifty_moves: self.position().halfmove_clock() >= 100,
        }
    }

    /// What the player to move may claim by announcing a move (FIDE 9.2.1.1, 9.3.1). An
    /// illegal move gives no claim.
    pub fn claims_after(&self, mv: Move) -> Claims {
        let Ok(next) = self.position().play(mv) else {
            return Claims::default();
        };
        Claims {
            threefold_repetition: self.earlier(&next, self.moves.len() + 1) >= 2,
            fifty_moves: next.halfmove_clock() >= 100,
        }
    }

    /// Whose turn it is.
    pub fn turn(&self) -> Color {
        self.position().turn()
    }
}

impl Default for Line {
    fn default() -> Line {
        Line::new(Position::start())
    }
}
