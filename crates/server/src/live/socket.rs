//! One WebSocket connection, from its upgrade to its end.
//!
//! This module is responsible for reading within limits, writing in batches, pings, and the
//! closing handshake. It leaves the meaning of messages to [`full`](super::full) and
//! [`simple`](super::simple). Invariant: a connection's task waits only for its own client; only
//! authentication waits for the store.

use core::future::Future;
use core::pin::Pin;
use core::time::Duration;
use std::sync::Arc;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes};
use castellan_game::{Moment, PlayerId};
use futures_util::{Sink, SinkExt, Stream, StreamExt};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Error as ProtocolError;

use super::connection::{CloseReason, Connection, Next};
use super::full::FullClient;
use super::hub::Shared;
use super::lag::Lag;
use super::routes::ConnectionGuard;
use super::simple::SimpleClient;
use super::tasks::TaskGuard;
use crate::rates::{Excess, SocketRate, TooMany};

/// Maximum number of messages written before reading from the client again.
const BATCH: usize = 32;
/// How long a client may take to read a batch.
const SEND_TIMEOUT: Duration = Duration::from_secs(20);
/// How long the closing handshake may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);

/// A stream of WebSocket messages in both directions: a WebSocket, or its counterpart in a test.
pub(crate) trait MessageStream:
    Stream<Item = Result<Message, axum::Error>> + Sink<Message, Error = axum::Error> + Unpin
{
}

impl<S> MessageStream for S where
    S: Stream<Item = Result<Message, axum::Error>> + Sink<Message, Error = axum::Error> + Unpin
{
}

/// State of a connection apart from its stream.
pub(crate) struct ConnectionContext {
    pub(crate) shared: Arc<Shared>,
    pub(crate) connection: Arc<Connection>,
    /// Message rate limit; `None` if the client has no limits.
    pub(crate) rate: Option<SocketRate>,
}

/// Authentication, which has to finish before the next message is read. It is boxed because idle
/// connections do not need the space.
pub(crate) type Authentication = Pin<Box<dyn Future<Output = Client> + Send>>;

/// The state of a connection in one of the two protocols.
pub(crate) enum Client {
    /// The full protocol at `/ws`.
    Full(FullClient),
    /// The plain protocol at `/ws/simple`.
    Simple(SimpleClient),
}

/// Result of handling a message.
pub(crate) enum Handled {
    /// The message has been handled.
    Done(Client),
    /// The client wants to authenticate.
    Authentication(Authentication),
}

impl Client {
    fn handle(self, text: &str) -> Handled {
        match self {
            Client::Full(client) => client.handle(text),
            Client::Simple(client) => client.handle(text),
        }
    }

    fn player(&self) -> Option<PlayerId> {
        match self {
            Client::Full(client) => client.player(),
            Client::Simple(client) => client.player(),
        }
    }

    /// Tells the client that a message exceeded the rate limit and was dropped.
    fn warn(&self, text: &str, too_many: TooMany) {
        let message =
            format!("too many messages; this one was ignored, wait {} s", too_many.seconds());
        match self {
            Client::Full(client) => client.warn(text, message),
            Client::Simple(client) => client.warn(message),
        }
    }

    /// Returns the deadline for the client's hello, or `None` if none is due.
    fn hello_until(&self) -> Option<Moment> {
        match self {
            Client::Full(client) => client.hello_until(),
            Client::Simple(_) => None,
        }
    }
}

/// Serves a client until either side closes the connection, and only then releases its guards.
///
/// Most connections are idle, so rarely needed state is boxed on demand.
pub(crate) async fn serve_connection<S: MessageStream>(
    mut socket: S,
    context: ConnectionContext,
    mut client: Client,
    _guards: (ConnectionGuard, TaskGuard),
) {
    let ConnectionContext { shared, connection, rate } = &context;
    let clock = &shared.services.clock;
    shared.connections.open(connection);
    let mut lag = Lag::new(clock.now());
    let reason = loop {
        let wake_at = lag.next_check();
        let wake_at = client.hello_until().map_or(wake_at, |until| until.min(wake_at));
        tokio::select! {
            biased;
            next = connection.next() => match next {
                Next::Close(reason) => break reason,
                Next::Message(message) => {
                    let now = clock.now();
                    let ping = lag.is_due_with_message(now).then(|| lag.ping(now));
                    let sending = send(&mut socket, connection, message, ping);
                    if let Err(reason) = Box::pin(unless_slow(connection, sending)).await {
                        break reason;
                    }
                }
            },
            incoming = socket.next() => match classify(incoming, connection, rate.as_ref()) {
                Ok(ClientFrame::Text(text)) => {
                    client = match client.handle(&text) {
                        Handled::Done(client) => client,
                        Handled::Authentication(authentication) => authentication.await,
                    };
                }
                Ok(ClientFrame::Excess(text, too_many)) => {
                    shared.services.metrics.limited.increment(1);
                    client.warn(&text, too_many);
                }
                Ok(ClientFrame::Pong(payload)) => {
                    if let Some(lag_ms) = lag.pong(&payload, clock.now()) {
                        connection.set_lag_ms(lag_ms);
                    }
                }
                Ok(ClientFrame::Nothing) => {}
                Err(reason) => break reason,
            },
            () = clock.sleep_until(wake_at) => {
                let now = clock.now();
                if client.hello_until().is_some_and(|until| until <= now) {
                    break CloseReason::NoHello;
                }
                if lag.is_silent(now) {
                    break CloseReason::Silent;
                }
                let ping = Message::Ping(lag.ping(now).to_vec().into());
                let sending = socket.send(ping);
                if let Err(reason) = Box::pin(unless_slow(connection, sending)).await {
                    break reason;
                }
            }
        }
    };
    connection.close(reason);
    count_close(shared, reason);
    Box::pin(shared.disconnect(connection, client.player())).await;
    let closing = timeout(CLOSE_TIMEOUT, close_gracefully(&mut socket, connection, reason));
    // It makes no difference here whether the client received the close frame.
    let _ = Box::pin(closing).await;
}

