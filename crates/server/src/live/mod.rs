//! Live games: one task per game, and the WebSocket connections of players and spectators.
//!
//! This module is responsible for pairing, invitations, moves, running clocks, chat, presence,
//! and the two WebSocket protocols. It leaves authentication and rate limiting of HTTP requests
//! to the rest of the server.
//!
//! | module | responsible for |
//! |---|---|
//! | `hub` | the entry point: startup, shutdown, and shared state |
//! | `routes`, `socket` | one WebSocket: the upgrade, reading, limits, pings, closing |
//! | `connection`, `connections`, `lag` | its send queue, the list of all of them, network lag |
//! | `full`, `simple` | the two protocols, translated to and from game commands |
//! | `auth`, `leave_tracker`, `mutes` | users: identity, left games, mutes |
//! | `seeking`, `lobby`, `pairing`, `invitations` | how players find each other |
//! | `begin` | starting a game, or resuming a stored one |
//! | `rooms`, `damaged` | the list of running games and their players; games that cannot be played |
//! | `room`, `ratings` | one running game: its task, its timers, its audience; its effect on ratings |
//! | `engines` | the worker threads that choose moves for engine players |
//! | `peers`, `departures`, `bus_events` | other nodes that serve the same games, and those that are gone |
//!
//! A move passes from the socket to the room, through `decide`, to the store, through `evolve`,
//! and only then to the send queues of all subscribers. A room waits only for the store; a socket
//! waits only for its client.

mod auth;
mod begin;
mod bus_events;
mod config;
mod connection;
mod connections;
mod damaged;
mod departures;
mod engine_queue;
mod engines;
mod full;
mod hub;
mod invitations;
mod lag;
mod leave_tracker;
mod lobby;
mod moderation;
mod mutes;
mod pairing;
mod peer_clocks;
mod peers;
mod ratings;
mod reply;
mod room;
mod rooms;
mod routes;
mod seeking;
mod simple;
mod socket;
mod tasks;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use config::LiveConfig;
pub(crate) use damaged::Damage;
pub use hub::Hub;
pub(crate) use lobby::SeekTerms;
pub(crate) use rooms::RunningGame;
#[cfg(test)]
pub(crate) use routes::accept_client;
pub use routes::routes;

/// Locks a mutex for a few instructions. A poisoned lock is still sound, because no code panics
/// while it holds the lock.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
