//! What can go wrong with the store, in words for people and in types for programs.
//!
//! Owns: the two errors, of opening and of everything after. Leaves to the backends: which of
//! their own codes means what. Invariant: every error except [`StoreError::Uncertain`] promises
//! that nothing of the refused write was kept.

use core::time::Duration;
use std::path::PathBuf;

use castellan_game::{GameId, PlayerId};

use crate::ratings::Category;

/// Why a store could not be opened.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The database was written by a later version of this program.
    #[error(
        "the database {place} has schema {found} and this program knows schemas up to {known}: \
         use the newer program that wrote it, or another database"
    )]
    NewerDatabase {
        /// The file, or the address without its password.
        place: String,
        /// The schema of the database.
        found: u32,
        /// The latest schema that this program knows.
        known: u32,
    },
    /// Another process has this database open.
    #[error(
        "the database {place} is in use by {holder}: stop that one first, or choose another \
         database"
    )]
    InUse {
        /// The file, or the address without its password.
        place: String,
        /// Who holds it, as far as is known.
        holder: String,
    },
    /// The file is there and is not a database of ours.
    #[error("{place} is not a Castellan database: {why}")]
    Foreign {
        /// The file, or the address without its password.
        place: String,
        /// How that was noticed.
        why: String,
    },
    /// The database is ours and parts of it are missing or garbled.
    #[error("the database {place} is damaged: {why}; restore it from a backup")]
    Damaged {
        /// The file, or the address without its password.
        place: String,
        /// What was found.
        why: String,
    },
    /// The database is sound and older than what has been acknowledged from it.
    #[error(
        "the database {place} has lost writes: it ends with commit {found} and commit {promised} \
         was acknowledged; put its newest copy back together with the file ending in -wal, or \
         delete {record} to go on without them",
        record = record.display()
    )]
    LostWrites {
        /// The file.
        place: String,
        /// The last commit in the database.
        found: u64,
        /// The last commit that somebody was told of.
        promised: u64,
        /// Where that is recorded.
        record: PathBuf,
    },
    /// The folder, the file or the server cannot be used.
    #[error("cannot open the database {place}: {why}")]
    Unusable {
        /// The file, or the address without its password.
        place: String,
        /// What the system said.
        why: String,
    },
}

/// Why a store did not do as it was asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// Other events were stored first.
    #[error("game {game} is at version {stored}, and version {offered} does not follow it")]
    Conflict {
        /// Which game.
        game: GameId,
        /// The version of the last event that is stored; 0 before the first.
        stored: u32,
        /// The version of the first event of the batch.
        offered: u32,
    },
    /// There is no such game.
    #[error("there is no game {game}")]
    NoSuchGame {
        /// The id that was asked for.
        game: GameId,
    },
    /// A game with this id was created before.
    #[error("there is already a game {game}")]
    GameExists {
        /// The id.
        game: GameId,
    },
    /// The batch would end a game for the second time.
    #[error("game {game} has already ended")]
    AlreadyFinished {
        /// Which game.
        game: GameId,
    },
    /// Somebody else was first, or it was withdrawn.
    #[error("{claim} is claimed already")]
    AlreadyClaimed {
        /// What was to be had once.
        claim: String,
    },
    /// An account with this name, or with one that looks the same, exists.
    #[error("the name {name} is taken")]
    NameTaken {
        /// The name as it was asked for.
        name: String,
    },
    /// There is no account of this player.
    #[error("player {player} has no account")]
    NoSuchAccount {
        /// Which player.
        player: PlayerId,
    },
    /// There is no such session, or no more.
    #[error("the session has ended")]
    NoSuchSession,
    /// Another game of the player was rated first, or the player has no account.
    #[error("the {category} rating of player {player} has changed in the meantime")]
    RatingConflict {
        /// Whose rating.
        player: PlayerId,
        /// In which category.
        category: Category,
    },
    /// A text or a list is larger than the store takes.
    #[error("{what} has {size}, and at most {limit} are kept")]
    TooLarge {
        /// What is too large.
        what: &'static str,
        /// How large it is, in bytes or entries.
        size: usize,
        /// How large it may be.
        limit: usize,
    },
    /// A text contains a character that cannot be kept.
    #[error("{what} contains the character NUL")]
    NulCharacter {
        /// Which text.
        what: &'static str,
    },
    /// The versions of a batch do not count up, or it has no events.
    #[error("the batch for game {game} is malformed: {why}")]
    MalformedBatch {
        /// Which game.
        game: GameId,
        /// What is wrong.
        why: &'static str,
    },
    /// The write waited for its turn for as long as it may.
    #[error("the store cannot keep up: no turn came within {} ms", waited.as_millis())]
    Overloaded {
        /// How long it waited.
        waited: Duration,
    },
    /// There is no space left for the database.
    #[error("there is no space left for the database")]
    DiskFull,
    /// The database cannot be reached or used just now; trying again later may help.
    #[error("the database is not available: {why}")]
    Unavailable {
        /// What it or the system said.
        why: String,
    },
    /// The database was lost while it stored this, and it cannot be asked whether it did.
    #[error(
        "the database was lost while it was storing, and it is not known whether it did: {why}"
    )]
    Uncertain {
        /// What happened.
        why: String,
    },
    /// The database refused a statement that it should have taken.
    #[error("the database refused: {why}")]
    Refused {
        /// What it said.
        why: String,
    },
    /// What is stored cannot be understood.
    #[error("what is stored is damaged: {what}")]
    Damaged {
        /// What and how.
        what: String,
    },
    /// The store has been closed.
    #[error("the store is closed")]
    Closed,
}
