//! The game as a pure state machine: seats, clocks, offers, claims, touch-move.
//!
//! This crate decides what a command leads to ([`Game::decide`]), applies events
//! ([`Game::evolve`]), converts a game to PGN ([`Game::to_pgn`]) and computes ratings ([`rating`]).
//! It does not read the time, which the caller passes in, and it knows nothing about the network,
//! the store, or the person behind a player's number.
//!
//! A game is its record. `decide` returns events or a refusal without changing anything, the
//! caller stores the events, and `evolve` applies them. So the stored events are exactly what
//! happened.

mod clock;
mod command;
mod conduct;
mod end;
mod event;
mod game;
mod id;
pub mod json;
mod lag;
mod moment;
mod offers;
mod pace;
mod pgn;
mod player;
pub mod rating;
mod refusal;
mod settings;
mod touch;

pub use clock::{Clock, Clocks};
pub use command::{Command, Proposal};
pub use conduct::{Conduct, OwnScore};
pub use end::{End, EndReason};
pub use event::{Event, Recorded};
pub use game::{Checkpoint, CheckpointError, GIFT_MS, Game, MAX_GAME_PLIES, MAX_GIFTS, Played};
pub use id::{GameId, ParseGameIdError, PlayerId};
pub use lag::LagQuota;
pub use moment::Moment;
pub use offers::{MAX_REMATCH_OFFERS, MAX_TAKEBACKS, MOVES_BETWEEN_DRAW_OFFERS};
pub use pace::Decision;
pub use player::{Actor, Player, Seats};
pub use refusal::{Refusal, ReplayError};
pub use settings::{ClockStart, Settings, TimeControl, TimeControlError};
pub use touch::Obligation;
