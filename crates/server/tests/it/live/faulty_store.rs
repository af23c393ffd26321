//! A store some of whose answers fail, or never come.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use castellan_game::{GameId, Moment, PlayerId};
use castellan_store::{
    Account, Answer, Batch, Beginning, Category, ChatLine, FinishedGame, HistoryQuery, Invitation,
    NewGame, Page, Results, Session, Store, StoreError, StoredGame, StoredRating, Tallies,
    TokenDigest,
};

/// What is wrong with a store.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    /// So many games cannot be read, one after another.
    pub(crate) unreadable: AtomicU32,
    /// Whether a question about a seek is never answered.
    pub(crate) is_mute: AtomicBool,
}

/// A store with faults around one without.
#[derive(Debug)]
pub(crate) struct FaultyStore {
    pub(crate) inner: Arc<dyn Store>,
    pub(crate) faults: Arc<Faults>,
}

macro_rules! pass_on {
    ($($name:ident($($arg:ident: $type:ty),*) -> $answer:ty;)*) => {
        $(fn $name(&self, $($arg: $type),*) -> Answer<'_, $answer> {
            self.inner.$name($($arg),*)
        })*
    };
}

impl Store for FaultyStore {
    fn load_game(&self, id: GameId) -> Answer<'_, Option<StoredGame>> {
        let less = |left: u32| left.checked_sub(1);
        let unreadable = &self.faults.unreadable;
        if unreadable.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less).is_ok() {
            let why = "a fault of the test".to_owned();
            return Box::pin(async { Err(StoreError::Unavailable { why }) });
        }
        self.inner.load_game(id)
    }

    fn claimed_by(&self, claim: &str) -> Answer<'_, Option<GameId>> {
        if self.faults.is_mute.load(Ordering::SeqCst) {
            return Box::pin(std::future::pending());
        }
        self.inner.claimed_by(claim)
    }

    fn tallies(&self) -> Tallies {
        self.inner.tallies()
    }

    pass_on! {
        create_game(game: NewGame) -> ();
        begin_game(beginning: Beginning) -> ();
        withdraw(claim: &str, now: Moment) -> bool;
        append(batch: Batch) -> ();
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
        identity() -> u64;
        reserve_player_ids(count: u32) -> PlayerId;
        close() -> ();
    }
}
