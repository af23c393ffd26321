//! `castellan match`: lets two engines play each other and evaluates the results.
//!
//! This module handles openings, concurrent games, the game record and the score. It leaves the
//! communication with an engine to `castellan-uci`.

mod adjudication;
mod arena;
mod args;
mod ending;
mod game;
mod openings;
mod player;
mod record;
mod report;
mod score;
mod search_limit;
mod settings;
mod statistics;

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::io::{self, IsTerminal, Write};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::CommandStatus;
use crate::terminal::printable;
use arena::MatchObserver;
use ending::MatchEnding;
use game::PlayedGame;
use record::Record;
use score::MatchScore;
use settings::MatchSettings;
use statistics::Decision;

pub(crate) use args::MatchArgs;

/// Runs the command.
pub(crate) fn run(args: &MatchArgs) -> anyhow::Result<CommandStatus> {
    let settings = args.settings()?;
    let mut score = MatchScore::default();
    let mut known = HashSet::new();
    let mut record = None;
    if let Some(path) = &args.pgn {
        let (opened, games) = Record::open(path, &settings)?;
        for game in games {
            if game.number <= settings.games && known.insert(game.number) {
                score.add(game.number, game.result, game.fault);
            }
        }
        record = Some(opened);
    }
    if !known.is_empty() {
        warn_line(&format!("continuing after {} games", known.len()));
    }
    let numbers: Vec<u32> = (1..=settings.games).filter(|number| !known.contains(number)).collect();
    let is_over = Arc::new(AtomicBool::new(false));
    listen_for_interrupts(&is_over)?;
    let mut results = MatchResults::new(&settings, score, record, &numbers, &is_over);
    results.decide();
    let played = arena::play_all(&settings, &numbers, &is_over, &mut results);
    let finished = results.finish();
    write!(io::stdout().lock(), "{}", report::result(&settings, &results.score))?;
    played?;
    finished?;
    Ok(results.verdict())
}

/// Ends the match in an orderly way on the first interrupt and at once on the second. The engines
/// read from our pipes and end with us.
fn listen_for_interrupts(is_over: &Arc<AtomicBool>) -> anyhow::Result<()> {
    let is_over = Arc::clone(is_over);
    let handler = move || {
        if is_over.swap(true, Ordering::Relaxed) {
            process::exit(130);
        }
    };
    ctrlc::set_handler(handler).context("cannot listen for Ctrl-C")
}

/// Collects the results of the games.
struct MatchResults<'a> {
    settings: &'a MatchSettings,
    score: MatchScore,
    record: Option<Record>,
    /// The numbers of the games not yet written, in order.
    order: VecDeque<u32>,
    /// Finished games that wait for earlier ones to be written, by number.
    waiting: BTreeMap<u32, PlayedGame>,
    is_over: &'a AtomicBool,
    begin: Instant,
    played: u64,
    shown: Option<Instant>,
    is_terminal: bool,
}

/// How often progress is logged when it cannot be redrawn in place.
const LOG_INTERVAL: Duration = Duration::from_secs(30);

impl<'a> MatchResults<'a> {
    fn new(
        settings: &'a MatchSettings,
        score: MatchScore,
        record: Option<Record>,
        numbers: &[u32],
        is_over: &'a AtomicBool,
    ) -> MatchResults<'a> {
        MatchResults {
            settings,
            score,
            record,
            order: numbers.iter().copied().collect(),
            waiting: BTreeMap::new(),
            is_over,
            begin: Instant::now(),
            played: 0,
            shown: None,
            is_terminal: io::stderr().is_terminal(),
        }
    }

    /// Ends the match once the SPRT is decided.
    fn decide(&self) {
        let decision = self.settings.sprt.map(|sprt| sprt.decision(&self.score.pairs));
        if decision.is_some_and(|decision| decision != Decision::Open) {
            self.is_over.store(true, Ordering::Relaxed);
        }
    }

    /// Writes the finished games that are next in order.
    fn write_in_order(&mut self) -> anyhow::Result<()> {
        while let Some(game) = self.order.front().and_then(|number| self.waiting.remove(number)) {
            self.order.pop_front();
            self.write(&game)?;
        }
        Ok(())
    }

    fn write(&mut self, game: &PlayedGame) -> anyhow::Result<()> {
        self.record.as_mut().map_or(Ok(()), |record| record.write(game, self.settings))
    }

    /// Writes the games that were waiting for games that will not be played, and clears the
    /// progress.
    fn finish(&mut self) -> anyhow::Result<()> {
        self.clear();
        let waiting = std::mem::take(&mut self.waiting);
        waiting.values().try_for_each(|game| self.write(game))
    }

    fn verdict(&self) -> CommandStatus {
        let decision = self.settings.sprt.map(|sprt| sprt.decision(&self.score.pairs));
        if self.score.has_faults() || decision == Some(Decision::Rejected) {
            CommandStatus::Found
        } else {
            CommandStatus::Success
        }
    }

    fn show(&mut self) {
        let is_due = self.shown.unwrap_or(self.begin).elapsed() >= LOG_INTERVAL;
        if !self.is_terminal && !is_due {
            return;
        }
        self.shown = Some(Instant::now());
        let line = report::progress(self.settings, &self.score, self.played, self.begin.elapsed());
        // If the progress cannot be shown, there is no way left to report that.
        let _ = if self.is_terminal {
            write!(io::stderr(), "\r\x1b[K{line}")
        } else {
            writeln!(io::stderr(), "{line}")
        };
    }

    fn clear(&self) {
        if self.is_terminal && self.shown.is_some() {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

impl MatchObserver for MatchResults<'_> {
    fn game(&mut self, game: PlayedGame) -> anyhow::Result<()> {
        let fault = match &game.ending {
            MatchEnding::Fault(fault, what) => {
                self.clear();
                let loser = usize::from(
                    ending::half_points(game.result, game::color_of_a(game.number)) > 0,
                );
                let name = &self.settings.engines[loser].name;
                warn_line(&format!("game {}: {name}: {}: {what}", game.number, fault.as_str()));
                Some(*fault)
            }
            _ => None,
        };
        self.score.add(game.number, game.result, fault);
        self.played += 1;
        self.waiting.insert(game.number, game);
        self.write_in_order()?;
        self.decide();
        self.show();
        Ok(())
    }

    fn tick(&mut self) {
        self.show();
    }
}

fn warn_line(what: &str) {
    let _ = writeln!(io::stderr(), "{}", printable(what));
}
