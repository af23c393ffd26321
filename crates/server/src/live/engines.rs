//! Engine players: a few worker threads that search, separate from everything else.
//!
//! This module is responsible for the threads, their share of the machine, how a level limits a
//! search, and the actions of an engine besides its moves. It leaves the queue to
//! [`engine_queue`](super::engine_queue). [`room`](super::room) decides when to ask for a move and
//! what to do with it. Invariants: a caller never waits, every search is limited by time or by
//! nodes, and a panic costs only its own request.

use core::time::Duration;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use castellan_engine::{
    Answer, Engine, Handicap, Level as Strength, Limits, Options, Score, embedded_network,
};
use castellan_game::{Conduct, OwnScore, Player};
use castellan_protocol::Level;
use castellan_rules::{Color, Line, Move};
use metrics::Counter;

use super::engine_queue::{EngineQueue, EngineTicket, EnginesBusy, Queued};

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
    /// A move, with what the engine remembers of the game. The result is `None` if there is no legal
    /// move.
    Move(Conduct, Box<dyn FnOnce(Option<EngineChoice>) + Send>),
    /// Whether to accept a draw when playing this color.
    Draw(Color, Box<dyn FnOnce(bool) + Send>),
}

/// What an engine does on its turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct EngineChoice {
    /// The move.
    pub(crate) mv: Move,
    /// How much the engine's score has changed since its last move, in centipawns.
    pub(crate) surprise_cp: i32,
    /// Whether it resigns instead of moving.
    pub(crate) resigns: bool,
    /// Whether it offers a draw with the move.
    pub(crate) offers_draw: bool,
    /// What it remembers of the game from now on.
    pub(crate) conduct: Conduct,
}

impl fmt::Debug for EngineRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EngineRequest").field("level", &self.level).finish_non_exhaustive()
    }
}

/// How much the engines may use of the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct EngineShare {
    /// Number of threads.
    pub(crate) threads: usize,
    /// Share of the time that each thread may spend searching, in percent, from 1 to 100.
    pub(crate) percent: u32,
    /// Maximum number of waiting requests.
    pub(crate) waiting: usize,
}

/// The engine threads.
#[derive(Debug)]
pub(crate) struct Engines {
    queue: Arc<EngineQueue<EngineRequest>>,
}

impl Engines {
    /// Starts the threads. Each panic in one of them is counted in `panics`.
    pub(crate) fn start(share: EngineShare, panics: &Counter) -> Engines {
        let queue = Arc::new(EngineQueue::new(share.waiting));
        if share.threads == 0 {
            return Engines { queue };
        }
        let network = embedded_network();
        for number in 0..share.threads {
            let network = network.clone();
            let worker = Worker {
                queue: Arc::clone(&queue),
                percent: share.percent.clamp(1, 100),
                panics: panics.clone(),
                new_engine: Box::new(move || {
                    let mut engine = Engine::new(Options { hash_mb: TABLE_MB, threads: 1 });
                    engine.set_network(network.clone());
                    engine
                }),
            };
            let name = format!("engine-{number}");
            let spawned = thread::Builder::new().name(name).spawn(move || worker.run());
            if let Err(error) = spawned {
                tracing::error!(%error, "an engine thread could not be started");
            }
        }
        Engines { queue }
    }

    /// Queues a request. It is canceled when the ticket is dropped.
    pub(crate) fn submit(&self, request: EngineRequest) -> Result<EngineTicket, EnginesBusy> {
        self.queue.push(request)
    }

    /// Returns the number of requests that wait for a thread.
    pub(crate) fn queued(&self) -> usize {
        self.queue.len()
    }

    /// Stops all searches and threads. Pending requests get no response.
    pub(crate) fn stop(&self) {
        self.queue.close();
    }
}

impl Drop for Engines {
    fn drop(&mut self) {
        self.stop();
    }
}

/// One thread.
struct Worker {
    queue: Arc<EngineQueue<EngineRequest>>,
    percent: u32,
    panics: Counter,
    new_engine: Box<dyn Fn() -> Engine + Send>,
}

