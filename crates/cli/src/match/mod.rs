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
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::CommandStatus;
use crate::status_line::StatusLine;
use crate::terminal::{on_interrupt, printable};
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
    let mut finished_games = HashSet::new();
    let mut record = None;
    if let Some(path) = &args.pgn {
        let (opened, games) = Record::open(path, &settings)?;
        for game in games {
            if game.number <= settings.games && finished_games.insert(game.number) {
                score.add(game.number, game.result, game.fault);
            }
        }
        record = Some(opened);
    }
    if !finished_games.is_empty() {
        print_note(&format!("continuing after {} games", finished_games.len()));
    }
    let numbers: Vec<u32> =
        (1..=settings.games).filter(|number| !finished_games.contains(number)).collect();
    let is_over = Arc::new(AtomicBool::new(false));
    // The engines need no signal: they exit when we close the pipes from which they read.
    let interrupted = Arc::clone(&is_over);
    on_interrupt(move || interrupted.swap(true, Ordering::Relaxed))?;
    let mut results = MatchResults::new(&settings, score, record, &numbers, &is_over);
    results.stop_if_decided();
    let played = arena::play_all(&settings, &numbers, &is_over, &mut results);
    let finished = results.finish();
    write!(io::stdout().lock(), "{}", report::result(&settings, &results.score))?;
    played?;
    finished?;
    Ok(results.status())
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
    status: StatusLine,
}

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
            status: StatusLine::new(),
        }
    }

    /// Ends the match once the SPRT is decided.
    fn stop_if_decided(&self) {
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
        self.status.clear();
        let waiting = std::mem::take(&mut self.waiting);
        waiting.values().try_for_each(|game| self.write(game))
    }

    fn status(&self) -> CommandStatus {
        let decision = self.settings.sprt.map(|sprt| sprt.decision(&self.score.pairs));
        CommandStatus::found_if(self.score.has_faults() || decision == Some(Decision::Rejected))
    }

    /// Shows the score so far.
    fn show(&self) {
        let time = self.begin.elapsed();
        self.status.show_or_log(|| report::progress(self.settings, &self.score, self.played, time));
    }

    /// Counts and writes a game that is over.
    fn add(&mut self, game: PlayedGame) -> anyhow::Result<()> {
        let fault = match &game.ending {
            MatchEnding::Fault(fault, description) => {
                self.status.clear();
                let loser = usize::from(
                    ending::half_points(game.result, game::color_of_a(game.number)) > 0,
                );
                let name = &self.settings.engines[loser].name;
                print_note(&format!(
                    "game {}: {name}: {}: {description}",
                    game.number,
                    fault.as_str()
                ));
                Some(*fault)
            }
            _ => None,
        };
        self.score.add(game.number, game.result, fault);
        self.played += 1;
        self.waiting.insert(game.number, game);
        self.write_in_order()?;
        self.stop_if_decided();
        self.show();
        Ok(())
    }
}

/// Prints a line to standard error, without control characters.
fn print_note(text: &str) {
    let _ = writeln!(io::stderr(), "{}", printable(text));
}
