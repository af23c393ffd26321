//! Tests of the protocol: properties of parsing and writing, error messages, and the examples in
//! its documentation.

mod documented;
mod laws;
mod refusals;
mod strategies;
mod types;