impl Worker {
    /// Handles requests until the queue is closed.
    fn run(self) {
        let mut engine = (self.new_engine)();
        while let Some(mut queued) = self.queue.next() {
            let began = Instant::now();
            let search = AssertUnwindSafe(|| answer(&mut engine, &mut queued, began));
            if catch_unwind(search).is_err() {
                // The engine may be in any state, so another takes its place.
                tracing::error!("an engine panicked; its request is not answered");
                self.panics.increment(1);
                engine = (self.new_engine)();
            }
            drop(queued);
            self.queue.rest(pause_after(began.elapsed(), self.percent));
        }
    }
}

/// Returns how long a thread rests after a search, so that it searches for only a part of the time.
fn pause_after(search: Duration, percent: u32) -> Duration {
    search * (100 - percent) / percent
}

/// Searches and replies, unless no client waits for the answer any longer.
fn answer(engine: &mut Engine, queued: &mut Queued<EngineRequest>, began: Instant) {
    let Some(request) = queued.request.take() else { return };
    let EngineRequest { line, level, seed, remaining, task } = request;
    let clock = || began.elapsed();
    match task {
        EngineTask::Move(mut conduct, reply) => {
            let limits = limits(level, seed, remaining);
            let Answer { mv, score, .. } =
                engine.go(&line, &limits, &clock, queued.signals(), &mut |_| {});
            let ply = u32::try_from(line.moves().len()).unwrap_or(u32::MAX);
            let surprise_cp = conduct.add_score(ply, own_score(score));
            let resigns = conduct.resigns(level.elo());
            let halfmove_clock = line.position().halfmove_clock().into();
            let offers_draw = conduct.considers_draw(level.elo(), halfmove_clock) && {
                let turn = line.turn();
                engine.accepts_draw(&line, turn, strength(level), &clock, queued.signals())
            };
            if !queued.is_canceled() {
                let choice = |mv| EngineChoice { mv, surprise_cp, resigns, offers_draw, conduct };
                reply(mv.map(choice));
            }
        }
        EngineTask::Draw(color, reply) => {
            let is_accepted =
                engine.accepts_draw(&line, color, strength(level), &clock, queued.signals());
            if !queued.is_canceled() {
                reply(is_accepted);
            }
        }
    }
}

