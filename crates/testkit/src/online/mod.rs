//! Online play from outside: the server as a process, and clients on sockets.
//!
//! Owns: starting and killing a server ([`Process`]), talking to it ([`Client`]) and two clients
//! that play a game ([`Table`]). Does not own: what is proved or measured with them. Everything
//! that waits has a deadline.

mod client;
mod process;
mod table;

pub use client::{Client, ClientError};
pub use process::{Process, ProcessError, resident_bytes};
pub use table::{Table, lasting_move};
