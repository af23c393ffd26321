//! Live games: one task per game, and the WebSocket connections of players and spectators.
//!
//! This module is responsible for pairing, invitations, moves, running clocks, chat, presence,
//! and the two WebSocket protocols. It leaves authentication and rate limiting of HTTP requests
//! to the rest of the server.
//!
//! | module | responsible for |
//! |---|---|
//! | `hub` | the entry point: startup, shutdown, and shared state |
//! | `room` | one running game: its task, its timers, its audience |
//! | `rooms` | the list of running games and their players |
//! | `begin` | starting a game, or resuming a stored one |
//! | `lobby`, `seeking`, `invitations` | how players find each other |
//! | `greeting`, `people`, `conduct`, `mutes` | connected users, their conduct, and their mutes |
//! | `nodes`, `hearing`, `waiting`, `pairing` | other nodes that serve the same games |
//! | `engines` | the worker threads that choose moves for engine players |
//! | `socket`, `link`, `lag` | one connection: reading, writing, limits, pings |
//! | `full`, `simple` | the two protocols, translated to and from game commands |
//!
//! A move passes from the socket to the room, through `decide`, to the store, through `evolve`,
//! and only then to the send queues of all subscribers. A room waits only for the store; a socket
//! waits only for its client.

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
pub use hub::Hub;
pub use routes::routes;

/// Locks a mutex for a few instructions. A poisoned lock is still sound, because no code panics
/// while it holds the lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
