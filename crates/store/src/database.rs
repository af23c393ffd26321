//! The store itself, on top of any backend that can run queries and has a writer.
//!
//! This module implements every operation of [`Store`]. A backend runs single queries
//! ([`Readers::fetch`]) and drains the queue of writes. Invariant: every write goes through the
//! queue.

use core::fmt;
use core::time::Duration;

use castellan_game::{GameId, Moment, PlayerId, Recorded};

use crate::chat::ChatLine;
use crate::emails::EmailStore;
use crate::error::StoreError;
use crate::games::{Batch, NewGame, NewGameBatch, StoredGame};
use crate::history::{FinishedGame, HistoryQuery, Page, Results};
use crate::moderation::ModerationStore;
use crate::people::{Account, Invitation, Session, TokenDigest};
use crate::queue::Queue;
use crate::ratings::{Category, StoredRating};
use crate::reads;
use crate::retention;
use crate::statement::{ReadKind, Row, Select, Write};
use crate::store::{Outage, ReadMetrics, Store, StoreFuture, StoreMetrics};
use crate::writes;

/// The part of a backend that runs queries.
pub(crate) trait Readers: fmt::Debug + Send + Sync {
    /// Returns the rows that a query selects.
    fn fetch(&self, select: Select) -> StoreFuture<'_, Vec<Row>>;

    /// Returns the query for the time on the clock of the database server, in milliseconds since
    /// 1970. `None` if there is no such server.
    fn time_query(&self) -> Option<&'static str> {
        None
    }

    /// Returns how long the queries of a kind have waited.
    fn metrics(&self, kind: ReadKind) -> ReadMetrics;

    /// Rejects further queries and releases the database.
    fn close(&self) -> StoreFuture<'_, ()>;
}

/// A store: readers for queries and a queue for writes.
#[derive(Debug)]
pub(crate) struct Database<R> {
    pub(crate) readers: R,
    pub(crate) queue: Queue,
}

impl<R: Readers> Database<R> {
    /// Queues a write that passed its checks and returns the writer's number.
    pub(crate) fn write(&self, write: Result<Write, StoreError>) -> StoreFuture<'_, u64> {
        Box::pin(async move { self.queue.submit(write?).await })
    }

    /// Queues a write for which only success or failure matters.
    pub(crate) fn store(&self, write: Result<Write, StoreError>) -> StoreFuture<'_, ()> {
        Box::pin(async move { self.queue.submit(write?).await.map(|_| ()) })
    }
}

