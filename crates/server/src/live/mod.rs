//! Games that are being played: one task each, and the sockets of players and watchers.
//!
//! Owns: pairing, invitations, moves, clocks that run, chat, presence, the two sockets. Leaves to
//! the rest of the server: who somebody is, and which requests are let through at all.
//!
//! | module | owns |
//! |---|---|
//! | `hub` | the door to all of this: start, shutdown, and what is shared |
//! | `room` | one running game: its task, its timers, its audience |
//! | `rooms` | which games are running, and who plays in them |
//! | `begin` | how a game comes into being, or is taken up again |
//! | `lobby`, `seeking`, `invitations` | how players find each other |
//! | `greeting`, `people`, `conduct`, `mutes` | who is at which socket, and how people behave |
//! | `nodes`, `hearing`, `waiting`, `pairing` | other nodes that serve the same games |
//! | `engines` | the threads that think for the engine's seats |
//! | `socket`, `link`, `lag` | one connection: reading, writing, limits, pings |
//! | `full`, `simple` | the two protocols, in words of the game |
//!
//! How a move travels: socket, room, `decide`, store, `evolve`, and only then everybody's queue.
//! A room waits for nobody but the store; a socket waits for nobody but its client.

mod begin;
mod conduct;
mod config;
mod engines;
mod full;
mod greeting;
mod hearing;
mod hub;
mod invitations;
mod lag;
mod link;
mod lobby;
mod mutes;
mod nodes;
mod owners;
mod pairing;
mod people;
mod reply;
mod room;
mod rooms;
mod routes;
mod seeking;
mod simple;
mod socket;
mod tasks;
mod waiting;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use config::LiveConfig;
pub(crate) use engines::level_of;
pub use hub::Hub;
pub use routes::routes;

/// Locks for a few instructions. Nothing panics in between, so a poisoned lock is still sound.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
