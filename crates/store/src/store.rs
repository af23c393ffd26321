//! The trait that both database backends implement.
//!
//! It defines the operations of a store and their guarantees; the backends decide how to provide
//! them. Invariant: a write returns `Ok` only once it would survive a power failure, and a write
//! that returns any error other than [`StoreError::Uncertain`] has left nothing behind.

use core::fmt;
use core::pin::Pin;
use core::time::Duration;
use std::future::Future;

use castellan_game::{GameId, Moment, PlayerId, Recorded};

use crate::chat::ChatLine;
use crate::emails::EmailStore;
use crate::error::StoreError;
use crate::games::{Batch, NewGame, NewGameBatch, StoredGame};
use crate::history::{FinishedGame, HistoryQuery, Page, Results};
use crate::moderation::ModerationStore;
use crate::people::{Account, Invitation, Session, TokenDigest};
use crate::ratings::{Category, StoredRating};

/// The future result of a store operation.
///
/// Dropping it early does not cancel a write that is already queued.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Durable storage for games, accounts and sessions.
pub trait Store: fmt::Debug + Send + Sync {
    /// Stores a new game. Fails with `GameExists` if the id is already in use.
    fn create_game(&self, game: NewGame) -> StoreFuture<'_, ()>;

    /// Stores a new game together with its first events and its claims. A claim is a name that only
    /// one game can hold, such as a seek that the game answers.
    ///
    /// Fails with `AlreadyClaimed` if another game holds one of the claims; a claim that is held only
    /// while a game is running is free again after its end. Otherwise fails as
    /// [`create_game`](Store::create_game) and [`append`](Store::append) do.
    fn begin_game(&self, batch: NewGameBatch) -> StoreFuture<'_, ()>;

    /// Takes a claim so that no game can take it later. Returns `true` if the claim was still
    /// free.
    fn withdraw(&self, claim: &str, now: Moment) -> StoreFuture<'_, bool>;

    /// Returns the game that holds a claim, if any.
    fn claimed_by(&self, claim: &str) -> StoreFuture<'_, Option<GameId>>;

    /// Releases a claim if this game holds it, although the game has not ended. Returns `true` if
    /// the game held the claim.
    fn release_claim(&self, claim: &str, game: GameId) -> StoreFuture<'_, bool>;

    /// Stores events, and with them the end of the game and the rating changes, atomically.
    ///
    /// Fails with `Conflict` if the first version does not follow the last stored one, with
    /// `NoSuchGame`, with `AlreadyFinished` if the game has already ended, and with
    /// `RatingConflict` if another game of the player was rated after the change was computed.
    fn append(&self, batch: Batch) -> StoreFuture<'_, ()>;

    /// Returns a game with all its events, or `None` if it does not exist.
    fn load_game(&self, id: GameId) -> StoreFuture<'_, Option<StoredGame>>;

    /// Returns the events of a game after a version, in version order. `None` if the game does not
    /// exist or has fewer events than that.
    fn events_after(&self, id: GameId, version: u32) -> StoreFuture<'_, Option<Vec<Recorded>>>;

    /// Returns the games that have not ended, oldest first.
    fn unfinished(&self) -> StoreFuture<'_, Vec<GameId>>;

    /// Returns a player's games that have not ended, oldest first.
    fn unfinished_of(&self, player: PlayerId) -> StoreFuture<'_, Vec<GameId>>;

    /// Returns one page of finished games, newest first.
    fn history(&self, query: HistoryQuery) -> StoreFuture<'_, Page>;

    /// Returns the finished games with the most plies, longest first; ties go to the earlier
    /// game. Games without moves and aborted games are left out.
    fn longest(&self, limit: u32) -> StoreFuture<'_, Vec<FinishedGame>>;

    /// Counts how a player's games ended. The name is compared without case and accents.
    fn results_of(&self, name: &str) -> StoreFuture<'_, Results>;

    /// Stores a new account. Fails with `NameTaken` if the name, or one that folds to the same
    /// form, is in use.
    fn create_account(&self, account: Account) -> StoreFuture<'_, ()>;

    /// Returns the account with this name, compared without case and accents.
    fn account_by_name(&self, name: &str) -> StoreFuture<'_, Option<Account>>;

    /// Returns the player's account, or `None` for guests.
    fn account_of(&self, player: PlayerId) -> StoreFuture<'_, Option<Account>>;

    /// Replaces the password hash. Fails with `NoSuchAccount` if the player has no account.
    fn change_password(&self, player: PlayerId, password_hash: String) -> StoreFuture<'_, ()>;

    /// Stores a new session.
    fn put_session(&self, session: Session) -> StoreFuture<'_, ()>;

    /// Returns the session with this digest, even if it has expired.
    fn session(&self, digest: TokenDigest) -> StoreFuture<'_, Option<Session>>;

    /// Records that a session was used and when it will expire. Fails with `NoSuchSession` if it
    /// no longer exists.
    fn touch_session(
        &self,
        digest: TokenDigest,
        seen: Moment,
        expires: Moment,
    ) -> StoreFuture<'_, ()>;

    /// Replaces a session with another, which invalidates the old token. Fails with
    /// `NoSuchSession` if the old session no longer exists.
    fn rotate_session(&self, old: TokenDigest, new: Session) -> StoreFuture<'_, ()>;

