//! A store in which some operations fail or never return.

use core::time::Duration;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use castellan_game::{GameId, Moment, PlayerId, Recorded};
use castellan_store::{
    Account, Batch, Category, ChatLine, FinishedGame, HistoryQuery, Invitation, ModerationStore,
    NewGame, NewGameBatch, Outage, Page, Results, Session, Store, StoreError, StoreFuture,
    StoreMetrics, StoredGame, StoredRating, TokenDigest,
};

use super::server::wait_until;

/// The faults of a store.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    /// Number of next reads of a game that fail.
    pub(crate) unreadable: AtomicU32,
    /// `true` if the lookup of a seek never returns.
    pub(crate) is_mute: AtomicBool,
    /// A game whose record is damaged.
    pub(crate) damaged: Mutex<Option<GameId>>,
    /// `true` if reads of games block.
    pub(crate) is_reading_stuck: AtomicBool,
    /// `true` if writes of games and events block.
    pub(crate) is_stuck: AtomicBool,
    /// Number of blocked writes.
    pub(crate) waiting: AtomicU32,
    /// Number of games that were read as a whole.
    pub(crate) games_read: AtomicU32,
    /// Number of events that were read without their game.
    pub(crate) events_read: AtomicU32,
    /// Number of next reads of new events that return events of a wrong version.
    pub(crate) misnumbered: AtomicU32,
    /// Number of next reads of new events that find no game.
    pub(crate) lost: AtomicU32,
    /// `true` if writes of events panic.
    pub(crate) is_panicking: AtomicBool,
    /// `true` if writes of events fail.
    pub(crate) is_unwritable: AtomicBool,
}

impl Faults {
    /// Blocks writes from now on.
    pub(crate) fn hold(&self) {
        self.is_stuck.store(true, Ordering::SeqCst);
    }

    /// Waits until `count` writes are blocked.
    pub(crate) async fn holds(&self, count: u32) {
        wait_until("events wait", async || self.waiting.load(Ordering::SeqCst) == count).await;
    }

    /// Releases blocked writes and lets further ones through.
    pub(crate) fn release(&self) {
        self.is_stuck.store(false, Ordering::SeqCst);
    }
}

/// Takes one from a count, and returns `true` if there was any.
fn take_one(count: &AtomicU32) -> bool {
    let less = |left: u32| left.checked_sub(1);
    count.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).is_ok()
}

