//! Durable storage for games, accounts and sessions, in SQLite or PostgreSQL.
//!
//! This crate decides what is stored, within which limits, and when a write counts as durable. It
//! leaves the meaning of events to `castellan-game` and permissions to the server. Invariant: a
//! write that returned `Ok` survives any crash, and a write that was rejected never appears
//! later.
//!
//! Both databases implement [`Store`]. Writes wait in one bounded queue. A single writer takes
//! everything that has accumulated, stores it in one transaction, syncs once, and only then
//! replies to the callers.

mod chat;
mod database;
mod emails;
mod encoding;
mod error;
mod games;
mod history;
mod migrations;
mod moderation;
mod moderation_reads;
mod moderation_sql;
mod moderation_writes;
mod names;
mod network;
mod people;
mod queue;
mod ratings;
mod read_waits;
mod reads;
mod retention;
mod sql;
mod statement;
mod store;
mod writes;

pub mod postgres;
pub mod sqlite;

pub use crate::chat::ChatLine;
pub use crate::emails::{EmailStore, MAX_EMAIL_BYTES, MailCode, MailPurpose, PasswordReset};
pub use crate::error::{BackupError, OpenError, StoreError};
pub use crate::games::{Batch, NewGame, NewGameBatch, StoredGame, Summary};
pub use crate::history::{
    Cursor, FinishedGame, HistoryQuery, Page, ParseCursorError, ResultCounts, Results, Seat,
};
pub use crate::migrations::{DryRun, MigrationPlan, MigrationStep, SCHEMA_VERSION};
pub use crate::moderation::{
    AccountRow, AuditEntry, Ban, BanTarget, FormerPlayer, MAX_BANS, ModerationAct, ModerationStore,
    NewAuditEntry, NewBan, NewReport, RegistrationMode, Report, SECRET_BYTES, SecondFactor,
};
pub use crate::names::fold;
pub use crate::network::{Network, ParseNetworkError};
pub use crate::people::{Account, Invitation, Session, TokenDigest};
pub use crate::ratings::{Category, ParseCategoryError, RatingChange, StoredRating};
pub use crate::retention::{DELETED_AT_ONCE, Retention};
pub use crate::store::{Outage, ReadMetrics, Store, StoreFuture, StoreMetrics};
