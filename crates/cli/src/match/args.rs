//! The arguments of `castellan match`.

use std::num::NonZero;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use anyhow::{Context, ensure};
use castellan_uci::Program;
use clap::{ArgGroup, Args, value_parser};

use super::adjudication::{Adjudication, Draw, Resign};
use super::openings;
use super::player::EngineConfig;
use super::search_limit::{SearchLimit, TimeControl};
use super::settings::MatchSettings;
use super::statistics::Sprt;

/// Play a match between two UCI engines
///
/// Each opening is played twice, with colors reversed. The last three lines of the output are
/// `score POINTS GAMES SHARE`, `elo DIFFERENCE ERROR` (95 %, from pairs of games) and
/// `llr RATIO LOWER UPPER DECISION`, all from the point of view of the first engine; `none` means
/// unknown. The exit code is 1 if an engine crashed, played an illegal move or lost on time, or if
/// the SPRT decision is `rejected`.
#[derive(Args)]
#[command(
    group(ArgGroup::new("search_limit").required(true)),
    after_help = "Examples:\n  \
        castellan match --a ./new --b ./old --tc 1+0.01 --games 20000 --concurrency 2 \\\n    \
        --openings book.epd --sprt 0,5 --pgn games.pgn\n  \
        castellan match --a \"castellan uci\" --b stockfish --option-b \"Skill Level=3\" \\\n    \
        --nodes 20000 --games 100\n\n\
        If the --pgn file exists, the match continues: the games in it are counted and not played \
        again. The engines, options, time control, openings and adjudication must be the same."
)]
pub(crate) struct MatchArgs {
    /// First engine: a program and its arguments
    #[arg(long, value_name = "CMD")]
    a: Program,
    /// Second engine
    #[arg(long, value_name = "CMD")]
    b: Program,
    /// Name of the first engine [default: its own]
    #[arg(long, value_name = "NAME")]
    name_a: Option<String>,
    /// Name of the second engine [default: its own]
    #[arg(long, value_name = "NAME")]
    name_b: Option<String>,
    /// Set an option of the first engine; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = option)]
    option_a: Vec<(String, String)>,
    /// Set an option of the second engine; can be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = option)]
    option_b: Vec<(String, String)>,
    /// Total number of games, including earlier ones
    #[arg(long, value_name = "N", default_value_t = 100,
        value_parser = value_parser!(u32).range(1..=10_000_000))]
    games: u32,
    /// Time control: seconds, optionally plus an increment, as in 1+0.01 or 40/60+0.5
    #[arg(long, value_name = "TIME", group = "search_limit")]
    tc: Option<TimeControl>,
    /// Nodes per move
    #[arg(long, value_name = "N", group = "search_limit", value_parser = value_parser!(u64).range(1..))]
    nodes: Option<u64>,
    /// Search depth per move, in plies
    #[arg(long, value_name = "N", group = "search_limit", value_parser = value_parser!(u32).range(1..))]
    depth: Option<u32>,
    /// Milliseconds per move
    #[arg(long, value_name = "MS", group = "search_limit", value_parser = value_parser!(u64).range(1..=86_400_000))]
    movetime: Option<u64>,
    /// Opening file: positions (EPD or FEN) or games (PGN) [default: the starting position]
    #[arg(long, value_name = "FILE")]
    openings: Option<PathBuf>,
    /// Use at most N plies of each opening game
    #[arg(long, value_name = "N", requires = "openings")]
    plies: Option<usize>,
    /// Shuffle the openings with this seed
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Play Chess960
    #[arg(long)]
    chess960: bool,
    /// Run an SPRT with the hypotheses E0 and E1 (logistic Elo, both error rates 5 %), and stop
    /// once it is decided
    #[arg(long, value_name = "E0,E1", allow_hyphen_values = true, value_parser = sprt)]
    sprt: Option<Sprt>,
    /// Number of games to play at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u16).range(1..=256))]
    concurrency: u16,
    /// PGN file for the games
    #[arg(long, value_name = "OUT")]
    pub(super) pgn: Option<PathBuf>,
    /// Hash size for engines that have the option, in MB
    #[arg(long, value_name = "MB", default_value_t = 16)]
    hash: u32,
    /// Threads for engines that have the option
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: u32,
    /// Adjudicate a win when both scores agree on at least CP centipawns for MOVES moves each
    #[arg(long, value_name = "MOVES,CP", default_value = "4,600")]
    resign: Resign,
    /// Adjudicate a draw from move FROM on when both scores stay within CP centipawns for MOVES
    /// moves each
    #[arg(long, value_name = "FROM,MOVES,CP", default_value = "40,8,10")]
    draw: Draw,
    /// Never adjudicate
    #[arg(long)]
    no_adjudication: bool,
    /// How late a move may arrive after the clock runs out, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 50, value_parser = value_parser!(u64).range(0..=60_000))]
    margin: u64,
}

