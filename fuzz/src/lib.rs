//! The laws that any input must keep, one function each.
//!
//! A function takes bytes, makes of them what it can and panics if a law is broken. It is called
//! by the driver of this package and by the targets of cargo-fuzz alike.
//!
//! - [`fen()`], [`san()`], [`uci_move()`]: a text is read whole or refused, what is read is written
//!   so that it is read again, and what is found in a position is legal there.
//! - [`doctor()`]: the doctor reads as the rules do, points into the text, and mends.
//! - [`moves`]: what the rules keep up to date equals what they work out anew, and the slow rules
//!   of the test kit agree.
//! - [`line()`]: repetitions, claims and outcomes equal the naive count.
//! - [`pgn()`]: games are read alike in one piece and in many, and written so that they are read
//!   again.
//! - [`protocol()`]: messages are read whole or refused, and written so that they are read again.
//!
//! The input of all but those on FEN, PGN and messages is a line of text and what follows it. See each
//! function.

mod doctor;
mod fen;
mod line;
mod moves;
mod notation;
mod pgn;
mod protocol;
mod scene;

pub use doctor::doctor;
pub use fen::fen;
pub use line::line;
pub use moves::moves;
pub use notation::{san, uci_move};
pub use pgn::pgn;
pub use protocol::protocol;

/// What an input of a law consists of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// A FEN.
    Fen,
    /// A line with a move as text, and a line with a FEN or a Chess960 number.
    Notation,
    /// A line with a FEN or a Chess960 number, and bytes that choose moves.
    Game,
    /// Games in PGN.
    Pgn,
    /// A message between server and client.
    Message,
}

/// A law with the name of its function.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name, also of its folder in the corpus.
    pub name: &'static str,
    /// What it reads.
    pub layout: Layout,
    /// Panics if the input breaks the law.
    pub run: fn(&[u8]),
}

/// All laws.
pub const TARGETS: [Target; 8] = [
    Target { name: "fen", layout: Layout::Fen, run: fen },
    Target { name: "doctor", layout: Layout::Fen, run: doctor },
    Target { name: "san", layout: Layout::Notation, run: san },
    Target { name: "uci_move", layout: Layout::Notation, run: uci_move },
    Target { name: "moves", layout: Layout::Game, run: moves },
    Target { name: "line", layout: Layout::Game, run: line },
    Target { name: "pgn", layout: Layout::Pgn, run: pgn },
    Target { name: "protocol", layout: Layout::Message, run: protocol },
];
