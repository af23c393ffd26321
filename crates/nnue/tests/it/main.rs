//! Tests of the public interface of the network.

mod evaluation;
mod files;
mod reference;
