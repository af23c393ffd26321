//! The store of a simulated node: every operation is a request to the simulated database, which
//! answers when the simulation says so, or fails.

use core::time::Duration;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use castellan_game::{GameId, Moment, PlayerId, Recorded};
use castellan_store::{
    Account, AccountRow, AuditEntry, Ban, Batch, Category, ChatLine, FinishedGame, FormerPlayer,
    HistoryQuery, Invitation, ModerationAct, ModerationStore, NewAuditEntry, NewGame, NewGameBatch,
    NewReport, Outage, Page, RegistrationMode, Report, Results, Retention, SecondFactor, Session,
    Store, StoreError, StoreFuture, StoreMetrics, StoredGame, StoredRating, TokenDigest,
};
use tokio::sync::oneshot;

use super::node::EPOCH_MS;
use super::tables::{Tables, WriteStamp};

/// What happens to a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum RequestOutcome {
    /// It is carried out and answered.
    Done,
    /// It is carried out, but the answer is lost.
    DoneButUncertain,
    /// It is not carried out.
    Failed(StoreError),
}

/// Delivers the answer to the node that asked.
pub(super) type Answer = Box<dyn FnOnce()>;

type Apply = Box<dyn FnOnce(&mut Tables, RequestOutcome) -> Answer + Send>;

/// A request of a node to the database.
pub(super) struct Request {
    pub(super) run: usize,
    pub(super) is_write: bool,
    requested_ms: u64,
    apply: Apply,
}

impl Request {
    /// Carries the request out, at a time of the simulation.
    pub(super) fn apply(self, tables: &mut Tables, outcome: RequestOutcome, now_ms: u64) -> Answer {
        let Request { run, requested_ms, apply, .. } = self;
        tables.stamp = WriteStamp { run, requested_ms, stored_ms: now_ms };
        apply(tables, outcome)
    }
}

/// Requests that the database has not seen yet, and the time of the simulation.
#[derive(Clone, Default)]
pub(super) struct Requests {
    queue: Arc<Mutex<Vec<Request>>>,
    now_ms: Arc<AtomicU64>,
}

impl Requests {
    pub(super) fn take(&self) -> Vec<Request> {
        core::mem::take(&mut *self.queue.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn set_now(&self, now_ms: u64) {
        self.now_ms.store(now_ms, Ordering::Relaxed);
    }
}

/// The store as one run of a node sees it.
pub(super) struct SimulatedStore {
    requests: Requests,
    run: usize,
}

impl core::fmt::Debug for SimulatedStore {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("SimulatedStore").finish_non_exhaustive()
    }
}

impl SimulatedStore {
    pub(super) fn new(requests: &Requests, run: usize) -> SimulatedStore {
        SimulatedStore { requests: requests.clone(), run }
    }

    fn write<T: Send + 'static>(
        &self,
        apply: impl FnOnce(&mut Tables) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<'_, T> {
        self.ask(true, apply)
    }

    fn read<T: Send + 'static>(
        &self,
        apply: impl FnOnce(&mut Tables) -> T + Send + 'static,
    ) -> StoreFuture<'_, T> {
        self.ask(false, |tables| Ok(apply(tables)))
    }

    fn ask<T: Send + 'static>(
        &self,
        is_write: bool,
        apply: impl FnOnce(&mut Tables) -> Result<T, StoreError> + Send + 'static,
    ) -> StoreFuture<'_, T> {
        let (sender, answer) = oneshot::channel();
        let apply: Apply = Box::new(move |tables, outcome| {
            let result = match outcome {
                RequestOutcome::Done => apply(tables),
                RequestOutcome::DoneButUncertain => apply(tables).and_then(|_| Err(uncertain())),
                RequestOutcome::Failed(error) => Err(error),
            };
            Box::new(move || drop(sender.send(result)))
        });
        let requested_ms = self.requests.now_ms.load(Ordering::Relaxed);
        let request = Request { run: self.run, is_write, requested_ms, apply };
        self.requests.queue.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        Box::pin(async move { answer.await.unwrap_or(Err(StoreError::Closed)) })
    }
}

/// The error of a write whose outcome is not known.
pub(super) fn uncertain() -> StoreError {
    StoreError::Uncertain { why: "simulated".to_owned() }
}

macro_rules! not_simulated {
    ($($name:ident($($arg:ident: $type:ty),*) -> $answer:ty;)*) => {
        $(fn $name(&self, $($arg: $type),*) -> StoreFuture<'_, $answer> {
            $(let _ = $arg;)*
            unimplemented!("the simulation does not use {}", stringify!($name))
        })*
    };
}

