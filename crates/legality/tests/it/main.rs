//! Tests of the doctor, on labeled positions and on positions of games.

mod examples;
mod games;
mod sets;
