//! The contents of the simulated database: what each operation of the store reads and changes.
//!
//! A test compares these tables with SQLite. Times of the simulation are kept beside each event, so
//! that the laws can tell when it was requested and when it was stored.

use core::time::Duration;
use std::collections::BTreeMap;

use castellan_game::{GameId, Moment, PlayerId, Recorded, Settings};
use castellan_store::{
    Batch, ChatLine, NewGame, NewGameBatch, Outage, Session, StoreError, StoredGame, Summary,
    TokenDigest,
};

/// Two outages with at most this much service between them count as one.
const BRIEF_SERVICE_MS: u64 = 20_000;

/// Where and when a write was requested and carried out, in milliseconds of the simulation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct WriteStamp {
    /// The run of a node that requested it.
    pub(super) run: usize,
    pub(super) requested_ms: u64,
    pub(super) stored_ms: u64,
}

/// A stored game.
#[derive(Clone, Debug)]
pub(super) struct StoredRow {
    pub(super) settings: Settings,
    created: Moment,
    pub(super) events: Vec<Recorded>,
    /// The stamp of each event.
    pub(super) stamps: Vec<WriteStamp>,
    pub(super) finish: Option<Summary>,
}

/// All stored data.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) games: BTreeMap<GameId, StoredRow>,
    /// The games in the order in which they were stored.
    pub(super) order: Vec<GameId>,
    claims: BTreeMap<String, Option<GameId>>,
    sessions: BTreeMap<TokenDigest, Session>,
    chat: Vec<ChatLine>,
    heartbeat: Option<Moment>,
    outage: Option<Outage>,
    last_player: u64,
    /// The stamp of the write that is being carried out.
    pub(super) stamp: WriteStamp,
}

impl Tables {
    pub(super) fn create_game(&mut self, game: NewGame) -> Result<(), StoreError> {
        let NewGame { id, settings, created } = game;
        if self.games.contains_key(&id) {
            return Err(StoreError::GameExists { game: id });
        }
        let (events, stamps) = (Vec::new(), Vec::new());
        self.games.insert(id, StoredRow { settings, created, events, stamps, finish: None });
        self.order.push(id);
        Ok(())
    }

    pub(super) fn begin_game(&mut self, batch: NewGameBatch) -> Result<(), StoreError> {
        let NewGameBatch { game, events, claims, claims_while_running } = batch;
        let id = game.id;
        if self.games.contains_key(&id) {
            return Err(StoreError::GameExists { game: id });
        }
        if let Some(claim) = claims.iter().find(|claim| self.claims.contains_key(*claim)) {
            return Err(StoreError::AlreadyClaimed { claim: claim.clone() });
        }
        let is_held = |claim: &&String| {
            let holder = self.claimed_by(claim).and_then(|game| self.games.get(&game));
            holder.is_some_and(|row| row.finish.is_none())
        };
        if let Some(claim) = claims_while_running.iter().find(is_held) {
            return Err(StoreError::AlreadyClaimed { claim: claim.clone() });
        }
        self.create_game(game)?;
        let all = claims.into_iter().chain(claims_while_running);
        self.claims.extend(all.map(|claim| (claim, Some(id))));
        self.append(Batch::new(id, events))
    }

    pub(super) fn withdraw(&mut self, claim: &str) -> bool {
        let is_free = !self.claims.contains_key(claim);
        self.claims.entry(claim.to_owned()).or_default();
        is_free
    }

    pub(super) fn claimed_by(&self, claim: &str) -> Option<GameId> {
        self.claims.get(claim).copied().flatten()
    }

    pub(super) fn append(&mut self, batch: Batch) -> Result<(), StoreError> {
        let Batch { game, events, finish, ratings } = batch;
        assert!(ratings.is_empty(), "the players of a simulation have no accounts");
        let Some(row) = self.games.get_mut(&game) else {
            return Err(StoreError::NoSuchGame { game });
        };
        let offered = events.first().expect("a batch has events").version;
        let stored = u32::try_from(row.events.len()).expect("a short game");
        if offered != stored + 1 {
            return Err(StoreError::Conflict { game, stored, offered });
        }
        if finish.is_some() && row.finish.is_some() {
            return Err(StoreError::AlreadyFinished { game });
        }
        row.stamps.extend(events.iter().map(|_| self.stamp));
        row.events.extend(events);
        row.finish = finish.or(row.finish.take());
        Ok(())
    }