impl Store for SimulatedStore {
    fn create_game(&self, game: NewGame) -> StoreFuture<'_, ()> {
        self.write(move |tables| tables.create_game(game))
    }

    fn begin_game(&self, batch: NewGameBatch) -> StoreFuture<'_, ()> {
        self.write(move |tables| tables.begin_game(batch))
    }

    fn withdraw(&self, claim: &str, _: Moment) -> StoreFuture<'_, bool> {
        let claim = claim.to_owned();
        self.write(move |tables| Ok(tables.withdraw(&claim)))
    }

    fn claimed_by(&self, claim: &str) -> StoreFuture<'_, Option<GameId>> {
        let claim = claim.to_owned();
        self.read(move |tables| tables.claimed_by(&claim))
    }

    fn append(&self, batch: Batch) -> StoreFuture<'_, ()> {
        self.write(move |tables| tables.append(batch))
    }

    fn load_game(&self, id: GameId) -> StoreFuture<'_, Option<StoredGame>> {
        self.read(move |tables| tables.load_game(id))
    }

    fn events_after(&self, id: GameId, version: u32) -> StoreFuture<'_, Option<Vec<Recorded>>> {
        self.read(move |tables| tables.events_after(id, version))
    }

    fn unfinished(&self) -> StoreFuture<'_, Vec<GameId>> {
        self.read(|tables| tables.unfinished())
    }

    fn unfinished_of(&self, player: PlayerId) -> StoreFuture<'_, Vec<GameId>> {
        self.read(move |tables| tables.unfinished_of(player))
    }

    fn account_by_name(&self, _: &str) -> StoreFuture<'_, Option<Account>> {
        self.read(|_| None)
    }

    fn put_session(&self, session: Session) -> StoreFuture<'_, ()> {
        self.write(move |tables| {
            tables.put_session(session);
            Ok(())
        })
    }

    fn session(&self, digest: TokenDigest) -> StoreFuture<'_, Option<Session>> {
        self.read(move |tables| tables.session(digest))
    }

    fn chat(&self, game: GameId, _: u32) -> StoreFuture<'_, Vec<ChatLine>> {
        self.read(move |tables| tables.chat(game))
    }

    fn heartbeat(&self, now: Moment) -> StoreFuture<'_, ()> {
        self.write(move |tables| {
            tables.heartbeat(now);
            Ok(())
        })
    }

    fn last_heartbeat(&self) -> StoreFuture<'_, Option<Moment>> {
        self.read(|tables| tables.last_heartbeat())
    }

    fn begin_service(&self, now: Moment, silence: Duration) -> StoreFuture<'_, ()> {
        self.write(move |tables| {
            tables.begin_service(now, silence);
            Ok(())
        })
    }

    fn last_outage(&self) -> StoreFuture<'_, Option<Outage>> {
        self.read(|tables| tables.last_outage())
    }

    fn reserve_player_ids(&self, count: u32) -> StoreFuture<'_, PlayerId> {
        self.write(move |tables| Ok(tables.reserve_player_ids(count)))
    }

    fn now(&self) -> StoreFuture<'_, Option<Moment>> {
        let now_ms = Arc::clone(&self.requests.now_ms);
        self.read(move |_| Some(Moment::from_millis(EPOCH_MS + now_ms.load(Ordering::Relaxed))))
    }

    fn metrics(&self) -> StoreMetrics {
        StoreMetrics::default()
    }

    fn moderation(&self) -> &dyn ModerationStore {
        self
    }

    not_simulated! {
        release_claim(claim: &str, game: GameId) -> bool;
        history(query: HistoryQuery) -> Page;
        longest(limit: u32) -> Vec<FinishedGame>;
        results_of(name: &str) -> Results;
        create_account(account: Account) -> ();
        account_of(player: PlayerId) -> Option<Account>;
        change_password(player: PlayerId, password_hash: String) -> ();
        touch_session(digest: TokenDigest, seen: Moment, expires: Moment) -> ();
        rotate_session(old: TokenDigest, new: Session) -> ();
        delete_session(digest: TokenDigest) -> bool;
        sessions_of(player: PlayerId) -> Vec<Session>;
        delete_sessions_of(player: PlayerId, except: Option<TokenDigest>) -> u64;
        ratings_of(player: PlayerId) -> Vec<(Category, StoredRating)>;
        last_rated(player: PlayerId, category: Category) -> Option<Moment>;
        add_chat(line: ChatLine) -> ();
        put_invitation(invitation: Invitation) -> ();
        invitation(id: &str) -> Option<Invitation>;
        take_invitation(id: &str) -> bool;
        invitations_of(host: PlayerId) -> Vec<Invitation>;
        delete_expired(now: Moment) -> u64;
        identity() -> u64;
        close() -> ();
    }
}

/// The simulation has no moderators. Every node reads the list of bans, which is empty, and gets it at
/// once.
impl ModerationStore for SimulatedStore {
    fn bans(&self, _: Moment) -> StoreFuture<'_, Vec<Ban>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn registration(&self) -> StoreFuture<'_, RegistrationMode> {
        Box::pin(async { Ok(RegistrationMode::Open) })
    }

    not_simulated! {
        act(act: ModerationAct, entry: NewAuditEntry) -> u64;
        create_account_with_code(account: Account, digest: TokenDigest) -> ();
        is_admin(player: PlayerId) -> bool;
        accounts(part: &str, after: &str, limit: u32) -> Vec<AccountRow>;
        add_report(report: NewReport) -> bool;
        reports(is_open: bool, before: u64, limit: u32) -> Vec<Report>;
        audit(before: u64, limit: u32) -> Vec<AuditEntry>;
        set_recovery_codes(player: PlayerId, digests: Vec<TokenDigest>) -> ();
        recovery_codes_left(player: PlayerId) -> u64;
        use_recovery_code(
            player: PlayerId, digest: TokenDigest, now: Moment, password_hash: Option<String>
        ) -> ();
        second_factor(player: PlayerId) -> Option<SecondFactor>;
        set_second_factor(player: PlayerId, factor: Option<SecondFactor>) -> ();
        use_step(player: PlayerId, step: u64) -> bool;
        games_under_name(player: PlayerId, name: &str, limit: u32) -> Vec<GameId>;
        forget_player(game: GameId, former: FormerPlayer) -> ();
        forget_name(name: &str) -> ();
        delete_old(now: Moment, retention: Retention) -> u64;
    }
}
