//! The rules of chess, implemented exactly.
//!
//! This crate is responsible for squares and bitboards, attacks, positions, legal moves, lines of
//! moves with their repetitions and counters, the end of the game, and the FEN, SAN and UCI
//! notations. It knows nothing about files, time, randomness, players or scores.
//!
//! A position passes through stages of trust. Text parses into a [`Setup`], which says exactly
//! what the text says. [`Setup::position`] validates it and returns either a [`Position`], which
//! can be played from, or all its [`SetupProblems`]. A [`Line`] is a position plus the
//! moves played from it, so it can detect repetitions.
//!
//! ```
//! use castellan_rules::{Line, San, san};
//!
//! let mut line = Line::default();
//! for text in ["f3", "e5", "g4", "Qh4#"] {
//!     let mv = San::parse(text)?.resolve(line.position())?;
//!     assert_eq!(san::write(line.position(), mv), text);
//!     line.play(mv)?;
//! }
//! assert_eq!(line.outcome().unwrap().to_string(), "Black wins by checkmate");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod attacks;
mod bitboard;
mod board;
mod color;
pub mod fen;
mod illegal_move;
mod line;
mod lookup;
mod movegen;
mod moves;
mod observer;
mod outcome;
mod perft;
mod pieces;
mod position;
mod role;
pub mod san;
mod setup;
mod setup_problem;
mod side;
mod square;
mod state;
mod uci_move;
mod validate;
mod zobrist;

pub use bitboard::{Bitboard, Squares};
pub use board::castled_squares;
pub use color::Color;
pub use fen::{CastlingLetters, EnPassantField, FenError, FenStyle, ParseFenError};
pub use illegal_move::IllegalMoveReason;
pub use line::{Line, LineError, MAX_PLIES};
pub use moves::{CastlingSide, MAX_MOVES, Move, MoveKind, MoveList};
pub use observer::{NoObserver, Observer};
pub use outcome::{Claims, EndReason, Outcome};
pub use perft::perft;
pub use pieces::Pieces;
pub use position::IllegalMove;
pub use role::{Piece, Promotion, Role};
pub use san::{ParseSanError, ResolveSanError, San};
pub use setup::{Clocks, Setup};
pub use setup_problem::{SetupProblem, SetupProblems};
pub use square::{File, ParseSquareError, Rank, Square};
pub use state::Position;
pub use uci_move::{CastlingSpelling, ParseUciMoveError, UciMove};

/// Runs the example in the readme as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
