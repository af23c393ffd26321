//! Tests of the public interface of the UCI crate: messages, and the driver with mock and real
//! engines.

mod commands;
mod driver;
mod laws;
mod mock;
mod real_engines;
mod replies;
