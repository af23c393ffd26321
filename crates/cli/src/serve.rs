//! `castellan serve`: runs the server. `castellan play` uses the same code for a server that only
//! this machine can reach.
//!
//! This module handles arguments, environment variables, logs and signals. The server itself is
//! `castellan-server`.

mod config_file;
mod data_folder;
mod mail;
mod process;
mod simple_clock;
mod tls;

use std::env;
use std::io::{self, ErrorKind, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use castellan_server::live::LiveConfig;
use castellan_server::{
    AdminKey, Bus, BusAddress, Clock, Config, HeartbeatConfig, Listeners, MailFrom, MetricsReaders,
    Page, PublicOrigin, Random, Services,
};
use castellan_store::{Retention, Store, postgres, sqlite};
use clap::{Args, ValueEnum};
use tokio::net::TcpListener;

use crate::CommandStatus;
use crate::admin::AdminFile;
pub(crate) use data_folder::data_folder;
use process::{raise_file_limit, shutdown_signal, start_log};
use simple_clock::SimpleClock;

/// Run a server for other players
///
/// Every option can also be set with an environment variable or in a file (--config). That is
/// safer for a --database with a password, because other users of the machine can see command
/// lines. Logs go to standard error; CASTELLAN_LOG sets the level (error, warn, info, debug).
#[derive(Args)]
#[command(
    after_help = "Examples:\n  castellan serve --listen 0.0.0.0:8080 --data /var/lib/castellan\n  \
        castellan serve --origin https://chess.example.org --trusted-proxy 127.0.0.1\n  \
        CASTELLAN_DATABASE=postgres://castellan:secret@localhost/castellan castellan serve\n  \
        castellan serve --database postgres://db/castellan --bus nats://bus:4222\n  \
        castellan serve --config /etc/castellan.toml --check-config"
)]
pub(crate) struct ServeArgs {
    /// File with options in TOML, such as listen = "0.0.0.0:8080"; options and environment
    /// variables take precedence
    #[arg(long, value_name = "FILE", env = "CASTELLAN_CONFIG")]
    config: Option<PathBuf>,
    /// Only check the options and the file
    #[arg(long)]
    check_config: bool,
    /// Address to listen on; port 0 picks a free port
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:8080", env = "CASTELLAN_LISTEN")]
    listen: SocketAddr,
    /// PEM file with the certificate for HTTPS; needs --tls-key. If the files change, the server uses
    /// the new ones without a restart
    #[arg(long, value_name = "FILE", env = "CASTELLAN_TLS_CERT")]
    tls_cert: Option<PathBuf>,
    /// Private key of the certificate in PEM, without a passphrase
    #[arg(long, value_name = "FILE", env = "CASTELLAN_TLS_KEY")]
    tls_key: Option<PathBuf>,
    /// Folder for games and accounts, stored in SQLite
    #[arg(long, value_name = "DIR", env = "CASTELLAN_DATA")]
    data: Option<PathBuf>,
    /// PostgreSQL database to use instead of a folder: postgres://USER:PASSWORD@HOST/NAME
    #[arg(long, value_name = "URL", env = "CASTELLAN_DATABASE", hide_env_values = true)]
    database: Option<String>,
    /// NATS server that connects several servers with the same --database: nats://HOST:PORT
    #[arg(long, value_name = "URL", env = "CASTELLAN_BUS", hide_env_values = true)]
    bus: Option<String>,
    /// Public URL of the server, if it is behind a proxy
    #[arg(long, value_name = "URL", env = "CASTELLAN_ORIGIN", value_delimiter = ',')]
    origin: Vec<PublicOrigin>,
    /// IP address of a proxy whose X-Forwarded-For header is trusted
    #[arg(long, value_name = "IP", env = "CASTELLAN_TRUSTED_PROXY", value_delimiter = ',')]
    trusted_proxy: Vec<IpAddr>,
    /// IP address exempt from rate limits, for load tests
    #[arg(long, value_name = "IP", env = "CASTELLAN_UNLIMITED", value_delimiter = ',')]
    unlimited: Vec<IpAddr>,
    /// Number of threads for games against the computer; 0 turns such games off
    #[arg(long, value_name = "N", default_value_t = 1, env = "CASTELLAN_ENGINE_THREADS",
        value_parser = clap::value_parser!(u16).range(0..=256))]
    engine_threads: u16,
    /// Share of its time that each of these threads may spend on searching
    #[arg(long, value_name = "PERCENT", default_value_t = 100, env = "CASTELLAN_ENGINE_SHARE",
        value_parser = clap::value_parser!(u8).range(1..=100))]
    engine_share: u8,
    /// Maximum number of connected players and spectators
    #[arg(long, value_name = "N", default_value_t = 100_000, env = "CASTELLAN_MAX_SOCKETS",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_sockets: u32,
    /// Maximum number of HTTP connections
    #[arg(long, value_name = "N", default_value_t = 4096, env = "CASTELLAN_MAX_CONNECTIONS",
        value_parser = clap::value_parser!(u32).range(16..=1_000_000))]
    max_connections: u32,
    /// Maximum number of games in memory
    #[arg(long, value_name = "N", default_value_t = 20_000, env = "CASTELLAN_MAX_GAMES",
        value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    max_games: u32,
    /// Number of database queries that run at the same time, apart from searches
    #[arg(long, value_name = "N", default_value_t = 4, env = "CASTELLAN_READERS",
        value_parser = clap::value_parser!(u16).range(1..=256))]
    readers: u16,
    /// Number of searches and statistics that run at the same time
    #[arg(long, value_name = "N", default_value_t = 2, env = "CASTELLAN_SEARCH_READERS",
        value_parser = clap::value_parser!(u16).range(1..=256))]
    search_readers: u16,
    /// Clock of games in the plain protocol: minutes and an increment in seconds, or unlimited
    #[arg(long, value_name = "CLOCK", default_value = "10+5", env = "CASTELLAN_SIMPLE_CLOCK")]
    simple_clock: SimpleClock,
    /// Folder with a web page to serve instead of the one in the program
    #[arg(long, value_name = "DIR", env = "CASTELLAN_PAGE")]
    page: Option<PathBuf>,
    /// File for `castellan admin`, with the address and the key of this server; with --data, it is
    /// castellan.admin in that folder
    #[arg(long, value_name = "FILE", env = "CASTELLAN_ADMIN_FILE")]
    admin_file: Option<PathBuf>,
    /// Let anyone read /metrics, not only programs on this machine
    #[arg(long, env = "CASTELLAN_OPEN_METRICS")]
    open_metrics: bool,
    /// Log every request: its address, path, status and time
    #[arg(long, env = "CASTELLAN_ACCESS_LOG")]
    access_log: bool,
    /// Days after which the chat of a game that has ended is deleted; 0 keeps it for good
    #[arg(long, value_name = "DAYS", default_value_t = 0, env = "CASTELLAN_KEEP_CHAT",
        value_parser = clap::value_parser!(u32).range(0..=MAX_DAYS))]
    keep_chat: u32,
    /// Days after which a report that was closed is deleted; 0 keeps it for good
    #[arg(long, value_name = "DAYS", default_value_t = 0, env = "CASTELLAN_KEEP_REPORTS",
        value_parser = clap::value_parser!(u32).range(0..=MAX_DAYS))]
    keep_reports: u32,
    /// Days after which an entry of the audit log is deleted; 0 keeps it for good
    #[arg(long, value_name = "DAYS", default_value_t = 0, env = "CASTELLAN_KEEP_AUDIT",
        value_parser = clap::value_parser!(u32).range(0..=MAX_DAYS))]
    keep_audit: u32,
    /// Mail server for e-mail to the owners of accounts, who can then get a new password:
    /// smtps://USER:PASSWORD@HOST, or smtp:// for STARTTLS; needs --mail-from
    #[arg(long, value_name = "URL", env = "CASTELLAN_SMTP", hide_env_values = true)]
    smtp: Option<String>,
    /// File with the password of the mail server
    #[arg(long, value_name = "FILE", env = "CASTELLAN_SMTP_PASSWORD_FILE")]
    smtp_password_file: Option<PathBuf>,
    /// Sender of mail, such as "Castellan <chess@example.org>"
    #[arg(long, value_name = "ADDRESS", env = "CASTELLAN_MAIL_FROM")]
    mail_from: Option<MailFrom>,
    /// Log format
    #[arg(long, value_enum, default_value = "text", env = "CASTELLAN_LOG_FORMAT")]
    log_format: LogFormat,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum LogFormat {
    /// Human-readable lines
    Text,
    /// One JSON object per line
    Json,
}

