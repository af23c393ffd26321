//! Engine players: a few worker threads that search, separate from everything else.
//!
//! This module is responsible for the threads, their bounded queue, and how a level limits a
//! search. It leaves to [`room`](super::room) whose turn it is and what to do with a move.
//! Invariants: a caller never waits, and every search is limited by time or by nodes.

use core::time::Duration;
use std::fmt;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use castellan_engine::{
    Engine, Handicap, Level as Strength, Limits, Options, Signals, embedded_network,
};
use castellan_game::Player;
use castellan_protocol::Level;
use castellan_rules::{Color, Line, Move};

/// Size of each thread's transposition table in megabytes. It is small because memory is for
/// players.
const TABLE_MB: usize = 8;
/// Maximum time for a move, whatever the level and the clock.
const LONGEST: Duration = Duration::from_secs(5);

/// Returns the player that represents the engine at a level.
pub(crate) fn player(level: Level) -> Player {
    let name = match level.elo() {
        Some(elo) => format!("Castellan {elo}"),
        None => "Castellan".to_owned(),
    };
    Player { id: level.player_id(), name, rating: None }
}

/// A request to an engine.
pub(crate) struct EngineRequest {
    /// The game so far.
    pub(crate) line: Line,
    /// Playing strength.
    pub(crate) level: Level,
    /// Seed for what a weak level overlooks. It stays the same for a whole game, so that the
    /// engine plays consistently.
    pub(crate) seed: u64,
    /// Time left on the engine's clock, if it has one.
    pub(crate) remaining: Option<Duration>,
    /// What the engine should decide.
    pub(crate) task: EngineTask,
}

/// What an engine should decide, with a callback for the result. The callback must not block.
pub(crate) enum EngineTask {
    /// A move. The result is `None` if there is no legal move.
    Move(Box<dyn FnOnce(Option<Move>) + Send>),
    /// Whether to accept a draw when playing this color.
    Draw(Color, Box<dyn FnOnce(bool) + Send>),
}

impl fmt::Debug for EngineRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineRequest").field("level", &self.level).finish_non_exhaustive()
    }
}

/// All engines are busy and the queue is full.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EnginesBusy;

/// The engine threads.
#[derive(Debug)]
pub(crate) struct Engines {
    requests: Mutex<Option<SyncSender<EngineRequest>>>,
    /// Kept so that requests can be queued even if no thread could be started.
    _queue: Arc<Mutex<Receiver<EngineRequest>>>,
    signals: Arc<Signals>,
}

impl Engines {
    /// Starts the threads, with a queue for at most `waiting` requests.
    pub(crate) fn start(threads: usize, waiting: usize) -> Engines {
        let (requests, queue) = sync_channel(waiting);
        let queue = Arc::new(Mutex::new(queue));
        let signals = Arc::new(Signals::default());
        let network = embedded_network();
        for number in 0..threads {
            let (queue, signals) = (Arc::clone(&queue), Arc::clone(&signals));
            let mut engine = Engine::new(Options { hash_mb: TABLE_MB, threads: 1 });
            engine.set_network(network.clone());
            let name = format!("engine-{number}");
            let work = move || work(engine, &queue, &signals);
            let spawned = thread::Builder::new().name(name).spawn(work);
            if let Err(error) = spawned {
                tracing::error!(%error, "an engine thread could not be started");
            }
        }
        Engines { requests: Mutex::new(Some(requests)), _queue: queue, signals }
    }

