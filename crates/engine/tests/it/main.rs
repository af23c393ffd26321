//! What the engine promises, asked from outside: one binary, one module per promise.

mod draws;
mod levels;
mod limits;
mod mates;
mod networks;
mod robust;
mod support;