/// Largest number of days for which data can be kept: a hundred years.
const MAX_DAYS: i64 = 36_500;

/// Name of the database in the data folder.
pub(crate) const DATABASE: &str = "castellan.db";

/// Name of the file in the data folder through which `castellan admin` finds the server.
pub(crate) const ADMIN_FILE: &str = "castellan.admin";

/// Where games and accounts are stored.
pub(crate) enum Database {
    /// A SQLite file in this folder.
    Folder(PathBuf),
    /// A PostgreSQL server at this address.
    Postgres(String),
    /// A PostgreSQL server at this address, shared by several nodes that exchange events over a
    /// bus.
    Shared(String, BusAddress),
}

/// The configuration of a server to run.
pub(crate) struct ServerPlan {
    pub(crate) listen: SocketAddr,
    /// Whether to use any other free port if this one is taken.
    pub(crate) may_take_another_port: bool,
    pub(crate) database: Database,
    /// File for `castellan admin`; `None` if it is not served.
    pub(crate) admin_file: Option<PathBuf>,
    pub(crate) readers: ReaderCounts,
    pub(crate) config: Config,
}

/// Numbers of database queries at a time.
#[derive(Clone, Copy)]
pub(crate) struct ReaderCounts {
    lookups: u16,
    searches: u16,
}

