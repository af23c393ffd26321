//! The one trait behind which the databases stand.
//!
//! Owns: what a store can be asked to do and what it promises. Leaves to the backends: how.
//! Invariant: a write is answered with `Ok` only after it would survive the loss of power; a
//! write that is answered with an error other than [`StoreError::Uncertain`] left nothing behind.

use core::fmt;
use core::pin::Pin;
use core::time::Duration;
use std::future::Future;

use castellan_game::{GameId, Moment, PlayerId};

use crate::chat::ChatLine;
use crate::error::StoreError;
use crate::games::{Batch, Beginning, NewGame, StoredGame};
use crate::history::{FinishedGame, HistoryQuery, Page, Results};
use crate::people::{Account, Invitation, Session, TokenDigest};
use crate::ratings::{Category, StoredRating};

/// What comes of an operation of a store, some time later.
///
/// Dropping it before its end does not take a write back that has been queued.
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Games, accounts and sessions that outlive the process.
pub trait Store: fmt::Debug + Send + Sync {
    /// Stores a new game; `GameExists` if its id was used before.
    fn create_game(&self, game: NewGame) -> Answer<'_, ()>;

    /// Stores a new game with its first events and what it claims; `AlreadyClaimed` if another
    /// game was first, and otherwise as for [`create_game`](Store::create_game) and
    /// [`append`](Store::append).
    fn begin_game(&self, beginning: Beginning) -> Answer<'_, ()>;

    /// Claims something that no game shall have any more; whether nobody was first.
    fn withdraw(&self, claim: &str, now: Moment) -> Answer<'_, bool>;

    /// The game that has claimed something, if one has.
    fn claimed_by(&self, claim: &str) -> Answer<'_, Option<GameId>>;

    /// Stores events, and with them the end of the game and the ratings, all or nothing.
    ///
    /// `Conflict` if the first version is not the one after the last stored, `NoSuchGame`,
    /// `AlreadyFinished` for a second end, `RatingConflict` if another game of the player has
    /// been rated since the change was computed.
    fn append(&self, batch: Batch) -> Answer<'_, ()>;

    /// A game with all its events, if there is one.
    fn load_game(&self, id: GameId) -> Answer<'_, Option<StoredGame>>;

    /// The games that have not ended, oldest first.
    fn unfinished(&self) -> Answer<'_, Vec<GameId>>;

    /// The games of a player that have not ended, oldest first.
    fn unfinished_of(&self, player: PlayerId) -> Answer<'_, Vec<GameId>>;

    /// Finished games, newest first, a page at a time.
    fn history(&self, query: HistoryQuery) -> Answer<'_, Page>;

    /// The finished games with the most plies, longest first; of equals the earlier. Games
    /// without moves and games that were called off are left out.
    fn longest(&self, limit: u32) -> Answer<'_, Vec<FinishedGame>>;

    /// How the games of whoever goes by this name ended, whatever its case and accents.
    fn results_of(&self, name: &str) -> Answer<'_, Results>;

    /// Stores a new account; `NameTaken` if its name, or one that folds to the same, is in use.
    fn create_account(&self, account: Account) -> Answer<'_, ()>;

    /// The account with this name, whatever its case and accents.
    fn account_by_name(&self, name: &str) -> Answer<'_, Option<Account>>;

    /// The account of this player.
    fn account_of(&self, player: PlayerId) -> Answer<'_, Option<Account>>;

    /// Replaces the hash of the password; `NoSuchAccount` if there is none.
    fn change_password(&self, player: PlayerId, password_hash: String) -> Answer<'_, ()>;

    /// Stores a new session.
    fn put_session(&self, session: Session) -> Answer<'_, ()>;

    /// The session with this digest, expired or not.
    fn session(&self, digest: TokenDigest) -> Answer<'_, Option<Session>>;

    /// Writes down that a session was used and when it will end; `NoSuchSession` if it is gone.
    fn touch_session(&self, digest: TokenDigest, seen: Moment, expires: Moment) -> Answer<'_, ()>;

    /// Replaces a session by another, so that its old token is worth nothing; `NoSuchSession` if
    /// it is gone.
    fn rotate_session(&self, old: TokenDigest, new: Session) -> Answer<'_, ()>;

    /// Ends a session; tells whether there was one.
    fn delete_session(&self, digest: TokenDigest) -> Answer<'_, bool>;

    /// The sessions of a player, last used first.
    fn sessions_of(&self, player: PlayerId) -> Answer<'_, Vec<Session>>;

    /// Ends all sessions of a player, except perhaps one; tells how many.
    fn delete_sessions_of(&self, player: PlayerId, except: Option<TokenDigest>) -> Answer<'_, u64>;

    /// The ratings of a player, by category.
    fn ratings_of(&self, player: PlayerId) -> Answer<'_, Vec<(Category, StoredRating)>>;

    /// When a rated game last changed this rating: the moment of the last event of that batch.
    fn last_rated(&self, player: PlayerId, category: Category) -> Answer<'_, Option<Moment>>;

    /// Stores a chat line; `NoSuchGame` if its game does not exist.
    fn add_chat(&self, line: ChatLine) -> Answer<'_, ()>;

    /// The last chat lines beside a game, in order.
    fn chat(&self, game: GameId, limit: u32) -> Answer<'_, Vec<ChatLine>>;

    /// Stores an invitation.
    fn put_invitation(&self, invitation: Invitation) -> Answer<'_, ()>;

    /// The invitation with this id, expired or not.
    fn invitation(&self, id: &str) -> Answer<'_, Option<Invitation>>;

    /// Takes an invitation away; of all who try, exactly one is told `true`.
    fn take_invitation(&self, id: &str) -> Answer<'_, bool>;

    /// The open invitations of a host, oldest first.
    fn invitations_of(&self, host: PlayerId) -> Answer<'_, Vec<Invitation>>;

    /// Removes sessions, invitations and claims that expired before this moment; tells how many.
    fn delete_expired(&self, now: Moment) -> Answer<'_, u64>;

    /// Writes down that the server is alive; earlier moments than the last one are ignored.
    fn heartbeat(&self, now: Moment) -> Answer<'_, ()>;

    /// When the server was last known to be alive.
    fn last_heartbeat(&self) -> Answer<'_, Option<Moment>>;

    /// Writes down that a server is there from now on, and an outage if no heartbeat came for
    /// longer than `silence`. Of several servers that start after an outage, one writes it down.
    fn begin_service(&self, now: Moment, silence: Duration) -> Answer<'_, ()>;

    /// The last time in which no server was there, as far as heartbeats tell.
    fn last_outage(&self) -> Answer<'_, Option<Outage>>;

    /// A number by which this database is known: no two have the same, as good as surely.
    fn identity(&self) -> Answer<'_, u64>;

    /// Reserves this many ids for players, which nobody gets again; the first of them is given.
    fn reserve_player_ids(&self, count: u32) -> Answer<'_, PlayerId>;

    /// What the store has done since it was opened.
    fn tallies(&self) -> Tallies;

    /// Finishes what is queued, refuses what comes after, and lets the database go.
    fn close(&self) -> Answer<'_, ()>;
}

/// A time in which no server was there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outage {
    /// The last heartbeat before it.
    pub from: Moment,
    /// When a server was there again.
    pub until: Moment,
}

/// What a store has done since it was opened, for metrics.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tallies {
    /// Transactions that were committed.
    pub commits: u64,
    /// Writes that were stored by them.
    pub writes: u64,
    /// Writes that were refused or failed.
    pub failures: u64,
    /// Writes that wait for their turn just now.
    pub queued: u64,
    /// How long the last commit took.
    pub last_commit: Duration,
}