async fn wait_while(is_stuck: &AtomicBool) {
    while is_stuck.load(Ordering::SeqCst) {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A store with faults, which wraps one without.
#[derive(Debug)]
pub(crate) struct FaultyStore {
    pub(crate) inner: Arc<dyn Store>,
    pub(crate) faults: Arc<Faults>,
}

macro_rules! pass_on {
    ($($name:ident($($arg:ident: $type:ty),*) -> $answer:ty;)*) => {
        $(fn $name(&self, $($arg: $type),*) -> StoreFuture<'_, $answer> {
            self.inner.$name($($arg),*)
        })*
    };
}

impl Store for FaultyStore {
    fn load_game(&self, id: GameId) -> StoreFuture<'_, Option<StoredGame>> {
        self.faults.games_read.fetch_add(1, Ordering::SeqCst);
        if take_one(&self.faults.unreadable) {
            let why = "a fault of the test".to_owned();
            return Box::pin(async { Err(StoreError::Unavailable { why }) });
        }
        if *self.faults.damaged.lock().unwrap() == Some(id) {
            let what = "a fault of the test".to_owned();
            return Box::pin(async { Err(StoreError::Damaged { what }) });
        }
        Box::pin(async move {
            wait_while(&self.faults.is_reading_stuck).await;
            self.inner.load_game(id).await
        })
    }

    fn events_after(&self, id: GameId, version: u32) -> StoreFuture<'_, Option<Vec<Recorded>>> {
        Box::pin(async move {
            let Some(mut events) = self.inner.events_after(id, version).await? else {
                return Ok(None);
            };
            self.faults.events_read.fetch_add(events.len() as u32, Ordering::SeqCst);
            if !events.is_empty() && take_one(&self.faults.lost) {
                return Ok(None);
            }
            if !events.is_empty() && take_one(&self.faults.misnumbered) {
                events.iter_mut().for_each(|event| event.version += 1);
            }
            Ok(Some(events))
        })
    }

    fn begin_game(&self, batch: NewGameBatch) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let faults = &self.faults;
            faults.waiting.fetch_add(1, Ordering::SeqCst);
            wait_while(&faults.is_stuck).await;
            faults.waiting.fetch_sub(1, Ordering::SeqCst);
            self.inner.begin_game(batch).await
        })
    }

    fn append(&self, batch: Batch) -> StoreFuture<'_, ()> {
        Box::pin(async move {
            let faults = &self.faults;
            faults.waiting.fetch_add(1, Ordering::SeqCst);
            wait_while(&faults.is_stuck).await;
            faults.waiting.fetch_sub(1, Ordering::SeqCst);
            assert!(!faults.is_panicking.load(Ordering::SeqCst), "a fault of the test");
            if faults.is_unwritable.load(Ordering::SeqCst) {
                return Err(StoreError::Unavailable { why: "a fault of the test".to_owned() });
            }
            self.inner.append(batch).await
        })
    }

    fn claimed_by(&self, claim: &str) -> StoreFuture<'_, Option<GameId>> {
        if self.faults.is_mute.load(Ordering::SeqCst) {
            return Box::pin(std::future::pending());
        }
        self.inner.claimed_by(claim)
    }

    fn moderation(&self) -> &dyn ModerationStore {
        self.inner.moderation()
    }

    fn metrics(&self) -> StoreMetrics {
        self.inner.metrics()
    }

    pass_on! {
        create_game(game: NewGame) -> ();
        withdraw(claim: &str, now: Moment) -> bool;
        release_claim(claim: &str, game: GameId) -> bool;
        unfinished() -> Vec<GameId>;
        unfinished_of(player: PlayerId) -> Vec<GameId>;
        history(query: HistoryQuery) -> Page;
        longest(limit: u32) -> Vec<FinishedGame>;
        results_of(name: &str) -> Results;
        create_account(account: Account) -> ();
        account_by_name(name: &str) -> Option<Account>;
        account_of(player: PlayerId) -> Option<Account>;
        change_password(player: PlayerId, password_hash: String) -> ();
        put_session(session: Session) -> ();
        session(digest: TokenDigest) -> Option<Session>;
        touch_session(digest: TokenDigest, seen: Moment, expires: Moment) -> ();
        rotate_session(old: TokenDigest, new: Session) -> ();
        delete_session(digest: TokenDigest) -> bool;
        sessions_of(player: PlayerId) -> Vec<Session>;
        delete_sessions_of(player: PlayerId, except: Option<TokenDigest>) -> u64;
        ratings_of(player: PlayerId) -> Vec<(Category, StoredRating)>;
        last_rated(player: PlayerId, category: Category) -> Option<Moment>;
        add_chat(line: ChatLine) -> ();
        chat(game: GameId, limit: u32) -> Vec<ChatLine>;
        put_invitation(invitation: Invitation) -> ();
        invitation(id: &str) -> Option<Invitation>;
        take_invitation(id: &str) -> bool;
        invitations_of(host: PlayerId) -> Vec<Invitation>;
        delete_expired(now: Moment) -> u64;
        heartbeat(now: Moment) -> ();
        last_heartbeat() -> Option<Moment>;
        begin_service(now: Moment, silence: Duration) -> ();
        last_outage() -> Option<Outage>;
        now() -> Option<Moment>;
        identity() -> u64;
        reserve_player_ids(count: u32) -> PlayerId;
        close() -> ();
    }
}
