//! The server benchmark: how many moves the server stores, and how soon the opponent sees them.
//!
//! This module defines its options, the order of the phases and the output. The server and the bare
//! echo that it is compared with are separate processes on this machine. Goals are printed next to
//! the results and do not affect the exit code.

mod commits;
mod driver;
mod echo;
mod idle;
mod latency;
mod phases;
mod serving;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result};
use clap::Args;

use latency::Latencies;

/// The options of this benchmark.
#[derive(Args)]
pub(crate) struct ServerOptions {
    /// Number of simultaneous games
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=4000))]
    games: u32,
    /// Duration of each phase in seconds
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=600))]
    seconds: u32,
    /// Moves per second in each game while latency is measured
    #[arg(long, default_value_t = 1.0, value_parser = moves_per_second)]
    rate: f64,
    /// Number of idle sockets for the memory measurement; each process needs as many open files
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u32).range(1..=500_000))]
    idle: u32,
    /// Measure only the idle sockets
    #[arg(long)]
    idle_only: bool,
    /// The program to measure [default: castellan in the folder of this program]
    #[arg(long, value_name = "PROGRAM")]
    castellan: Option<PathBuf>,
    /// Folder for data, on the disk to measure [default: the folder of this program]
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Run as the bare echo server (internal)
    #[arg(long, hide = true)]
    echo: bool,
}

fn moves_per_second(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if (0.01..=100.0).contains(&rate) => Ok(rate),
        _ => Err("expected a number from 0.01 to 100".to_owned()),
    }
}

impl ServerOptions {
    fn games(&self) -> usize {
        self.games as usize
    }

    fn time(&self) -> Duration {
        Duration::from_secs(u64::from(self.seconds))
    }

    /// Returns the time between two moves of a game that plays by a schedule.
    fn pause(&self) -> Duration {
        Duration::from_secs_f64(1.0 / self.rate)
    }
}

/// Runs all measurements and prints the results.
pub(crate) fn run(options: &ServerOptions) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .context("cannot start the threads")?;
    if options.echo {
        return runtime.block_on(echo::serve());
    }
    serving::allow_many_sockets()?;
    let here = std::env::current_exe().context("cannot find the path of this program")?;
    let here = here.parent().context("cannot find the folder of this program")?.to_owned();
    let program = options.castellan.clone().unwrap_or_else(|| here.join("castellan"));
    let data = options.data.clone().unwrap_or(here);
    // The players of one phase may still be connected when the next begins.
    let max_sockets = options.idle as usize + 4 * options.games() + 1000;
    let sources = idle::sources(options.idle as usize);
    let config = serving::ServerConfig { program, data, max_sockets, sources };
    idle::check_limit(options.idle as usize)?;
    if options.idle_only {
        return idle_sockets(options, &config, &runtime);
    }
    let fsync = commits::measure_fsync(&config.data)?;
    eprintln!("fsync on this disk: {fsync}");
    let moves = throughput(options, &config, &runtime)?;
    latency_by_schedule(options, &config, &runtime, &fsync)?;
    idle_sockets(options, &config, &runtime)?;
    let echoes = echo_rate(options, &runtime)?;
    let commits = commits::max_rate(&config.data, options.games(), options.time())?;
    eprintln!("bare group commits: {commits:.0} rows/s with {} waiting", options.games);
    println!("ratio echo axum {:.2}", moves / echoes);
    println!("ratio commit sqlite {:.2}", moves / commits);
    Ok(())
}

/// Measures throughput: every move is answered at once. Returns the moves per second.
fn throughput(
    options: &ServerOptions,
    config: &serving::ServerConfig,
    runtime: &tokio::runtime::Runtime,
) -> Result<f64> {
    let server = config.start()?;
    let games = runtime.block_on(driver::start_games(server.address(), options.games()))?;
    let (count, latencies) = runtime.block_on(phases::closed(games, options.time()))?;
    let moves = count as f64 / options.time().as_secs_f64();
    eprintln!("closed loop, {} games: {moves:.0} durable moves/s (goal 3000)", options.games);
    eprintln!("  send to opponent: {latencies}");
    Ok(moves)
}

/// Measures latency: all games play by a schedule.
fn latency_by_schedule(
    options: &ServerOptions,
    config: &serving::ServerConfig,
    runtime: &tokio::runtime::Runtime,
    fsync: &Latencies,
) -> Result<()> {
    let server = config.start()?;
    let games = runtime.block_on(driver::start_games(server.address(), options.games()))?;
    let latencies = runtime.block_on(phases::open(games, options.pause(), options.time()))?;
    let goal = Duration::from_millis(15).max(3 * fsync.at(50));
    eprintln!(
        "open loop, {} games at {} moves/s: {} moves",
        options.games,
        options.rate,
        latencies.count()
    );
    eprintln!("  schedule to opponent: {latencies} (goal p99 {:.1} ms)", 1e3 * goal.as_secs_f64());
    Ok(())
}

/// Measures the memory of idle sockets, and games while they are open.
fn idle_sockets(
    options: &ServerOptions,
    config: &serving::ServerConfig,
    runtime: &tokio::runtime::Runtime,
) -> Result<()> {
    let server = config.start()?;
    let (sockets, pause) = (options.idle as usize, options.pause());
    let report = runtime.block_on(idle::measure(&server, sockets, pause, options.time()))?;
    eprintln!("{sockets} idle sockets: {:.1} kB each (goal 10)", report.bytes / 1e3);
    if let Some(bytes) = report.kernel_bytes {
        eprintln!("  in the kernel, for each end of a connection: {:.1} kB", bytes / 1e3);
    }
    let [alone, with_sockets] = report.latencies;
    eprintln!("  schedule to opponent without them: {alone}");
    eprintln!("  schedule to opponent with idle sockets: {with_sockets}");
    Ok(())
}

/// Measures a bare echo server with messages of the same length. Returns the messages per second.
fn echo_rate(options: &ServerOptions, runtime: &tokio::runtime::Runtime) -> Result<f64> {
    let server = serving::start_echo()?;
    let sockets = options.games();
    let count = runtime.block_on(echo::measure(server.address(), sockets, options.time()))?;
    let echoes = count as f64 / options.time().as_secs_f64();
    eprintln!("bare axum echo, {sockets} sockets: {echoes:.0} messages/s");
    Ok(echoes)
}
