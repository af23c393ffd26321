//! Sequences of moves from a position, which detect repetitions, as no single position can.

use crate::{Claims, Color, EndReason, Move, Outcome, Position};

/// The maximum number of plies in a line.
///
/// The longest game that the seventy-five-move rule allows has 17,697 plies. The rest is room for
/// lines that continue past the end of a game.
pub const MAX_PLIES: usize = 20_000;

/// Why a move was not added to a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LineError {
    /// The move is not legal in the current position.
    #[error("the move is not legal here")]
    Illegal,
    /// The line already has [`MAX_PLIES`] plies.
    #[error("the line has reached the maximum of {MAX_PLIES} plies")]
    Full,
}

/// A start position and the moves played from it, with every position along the way.
///
/// A line counts repetitions and moves without progress, and therefore knows the draws that depend
/// on them. Moves can be added after the game is decided; the caller decides whether a game
/// continues then.
#[derive(Clone, Debug)]
pub struct Line {
    /// Always one longer than `moves`.
    positions: Vec<Position>,
    moves: Vec<Move>,
}

impl Line {
    /// Creates a line without moves.
    pub fn new(start: Position) -> Line {
        Line { positions: vec![start], moves: Vec::new() }
    }

    /// Returns the position the line starts from.
    pub fn start(&self) -> &Position {
        &self.positions[0]
    }

    /// Returns the position after all moves.
    pub fn position(&self) -> &Position {
        &self.positions[self.moves.len()]
    }

    /// Returns every position, the start position first.
    pub fn positions(&self) -> &[Position] {
        &self.positions
    }

    /// Returns the moves played.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// Plays a move. On error the line is unchanged.
    pub fn play(&mut self, mv: Move) -> Result<(), LineError> {
        if self.moves.len() >= MAX_PLIES {
            return Err(LineError::Full);
        }
        let next = self.position().play(mv).map_err(|_| LineError::Illegal)?;
        self.positions.push(next);
        self.moves.push(mv);
        Ok(())
    }

    /// Takes back the last move and returns it, or `None` if the line has no moves.
    pub fn undo(&mut self) -> Option<Move> {
        let mv = self.moves.pop()?;
        self.positions.pop();
        Some(mv)
    }

    /// Returns how often the current position has occurred, including this time.
    pub fn repetitions(&self) -> usize {
        1 + self.earlier(self.position(), self.moves.len())
    }

    /// Returns how often `position`, reached at `ply`, has occurred earlier in the line.
    ///
    /// Two positions are the same if the same player is to move and the same moves are possible
    /// (FIDE 9.2.3). Only positions since the last irreversible move can match.
    fn earlier(&self, position: &Position, ply: usize) -> usize {
        let reversible = usize::from(position.halfmove_clock()).min(ply);
        let plies = (2..=reversible).step_by(2).map(|back| ply - back);
        plies.filter(|&earlier| self.positions[earlier] == *position).count()
    }

    /// Returns the outcome if the game has ended without a claim or an agreement, otherwise `None`.
    pub fn outcome(&self) -> Option<Outcome> {
        self.outcome_at(self.position(), self.moves.len())
    }

    /// Returns the outcome that `mv` would bring about. An illegal move brings about none.
    pub fn outcome_after(&self, mv: Move) -> Option<Outcome> {
        let next = self.position().play(mv).ok()?;
        self.outcome_at(&next, self.moves.len() + 1)
    }

    /// Returns the outcome if the line leads to `position` at `ply`.
    fn outcome_at(&self, position: &Position, ply: usize) -> Option<Outcome> {
        if !position.has_legal_move() {
            // FIDE 9.6.2: a mate takes precedence over the seventy-five-move rule.
            return Some(if position.is_check() {
                Outcome { reason: EndReason::Checkmate, winner: Some(!position.turn()) }
            } else {
                Outcome::draw(EndReason::Stalemate)
            });
        }
        if self.earlier(position, ply) >= 4 {
            return Some(Outcome::draw(EndReason::FivefoldRepetition));
        }
        let is_long = position.halfmove_clock() >= 150;
        is_long.then_some(Outcome::draw(EndReason::SeventyFiveMoves))
    }

    /// Returns the draws the player to move may claim in the current position (FIDE 9.2.1.2,
    /// 9.3.2).
    pub fn claims(&self) -> Claims {
        Claims {
            threefold_repetition: self.repetitions() >= 3,
            fifty_moves: self.position().halfmove_clock() >= 100,
        }
    }

    /// Returns the draws the player to move may claim by announcing `mv` (FIDE 9.2.1.1, 9.3.1).
    /// An illegal move gives no claim.
    pub fn claims_after(&self, mv: Move) -> Claims {
        let Ok(next) = self.position().play(mv) else {
            return Claims::default();
        };
        Claims {
            threefold_repetition: self.earlier(&next, self.moves.len() + 1) >= 2,
            fifty_moves: next.halfmove_clock() >= 100,
        }
    }

    /// Returns the side to move.
    pub fn turn(&self) -> Color {
        self.position().turn()
    }
}

impl Default for Line {
    fn default() -> Line {
        Line::new(Position::start())
    }
}
