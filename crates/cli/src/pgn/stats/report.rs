//! Formats the statistics as text and JSON.

use std::fmt;

use serde::Serialize;

use super::Stats;
use crate::pgn::limits::{LISTED, PLAYERS};
use crate::terminal::printable;

/// The statistics to print.
#[derive(Serialize)]
pub(super) struct Report<'a> {
    games: u64,
    broken: u64,
    plies: u64,
    average_plies: f64,
    results: Results,
    players: Players<'a>,
    openings: Openings,
    longest: Vec<ListedGame<'a>>,
}

#[derive(Serialize)]
struct Results {
    white: u64,
    black: u64,
    draw: u64,
    open: u64,
}

#[derive(Serialize)]
struct Players<'a> {
    count: usize,
    /// Whether there were more players than were counted.
    is_limit_reached: bool,
    top: Vec<PlayerCount<'a>>,
}

#[derive(Serialize)]
struct PlayerCount<'a> {
    name: &'a str,
    games: u64,
}

#[derive(Serialize)]
struct Openings {
    count: usize,
    top: Vec<OpeningCount>,
}

#[derive(Serialize)]
struct OpeningCount {
    eco: &'static str,
    name: &'static str,
    games: u64,
}

#[derive(Serialize)]
struct ListedGame<'a> {
    plies: usize,
    white: &'a str,
    black: &'a str,
    file: &'a str,
    line: u64,
}

impl<'a> Report<'a> {
    /// Creates the report for the statistics of some games.
    pub(super) fn new(stats: &'a Stats) -> Report<'a> {
        let average_plies = stats.plies as f64 / (stats.games as f64).max(1.0);
        Report {
            games: stats.games,
            broken: stats.broken,
            plies: stats.plies,
            average_plies: (average_plies * 100.0).round() / 100.0,
            results: Results {
                white: stats.white_wins,
                black: stats.black_wins,
                draw: stats.draws,
                open: stats.open,
            },
            players: players(stats),
            openings: openings(stats),
            longest: longest(stats),
        }
    }
}

fn players(stats: &Stats) -> Players<'_> {
    let top = stats.players.top(LISTED).into_iter();
    Players {
        count: stats.players.len(),
        is_limit_reached: stats.players.is_full(),
        top: top.map(|(name, games)| PlayerCount { name, games }).collect(),
    }
}

fn openings(stats: &Stats) -> Openings {
    let mut top: Vec<OpeningCount> = stats
        .openings
        .iter()
        .map(|(opening, games)| OpeningCount {
            eco: opening.eco,
            name: opening.name,
            games: *games,
        })
        .collect();
    top.sort_unstable_by_key(|opening| (u64::MAX - opening.games, opening.eco, opening.name));
    top.truncate(LISTED);
    Openings { count: stats.openings.len(), top }
}

fn longest(stats: &Stats) -> Vec<ListedGame<'_>> {
    let games = stats.longest.iter();
    games
        .map(|game| ListedGame {
            plies: game.plies,
            white: &game.white,
            black: &game.black,
            file: &game.file,
            line: game.line,
        })
        .collect()
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Results { white, black, draw, open } = self.results;
        writeln!(f, "games    {}, {} of them broken", self.games, self.broken)?;
        writeln!(f, "plies    {}, {:.1} per game", self.plies, self.average_plies)?;
        writeln!(f, "results  1-0 {white}, 0-1 {black}, 1/2-1/2 {draw}, * {open}")?;
        self.players.fmt(f)?;
        self.openings.fmt(f)?;
        writeln!(f, "\nlongest games")?;
        for game in &self.longest {
            let name = |name: &str| if name.is_empty() { "?".into() } else { printable(name) };
            let (white, black, file) = (name(game.white), name(game.black), printable(game.file));
            writeln!(f, "{:9} plies  {white} - {black}  {file}:{}", game.plies, game.line)?;
        }
        Ok(())
    }
}

impl fmt::Display for Players<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nplayers  {}", self.count)?;
        if self.is_limit_reached {
            writeln!(f, "only the first {PLAYERS} players were counted")?;
        }
        for player in &self.top {
            writeln!(f, "{:9}  {}", player.games, printable(player.name))?;
        }
        Ok(())
    }
}

impl fmt::Display for Openings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nopenings  {}", self.count)?;
        for opening in &self.top {
            writeln!(f, "{:9}  {} {}", opening.games, opening.eco, opening.name)?;
        }
        Ok(())
    }
}