impl Default for ReaderCounts {
    fn default() -> ReaderCounts {
        ReaderCounts { lookups: 4, searches: 2 }
    }
}

/// Addresses of a server that accepts connections.
pub(crate) struct Ready {
    pub(crate) url: String,
    /// Address for the user who started the server. It contains the key, if there is one.
    pub(crate) user_url: String,
}

/// Runs the command.
pub(crate) fn run(args: &ServeArgs) -> anyhow::Result<CommandStatus> {
    let completed;
    let args = match &args.config {
        Some(path) => {
            // The first word is the name of the program, and the second that of the command.
            completed = config_file::complete(env::args_os().skip(1).collect(), path)?;
            &completed
        }
        None => args,
    };
    let plan = plan(args)?;
    if args.check_config {
        writeln!(io::stdout(), "the configuration is valid")?;
        return Ok(CommandStatus::Success);
    }
    start_log(args.log_format);
    serve_plan(plan, |_| ())
}

/// Returns the server that the options describe.
fn plan(args: &ServeArgs) -> anyhow::Result<ServerPlan> {
    // The parser of the command line would repeat a wrong address, with the password in it.
    let bus = args.bus.as_deref().map(str::parse::<BusAddress>).transpose();
    let bus = bus.context("the value of --bus is not valid")?;
    let database = match (&args.database, &args.data, bus) {
        (Some(_), Some(_), _) => anyhow::bail!("use either --data or --database, not both"),
        (Some(url), None, Some(bus)) => Database::Shared(url.clone(), bus),
        (Some(url), None, None) => Database::Postgres(url.clone()),
        (None, _, Some(_)) => anyhow::bail!(
            "--bus connects servers that share a PostgreSQL database; specify the database with \
             --database"
        ),
        (None, folder, None) => Database::Folder(data_folder(folder.clone())?),
    };
    let admin_file = match &database {
        Database::Folder(folder) => Some(folder.join(ADMIN_FILE)),
        Database::Postgres(_) | Database::Shared(..) => None,
    };
    let admin_file = args.admin_file.clone().or(admin_file);
    let metrics_readers =
        if args.open_metrics { MetricsReaders::All } else { MetricsReaders::ThisMachine };
    let config = Config {
        origins: args.origin.clone(),
        tls: tls::load(args)?,
        mail: mail::config(args)?,
        retention: Retention {
            chat: days(args.keep_chat),
            reports: days(args.keep_reports),
            audit: days(args.keep_audit),
        },
        trusted_proxies: args.trusted_proxy.iter().map(IpAddr::to_canonical).collect(),
        unlimited: args.unlimited.iter().map(IpAddr::to_canonical).collect(),
        metrics_readers,
        page: page(args.page.as_deref())?,
        is_logging_requests: args.access_log,
        max_sockets: args.max_sockets as usize,
        max_connections: args.max_connections as usize,
        live: LiveConfig {
            engine_threads: args.engine_threads.into(),
            engine_share_percent: args.engine_share.into(),
            max_games: args.max_games as usize,
            simple_time_control: args.simple_clock.0,
            ..LiveConfig::default()
        },
        ..Config::default()
    };
    let readers = ReaderCounts { lookups: args.readers, searches: args.search_readers };
    Ok(ServerPlan {
        listen: args.listen,
        may_take_another_port: false,
        database,
        admin_file,
        readers,
        config,
    })
}

