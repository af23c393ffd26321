//! The server as its clients see it: real WebSockets on loopback, a real store in a temporary
//! folder, and a clock that advances only when a test says so.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed, wherever it stands")]

mod live;