    /// Deletes a session. Returns whether it existed.
    fn delete_session(&self, digest: TokenDigest) -> StoreFuture<'_, bool>;

    /// Returns a player's sessions, most recently used first.
    fn sessions_of(&self, player: PlayerId) -> StoreFuture<'_, Vec<Session>>;

    /// Deletes all sessions of a player, optionally except one. Returns how many were deleted.
    fn delete_sessions_of(
        &self,
        player: PlayerId,
        except: Option<TokenDigest>,
    ) -> StoreFuture<'_, u64>;

    /// Returns a player's ratings, ordered by category.
    fn ratings_of(&self, player: PlayerId) -> StoreFuture<'_, Vec<(Category, StoredRating)>>;

    /// Returns when a rated game last changed this rating: the time of the last event in its batch.
    /// `None` if no rated game has changed it.
    fn last_rated(&self, player: PlayerId, category: Category) -> StoreFuture<'_, Option<Moment>>;

    /// Stores a chat line. Fails with `NoSuchGame` if its game does not exist.
    fn add_chat(&self, line: ChatLine) -> StoreFuture<'_, ()>;

    /// Returns the most recent chat lines of a game, in chronological order.
    fn chat(&self, game: GameId, limit: u32) -> StoreFuture<'_, Vec<ChatLine>>;

    /// Stores an invitation.
    fn put_invitation(&self, invitation: Invitation) -> StoreFuture<'_, ()>;

    /// Returns the invitation with this id, even if it has expired.
    fn invitation(&self, id: &str) -> StoreFuture<'_, Option<Invitation>>;

    /// Removes an invitation. If several callers try, exactly one of them gets `true`.
    fn take_invitation(&self, id: &str) -> StoreFuture<'_, bool>;

    /// Returns a host's open invitations, oldest first.
    fn invitations_of(&self, host: PlayerId) -> StoreFuture<'_, Vec<Invitation>>;

    /// Deletes sessions, invitations, claims, bans and codes that expired before `now`, at most
    /// [`DELETED_AT_ONCE`](crate::DELETED_AT_ONCE) of each. Returns how many.
    fn delete_expired(&self, now: Moment) -> StoreFuture<'_, u64>;

    /// Records that the server is alive. A time before the last recorded one is ignored.
    fn heartbeat(&self, now: Moment) -> StoreFuture<'_, ()>;

    /// Returns when the server was last known to be alive; `None` before the first heartbeat.
    fn last_heartbeat(&self) -> StoreFuture<'_, Option<Moment>>;

    /// Records that a server starts now, and an outage if the last heartbeat is older than
    /// `silence`. If several servers start after an outage, one of them records it. If the last
    /// heartbeat came at most 20 s after the end of the last outage, that outage is extended until
    /// now: only one outage is remembered, and in so short a time not every player has returned.
    fn begin_service(&self, now: Moment, silence: Duration) -> StoreFuture<'_, ()>;

    /// Returns the most recent outage, as far as the heartbeats show; `None` if there was none.
    fn last_outage(&self) -> StoreFuture<'_, Option<Outage>>;

    /// Returns the time on the clock of the database server, which all servers of a cluster share.
    /// `None` if the database has no server of its own.
    fn now(&self) -> StoreFuture<'_, Option<Moment>>;

    /// Returns a random number that identifies this database; no two databases are expected to
    /// share one.
    fn identity(&self) -> StoreFuture<'_, u64>;

    /// Reserves `count` player ids that are never handed out again. Returns the first of them.
    fn reserve_player_ids(&self, count: u32) -> StoreFuture<'_, PlayerId>;

    /// Returns the operations for moderators and the owners of accounts.
    fn moderation(&self) -> &dyn ModerationStore;

    /// Returns the operations for e-mail addresses; `None` if this store does not support them.
    fn emails(&self) -> Option<&dyn EmailStore> {
        None
    }

    /// Returns counters of the store's work since it was opened.
    fn metrics(&self) -> StoreMetrics;

    /// Finishes the queued writes, rejects new ones, and releases the database.
    fn close(&self) -> StoreFuture<'_, ()>;
}

/// A period in which no server was running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outage {
    /// The last heartbeat before the outage.
    pub from: Moment,
    /// When a server started again.
    pub until: Moment,
}

/// Counters of a store's work since it was opened, for metrics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StoreMetrics {
    /// Committed transactions.
    pub commits: u64,
    /// Writes stored by those transactions.
    pub writes: u64,
    /// Writes that were rejected or failed.
    pub failures: u64,
    /// Writes that are waiting in the queue now.
    pub queued: u64,
    /// How long the last commit took.
    pub last_commit: Duration,
    /// Lookups that games and sessions wait for.
    pub lookups: ReadMetrics,
    /// Searches and statistics.
    pub searches: ReadMetrics,
}

/// Counters of one kind of query since the store was opened, for metrics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ReadMetrics {
    /// Queries that got a connection.
    pub served: u64,
    /// Queries that did not get one in time.
    pub refused: u64,
    /// Queries that are waiting for a connection now.
    pub waiting: u64,
    /// How long all queries together have waited for a connection.
    pub waited: Duration,
}
