//! The server as its clients see it: real sockets on the loopback, a real store in a folder of
//! its own, and a clock that goes only when a test pushes it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed, wherever it stands")]

mod live;