impl<R: Readers> Store for Database<R> {
    fn create_game(&self, game: NewGame) -> StoreFuture<'_, ()> {
        self.store(writes::create_game(&game))
    }

    fn begin_game(&self, batch: NewGameBatch) -> StoreFuture<'_, ()> {
        self.store(writes::begin_game(batch))
    }

    fn withdraw(&self, claim: &str, now: Moment) -> StoreFuture<'_, bool> {
        let answer = self.write(writes::withdraw(claim, now));
        Box::pin(async move { Ok(answer.await? > 0) })
    }

    fn claimed_by(&self, claim: &str) -> StoreFuture<'_, Option<GameId>> {
        Box::pin(reads::claimed_by(&self.readers, claim.to_owned()))
    }

    fn release_claim(&self, claim: &str, game: GameId) -> StoreFuture<'_, bool> {
        let answer = self.write(writes::release_claim(claim, game));
        Box::pin(async move { Ok(answer.await? > 0) })
    }

    fn append(&self, batch: Batch) -> StoreFuture<'_, ()> {
        self.store(writes::append(batch))
    }

    fn load_game(&self, id: GameId) -> StoreFuture<'_, Option<StoredGame>> {
        Box::pin(reads::load_game(&self.readers, id))
    }

    fn events_after(&self, id: GameId, version: u32) -> StoreFuture<'_, Option<Vec<Recorded>>> {
        Box::pin(reads::events_after(&self.readers, id, version))
    }

    fn unfinished(&self) -> StoreFuture<'_, Vec<GameId>> {
        Box::pin(reads::unfinished(&self.readers))
    }

    fn unfinished_of(&self, player: PlayerId) -> StoreFuture<'_, Vec<GameId>> {
        Box::pin(reads::unfinished_of(&self.readers, player))
    }

    fn history(&self, query: HistoryQuery) -> StoreFuture<'_, Page> {
        Box::pin(reads::history(&self.readers, query))
    }

    fn longest(&self, limit: u32) -> StoreFuture<'_, Vec<FinishedGame>> {
        Box::pin(reads::longest(&self.readers, limit))
    }

    fn results_of(&self, name: &str) -> StoreFuture<'_, Results> {
        Box::pin(reads::results_of(&self.readers, name.to_owned()))
    }

    fn create_account(&self, account: Account) -> StoreFuture<'_, ()> {
        self.store(writes::create_account(&account))
    }

    fn account_by_name(&self, name: &str) -> StoreFuture<'_, Option<Account>> {
        Box::pin(reads::account_by_name(&self.readers, name.to_owned()))
    }

    fn account_of(&self, player: PlayerId) -> StoreFuture<'_, Option<Account>> {
        Box::pin(reads::account_of(&self.readers, player))
    }

    fn change_password(&self, player: PlayerId, password_hash: String) -> StoreFuture<'_, ()> {
        self.store(writes::change_password(player, &password_hash))
    }

    fn put_session(&self, session: Session) -> StoreFuture<'_, ()> {
        self.store(writes::put_session(&session))
    }

    fn session(&self, digest: TokenDigest) -> StoreFuture<'_, Option<Session>> {
        Box::pin(reads::session(&self.readers, digest))
    }

    fn touch_session(
        &self,
        digest: TokenDigest,
        seen: Moment,
        expires: Moment,
    ) -> StoreFuture<'_, ()> {
        self.store(writes::touch_session(digest, seen, expires))
    }

    fn rotate_session(&self, old: TokenDigest, new: Session) -> StoreFuture<'_, ()> {
        self.store(writes::rotate_session(old, &new))
    }

    fn delete_session(&self, digest: TokenDigest) -> StoreFuture<'_, bool> {
        let answer = self.write(writes::delete_session(digest));
        Box::pin(async move { Ok(answer.await? > 0) })
    }

    fn sessions_of(&self, player: PlayerId) -> StoreFuture<'_, Vec<Session>> {
        Box::pin(reads::sessions_of(&self.readers, player))
    }

    fn delete_sessions_of(
        &self,
        player: PlayerId,
        except: Option<TokenDigest>,
    ) -> StoreFuture<'_, u64> {
        self.write(writes::delete_sessions_of(player, except))
    }

    fn ratings_of(&self, player: PlayerId) -> StoreFuture<'_, Vec<(Category, StoredRating)>> {
        Box::pin(reads::ratings_of(&self.readers, player))
    }

    fn last_rated(&self, player: PlayerId, category: Category) -> StoreFuture<'_, Option<Moment>> {
        Box::pin(reads::last_rated(&self.readers, player, category))
    }

    fn add_chat(&self, line: ChatLine) -> StoreFuture<'_, ()> {
        self.store(writes::add_chat(&line))
    }

    fn chat(&self, game: GameId, limit: u32) -> StoreFuture<'_, Vec<ChatLine>> {
        Box::pin(reads::chat(&self.readers, game, limit))
    }

    fn put_invitation(&self, invitation: Invitation) -> StoreFuture<'_, ()> {
        self.store(writes::put_invitation(&invitation))
    }

    fn invitation(&self, id: &str) -> StoreFuture<'_, Option<Invitation>> {
        Box::pin(reads::invitation(&self.readers, id.to_owned()))
    }

    fn take_invitation(&self, id: &str) -> StoreFuture<'_, bool> {
        let answer = self.write(writes::take_invitation(id));
        Box::pin(async move { Ok(answer.await? > 0) })
    }

    fn invitations_of(&self, host: PlayerId) -> StoreFuture<'_, Vec<Invitation>> {
        Box::pin(reads::invitations_of(&self.readers, host))
    }

    fn delete_expired(&self, now: Moment) -> StoreFuture<'_, u64> {
        self.write(Ok(retention::delete_expired(now)))
    }

    fn heartbeat(&self, now: Moment) -> StoreFuture<'_, ()> {
        self.store(Ok(writes::heartbeat(now)))
    }

    fn last_heartbeat(&self) -> StoreFuture<'_, Option<Moment>> {
        Box::pin(reads::last_heartbeat(&self.readers))
    }

    fn begin_service(&self, now: Moment, silence: Duration) -> StoreFuture<'_, ()> {
        self.store(Ok(writes::begin_service(now, silence)))
    }

    fn last_outage(&self) -> StoreFuture<'_, Option<Outage>> {
        Box::pin(reads::last_outage(&self.readers))
    }

    fn now(&self) -> StoreFuture<'_, Option<Moment>> {
        Box::pin(reads::now(&self.readers))
    }

    fn identity(&self) -> StoreFuture<'_, u64> {
        Box::pin(reads::identity(&self.readers))
    }

    fn reserve_player_ids(&self, count: u32) -> StoreFuture<'_, PlayerId> {
        let answer = self.write(Ok(writes::reserve_player_ids(count)));
        // The counter holds the last id that was handed out.
        Box::pin(async move { Ok(PlayerId(answer.await? + 1 - u64::from(count.max(1)))) })
    }

    fn moderation(&self) -> &dyn ModerationStore {
        self
    }

    fn emails(&self) -> Option<&dyn EmailStore> {
        Some(self)
    }

    fn metrics(&self) -> StoreMetrics {
        StoreMetrics {
            lookups: self.readers.metrics(ReadKind::Lookup),
            searches: self.readers.metrics(ReadKind::Search),
            ..self.queue.metrics()
        }
    }

    fn close(&self) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            // The writer closes last: the last connection cleans up the files and must be able to
            // write.
            self.readers.close().await?;
            self.queue.close().await;
            Ok(())
        })
    }
}
