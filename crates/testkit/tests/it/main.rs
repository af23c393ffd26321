//! The oracle is what other crates are tested against, so it is tested itself:
//! against counted positions, against python-chess, and by hand.

mod chess960;
mod fen;
mod moves;
mod perft;
mod play;
mod python_chess;
mod python_chess_trees;
mod random;
