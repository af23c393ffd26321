//! Tests of the public interface of the engine: one binary, with one module per topic.

mod draws;
mod levels;
mod limits;
mod mates;
mod networks;
mod robust;
mod support;