/// Returns for how long to keep something; `None` for good.
fn days(number: u32) -> Option<Duration> {
    (number > 0).then(|| Duration::from_secs(86_400 * u64::from(number)))
}

/// Returns the page from a folder, or else the one in the program.
pub(crate) fn page(folder: Option<&Path>) -> anyhow::Result<Page> {
    let Some(folder) = folder else { return Ok(Page::embedded()) };
    Page::from_folder(folder).context("cannot use --page")
}

/// Runs the server until it is interrupted, with a human-readable log.
pub(crate) fn run_plan(
    plan: ServerPlan,
    on_ready: impl FnOnce(&Ready),
) -> anyhow::Result<CommandStatus> {
    start_log(LogFormat::Text);
    serve_plan(plan, on_ready)
}

fn serve_plan(plan: ServerPlan, on_ready: impl FnOnce(&Ready)) -> anyhow::Result<CommandStatus> {
    raise_file_limit();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.context("cannot start the server's threads")?;
    runtime.block_on(serve(plan, on_ready))
}

/// Smallest difference from the database's clock that is logged.
const CLOCK_WARNING_MS: u64 = 500;

async fn serve(plan: ServerPlan, on_ready: impl FnOnce(&Ready)) -> anyhow::Result<CommandStatus> {
    // The signal handlers come first, so that an interrupt during startup is not lost.
    let shutdown = shutdown_signal().context("cannot install the signal handlers")?;
    let listener = listen(&plan).await?;
    let address = listener.local_addr().context("cannot get the address of the listener")?;
    let store = open(&plan.database, plan.readers).await?;
    let clock = Clock::system();
    let change_ms = clock.agree_with(&*store).await?;
    if change_ms.unsigned_abs() >= CLOCK_WARNING_MS {
        tracing::warn!(
            "the clock of this machine differs from the database server's by {change_ms} ms; the \
             server uses the time of the database"
        );
    }
    let bus = match &plan.database {
        Database::Shared(_, address) => {
            Bus::nats(address, store.identity().await?, HeartbeatConfig::default(), &clock).await?
        }
        Database::Folder(_) | Database::Postgres(_) => Bus::alone(),
    };
    let is_local = address.ip().is_loopback();
    let operator = operator_listener(&plan).await?;
    let admin_address = match &operator {
        Some(listener) => listener.local_addr().context("cannot get the operator's address")?,
        None => address,
    };
    let (admin_key, admin_file) = admin_file(plan.admin_file, admin_address)?.unzip();
    let data_folder = match plan.database {
        Database::Folder(folder) => Some(folder),
        Database::Postgres(_) | Database::Shared(..) => None,
    };
    let config = Config { is_local, admin_key, data_folder, ..plan.config };
    let scheme = if config.tls.is_some() { "https" } else { "http" };
    let url = format!("{scheme}://{address}");
    let ready = Ready { user_url: user_url(&url, &config), url };
    let running = async {
        let Ready { url, user_url } = &ready;
        let mut out = io::stdout().lock();
        // The parent process may have closed the output.
        let _ = writeln!(out, "listening on {url}").and_then(|()| out.flush());
        if user_url != url {
            let _ = writeln!(out, "open in your browser: {user_url}").and_then(|()| out.flush());
        }
        drop(out);
        on_ready(&ready);
        shutdown.await;
    };
    let services = Services::new(config, Arc::clone(&store), clock, Random::system());
    let services = Arc::new(services.joined(bus));
    let listeners = Listeners { public: listener, operator };
    let served = castellan_server::serve_with(services, listeners, running).await;
    drop(admin_file);
    let closed = store.close().await.context("the database was not closed cleanly");
    served?;
    closed.map(|()| CommandStatus::Success)
}

