//! The two WebSocket endpoints, and the limits on open connections.
//!
//! A connection is accepted only from our own page or from a program without a cookie, because
//! browsers let any page open WebSockets to any server and send cookies along.

use core::future::Future;
use std::net::IpAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;
use axum::routing::get;
use castellan_protocol::{MAX_MESSAGE_BYTES, MAX_SERVER_MESSAGE_BYTES};
use metrics::Gauge;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connection::{Connection, Protocol};
use super::full::FullClient;
use super::simple::SimpleClient;
use super::socket::{Client, ConnectionContext, MessageStream, serve_connection};
use super::tasks::TaskGuard;
use crate::address::ClientAddress;
use crate::address_limit::{AddressGuard, AddressLimit};
use crate::config::Config;
use crate::error::ApiError;
use crate::identity::Identity;
use crate::metrics::Metrics;
use crate::origin::SameOrigin;
use crate::rates::Action;
use crate::state::AppState;

/// Size of the read buffer. An idle connection holds this much memory.
const READ_BUFFER_BYTES: usize = 4096;
/// Size of the write buffer. A batch of messages is flushed in any case.
const WRITE_BUFFER_BYTES: usize = 4096;

/// Returns the routes `/ws` and `/ws/simple`.
pub fn routes() -> Router<AppState> {
    Router::new().route("/ws", get(open_full)).route("/ws/simple", get(open_simple))
}

async fn open_full(
    State(state): State<AppState>,
    _: SameOrigin,
    address: ClientAddress,
    who: Option<Identity>,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    open(
        &state,
        address,
        upgrade,
        |context| Client::Full(FullClient::new(context, address, who)),
        Protocol::Full,
    )
}

async fn open_simple(
    State(state): State<AppState>,
    _: SameOrigin,
    address: ClientAddress,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, ApiError> {
    open(
        &state,
        address,
        upgrade,
        |context| Client::Simple(SimpleClient::new(context, address)),
        Protocol::Simple,
    )
}

fn open(
    state: &AppState,
    address: ClientAddress,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    client: impl FnOnce(&ConnectionContext) -> Client,
    protocol: Protocol,
) -> Result<Response, ApiError> {
    let upgrade = upgrade.map_err(|_| ApiError::SocketsOnly)?;
    let accepted = accept(state, address, protocol, client)?;
    Ok(upgrade
        .read_buffer_size(READ_BUFFER_BYTES)
        .write_buffer_size(WRITE_BUFFER_BYTES)
        .max_write_buffer_size(2 * MAX_SERVER_MESSAGE_BYTES)
        .max_message_size(MAX_MESSAGE_BYTES)
        .max_frame_size(MAX_MESSAGE_BYTES)
        .on_upgrade(async move |socket| {
            // A separate task is as small as the connection's state; the task of the upgrade
            // would also keep what the upgrade needed.
            tokio::spawn(accepted.serve(socket));
        }))
}

/// A connection within the limits, whose socket does not exist yet.
pub(crate) struct Accepted {
    context: ConnectionContext,
    client: Client,
    guards: (ConnectionGuard, TaskGuard),
}

impl Accepted {
    /// Serves the client at the other end of a socket.
    pub(crate) fn serve(self, socket: impl MessageStream) -> impl Future<Output = ()> {
        serve_connection(socket, self.context, self.client, self.guards)
    }
}

/// Accepts a connection, unless a limit is reached or the server is shutting down.
pub(crate) fn accept(
    state: &AppState,
    address: ClientAddress,
    protocol: Protocol,
    client: impl FnOnce(&ConnectionContext) -> Client,
) -> Result<Accepted, ApiError> {
    let services = &state.services;
    services.check_address(Action::Socket, address)?;
    let shared = state.hub.shared();
    let is_unlimited = services.is_unlimited(address.0);
    let limited = (!is_unlimited).then(|| address.customer());
    let counted = shared.connection_limit.acquire(&services.metrics, limited);
    let counted = counted.ok_or(ApiError::Busy)?;
    let running = shared.sockets.guard().filter(|_| !shared.is_closing()).ok_or(ApiError::Busy)?;
    let connection = Connection::new(shared.next_connection(), protocol, limited)
        .accepted(address.0, services.clock.arrival());
    let context = ConnectionContext {
        shared: Arc::clone(shared),
        connection: Arc::new(connection),
        rate: (!is_unlimited).then(|| services.limits.socket()),
    };
    let client = client(&context);
    Ok(Accepted { context, client, guards: (counted, running) })
}

/// Accepts a client of the full protocol that has no cookie.
#[cfg(test)]
pub(crate) fn accept_client(
    state: &AppState,
    address: ClientAddress,
) -> Result<Accepted, ApiError> {
    let client =
        |context: &ConnectionContext| Client::Full(FullClient::new(context, address, None));
    accept(state, address, Protocol::Full, client)
}

/// Limits on open connections, in total and per address.
#[derive(Debug)]
pub(crate) struct ConnectionLimit {
    all: Arc<Semaphore>,
    per_address: Arc<AddressLimit>,
}

impl ConnectionLimit {
    pub(crate) fn new(config: &Config) -> ConnectionLimit {
        let all = Arc::new(Semaphore::new(config.max_sockets));
        let per_address = Arc::new(AddressLimit::new(config.max_sockets_per_address));
        ConnectionLimit { all, per_address }
    }

    /// Counts a connection, unless a limit is reached. `address` is `None` for a client without
    /// limits.
    fn acquire(&self, metrics: &Metrics, address: Option<IpAddr>) -> Option<ConnectionGuard> {
        let permit = Arc::clone(&self.all).try_acquire_owned().ok();
        let acquired = permit.and_then(|permit| Some((permit, self.per_address.acquire(address)?)));
        let Some((permit, address)) = acquired else {
            metrics.limited.increment(1);
            return None;
        };
        metrics.sockets.increment(1.0);
        let gauge = metrics.sockets.clone();
        Some(ConnectionGuard { _permit: permit, _address: address, gauge })
    }
}

/// A connection that is counted until this value is dropped.
pub(crate) struct ConnectionGuard {
    _permit: OwnedSemaphorePermit,
    _address: AddressGuard,
    gauge: Gauge,
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        self.gauge.decrement(1.0);
    }
}
