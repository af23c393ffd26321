//! Tests of the public interface of the rules: one binary, with one module per topic.

mod fen;
mod hash;
mod illegal_moves;
mod laws;
mod line;
mod observer;
mod oracle;
mod outcome;
mod perft;
mod python_chess;
mod san;
mod setup_problems;
mod shakmaty;
mod support;
mod uci_move;
