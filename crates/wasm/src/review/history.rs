//! Undoing and redoing the changes to a study.
//!
//! A step stores the whole game as it was, which is simple and loses nothing. The number of steps
//! is limited by the size of the game.

use castellan_pgn::{Game, NodeId};

/// Maximum number of steps back.
const MAX_STEPS: usize = 100;
/// Maximum number of moves in all steps together, which limits their memory.
const MAX_MOVES: usize = 200_000;

/// The states of a study before and after the current one.
#[derive(Default)]
pub(super) struct History {
    past: Vec<Version>,
    future: Vec<Version>,
}

/// A state of a study, and the node that was shown.
struct Version {
    game: Game,
    at: NodeId,
}

impl History {
    /// Records the state before a change. Changes that had been undone can no longer be redone.
    pub(super) fn add(&mut self, game: Game, at: NodeId) {
        let most = (MAX_MOVES / (game.tree().move_count() + 1)).clamp(1, MAX_STEPS);
        self.future.clear();
        if self.past.len() >= most {
            self.past.drain(..=self.past.len() - most);
        }
        self.past.push(Version { game, at });
    }

    pub(super) fn can_undo(&self) -> bool {
        !self.past.is_empty()
    }

    pub(super) fn can_redo(&self) -> bool {
        !self.future.is_empty()
    }

    /// Replaces the game by its previous or next state. Returns the node to show, which is the one
    /// where the change was made.
    pub(super) fn step(&mut self, game: &mut Game, is_undo: bool) -> NodeId {
        let (from, to) = match is_undo {
            true => (&mut self.past, &mut self.future),
            false => (&mut self.future, &mut self.past),
        };
        let Some(Version { game: other, at }) = from.pop() else { return NodeId::ROOT };
        let left = std::mem::replace(game, other);
        to.push(Version { game: left, at });
        at
    }
}
