//! Tests of the public interface of the engine: one binary, with one module per promise.

mod draws;
mod levels;
mod limits;
mod mates;
mod networks;
mod robust;
mod support;
