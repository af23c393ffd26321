//! Chat lines as they are stored.
//!
//! Owns: what is handed in and out about chat. Leaves to the server: who may say what and who
//! hears it. Invariant: the lines of a game come back in the order in which they were stored.

use castellan_game::{GameId, Moment, PlayerId};

/// One thing that somebody said beside a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatLine {
    /// Beside which game.
    pub game: GameId,
    /// When.
    pub at: Moment,
    /// Who.
    pub player: PlayerId,
    /// The name the player went by.
    pub name: String,
    /// What was said, exactly; whoever shows it has to escape it.
    pub text: String,
}
