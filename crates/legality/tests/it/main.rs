//! The doctor on labelled positions and on the positions of games.

mod games;
mod sets;