    /// Queues a request.
    pub(crate) fn submit(&self, request: EngineRequest) -> Result<(), EnginesBusy> {
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(queue) = requests.as_ref() else { return Err(EnginesBusy) };
        match queue.try_send(request) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => Err(EnginesBusy),
        }
    }

    /// Stops all searches and threads. Pending requests get no response, or one from a search cut
    /// short.
    pub(crate) fn stop(&self) {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.signals.stop.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

impl Drop for Engines {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Runs one worker thread, which handles requests until the queue is closed.
fn work(mut engine: Engine, queue: &Mutex<Receiver<EngineRequest>>, signals: &Signals) {
    loop {
        let request = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(EngineRequest { line, level, seed, remaining, task }) = request else { return };
        let began = Instant::now();
        let clock = || began.elapsed();
        match task {
            EngineTask::Move(reply) => {
                let limits = limits(level, seed, remaining);
                reply(engine.go(&line, &limits, &clock, signals, &mut |_| {}).mv);
            }
            EngineTask::Draw(color, reply) => {
                reply(engine.accepts_draw(&line, color, strength(level), &clock, signals));
            }
        }
    }
}

/// Returns the engine's level, or `None` for full strength.
fn strength(level: Level) -> Option<Strength> {
    level.elo().map(|elo| Strength::new(elo).unwrap_or(Strength::HIGHEST))
}

/// Returns the search limits for a level. Full strength is limited by time alone.
fn limits(level: Level, seed: u64, remaining: Option<Duration>) -> Limits {
    let handicap = strength(level).map(|level| Handicap { level, seed });
    // Spending a thirtieth of the remaining time per move never uses it all up.
    let share = remaining.map_or(LONGEST, |remaining| remaining / 30);
    let least = Duration::from_millis(5);
    Limits { handicap, move_time: Some(share.clamp(least, LONGEST)), ..Limits::default() }
}

#[cfg(test)]
mod tests {
    use castellan_protocol::{MAX_LEVEL, MIN_LEVEL};
    use castellan_rules::Position;

    use super::*;

    fn request(reply: impl FnOnce(Option<Move>) + Send + 'static) -> EngineRequest {
        let line = Line::new(Position::default());
        let level = Level::from_elo(500).unwrap();
        EngineRequest {
            line,
            level,
            seed: 1,
            remaining: None,
            task: EngineTask::Move(Box::new(reply)),
        }
    }

    #[test]
    fn a_question_is_answered_with_a_legal_move() {
        let engines = Engines::start(1, 4);
        let (tell, told) = std::sync::mpsc::channel();
        engines.submit(request(move |mv| tell.send(mv).unwrap())).unwrap();
        let mv = told.recv_timeout(castellan_testkit::waiting::LIMIT).unwrap().unwrap();
        assert!(Position::default().legal_moves().contains(&mv));
    }

    #[test]
    fn clients_may_ask_for_the_levels_of_the_engine_and_no_others() {
        let levels = Strength::LOWEST.points()..=Strength::HIGHEST.points();
        assert_eq!(MIN_LEVEL..=MAX_LEVEL, levels);
        for elo in 0..=u16::MAX {
            let level = Level::from_elo(elo).ok();
            assert_eq!(level.and_then(strength), Strength::new(elo), "{elo}");
        }
    }

    #[test]
    fn who_asks_never_waits() {
        let engines = Engines::start(0, 2);
        assert_eq!(engines.submit(request(|_| {})), Ok(()));
        assert_eq!(engines.submit(request(|_| {})), Ok(()));
        assert_eq!(engines.submit(request(|_| {})), Err(EnginesBusy));
        engines.stop();
        assert_eq!(engines.submit(request(|_| {})), Err(EnginesBusy));
    }

    #[test]
    fn every_level_has_its_strength_and_keeps_to_the_clock() {
        let strength = |level| limits(level, 1, None).handicap.map(|it| it.level.points());
        for elo in [400, 401, 1500, 2800] {
            assert_eq!(strength(Level::from_elo(elo).unwrap()), Some(elo));
        }
        assert_eq!(strength(Level::FULL), None);
        for seconds in [0, 1, 60, 100_000] {
            let remaining = Some(Duration::from_secs(seconds));
            let time = limits(Level::FULL, 1, remaining).move_time.unwrap();
            assert!(time <= LONGEST && time.as_secs() <= seconds / 30 + 1);
        }
    }
}