    pub(super) fn load_game(&self, id: GameId) -> Option<StoredGame> {
        let StoredRow { settings, created, events, .. } = self.games.get(&id)?.clone();
        Some(StoredGame { id, settings, created, events })
    }

    pub(super) fn events_after(&self, id: GameId, version: u32) -> Option<Vec<Recorded>> {
        let row = self.games.get(&id)?;
        row.events.get(version as usize..).map(<[Recorded]>::to_vec)
    }

    pub(super) fn unfinished(&self) -> Vec<GameId> {
        let is_running = |id: &&GameId| self.games[*id].finish.is_none();
        self.order.iter().filter(is_running).copied().collect()
    }

    pub(super) fn unfinished_of(&self, player: PlayerId) -> Vec<GameId> {
        let has_seat = |id: &GameId| self.games[id].players().contains(&player);
        self.unfinished().into_iter().filter(has_seat).collect()
    }

    pub(super) fn put_session(&mut self, session: Session) {
        self.sessions.insert(session.digest, session);
    }

    pub(super) fn session(&self, digest: TokenDigest) -> Option<Session> {
        self.sessions.get(&digest).cloned()
    }

    pub(super) fn chat(&self, game: GameId) -> Vec<ChatLine> {
        self.chat.iter().filter(|line| line.game == game).cloned().collect()
    }

    pub(super) fn heartbeat(&mut self, now: Moment) {
        self.heartbeat = self.heartbeat.max(Some(now));
    }

    pub(super) fn last_heartbeat(&self) -> Option<Moment> {
        self.heartbeat
    }

    pub(super) fn begin_service(&mut self, now: Moment, silence: Duration) {
        let silence_ms = u64::try_from(silence.as_millis()).expect("a short time");
        let bound = now.as_millis().saturating_sub(silence_ms);
        if let Some(beat) = self.heartbeat.filter(|beat| beat.as_millis() < bound) {
            // After little service, the last outage goes on.
            let is_recent = |outage: &Outage| outage.until.plus_ms(BRIEF_SERVICE_MS) >= beat;
            let former = self.outage.filter(is_recent);
            let from = former.map_or(beat, |outage| outage.from);
            self.outage = Some(Outage { from, until: now });
            self.heartbeat(now);
        }
        self.heartbeat.get_or_insert(now);
    }

    pub(super) fn last_outage(&self) -> Option<Outage> {
        self.outage
    }

    pub(super) fn reserve_player_ids(&mut self, count: u32) -> PlayerId {
        self.last_player += u64::from(count.max(1));
        PlayerId(self.last_player + 1 - u64::from(count.max(1)))
    }
}

impl StoredRow {
    /// Returns the names of the players who have taken a seat, with their colors.
    pub(super) fn seats(&self) -> impl Iterator<Item = (castellan_rules::Color, &str)> {
        self.events.iter().filter_map(|recorded| match &recorded.event {
            castellan_game::Event::Seated { color, player } => Some((*color, player.name.as_str())),
            _ => None,
        })
    }

    fn players(&self) -> Vec<PlayerId> {
        let seated = self.events.iter().filter_map(|recorded| match &recorded.event {
            castellan_game::Event::Seated { player, .. } => Some(player.id),
            _ => None,
        });
        seated.collect()
    }
}

#[cfg(test)]
mod tests {
    use castellan_game::{End, EndReason, Event, Player, TimeControl};
    use castellan_protocol::Terms;
    use castellan_rules::Color;
    use castellan_store::{Store, sqlite};

    use super::super::dice::Dice;
    use super::*;

    fn game(dice: &Dice) -> GameId {
        GameId::from_random([u8::try_from(dice.below(6)).expect("small"); 16])
    }

    fn new_game(id: GameId) -> NewGame {
        let settings = Terms::new(TimeControl::CountUp {}).settings().expect("good terms");
        NewGame { id, settings, created: Moment::from_millis(7) }
    }

    fn claim(dice: &Dice) -> String {
        format!("claim {}", dice.below(8))
    }

    fn at(dice: &Dice) -> Moment {
        Moment::from_millis(10_000 + dice.below(60_000))
    }

