//! What the messages and the driver promise, asked from outside.

mod commands;
mod driver;
mod laws;
mod mock;
mod real_engines;
mod replies;
