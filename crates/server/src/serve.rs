//! The server from startup to shutdown.

use core::time::Duration;
use std::future::Future;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use castellan_store::{Store, StoreError};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::clock::Clock;
use crate::config::Config;
use crate::listener::{Endpoint, accept};
use crate::live::Hub;
use crate::mail;
use crate::metrics::Metrics;
use crate::random::Random;
use crate::router::{operator_router, router};
use crate::state::{AppState, Services};
use crate::tls::Tls;

/// Why a server did not start.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ServeError {
    /// The games that were running could not be resumed.
    #[error("cannot resume the running games: {0}")]
    Store(#[from] StoreError),
}

/// The sockets on which a server accepts connections.
#[derive(Debug)]
pub struct Listeners {
    /// For players, with TLS if the configuration has a certificate.
    pub public: TcpListener,
    /// For commands of the operator, without TLS; it should be reachable only from this machine.
    pub operator: Option<TcpListener>,
}

impl From<TcpListener> for Listeners {
    fn from(public: TcpListener) -> Listeners {
        Listeners { public, operator: None }
    }
}

/// Serves until `shutdown` completes, then announces the shutdown to the players and stops.
///
/// By then, every announced move is in the store. The caller has to close the store.
///
/// # Errors
/// Fails if the store cannot be read or written at startup.
pub async fn serve(
    config: Config,
    store: Arc<dyn Store>,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let services = Services::new(config, store, Clock::system(), Random::system());
    serve_with(Arc::new(services), listener, shutdown).await
}

/// Serves with services of the caller's choice, such as another clock or source of random
/// numbers.
///
/// # Errors
/// Fails as [`serve`] does.
pub async fn serve_with(
    services: Arc<Services>,
    listeners: impl Into<Listeners>,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let Listeners { public, operator } = listeners.into();
    let hub = Hub::start(Arc::clone(&services)).await?;
    let state = AppState { services: Arc::clone(&services), hub: hub.clone() };
    if let Some(folder) = services.config.data_folder.clone() {
        measure_disk(folder, &services.metrics).await;
    }
    let (stop, stopped) = watch::channel(false);
    let chores = tokio::spawn(do_chores(Arc::clone(&services)));
    let mailing = tokio::spawn(mail::deliver(Arc::clone(&services)));
    let tls = services.config.tls.clone();
    let endpoint = Endpoint { listener: public, router: router(&state), tls };
    let accepting = accept(endpoint, Arc::clone(&services), stopped.clone());
    let operating = async {
        if let Some(listener) = operator {
            let endpoint = Endpoint { listener, router: operator_router(&state), tls: None };
            accept(endpoint, Arc::clone(&services), stopped).await;
        }
    };
    let ending = async {
        tokio::select! {
            () = shutdown => {}
            () = asked_to_quit(&services) => {}
        }
        tracing::info!("shutting down");
        stop.send_replace(true);
        if let Some(local) = &services.local {
            local.close();
        }
        hub.shutdown(services.config.shutdown_timeout).await;
    };
    // Connections have a time limit of their own to finish.
    tokio::join!(accepting, operating, ending);
    chores.abort();
    mailing.abort();
    Ok(())
}

/// Waits until the user who started the program asks it to quit; forever if it serves others.
async fn asked_to_quit(services: &Services) {
    match &services.local {
        Some(local) => local.asked_to_quit().await,
        None => std::future::pending().await,
    }
}

const FOLDING: Duration = Duration::from_secs(5);
const FOLDINGS_PER_CLEANING: u32 = 720;

/// Runs periodic maintenance: compacts histograms, ends idle engines, reloads the certificate,
/// measures the free disk space, and deletes data that has expired or passed its retention period.
async fn do_chores(services: Arc<Services>) {
    let mut ticks = tokio::time::interval(FOLDING);
    let mut is_cleaning = false;
    for tick in (0..FOLDINGS_PER_CLEANING).cycle() {
        ticks.tick().await;
        services.metrics.upkeep();
        if let Some(local) = &services.local {
            local.tidy();
        }
        if let Some(tls) = services.config.tls.clone() {
            reload_certificate(tls, &services.metrics).await;
        }
        if let Some(folder) = services.config.data_folder.clone() {
            measure_disk(folder, &services.metrics).await;
        }
        if tick == 0 || is_cleaning {
            is_cleaning = match clean(&services).await {
                // There may be more than is deleted at a time.
                Ok(deleted) => deleted > 0,
                Err(error) => {
                    tracing::warn!("old data could not be deleted: {error}");
                    false
                }
            };
        }
    }
}

/// Measures the free space for the database.
async fn measure_disk(folder: PathBuf, metrics: &Metrics) {
    match tokio::task::spawn_blocking(move || free_bytes(&folder)).await {
        Ok(Ok(bytes)) => metrics.set_disk_free(bytes),
        Ok(Err(error)) => tracing::debug!("the free disk space is not known: {error}"),
        // The server is shutting down.
        Err(_) => {}
    }
}

/// Returns the space that this user can still fill in the file system of a folder.
#[cfg(unix)]
fn free_bytes(folder: &Path) -> io::Result<u64> {
    let space = rustix::fs::statvfs(folder)?;
    Ok(space.f_bavail.saturating_mul(space.f_frsize))
}

#[cfg(not(unix))]
fn free_bytes(_: &Path) -> io::Result<u64> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Deletes some of the data that has expired or passed its retention period. Returns the number of
/// rows.
async fn clean(services: &Services) -> Result<u64, StoreError> {
    let (store, now) = (&services.store, services.clock.now());
    let expired = store.delete_expired(now).await?;
    let old = store.moderation().delete_old(now, services.config.retention).await?;
    if old > 0 {
        tracing::info!(rows = old, "deleted old chat, reports or entries of the audit log");
    }
    Ok(expired + old)
}

/// Uses the certificate in the files if they have changed.
async fn reload_certificate(tls: Tls, metrics: &Metrics) {
    match tokio::task::spawn_blocking(move || tls.reload()).await {
        Ok(Some(Ok(()))) => {
            metrics.tls_reload_failed.set(0.0);
            tracing::info!("the certificate was reloaded");
        }
        Ok(Some(Err(error))) => {
            metrics.tls_reload_failed.set(1.0);
            tracing::error!("the new certificate cannot be used, and the old one stays: {error}");
        }
        // Nothing has changed, or the server is shutting down.
        Ok(None) | Err(_) => {}
    }
}
