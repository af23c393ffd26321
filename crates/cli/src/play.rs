//! `castellan play`: the whole system on this machine, in the browser or in the terminal.

mod browser;
mod command;
mod local_game;
mod move_text;
mod score_sheet;
mod session;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use castellan_server::{Config, LaunchConfig, LocalConfig, LocalKey, OwnCommand};
use clap::Args;

use crate::CommandStatus;
use crate::serve::{self, Database, ReaderCounts, Ready, ServerPlan};
pub(crate) use score_sheet::score_sheet;

/// The default port if it is free. It is the same each time, so that the browser recognizes the
/// page.
const PORT: u16 = 8960;

/// Memory of an external engine in addition to its hash table, in megabytes, unless the user sets it.
/// Large networks and many threads need less than half of it.
const ENGINE_MEMORY_MB: u32 = 4096;

/// Play in the browser or in the terminal
///
/// Starts a server for this machine only, with its data in your data folder, and opens the
/// browser. With --terminal, two players share this terminal: type moves in standard notation (e4,
/// Nf3, exd5, O-O, e8=Q) or from square to square (e2e4, e7e8q); type `help` for the commands.
#[derive(Args, Default)]
#[command(
    after_help = "Examples:\n  castellan play\n  castellan play --no-open --listen 127.0.0.1:0\n  \
        castellan play --terminal --chess960\n  \
        castellan play --terminal --fen \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"\n  \
        echo \"e4 e5 Nf3\" | tr ' ' '\\n' | castellan play --terminal"
)]
pub(crate) struct PlayArgs {
    /// Address to listen on; port 0 picks a free port
    #[arg(long, value_name = "ADDR", conflicts_with = "terminal")]
    listen: Option<SocketAddr>,
    /// Folder for games and accounts
    #[arg(long, value_name = "DIR", env = "CASTELLAN_DATA", conflicts_with = "terminal")]
    data: Option<PathBuf>,
    /// Folder with a web page to show instead of the one in the program
    #[arg(long, value_name = "DIR", env = "CASTELLAN_PAGE", conflicts_with = "terminal")]
    page: Option<PathBuf>,
    /// Memory of each external engine in addition to its hash table, in megabytes; 0 for no limit
    /// [default: 4096]
    #[arg(long, value_name = "MB", env = "CASTELLAN_ENGINE_MEMORY", conflicts_with = "terminal")]
    engine_memory: Option<u32>,
    /// Do not open the browser
    #[arg(long, conflicts_with = "terminal")]
    no_open: bool,
    /// Play in this terminal instead
    #[arg(long)]
    terminal: bool,
    /// Position to start from, in quotes
    #[arg(long, value_name = "FEN", conflicts_with = "chess960", requires = "terminal")]
    fen: Option<String>,
    /// Start from Chess960 position N, or from a random one
    #[arg(long, value_name = "N", num_args = 0..=1, requires = "terminal",
        value_parser = clap::value_parser!(u16).range(0..=959))]
    chess960: Option<Option<u16>>,
    /// Draw the pieces as letters
    #[arg(long, requires = "terminal")]
    ascii: bool,
}

/// Runs the command.
pub(crate) fn run(args: &PlayArgs) -> anyhow::Result<CommandStatus> {
    if args.terminal {
        return session::run(args);
    }
    let here = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), PORT);
    let folder = serve::data_folder(args.data.clone())?;
    let (key, engines) = (LocalKey::new()?, folder.join("engines.json"));
    // The page's engine has one thread; the same engine as a process of its own has as many as wanted.
    let own_engine = std::env::current_exe().ok();
    let own_engine = own_engine.map(|path| OwnCommand { path, args: vec!["uci".to_owned()] });
    let launch = launch()?;
    let engine_memory_mb = NonZeroU32::new(args.engine_memory.unwrap_or(ENGINE_MEMORY_MB));
    let plan = ServerPlan {
        listen: args.listen.unwrap_or(here),
        may_take_another_port: args.listen.is_none(),
        config: Config {
            local: Some(LocalConfig {
                key,
                engines,
                own_engine,
                launch: launch.clone(),
                engine_memory_mb,
            }),
            page: serve::page(args.page.as_deref())?,
            ..Config::default()
        },
        database: Database::Folder(folder.clone()),
        admin_file: None,
        readers: ReaderCounts::default(),
    };
    let page = folder.join(browser::PAGE);
    let is_opened = !args.no_open;
    let ran = serve::run_plan(plan, |ready| {
        if is_opened {
            browser::open(&browser_address(ready, launch.as_ref(), &page));
        }
    });
    browser::remove_page(&page);
    ran
}

/// Returns how the browser gets the key: `None` if the system cannot tell which user a connection
/// belongs to.
#[cfg(target_os = "linux")]
fn launch() -> anyhow::Result<Option<LaunchConfig>> {
    let user_id = rustix::process::geteuid().as_raw();
    Ok(Some(LaunchConfig { code: LocalKey::new()?, user_id }))
}

#[cfg(not(target_os = "linux"))]
#[expect(clippy::unnecessary_wraps, reason = "it can fail on Linux")]
fn launch() -> anyhow::Result<Option<LaunchConfig>> {
    Ok(None)
}

/// Returns the address to start the browser with. It does not contain the key, because other users
/// of the machine can read the arguments of a process.
fn browser_address(ready: &Ready, launch: Option<&LaunchConfig>, page: &Path) -> String {
    if ready.user_url == ready.url {
        return ready.url.clone();
    }
    if let Some(launch) = launch {
        return format!("{}/api/local/open?code={}", ready.url, launch.code.as_str());
    }
    match browser::write_page(page, &ready.user_url) {
        Ok(()) => page.display().to_string(),
        Err(error) => {
            tracing::warn!("cannot write {}: {error}", page.display());
            ready.url.clone()
        }
    }
}
