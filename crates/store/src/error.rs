//! Errors of the store, with messages for people and types for programs.
//!
//! There is one error for opening a store and one for every later operation. The backends map
//! their own error codes to these. Invariant: every error except [`StoreError::Uncertain`]
//! promises that nothing of the failed write was stored.

use core::time::Duration;
use std::path::PathBuf;

use castellan_game::{GameId, PlayerId};

use crate::ratings::Category;

/// Why a store could not be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The database was written by a later version of this program.
    #[error(
        "the database {place} has schema version {found}, but this program supports only versions \
         up to {known}; use the newer program that wrote it or another database"
    )]
    NewerDatabase {
        /// The file, or the address without its password.
        place: String,
        /// The database's schema version.
        found: u32,
        /// The latest schema version that this program knows.
        known: u32,
    },
    /// Another process has this database open.
    #[error(
        "the database {place} is in use by {holder}; stop that process or choose another database"
    )]
    InUse {
        /// The file, or the address without its password.
        place: String,
        /// The process that holds it, as far as is known.
        holder: String,
    },
    /// The database has to be migrated, but servers that know only the old schema are using it.
    #[error(
        "the database {place} has to be migrated, but servers of an older version are using it; \
         stop all of them, then start this one"
    )]
    OlderServers {
        /// The address without its password.
        place: String,
    },
    /// The file exists but is not a Castellan database.
    #[error("{place} is not a Castellan database: {why}")]
    NotOurDatabase {
        /// The file, or the address without its password.
        place: String,
        /// How this was detected.
        why: String,
    },
    /// This is a Castellan database, but parts of it are missing or corrupt.
    #[error("the database {place} is damaged: {why}; restore it from a backup")]
    Damaged {
        /// The file, or the address without its password.
        place: String,
        /// What the check found.
        why: String,
    },
    /// The database is intact but older than the writes acknowledged from it.
    #[error(
        "the database {place} has lost writes: its last commit is {found}, but commit {promised} \
         was acknowledged; restore its latest copy together with the file ending in -wal, or \
         delete {record} to continue without the lost writes",
        record = record.display()
    )]
    LostWrites {
        /// The path of the database file.
        place: String,
        /// The last commit in the database.
        found: u64,
        /// The last commit that was acknowledged to a caller.
        promised: u64,
        /// The file that records the acknowledged commit.
        record: PathBuf,
    },
    /// The folder, the file or the database server cannot be used.
    #[error("cannot open the database {place}: {why}")]
    Unusable {
        /// The file, or the address without its password.
        place: String,
        /// The operating system's or the database's message.
        why: String,
    },
}

/// Why a database could not be backed up or restored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BackupError {
    /// There is no database to copy.
    #[error("there is no database at {}", place.display())]
    NoDatabase {
        /// Where it was expected.
        place: PathBuf,
    },
    /// A file is in the way, and it is not replaced.
    #[error("{} already exists; move it away or choose another name", place.display())]
    Exists {
        /// The path of the file.
        place: PathBuf,
    },
    /// A file cannot be read or written, or is not a Castellan database.
    #[error(transparent)]
    Open(#[from] OpenError),
}

/// Why a store operation failed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Other events were stored first, so the batch does not follow the last version.
    #[error("game {game} is at version {stored}; version {offered} does not follow it")]
    Conflict {
        /// The game's id.
        game: GameId,
        /// The version of the last stored event; 0 before the first.
        stored: u32,
        /// The version of the batch's first event.
        offered: u32,
    },
    /// The game does not exist.
    #[error("game {game} does not exist")]
    NoSuchGame {
        /// The requested id.
        game: GameId,
    },
    /// A game with this id already exists.
    #[error("game {game} already exists")]
    GameExists {
        /// The id that is already in use.
        game: GameId,
    },
    /// The batch would end a game that has already ended.
    #[error("game {game} has already ended")]
    AlreadyFinished {
        /// The game's id.
        game: GameId,
    },
    /// Another game took the claim first, or the claim was withdrawn.
    #[error("{claim} is already claimed")]
    AlreadyClaimed {
        /// The name of the claim.
        claim: String,
    },
    /// The name, or one that looks the same, belongs to another account.
    #[error("the name {name} is taken")]
    NameTaken {
        /// The name as requested.
        name: String,
    },
    /// The player has no account.
    #[error("player {player} has no account")]
    NoSuchAccount {
        /// The player's id.
        player: PlayerId,
    },
    /// The session does not exist or has ended.
    #[error("the session has ended")]
    NoSuchSession,
    /// The target is not banned.
    #[error("there is no such ban")]
    NoSuchBan,
    /// The report does not exist or is closed.
    #[error("there is no such open report")]
    NoSuchReport,
    /// The code is unknown, used up or expired.
    #[error("the code is wrong, used up or expired")]
    CodeRefused,
    /// Another game of the player was rated first, or the player has no account.
    #[error("the {category} rating of player {player} has changed in the meantime")]
    RatingConflict {
        /// The player whose rating has changed.
        player: PlayerId,
        /// The category of the rating.
        category: Category,
    },
    /// A text or a list exceeds the store's limit.
    #[error("{what} is too large: its size is {size}, and the limit is {limit}")]
    TooLarge {
        /// The name of the value that is too large.
        what: &'static str,
        /// Its size, in bytes or entries.
        size: usize,
        /// The largest allowed size, in the same unit.
        limit: usize,
    },
    /// A text contains a character that cannot be stored.
    #[error("{what} contains a NUL character")]
    NulCharacter {
        /// The name of the value.
        what: &'static str,
    },
    /// The versions in a batch are not consecutive, or the batch has no events.
    #[error("the batch for game {game} is malformed: {why}")]
    MalformedBatch {
        /// The game's id.
        game: GameId,
        /// What is wrong with the batch.
        why: &'static str,
    },
    /// The write waited in the queue until its deadline.
    #[error("the store is overloaded: the write waited {} ms and was not stored", waited.as_millis())]
    Overloaded {
        /// How long it waited.
        waited: Duration,
    },
    /// The search took too long and was interrupted.
    #[error("the search took too long; search for a longer part of the name")]
    SearchTimeout,
    /// There is no space left for the database.
    #[error("there is no disk space left for the database")]
    DiskFull,
    /// The database cannot be reached or used right now; a retry may succeed.
    #[error("the database is not available: {why}")]
    Unavailable {
        /// The message of the database or the operating system.
        why: String,
    },
    /// The connection was lost during the commit, and the database cannot tell whether it
    /// succeeded.
    #[error(
        "the connection to the database was lost during a commit; it is not known whether the \
         write was stored: {why}"
    )]
    Uncertain {
        /// What was lost.
        why: String,
    },
    /// The database rejected a statement that it should have accepted.
    #[error("the database rejected the statement: {why}")]
    Refused {
        /// The database's message.
        why: String,
    },
    /// Stored data cannot be read.
    #[error("stored data is damaged: {what}")]
    Damaged {
        /// Which data, and what is wrong with it.
        what: String,
    },
    /// The store has been closed.
    #[error("the store is closed")]
    Closed,
}
