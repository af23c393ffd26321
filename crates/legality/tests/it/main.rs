//! Tests of the doctor, on labeled positions and on positions of games.

mod examples;
mod explained;
mod games;
mod page;
mod sets;
