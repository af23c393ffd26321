//! The two WebSocket endpoints, and the limits on open connections.
//!
//! A connection is accepted only from our own page or from a program without a cookie, because
//! browsers let any page open WebSockets to any server and send cookies along.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::response::Response;
use axum::routing::get;
use castellan_protocol::{MAX_MESSAGE_BYTES, MAX_SERVER_MESSAGE_BYTES};
use metrics::Gauge;

use super::connection::{Connection, Protocol};
use super::full::FullClient;
use super::lock;
use super::simple::SimpleClient;
use super::socket::{Client, ConnectionContext, serve_connection};
use crate::address::ClientAddress;
use crate::error::ApiError;
use crate::identity::Identity;
use crate::origin::SameOrigin;
use crate::rates::Action;
use crate::state::{AppState, Services};

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
    let services = &state.services;
    services.check_address(Action::Socket, address)?;
    let shared = state.hub.shared();
    let guard = shared.connection_limit.enter(services, address).ok_or(ApiError::Busy)?;
    let tag = shared.sockets.tag().filter(|_| !shared.is_closing()).ok_or(ApiError::Busy)?;
    let is_unlimited = services.is_unlimited(address.0);
    let limited = (!is_unlimited).then(|| address.customer());
    let connection = Connection::new(shared.next_connection(), protocol, limited);
    let context = ConnectionContext {
        shared: Arc::clone(shared),
        connection: Arc::new(connection),
        rate: (!is_unlimited).then(|| services.limits.socket()),
    };
    let client = client(&context);
    Ok(upgrade
        .read_buffer_size(READ_BUFFER_BYTES)
        .write_buffer_size(WRITE_BUFFER_BYTES)
        .max_write_buffer_size(2 * MAX_SERVER_MESSAGE_BYTES)
        .max_message_size(MAX_MESSAGE_BYTES)
        .max_frame_size(MAX_MESSAGE_BYTES)
        .on_upgrade(async move |socket| {
            // A separate task is as small as the connection's state; the task of the upgrade
            // would also keep what the upgrade needed.
            tokio::spawn(serve_connection(socket, context, client, (guard, tag)));
        }))
}

/// Number of open connections, in total and per address.
#[derive(Debug, Default)]
pub(crate) struct ConnectionLimit {
    counts: Mutex<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    all: usize,
    of_addresses: HashMap<IpAddr, usize>,
}

impl ConnectionLimit {
    /// Counts a connection, unless a limit is reached.
    fn enter(
        self: &Arc<ConnectionLimit>,
        services: &Services,
        address: ClientAddress,
    ) -> Option<ConnectionGuard> {
        let config = &services.config;
        let mut counts = lock(&self.counts);
        if counts.all >= config.max_sockets {
            services.metrics.limited.increment(1);
            return None;
        }
        let customer = (!services.is_unlimited(address.0)).then(|| address.customer());
        if let Some(customer) = customer {
            let count = counts.of_addresses.entry(customer).or_default();
            if *count >= config.max_sockets_per_address {
                services.metrics.limited.increment(1);
                return None;
            }
            *count += 1;
        }
        counts.all += 1;
        let gauge = services.metrics.sockets.clone();
        gauge.increment(1.0);
        Some(ConnectionGuard { connection_limit: Arc::clone(self), customer, gauge })
    }
}

/// A connection that is counted until this value is dropped.
pub(crate) struct ConnectionGuard {
    connection_limit: Arc<ConnectionLimit>,
    customer: Option<IpAddr>,
    gauge: Gauge,
}

impl Drop for ConnectionGuard {
    fn drop(&mut self) {
        let mut counts = lock(&self.connection_limit.counts);
        counts.all -= 1;
        self.gauge.decrement(1.0);
        let Some(customer) = self.customer else { return };
        if let Some(count) = counts.of_addresses.get_mut(&customer) {
            *count -= 1;
            if *count == 0 {
                counts.of_addresses.remove(&customer);
            }
        }
    }
}
