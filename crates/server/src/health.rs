//! Health and metrics endpoints: `/healthz` for supervisors, `/metrics` for monitoring.

use core::time::Duration;
use std::time::Instant;

use axum::Json;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{Extensions, HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use castellan_store::StoreError;
use serde::Serialize;
use tokio::sync::Mutex;
use utoipa::ToSchema;

use crate::address::{Peer, is_forwarded};
use crate::config::MetricsReaders;
use crate::error::{ApiError, ErrorBody};
use crate::state::{AppState, Services};

/// Maximum time that the store may take to respond before it counts as slow. Supervisors, such as
/// the health check of our container, wait about five seconds.
const STORE_TIMEOUT: Duration = Duration::from_secs(3);

/// The state of the server.
#[derive(Serialize, ToSchema)]
pub(crate) struct Health {
    /// `true` if games can be played, which they can if the store accepts writes.
    is_well: bool,
    /// Whether a move could be stored now: `works`, `fails` or `slow`.
    #[schema(example = "works")]
    store: &'static str,
    /// Connection to other nodes: `connected`, `lost`, or `none` for a standalone server. Games
    /// continue without it.
    #[schema(example = "none")]
    bus: &'static str,
}

/// Check whether games can be played.
#[utoipa::path(get, path = "/healthz", tag = "operation", responses(
    (status = 200, body = Health, description = "The server is healthy"),
    (status = 503, body = Health, description = "The database is unavailable"),
))]
pub(crate) async fn health(State(state): State<AppState>) -> Response {
    let probe = state.services.store_probe.run(&state.services);
    let store = match tokio::time::timeout(STORE_TIMEOUT, probe).await {
        Ok(Ok(())) => "works",
        Ok(Err(error)) => {
            tracing::warn!("the database is unavailable: {error}");
            "fails"
        }
        Err(_) => "slow",
    };
    let bus = match &state.services.bus {
        bus if !bus.is_joined() => "none",
        bus if bus.connected_for().is_some() => "connected",
        _ => "lost",
    };
    let is_well = store == "works";
    let status = if is_well { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(Health { is_well, store, bus })).into_response()
}

/// A check whether the store can write, as it has to for every move. Requests that arrive during a
/// check share the next one, so that a flood of them costs one write at a time.
#[derive(Debug, Default)]
pub(crate) struct StoreProbe(Mutex<Option<(Instant, Result<(), StoreError>)>>);

impl StoreProbe {
    /// Writes to the store, unless another request has done so since this one arrived.
    async fn run(&self, services: &Services) -> Result<(), StoreError> {
        let arrived = Instant::now();
        let mut last = self.0.lock().await;
        if let Some((began, result)) = &*last
            && *began >= arrived
        {
            return result.clone();
        }
        let began = Instant::now();
        let result = services.store.heartbeat(services.clock.now()).await;
        *last = Some((began, result.clone()));
        result
    }
}

const PROMETHEUS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Get metrics in the Prometheus format.
#[utoipa::path(get, path = "/metrics", tag = "operation", responses(
    (status = 200, body = String, content_type = "text/plain", description = "For Prometheus"),
    (status = 403, body = ErrorBody, description = "`forbidden`: not from this machine"),
))]
pub(crate) async fn metrics(
    State(state): State<AppState>,
    headers: HeaderMap,
    extensions: Extensions,
) -> Result<Response, ApiError> {
    if !may_read(state.services.config.metrics_readers, &headers, &extensions) {
        return Err(ApiError::Forbidden);
    }
    let text = {
        let services = &state.services;
        let live = state.hub.shared();
        services.metrics.engine_queued.set(live.engines.queued() as f64);
        services.metrics.rooms.set(live.rooms.open_count() as f64);
        services.metrics.room_inbox.set(live.rooms.longest_inbox() as f64);
        services.metrics.render(&services.store.metrics(), services.bus.metrics())
    };
    Ok(([(CONTENT_TYPE, PROMETHEUS)], text).into_response())
}

/// Returns `true` if the client may read the metrics. Requests through a proxy on this machine do
/// not count as local, because they come from elsewhere.
fn may_read(readers: MetricsReaders, headers: &HeaderMap, extensions: &Extensions) -> bool {
    let is_here = || {
        let peer = extensions.get::<Peer>();
        peer.is_some_and(|peer| peer.remote.ip().to_canonical().is_loopback())
            && !is_forwarded(headers)
    };
    readers == MetricsReaders::All || is_here()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_are_for_this_machine_unless_opened() {
        let from = |address: &str| {
            let mut extensions = Extensions::new();
            let remote = address.parse().unwrap();
            extensions.insert(Peer { remote, local: remote });
            extensions
        };
        let mut forwarded = HeaderMap::new();
        forwarded.insert("x-forwarded-for", "192.0.2.1".parse().unwrap());
        let direct = HeaderMap::new();
        let here = MetricsReaders::ThisMachine;
        assert!(may_read(here, &direct, &from("127.0.0.1:1")));
        assert!(may_read(here, &direct, &from("[::1]:1")));
        assert!(!may_read(here, &direct, &from("192.0.2.1:1")));
        assert!(!may_read(here, &forwarded, &from("127.0.0.1:1")));
        assert!(!may_read(here, &direct, &Extensions::new()));
        assert!(may_read(MetricsReaders::All, &forwarded, &from("192.0.2.1:1")));
    }
}
