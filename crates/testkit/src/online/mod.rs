//! Online play from outside: the server as a process, and clients with connections.
//!
//! This module starts and kills a server ([`Process`]), talks to it ([`Client`]) and plays games
//! with two clients ([`OnlineGame`]). The callers decide what to prove or measure with them. Every
//! wait has a deadline.

mod client;
mod game;
mod process;

pub use client::{Client, ClientError};
pub use game::{OnlineGame, lasting_move};
pub use process::{Process, ProcessError, resident_bytes};
