//! Tests of the doctor and of the winning question, on labeled positions and on positions of
//! games.

mod examples;
mod games;
mod sets;
mod winning;
