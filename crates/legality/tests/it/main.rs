//! The doctor and the question who can win, on labelled positions and on those of games.

mod examples;
mod games;
mod sets;
mod winning;