    /// Returns events of which the first has a version that may fit.
    fn events(dice: &Dice) -> Vec<Recorded> {
        let first = u32::try_from(dice.between(1, 5)).expect("small");
        let count = u32::try_from(dice.between(1, 2)).expect("small");
        let player = Player { id: PlayerId(dice.below(4)), name: "Anna".to_owned(), rating: None };
        let seated = Event::Seated { color: Color::White, player };
        let event = if first == 1 { seated } else { Event::Started {} };
        let recorded =
            |version| Recorded { version, at: Moment::from_millis(9), event: event.clone() };
        (first..first + count).map(recorded).collect()
    }

    fn finish(dice: &Dice) -> Option<Summary> {
        let end = End::without_winner(EndReason::Aborted);
        let summary = Summary { end, plies: 0, finished: Moment::from_millis(9) };
        dice.chance(200).then_some(summary)
    }

    /// Does the same to both and compares the answers as text.
    async fn compare(dice: &Dice, store: &dyn Store, tables: &mut Tables) {
        let id = game(dice);
        let (one, other) = match dice.below(12) {
            0 => {
                let batch = NewGameBatch {
                    game: new_game(id),
                    events: events(dice),
                    claims: vec![claim(dice)],
                    claims_while_running: vec![format!("player {}", dice.below(3))],
                };
                let batch = NewGameBatch { events: from_one(batch.events), ..batch };
                let one = store.begin_game(batch.clone()).await;
                (format!("{one:?}"), format!("{:?}", tables.begin_game(batch)))
            }
            1..=4 => {
                let (events, finish) = (events(dice), finish(dice));
                let batch = Batch { finish, ..Batch::new(id, events) };
                let one = store.append(batch.clone()).await;
                (format!("{one:?}"), format!("{:?}", tables.append(batch)))
            }
            5 => {
                let claim = claim(dice);
                let one = store.withdraw(&claim, at(dice)).await.expect("an answer");
                (format!("{one}"), format!("{}", tables.withdraw(&claim)))
            }
            6 => {
                let claim = match dice.chance(500) {
                    true => claim(dice),
                    false => format!("player {}", dice.below(3)),
                };
                let one = store.claimed_by(&claim).await.expect("an answer");
                (format!("{one:?}"), format!("{:?}", tables.claimed_by(&claim)))
            }
            7 => {
                let version = u32::try_from(dice.below(5)).expect("small");
                let one = store.events_after(id, version).await.expect("an answer");
                (format!("{one:?}"), format!("{:?}", tables.events_after(id, version)))
            }
            8 => {
                let player = PlayerId(dice.below(4));
                let one = store.unfinished_of(player).await.expect("an answer");
                let all = store.unfinished().await.expect("an answer");
                let other = (tables.unfinished_of(player), tables.unfinished());
                (format!("{:?}", (one, all)), format!("{other:?}"))
            }
            9 => {
                let now = at(dice);
                store.heartbeat(now).await.expect("an answer");
                tables.heartbeat(now);
                let one = store.last_heartbeat().await.expect("an answer");
                (format!("{one:?}"), format!("{:?}", tables.last_heartbeat()))
            }
            10 => {
                let (now, silence) = (at(dice), Duration::from_millis(dice.below(3_000)));
                store.begin_service(now, silence).await.expect("an answer");
                tables.begin_service(now, silence);
                let one = store.last_outage().await.expect("an answer");
                (format!("{one:?}"), format!("{:?}", tables.last_outage()))
            }
            _ => {
                let one = store.reserve_player_ids(3).await.expect("an answer");
                (format!("{one:?}"), format!("{:?}", tables.reserve_player_ids(3)))
            }
        };
        assert_eq!(one, other);
    }

    /// Returns the events with versions from 1 on, as the first ones of a game have.
    fn from_one(events: Vec<Recorded>) -> Vec<Recorded> {
        (1..).zip(events).map(|(version, event)| Recorded { version, ..event }).collect()
    }

    #[tokio::test]
    async fn the_simulated_database_answers_as_sqlite_does() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("games.db");
        let store = sqlite::open(path, sqlite::SqliteOptions::default()).expect("a store");
        let (dice, mut tables) = (Dice::new(1), Tables::default());
        for _ in 0..600 {
            compare(&dice, &*store, &mut tables).await;
        }
        store.close().await.expect("it closes");
    }
}