/// Creates the operator's key and the file with it.
fn admin_file(
    path: Option<PathBuf>,
    listener: SocketAddr,
) -> anyhow::Result<Option<(AdminKey, AdminFile)>> {
    let Some(path) = path else { return Ok(None) };
    let key = AdminKey::new()?;
    let context = format!("cannot write {}", path.display());
    let file = AdminFile::create(path, listener, &key).context(context)?;
    Ok(Some((key, file)))
}

/// Returns the address for the user who started the server. The part after the hash never leaves
/// the browser.
fn user_url(url: &str, config: &Config) -> String {
    match &config.local {
        Some(local) if config.is_local => format!("{url}/#key={}", local.key.as_str()),
        _ => url.to_owned(),
    }
}

async fn listen(plan: &ServerPlan) -> anyhow::Result<TcpListener> {
    let mut listener = TcpListener::bind(plan.listen).await;
    let is_taken = |error: &io::Error| error.kind() == ErrorKind::AddrInUse;
    if plan.may_take_another_port && listener.as_ref().is_err_and(is_taken) {
        listener = TcpListener::bind(SocketAddr::new(plan.listen.ip(), 0)).await;
    }
    listener.with_context(|| format!("cannot listen on {}", plan.listen))
}

/// Opens a port of this machine for `castellan admin`, if the server itself speaks only TLS. Its
/// certificate is for the public name of the server, and not for this machine.
async fn operator_listener(plan: &ServerPlan) -> anyhow::Result<Option<TcpListener>> {
    if plan.config.tls.is_none() || plan.admin_file.is_none() {
        return Ok(None);
    }
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
    Ok(Some(listener.context("cannot listen for `castellan admin` on this machine")?))
}

/// Creates the data folder, unless it exists.
pub(crate) fn create_folder(folder: &Path) -> anyhow::Result<()> {
    data_folder::create(folder)
        .with_context(|| format!("cannot use the folder {}", folder.display()))
}

async fn open(
    database: &Database,
    ReaderCounts { lookups, searches }: ReaderCounts,
) -> anyhow::Result<Arc<dyn Store>> {
    let postgres_options = |is_shared| postgres::PostgresOptions {
        readers: lookups.into(),
        search_readers: searches.into(),
        is_shared,
        ..postgres::PostgresOptions::default()
    };
    Ok(match database {
        Database::Folder(folder) => {
            create_folder(folder)?;
            let options = sqlite::SqliteOptions {
                readers: lookups.into(),
                search_readers: searches.into(),
                ..sqlite::SqliteOptions::default()
            };
            sqlite::open(folder.join(DATABASE), options)?
        }
        Database::Postgres(url) => postgres::connect(url, postgres_options(false)).await?,
        Database::Shared(url, _) => postgres::connect(url, postgres_options(true)).await?,
    })
}
