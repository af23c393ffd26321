//! The process of a server: its log, its signals and its limits.

use std::env;
use std::future::Future;
use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;

use super::LogFormat;

/// What is logged unless `CASTELLAN_LOG` says otherwise. The clients of PostgreSQL and NATS report steps
/// that mean nothing to an operator; the server logs itself when a connection is lost or back.
const DEFAULT_FILTER: &str = "info,sqlx=warn,async_nats=warn";

/// Starts logging to standard error. An error is ignored, because tests that run several servers
/// in one process may have started the log already.
pub(super) fn start_log(format: LogFormat) {
    let filter = EnvFilter::try_from_env("CASTELLAN_LOG").unwrap_or_else(|_| DEFAULT_FILTER.into());
    // A file or a journal has no use for colors.
    let is_colored = io::stderr().is_terminal() && env::var_os("NO_COLOR").is_none();
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    let log = log.with_ansi(is_colored);
    let _ = match format {
        LogFormat::Text => log.with_target(false).try_init(),
        LogFormat::Json => log.json().try_init(),
    };
}

/// Returns a future that waits for Ctrl-C or the termination signal of a service manager.
#[cfg(unix)]
pub(super) fn shutdown_signal() -> io::Result<impl Future<Output = ()>> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

/// Returns a future that waits for Ctrl-C.
#[cfg(not(unix))]
pub(super) fn shutdown_signal() -> io::Result<impl Future<Output = ()>> {
    Ok(async {
        if let Err(error) = tokio::signal::ctrl_c().await {
            tracing::warn!("cannot listen for Ctrl-C: {error}");
            std::future::pending::<()>().await;
        }
    })
}

/// Raises the limit on open files. Every socket counts as one, and the default limit is about a
/// thousand.
#[cfg(unix)]
pub(super) fn raise_file_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    if let Err(error) = setrlimit(Resource::Nofile, limit) {
        tracing::warn!("cannot raise the limit on open files: {error}");
    }
}

#[cfg(not(unix))]
pub(super) fn raise_file_limit() {}
