//! Accepting TCP connections, with limits on their number and lifetime.
//!
//! A client may never finish its TLS handshake, send a request byte by byte, or never read its
//! response. Even so, it holds a connection only for a bounded time, and one address holds only a
//! bounded number of connections. A connection that becomes a WebSocket leaves these limits;
//! [`live`](crate::live) has its own.

use core::convert::Infallible;
use core::pin::pin;
use core::time::Duration;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::CONNECTION;
use axum::response::{IntoResponse, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tower::ServiceExt;

use crate::address::{ClientAddress, Peer};
use crate::address_limit::{AddressLimit, fair_share};
use crate::state::Services;
use crate::tls::{Opened, Tls};

/// Size of the buffer for a request's head, about twice as much as one needs.
const BUFFER_BYTES: usize = 16 * 1024;
/// Maximum number of headers in a request.
const MAX_HEADERS: usize = 64;
/// How long to wait when the system cannot accept more connections.
const RETRY_PAUSE: Duration = Duration::from_millis(100);
/// How long a connection that is being closed may take to finish its response.
const GRACE: Duration = Duration::from_secs(5);

/// A socket that accepts connections, and what it serves.
pub(crate) struct Endpoint {
    pub(crate) listener: TcpListener,
    pub(crate) router: Router,
    /// The certificate; `None` for plain HTTP.
    pub(crate) tls: Option<Tls>,
}

/// Accepts connections until `stop` is set, and then waits for the busy ones.
pub(crate) async fn accept(
    Endpoint { listener, router, tls }: Endpoint,
    services: Arc<Services>,
    mut stop: watch::Receiver<bool>,
) {
    let permits = Arc::new(Semaphore::new(services.config.max_connections));
    let limit = Arc::new(AddressLimit::new(services.config.max_connections_per_address));
    let mut tasks = JoinSet::new();
    loop {
        while tasks.try_join_next().is_some() {}
        let accepted = tokio::select! {
            accepted = accept_one(&listener, &permits) => accepted,
            _ = stop.wait_for(|stop| *stop) => break,
        };
        let Some((stream, peer, permit)) = accepted else { continue };
        let fair = fair_share(permits.available_permits());
        let Some(guard) = limit.acquire_below(limited_address(peer.ip(), &services), fair) else {
            services.metrics.limited.increment(1);
            continue;
        };
        let (router, tls, stop) = (router.clone(), tls.clone(), stop.clone());
        let connection = HttpConnection { peer, router, services: Arc::clone(&services), stop };
        tasks.spawn(async move {
            connection.run(stream, tls).await;
            drop((permit, guard));
        });
    }
    drop(listener);
    while tasks.join_next().await.is_some() {}
}

/// Accepts the next connection, once there is room for it.
async fn accept_one(
    listener: &TcpListener,
    permits: &Arc<Semaphore>,
) -> Option<(TcpStream, SocketAddr, OwnedSemaphorePermit)> {
    let permit = Arc::clone(permits).acquire_owned().await.ok()?;
    match listener.accept().await {
        Ok((stream, peer)) => Some((stream, peer, permit)),
        Err(error) if is_client_error(&error) => None,
        Err(error) => {
            tracing::warn!("a connection could not be accepted: {error}");
            tokio::time::sleep(RETRY_PAUSE).await;
            None
        }
    }
}

fn is_client_error(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

/// The response to a client that uses plain HTTP on a TLS port.
const NEEDS_TLS: &str = "This port speaks HTTPS only. Use an address that begins with https://\n";

struct HttpConnection {
    peer: SocketAddr,
    router: Router,
    services: Arc<Services>,
    stop: watch::Receiver<bool>,
}

impl HttpConnection {
    /// Serves requests until the client closes the connection, it is too old, or the server
    /// stops.
    async fn run(mut self, stream: TcpStream, tls: Option<Tls>) {
        // Without this, a move would wait for the acknowledgment of the previous one.
        if stream.set_nodelay(true).is_err() {
            return;
        }
        let Ok(local) = stream.local_addr() else { return };
        let (peer, router) = (Peer { remote: self.peer, local }, self.router.clone());
        let service = move |mut request: hyper::Request<Incoming>| {
            request.extensions_mut().insert(peer);
            router.clone().oneshot(request.map(Body::new))
        };
        let Some(tls) = tls else { return self.serve(stream, service).await };
        // The handshake has as much time as the head of a request.
        let opened = tokio::select! {
            opened = tokio::time::timeout(self.services.config.head_timeout, tls.open(stream)) => {
                opened.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into()))
            }
            _ = self.stop.wait_for(|stop| *stop) => return,
        };
        match opened {
            Ok(Opened::Encrypted(stream)) => self.serve(*stream, service).await,
            Ok(Opened::Plain(stream)) => {
                let refuse = |_| {
                    let response = (StatusCode::BAD_REQUEST, [(CONNECTION, "close")], NEEDS_TLS);
                    core::future::ready(Ok(response.into_response()))
                };
                self.serve(stream, refuse).await;
            }
            Err(error) => {
                self.services.metrics.tls_failures.increment(1);
                tracing::debug!("a TLS handshake failed: {error}");
            }
        }
    }

    /// Serves requests on a connection that is ready for them.
    async fn serve<S, F>(
        mut self,
        stream: S,
        service: impl Fn(hyper::Request<Incoming>) -> F + Send + 'static,
    ) where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        F: Future<Output = Result<Response, Infallible>> + Send + 'static,
    {
        let config = &self.services.config;
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(config.head_timeout)
            .max_headers(MAX_HEADERS)
            .max_buf_size(BUFFER_BYTES)
            .serve_connection(TokioIo::new(stream), service_fn(service))
            .with_upgrades();
        let mut connection = pin!(connection);
        // Errors are the client's fault: it disconnected, or it does not speak HTTP.
        tokio::select! {
            _ = connection.as_mut() => return,
            () = tokio::time::sleep(config.connection_age) => {}
            _ = self.stop.wait_for(|stop| *stop) => {}
        }
        connection.as_mut().graceful_shutdown();
        let _ = tokio::time::timeout(GRACE, connection).await;
    }
}

/// Returns the address whose limit applies to a connection, or `None` if it has no limit.
fn limited_address(address: IpAddr, services: &Services) -> Option<IpAddr> {
    let address = address.to_canonical();
    let is_proxy = services.config.trusted_proxies.contains(&address);
    let is_limited = !is_proxy && !services.is_unlimited(address);
    is_limited.then(|| ClientAddress(address).customer())
}
