//! The laws of the protocol, and its document put to the test.

mod documented;
mod laws;
mod refusals;
mod strategies;
mod types;