impl MatchArgs {
    /// Loads everything that the match needs, and starts each engine once to check that it works.
    pub(super) fn settings(&self) -> anyhow::Result<MatchSettings> {
        let (openings, openings_description) = self.openings()?;
        let a = self.engine(&self.a, self.name_a.as_deref(), &self.option_a)?;
        let b = self.engine(&self.b, self.name_b.as_deref(), &self.option_b)?;
        let mut engines = [a, b];
        if engines[0].name == engines[1].name {
            engines[0].name.push_str(" (a)");
            engines[1].name.push_str(" (b)");
        }
        self.warn();
        let adjudication = if self.no_adjudication {
            Adjudication::default()
        } else {
            Adjudication { resign: Some(self.resign), draw: Some(self.draw) }
        };
        Ok(MatchSettings {
            engines,
            search_limit: self.search_limit()?,
            margin: Duration::from_millis(self.margin),
            adjudication,
            openings,
            openings_description,
            games: self.games,
            concurrency: self.concurrency.into(),
            sprt: self.sprt,
        })
    }

    fn search_limit(&self) -> anyhow::Result<SearchLimit> {
        let clock = self.tc.map(SearchLimit::Clock);
        let move_time = self.movetime.map(|ms| SearchLimit::MoveTime(Duration::from_millis(ms)));
        let search_limit = clock.or(move_time).or(self.nodes.map(SearchLimit::Nodes));
        search_limit
            .or(self.depth.map(SearchLimit::Depth))
            .context("--tc, --nodes, --depth or --movetime is required")
    }

    fn openings(&self) -> anyhow::Result<(Vec<castellan_rules::Line>, String)> {
        let (mut openings, mut description) = match &self.openings {
            Some(path) => (openings::read(path, self.plies)?, path.display().to_string()),
            None => (openings::without_file(self.chess960), "no openings".to_owned()),
        };
        if let Some(plies) = self.plies {
            description.push_str(&format!(" plies {plies}"));
        }
        if let Some(seed) = self.seed {
            openings::shuffle(&mut openings, seed);
            description.push_str(&format!(" seed {seed}"));
        }
        if self.chess960 {
            description.push_str(" Chess960");
        }
        Ok((openings, description))
    }

    fn engine(
        &self,
        program: &Program,
        name: Option<&str>,
        options: &[(String, String)],
    ) -> anyhow::Result<EngineConfig> {
        let usual = [
            ("Hash", self.hash.to_string()),
            ("Threads", self.threads.to_string()),
            ("Ponder", "false".to_owned()),
            ("OwnBook", "false".to_owned()),
        ];
        let mut engine = EngineConfig {
            name: String::new(),
            program: program.clone(),
            options: options.to_vec(),
            usual_options: usual.map(|(name, value)| (name.to_owned(), value)).to_vec(),
            is_chess960: self.chess960,
        };
        let driver = engine.start()?;
        engine.name = name.unwrap_or(driver.name()).to_owned();
        driver.quit();
        Ok(engine)
    }

    /// Warns about settings that make the result less meaningful.
    fn warn(&self) {
        if self.openings.is_none() && !self.chess960 && self.games > 2 {
            super::print_note("warning: without --openings all games start from the same position");
        }
        // Engines that share a core lose on time although they are not weak.
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let wanted = usize::from(self.concurrency) * self.threads as usize;
        if wanted > cores {
            super::print_note(&format!("warning: {wanted} engine threads on {cores} cores"));
        }
    }
}

fn option(text: &str) -> anyhow::Result<(String, String)> {
    let (name, value) = text.split_once('=').unwrap_or((text, ""));
    ensure!(!name.trim().is_empty(), "the option name before the = is missing");
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

fn sprt(text: &str) -> anyhow::Result<Sprt> {
    let (elo0, elo1) = text.split_once(',').context("expected E0,E1, as in 0,5")?;
    let number = |word: &str| {
        let number = word.trim().parse::<f64>().ok().filter(|elo| elo.abs() <= 1000.0);
        number.with_context(|| format!("{word:?} is not an Elo difference from -1000 to 1000"))
    };
    let (elo0, elo1) = (number(elo0)?, number(elo1)?);
    ensure!(elo0 < elo1, "E0 ({elo0}) must be less than E1 ({elo1})");
    Ok(Sprt { elo0, elo1 })
}
