//! The server from its start to its end.

use core::time::Duration;
use std::future::Future;
use std::sync::Arc;

use castellan_store::{Store, StoreError};
use tokio::net::TcpListener;
use tokio::sync::watch;

use crate::clock::Clock;
use crate::config::Config;
use crate::connections::accept;
use crate::live::Hub;
use crate::random::Random;
use crate::router::router;
use crate::state::{AppState, Services};

/// Why a server did not start.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ServeError {
    /// The games that were running could not be taken up.
    #[error("the games of before cannot be taken up: {0}")]
    Store(#[from] StoreError),
}

/// Serves until `shutdown` is done, then tells the players and ends what is running.
///
/// Every move that was announced is in the store by then. The store is the caller's to close.
///
/// # Errors
/// If the store does not answer at the start.
pub async fn serve(
    config: Config,
    store: Arc<dyn Store>,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let services = Services::new(config, store, Clock::system(), Random::system());
    serve_with(Arc::new(services), listener, shutdown).await
}

/// The same with a clock and a source of chance of the caller's.
///
/// # Errors
/// As for [`serve`].
pub async fn serve_with(
    services: Arc<Services>,
    listener: TcpListener,
    shutdown: impl Future<Output = ()>,
) -> Result<(), ServeError> {
    let hub = Hub::start(Arc::clone(&services)).await?;
    let state = AppState { services: Arc::clone(&services), hub: hub.clone() };
    let (stop, stopped) = watch::channel(false);
    let chores = tokio::spawn(do_chores(Arc::clone(&services)));
    let accepting = accept(listener, router(&state), Arc::clone(&services), stopped);
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
    // Connections have a time of their own in which to end.
    tokio::join!(accepting, ending);
    chores.abort();
    Ok(())
}

/// Waits until whoever started the program wants it to end; for ever if it serves others.
async fn asked_to_quit(services: &Services) {
    match &services.local {
        Some(local) => local.asked_to_quit().await,
        None => std::future::pending().await,
    }
}

const FOLDING: Duration = Duration::from_secs(5);
const FOLDINGS_PER_CLEANING: u32 = 720;

/// What has to be done now and then: histograms are folded, and what has expired is deleted.
async fn do_chores(services: Arc<Services>) {
    let mut ticks = tokio::time::interval(FOLDING);
    for tick in (0..FOLDINGS_PER_CLEANING).cycle() {
        ticks.tick().await;
        services.metrics.upkeep();
        if let Some(local) = &services.local {
            local.tidy();
        }
        if tick == 0 {
            let deleted = services.store.delete_expired(services.clock.now()).await;
            if let Err(error) = deleted {
                tracing::warn!("what has expired could not be deleted: {error}");
            }
        }
    }
}
