//! Games that a client follows without having seen their beginning.
//!
//! This module restores a game from a [`Checkpoint`] and applies the events that the server
//! reports after it. The server decides: its clocks replace the ones that are computed here, and
//! what a client cannot know is not checked. Everything that a client shows is the same as in the
//! server's game. The limits that only `decide` needs, such as how often a player may still offer
//! a draw, are not part of a checkpoint.

use castellan_rules::{Color, Square, UciMove};

use super::{Game, MAX_GAME_PLIES, Played};
use crate::{Clocks, End, Event, Moment, Player, Proposal, Recorded, ReplayError, Settings};

/// A game at one version, without the events that led to it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Checkpoint {
    /// Settings of the game.
    pub settings: Settings,
    /// Version of the last event that is included.
    pub version: u32,
    /// The player with the white pieces.
    pub white: Option<Player>,
    /// The player with the black pieces.
    pub black: Option<Player>,
    /// When both seats had been taken.
    pub started_at: Option<Moment>,
    /// When the game ended.
    pub ended_at: Option<Moment>,
    /// All moves so far.
    pub moves: Vec<UciMove>,
    /// What the clocks showed, and when.
    pub clocks: (Clocks, Moment),
    /// Proposals that are waiting for a reply, with the player who made them.
    pub offers: Vec<(Color, Proposal)>,
    /// Squares of the pieces touched this turn, in order.
    pub touched: Vec<Square>,
    /// How the game ended.
    pub end: Option<End>,
    /// Whether the game can still be aborted.
    pub can_abort: bool,
}

/// Why a checkpoint describes no game.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum CheckpointError {
    /// A move is illegal.
    #[error("move {ply}: {reason}")]
    Illegal {
        /// Number of plies before the move.
        ply: u32,
        /// Why it is illegal.
        reason: castellan_rules::IllegalMoveReason,
    },
    /// There are more moves than a game can have.
    #[error("a game has at most {MAX_GAME_PLIES} plies")]
    TooLong,
    /// The winner does not match the reason for the end.
    #[error("the winner does not match the reason")]
    Winner,
}

impl Game {
    /// Restores a game from a checkpoint. The times of its moves are unknown.
    pub fn restore(checkpoint: Checkpoint) -> Result<Game, CheckpointError> {
        let Checkpoint { settings, moves, end, .. } = checkpoint;
        if moves.len() > MAX_GAME_PLIES as usize {
            return Err(CheckpointError::TooLong);
        }
        if !end.is_none_or(End::is_consistent) {
            return Err(CheckpointError::Winner);
        }
        // The time of the last event is unknown, and the next event may be dated before the moment
        // at which the clocks were read.
        let last_at = checkpoint.ended_at.or(checkpoint.started_at).unwrap_or_default();
        let mut game = Game::new(settings, last_at);
        for (ply, mv) in (0..).zip(moves) {
            let mv = mv.resolve(game.line.position());
            let mv = mv.map_err(|reason| CheckpointError::Illegal { ply, reason })?;
            game.line.play(mv).map_err(|_| CheckpointError::TooLong)?;
            let remaining_ms = None;
            let played = Played { mv, at: last_at, spent_ms: 0, compensated_ms: 0, remaining_ms };
            game.state.played.push(played);
            game.state.clocks_before_ply.push(game.state.timing.player_clocks());
        }
        let state = &mut game.state;
        state.version = checkpoint.version;
        for (color, player) in Color::ALL.into_iter().zip([checkpoint.white, checkpoint.black]) {
            if let Some(player) = player {
                state.seats.set(color, player);
            }
        }
        state.started_at = checkpoint.started_at;
        state.have_both_moved = end.is_none() && !checkpoint.can_abort;
        for (by, what) in checkpoint.offers {
            state.offers.offer(by, what, u32::try_from(state.played.len()).unwrap_or(u32::MAX));
        }
        state.touched = checkpoint.touched;
        (state.end, state.ended_at) = (end, checkpoint.ended_at);
        let (clocks, at) = checkpoint.clocks;
        state.timing.set(clocks, at);
        Ok(game)
    }

    /// Applies the next event that the server reports, with the clocks after it if they are known.
    /// If the event does not fit, the game stays unchanged.
    pub fn follow(
        &mut self,
        recorded: &Recorded,
        clocks: Option<(Clocks, Moment)>,
    ) -> Result<(), ReplayError> {
        if matches!(recorded.event, Event::Resumed { .. }) {
            // A game that was restored does not know when the turn began, so it cannot tell which
            // part of it is credited. The server's clocks say what remains.
            self.apply_next(recorded, |game| game.check_phase(&recorded.event))?;
        } else {
            self.evolve(recorded)?;
        }
        if let Some((clocks, at)) = clocks {
            self.set_clocks(clocks, at);
        }
        Ok(())
    }

    /// Sets the clocks to what the server says they showed at `at`.
    pub fn set_clocks(&mut self, clocks: Clocks, at: Moment) {
        self.state.timing.set(clocks, at);
    }
}
