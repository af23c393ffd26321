//! Games, accounts and sessions that outlive the process: SQLite or PostgreSQL.
//!
//! Owns: what is kept, under which limits, and when it counts as kept. Leaves to
//! `castellan-game` what events mean, and to the server who may do what. Invariant: a write that
//! was answered with `Ok` is there after any crash, and one that was refused never shows up.
//!
//! Both databases stand behind [`Store`]. Writes wait in one bounded queue; one writer takes
//! whatever has gathered, stores it in one transaction, syncs once, and only then answers.

mod chat;
mod database;
mod encoding;
mod error;
mod games;
mod history;
mod names;
mod people;
mod queue;
mod ratings;
mod reads;
mod sql;
mod statement;
mod store;
mod writes;

pub mod postgres;
pub mod sqlite;

pub use crate::chat::ChatLine;
pub use crate::error::{OpenError, StoreError};
pub use crate::games::{Batch, Beginning, NewGame, StoredGame, Summary};
pub use crate::history::{
    Cursor, FinishedGame, HistoryQuery, Page, ParseCursorError, Results, Seat, Tally,
};
pub use crate::names::fold;
pub use crate::people::{Account, Invitation, Session, TokenDigest};
pub use crate::ratings::{Category, ParseCategoryError, RatingChange, StoredRating};
pub use crate::store::{Answer, Outage, Store, Tallies};
