//! The properties that must hold for any input, one function each.
//!
//! A function takes bytes, interprets them as far as it can, and panics if the property is
//! violated. Both the driver of this package and the cargo-fuzz targets call it.
//!
//! - [`fen()`], [`san()`], [`uci_move()`]: a text is parsed completely or refused, what is
//!   written parses back to the same value, and a move that is found in a position is legal
//!   there.
//! - [`doctor()`]: the doctor parses like the rules, points into the text, and repairs what it
//!   says.
//! - [`moves`]: what the rules update incrementally equals what they compute from scratch, and
//!   the slow rules of the test kit agree.
//! - [`line()`]: repetitions, claims and outcomes equal a naive count.
//! - [`pgn()`]: games are read the same way in one piece and in many, and what is written parses
//!   back to the same games.
//! - [`protocol()`]: messages are parsed completely or refused, and what is written parses back
//!   to the same message.
//!
//! Except for FEN, PGN and messages, an input is a line of text and what follows it. See each
//! function.

mod doctor;
mod fen;
mod line;
mod moves;
mod notation;
mod pgn;
mod positions;
mod protocol;

pub use doctor::doctor;
pub use fen::fen;
pub use line::line;
pub use moves::moves;
pub use notation::{san, uci_move};
pub use pgn::pgn;
pub use protocol::protocol;

/// The format of an input.
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

/// A property with the name of its function.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name, also that of its folder in the corpus.
    pub name: &'static str,
    /// The format of its inputs.
    pub layout: Layout,
    /// Number of random inputs in a short run, a few seconds' worth.
    pub short_run: u64,
    /// Panics if the input violates the property.
    pub run: fn(&[u8]),
}

/// All properties.
pub const TARGETS: [Target; 8] = [
    Target { name: "fen", layout: Layout::Fen, short_run: 800_000, run: fen },
    Target { name: "doctor", layout: Layout::Fen, short_run: 35_000, run: doctor },
    Target { name: "san", layout: Layout::Notation, short_run: 1_000_000, run: san },
    Target { name: "uci_move", layout: Layout::Notation, short_run: 1_000_000, run: uci_move },
    Target { name: "moves", layout: Layout::Game, short_run: 25_000, run: moves },
    Target { name: "line", layout: Layout::Game, short_run: 25_000, run: line },
    Target { name: "pgn", layout: Layout::Pgn, short_run: 100_000, run: pgn },
    Target { name: "protocol", layout: Layout::Message, short_run: 150_000, run: protocol },
];