/// Returns the score of the player to move as the rules of conduct need it.
fn own_score(score: Score) -> OwnScore {
    match score {
        Score::Centipawns(value) => OwnScore::Centipawns(value),
        Score::Mate(moves) => OwnScore::Mate(moves),
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
    use castellan_rules::{Position, UciMove};

    use super::*;

    const SHARE: EngineShare = EngineShare { threads: 1, percent: 100, waiting: 4 };

    fn request(reply: impl FnOnce(Option<Move>) + Send + 'static) -> EngineRequest {
        let line = Line::new(Position::default());
        let level = Level::from_elo(500).unwrap();
        let reply = |choice: Option<EngineChoice>| reply(choice.map(|choice| choice.mv));
        let task = EngineTask::Move(Conduct::default(), Box::new(reply));
        EngineRequest { line, level, seed: 1, remaining: None, task }
    }

    /// Returns what the engine does after some moves from a position, if it had these scores before its
    /// last two moves.
    fn choice(fen: &str, moves: &[&str], level: Level, before: OwnScore) -> EngineChoice {
        let mut line = Line::new(Position::from_fen(fen).unwrap());
        for text in moves {
            let mv = UciMove::parse(text).unwrap().resolve(line.position()).unwrap();
            line.play(mv).unwrap();
        }
        let ply = u32::try_from(moves.len()).unwrap();
        let mut conduct = Conduct::default();
        conduct.add_score(ply - 4, before);
        conduct.add_score(ply - 2, before);
        let engines = Engines::start(SHARE, &Counter::noop());
        let (tell, told) = std::sync::mpsc::channel();
        let reply = move |choice| tell.send(choice).unwrap();
        let task = EngineTask::Move(conduct, Box::new(reply));
        let request = EngineRequest { line, level, seed: 1, remaining: None, task };
        let _ticket = engines.submit(request).unwrap();
        told.recv_timeout(castellan_testkit::waiting::LIMIT).unwrap().unwrap()
    }

    #[test]
    fn a_club_player_resigns_a_lost_game_and_a_beginner_does_not() {
        // White has a queen and a rook more, and walks with the rook, so that nothing is repeated.
        let fen = "4k3/8/8/8/8/8/6PP/R2Q2K1 b - - 0 1";
        let rook = "a1a2 a2a3 a3a4 a4a5 a5a6 a6b6 b6b5 b5b4 b4b3 b3b2".split(' ');
        let king = ["e8f8", "f8e8"].into_iter().cycle();
        let moves: Vec<_> = king.zip(rook).flat_map(|(black, white)| [black, white]).collect();
        let lost = OwnScore::Centipawns(-2000);
        let level = |elo| Level::from_elo(elo).unwrap();
        assert!(choice(fen, &moves, level(1800), lost).resigns);
        assert!(!choice(fen, &moves, level(800), lost).resigns);
        assert!(!choice(fen, &moves, level(1800), OwnScore::Centipawns(0)).resigns);
    }

    #[test]
    fn a_draw_is_offered_where_nothing_happens() {
        let fen = "8/5k2/5n2/8/8/5N2/5K2/8 w - - 0 1";
        let moves = ["f2e2", "f7e7", "e2f2", "e7f7"].repeat(16);
        let even = OwnScore::Centipawns(0);
        let choice = choice(fen, &moves, Level::from_elo(1800).unwrap(), even);
        assert!(choice.offers_draw && !choice.resigns, "{choice:?}");
    }

    #[test]
    fn a_question_is_answered_with_a_legal_move() {
        let engines = Engines::start(SHARE, &Counter::noop());
        let (tell, told) = std::sync::mpsc::channel();
        let _ticket = engines.submit(request(move |mv| tell.send(mv).unwrap())).unwrap();
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
    fn a_panic_costs_one_request_and_is_counted() {
        let metrics = crate::metrics::Metrics::new();
        let engines = Engines::start(SHARE, &metrics.panics);
        let lost = engines.submit(request(|_| panic!("as if the engine had a bug"))).unwrap();
        let (tell, told) = std::sync::mpsc::channel();
        let _kept = engines.submit(request(move |mv| tell.send(mv).unwrap())).unwrap();
        assert!(told.recv_timeout(castellan_testkit::waiting::LIMIT).unwrap().is_some());
        assert!(lost.is_over(), "so that the room asks again");
        let text = metrics.render(&Default::default(), Default::default());
        assert!(text.contains("castellan_panics_total 1"), "{text}");
    }

    #[test]
    fn a_search_without_a_client_is_stopped() {
        let engines = Engines::start(SHARE, &Counter::noop());
        let (wrong, unwanted) = std::sync::mpsc::channel();
        let long = request(move |mv| wrong.send(mv).unwrap());
        let ticket = engines.submit(EngineRequest { level: Level::FULL, ..long }).unwrap();
        castellan_testkit::waiting::wait_until("it is searched", || engines.queued() == 0);
        drop(ticket);
        let (tell, told) = std::sync::mpsc::channel();
        let _kept = engines.submit(request(move |mv| tell.send(mv).unwrap())).unwrap();
        assert!(told.recv_timeout(castellan_testkit::waiting::LIMIT).unwrap().is_some());
        assert!(unwanted.recv().is_err(), "the request was dropped without an answer");
    }

    #[test]
    fn an_engine_rests_for_the_rest_of_its_time() {
        let second = Duration::from_secs(1);
        assert_eq!(pause_after(second, 100), Duration::ZERO);
        assert_eq!(pause_after(second, 50), second);
        assert_eq!(pause_after(second, 1), second * 99);
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
