//! The engine's seats: a few threads that think, apart from everything else.
//!
//! Owns: the threads, the bounded queue before them, and how a level limits a search. Leaves to
//! [`room`](super::room): whose turn it is and what to do with a move. Invariant: whoever asks
//! never waits, and no search is without a limit of positions and of time.

use core::time::Duration;
use std::fmt;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use castellan_engine::{
    Engine, Handicap, Level as Strength, Limits, Options, Signals, embedded_network,
};
use castellan_game::{Player, PlayerId};
use castellan_protocol::Level;
use castellan_rules::{Color, Line, Move};

/// Megabytes of the table of each thread: games share it, and memory is for players.
const TABLE_MB: usize = 8;
/// No move takes longer, whatever the level and the clock.
const LONGEST: Duration = Duration::from_secs(5);

/// Engines have numbers of their own, far beyond those that people are given, one for each level.
/// They fit into the numbers of JavaScript.
const FIRST_ENGINE: u64 = 1 << 52;

/// The player that an engine of a level is.
pub(crate) fn player(level: Level) -> Player {
    let id = PlayerId(FIRST_ENGINE + u64::from(level.elo().unwrap_or(0)));
    let name = match level.elo() {
        Some(elo) => format!("Castellan {elo}"),
        None => "Castellan".to_owned(),
    };
    Player { id, name, rating: None }
}

/// The level of an engine; none for people.
pub(crate) fn level_of(player: PlayerId) -> Option<Level> {
    match player.0.checked_sub(FIRST_ENGINE)? {
        0 => Some(Level::FULL),
        elo => Level::from_elo(u16::try_from(elo).ok()?).ok(),
    }
}

/// A position to think about.
pub(crate) struct Question {
    /// The game so far.
    pub(crate) line: Line,
    /// How strong the answer shall be.
    pub(crate) level: Level,
    /// Decides what a weak level overlooks; one for a game, so that it plays as one person.
    pub(crate) seed: u64,
    /// What the engine's clock shows, if it counts down.
    pub(crate) remaining: Option<Duration>,
    /// What is asked.
    pub(crate) asked: Asked,
}

/// What an engine is asked, with the function that takes its answer and must not block.
pub(crate) enum Asked {
    /// For a move; none if there is no legal one.
    Move(Box<dyn FnOnce(Option<Move>) + Send>),
    /// Whether it accepts a draw, playing this color.
    Draw(Color, Box<dyn FnOnce(bool) + Send>),
}

impl fmt::Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Question").field("level", &self.level).finish_non_exhaustive()
    }
}

/// All engines are thinking and enough questions wait.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Busy;

/// The threads that think.
#[derive(Debug)]
pub(crate) struct Engines {
    questions: Mutex<Option<SyncSender<Question>>>,
    /// Kept so that questions can wait even while no thread asks for one.
    _queue: Arc<Mutex<Receiver<Question>>>,
    signals: Arc<Signals>,
}

impl Engines {
    /// So many threads, with room for so many questions that wait.
    pub(crate) fn start(threads: usize, waiting: usize) -> Engines {
        let (questions, queue) = sync_channel(waiting);
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
                tracing::error!(%error, "no thread for an engine");
            }
        }
        Engines { questions: Mutex::new(Some(questions)), _queue: queue, signals }
    }

    /// Queues a question.
    pub(crate) fn ask(&self, question: Question) -> Result<(), Busy> {
        let questions = self.questions.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(queue) = questions.as_ref() else { return Err(Busy) };
        match queue.try_send(question) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => Err(Busy),
        }
    }

    /// Ends all searches and threads; what was asked stays unanswered or is answered in haste.
    pub(crate) fn stop(&self) {
        self.questions.lock().unwrap_or_else(PoisonError::into_inner).take();
        self.signals.stop.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

impl Drop for Engines {
    fn drop(&mut self) {
        self.stop();
    }
}

/// One thread: a question at a time until there are no more.
fn work(mut engine: Engine, queue: &Mutex<Receiver<Question>>, signals: &Signals) {
    loop {
        let question = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(Question { line, level, seed, remaining, asked }) = question else { return };
        let began = Instant::now();
        let clock = || began.elapsed();
        match asked {
            Asked::Move(answer) => {
                let limits = limits(level, seed, remaining);
                answer(engine.go(&line, &limits, &clock, signals, &mut |_| {}).mv);
            }
            Asked::Draw(color, answer) => {
                answer(engine.accepts_draw(&line, color, strength(level), &clock, signals));
            }
        }
    }
}

/// The engine's level; none for its full strength.
fn strength(level: Level) -> Option<Strength> {
    level.elo().map(|elo| {
        let elo = elo.min(Strength::HIGHEST.points());
        Strength::new(elo).unwrap_or(Strength::LOWEST)
    })
}

/// What a level may look at, and for how long. Full strength is bounded by time alone.
fn limits(level: Level, seed: u64, remaining: Option<Duration>) -> Limits {
    let handicap = strength(level).map(|level| Handicap { level, seed });
    // A thirtieth of the clock leaves time for thirty more moves and never runs out.
    let share = remaining.map_or(LONGEST, |remaining| remaining / 30);
    let least = Duration::from_millis(5);
    Limits { handicap, move_time: Some(share.clamp(least, LONGEST)), ..Limits::default() }
}

#[cfg(test)]
mod tests {
    use castellan_rules::Position;

    use super::*;

    fn question(answer: impl FnOnce(Option<Move>) + Send + 'static) -> Question {
        let line = Line::new(Position::default());
        let level = Level::from_elo(500).unwrap();
        Question { line, level, seed: 1, remaining: None, asked: Asked::Move(Box::new(answer)) }
    }

    #[test]
    fn a_question_is_answered_with_a_legal_move() {
        let engines = Engines::start(1, 4);
        let (tell, told) = std::sync::mpsc::channel();
        engines.ask(question(move |mv| tell.send(mv).unwrap())).unwrap();
        let mv = told.recv_timeout(castellan_testkit::waiting::LIMIT).unwrap().unwrap();
        assert!(Position::default().legal_moves().contains(&mv));
    }

    #[test]
    fn an_engine_is_known_by_its_number() {
        for level in [Level::FULL, Level::from_elo(400).unwrap(), Level::from_elo(2800).unwrap()] {
            assert_eq!(level_of(player(level).id), Some(level));
        }
        for person in [0, 1, 400, FIRST_ENGINE - 1, FIRST_ENGINE + 1, u64::MAX] {
            assert_eq!(level_of(PlayerId(person)), None);
        }
    }

    #[test]
    fn who_asks_never_waits() {
        let engines = Engines::start(0, 2);
        assert_eq!(engines.ask(question(|_| {})), Ok(()));
        assert_eq!(engines.ask(question(|_| {})), Ok(()));
        assert_eq!(engines.ask(question(|_| {})), Err(Busy));
        engines.stop();
        assert_eq!(engines.ask(question(|_| {})), Err(Busy));
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
