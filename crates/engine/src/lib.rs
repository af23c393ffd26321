//! The computer opponent.
//!
//! This crate is responsible for search, evaluation, the transposition table and time management.
//! It contains no text, no input or output and no clock: the caller passes in the time and
//! receives reports.
//!
//! ```
//! use std::time::Duration;
//! use castellan_engine::{Engine, Limits, Options, Score, Signals};
//! use castellan_rules::{Line, Position, san};
//!
//! let mut engine = Engine::new(Options::default());
//! let line = Line::new(Position::from_fen("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1")?);
//! let limits = Limits { depth: Some(4), ..Limits::default() };
//! let answer = engine.go(&line, &limits, &|| Duration::ZERO, &Signals::default(), &mut |_| {});
//! assert_eq!(san::write(line.position(), answer.mv.unwrap()), "Rd8#");
//! assert_eq!(answer.score, Score::Mate(1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod checks;
mod draw;
mod engine;
mod eval;
pub mod exchange;
mod history;
mod king_trap;
mod level;
mod limits;
mod margins;
mod packed;
mod picker;
mod pv_table;
mod root;
mod score;
mod search;
mod table;
mod threats;
mod tried;
mod win_possibilities;
mod worker;

pub use engine::{Answer, Clock, Engine, Options, Signals, embedded_network};
#[cfg(feature = "tuning")]
pub use eval::tuning;
pub use level::{Handicap, Level};
pub use limits::{Limits, TimeLeft};
pub use margins::{Margins, Parameter};
pub use root::{Report, ScoreBound};
pub use score::Score;
