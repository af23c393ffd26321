//! Tests of the network that see what a user sees.

mod evaluation;
mod files;
mod reference;