fn count_close(shared: &Shared, reason: CloseReason) {
    match reason {
        CloseReason::TooSlow => shared.services.metrics.slow_consumers.increment(1),
        CloseReason::Flood => shared.services.metrics.limited.increment(1),
        _ => {}
    }
}

/// A message from a client.
enum ClientFrame {
    Text(Utf8Bytes),
    /// Text that exceeded the rate limit.
    Excess(Utf8Bytes, TooMany),
    Pong(Vec<u8>),
    Nothing,
}

/// Classifies an incoming message and counts it against the rate limit.
fn classify(
    incoming: Option<Result<Message, axum::Error>>,
    connection: &Connection,
    rate: Option<&SocketRate>,
) -> Result<ClientFrame, CloseReason> {
    let message = match incoming {
        None => return Err(CloseReason::Left),
        Some(Err(error)) => return Err(read_error(error)),
        Some(Ok(message)) => message,
    };
    let is_free = matches!(message, Message::Text(_)) && connection.take_free_message();
    let excess = match rate.filter(|_| !is_free).map_or(Ok(()), SocketRate::check) {
        Ok(()) => None,
        Err(Excess::Warn(too_many)) => Some(too_many),
        Err(Excess::Close) => return Err(CloseReason::Flood),
    };
    match message {
        Message::Text(text) => Ok(match excess {
            None => ClientFrame::Text(text),
            Some(too_many) => ClientFrame::Excess(text, too_many),
        }),
        Message::Pong(payload) => Ok(ClientFrame::Pong(payload.to_vec())),
        Message::Ping(_) => Ok(ClientFrame::Nothing),
        Message::Binary(_) => Err(CloseReason::NotText),
        Message::Close(_) => Err(CloseReason::Left),
    }
}

/// Returns the close reason for a read error.
fn read_error(error: axum::Error) -> CloseReason {
    match error.into_inner().downcast_ref::<ProtocolError>() {
        Some(ProtocolError::Capacity(_)) => CloseReason::TooLong,
        Some(ProtocolError::Utf8(_)) => CloseReason::NotUtf8,
        _ => CloseReason::Left,
    }
}

/// Writes a message and those queued behind it, with a single flush.
async fn send(
    socket: &mut impl MessageStream,
    connection: &Connection,
    first: Utf8Bytes,
    ping: Option<[u8; 4]>,
) -> Result<(), axum::Error> {
    socket.feed(Message::Text(first)).await?;
    for _ in 1..BATCH {
        let Some(next) = connection.take() else { break };
        socket.feed(Message::Text(next)).await?;
    }
    if let Some(payload) = ping {
        socket.feed(Message::Ping(payload.to_vec().into())).await?;
    }
    socket.flush().await
}

/// Waits for the client to read, until a timeout or an overflow of its queue.
async fn unless_slow(
    connection: &Connection,
    sending: impl Future<Output = Result<(), axum::Error>>,
) -> Result<(), CloseReason> {
    tokio::select! {
        biased;
        sent = timeout(SEND_TIMEOUT, sending) => match sent {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(CloseReason::Left),
            Err(_) => Err(CloseReason::TooSlow),
        },
        () = connection.overflow() => Err(CloseReason::TooSlow),
    }
}

/// Sends what is still queued and a close frame, then waits for the client to close.
async fn close_gracefully(
    socket: &mut impl MessageStream,
    connection: &Connection,
    reason: CloseReason,
) -> Result<(), axum::Error> {
    if reason != CloseReason::TooSlow {
        while let Some(message) = connection.take() {
            socket.feed(Message::Text(message)).await?;
        }
    }
    let code = reason.code().number();
    let frame = CloseFrame { code, reason: Utf8Bytes::from_static(reason.reason()) };
    socket.send(Message::Close(Some(frame))).await?;
    // If the server closed the stream first, the client might never see the reason.
    while let Some(Ok(_)) = socket.next().await {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use axum::extract::ws::WebSocket;

    use super::*;

    /// Returns the size of a connection's task, whatever it is waiting for.
    fn size<A, B, C, D, F>(_: impl FnOnce(A, B, C, D) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn an_idle_socket_takes_little_memory() {
        let bytes = size(serve_connection::<WebSocket>);
        assert!(bytes <= 1700, "{bytes} bytes");
    }
}
