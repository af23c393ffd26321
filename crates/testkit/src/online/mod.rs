//! Online play from outside: the server as a process, and clients with connections.
//!
//! This module starts and kills a server ([`Process`]), talks to it ([`Client`]) and plays games
//! with two clients ([`Table`]). The callers decide what to prove or measure with them. Every
//! wait has a deadline.

mod client;
mod process;
mod table;

pub use client::{Client, ClientError};
pub use process::{Process, ProcessError, resident_bytes};
pub use table::{Table, lasting_move};
