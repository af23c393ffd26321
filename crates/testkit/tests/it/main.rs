//! Other crates are tested against the oracle, so it is tested itself: against published perft
//! counts, against python-chess, and with examples.

mod chess960;
mod fen;
mod moves;
mod perft;
mod play;
mod python_chess;
mod python_chess_trees;
mod random;
