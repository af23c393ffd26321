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

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket};
use castellan_game::{Moment, PlayerId};
use futures_util::SinkExt;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Error as ProtocolError;

use super::full::FullTalk;
use super::hub::Shared;
use super::lag::Lag;
use super::link::{Farewell, Link, Next};
use super::routes::Place;
use super::simple::SimpleTalk;
use super::tasks::Tag;
use crate::rates::{Excess, SocketRate, TooMany};

/// Maximum number of messages written before reading from the client again.
const BATCH: usize = 32;
/// How long a client may take to read a batch.
const SEND_LIMIT: Duration = Duration::from_secs(20);
/// How long the closing handshake may take.
const GOODBYE_LIMIT: Duration = Duration::from_secs(2);

/// State of a connection apart from its stream.
pub(crate) struct Connection {
    pub(crate) shared: Arc<Shared>,
    pub(crate) link: Arc<Link>,
    /// Message rate limit; `None` if the client has no limits.
    pub(crate) rate: Option<SocketRate>,
}

/// Authentication, which has to finish before the next message is read. It is boxed because idle
/// connections do not need the space.
pub(crate) type Introduction = Pin<Box<dyn Future<Output = Talk> + Send>>;

/// The state of a connection in one of the two protocols.
pub(crate) enum Talk {
    /// The full protocol at `/ws`.
    Full(FullTalk),
    /// The plain protocol at `/ws/simple`.
    Simple(SimpleTalk),
}

/// Result of handling a message.
pub(crate) enum Heard {
    /// The message has been handled.
    Done(Talk),
    /// The client wants to authenticate.
    Introduction(Introduction),
}

impl Talk {
    fn hear(self, text: &str) -> Heard {
        match self {
            Talk::Full(talk) => talk.hear(text),
            Talk::Simple(talk) => talk.hear(text),
        }
    }

    fn player(&self) -> Option<PlayerId> {
        match self {
            Talk::Full(talk) => talk.player(),
            Talk::Simple(talk) => talk.player(),
        }
    }

    /// Tells the client that a message exceeded the rate limit and was dropped.
    fn warn(&self, text: &str, too_many: TooMany) {
        let words =
            format!("too many messages; this one was ignored, wait {} s", too_many.seconds());
        match self {
            Talk::Full(talk) => talk.warn(text, words),
            Talk::Simple(talk) => talk.warn(words),
        }
    }

    /// Returns the deadline for the client's hello, or `None` if none is due.
    fn hello_until(&self) -> Option<Moment> {
        match self {
            Talk::Full(talk) => talk.hello_until(),
            Talk::Simple(_) => None,
        }
    }
}

/// Serves a client until either side closes the connection, and only then releases its place.
///
/// Most connections are idle, so rarely needed state is boxed on demand.
pub(crate) async fn converse(
    mut socket: WebSocket,
    connection: Connection,
    mut talk: Talk,
    _place: (Place, Tag),
) {
    let Connection { shared, link, rate } = &connection;
    let clock = &shared.services.clock;
    shared.people.open(link);
    let mut lag = Lag::new(clock.now());
    let farewell = loop {
        let look = lag.next_look();
        let look = talk.hello_until().map_or(look, |until| until.min(look));
        tokio::select! {
            biased;
            next = link.next() => match next {
                Next::Farewell(farewell) => break farewell,
                Next::Message(message) => {
                    let now = clock.now();
                    let ping = lag.is_due_with_message(now).then(|| lag.ping(now));
                    let sending = send(&mut socket, link, message, ping);
                    if let Err(farewell) = Box::pin(unless_slow(link, sending)).await {
                        break farewell;
                    }
                }
            },
            incoming = socket.recv() => match listen(incoming, link, rate.as_ref()) {
                Ok(Incoming::Text(text)) => {
                    talk = match talk.hear(&text) {
                        Heard::Done(talk) => talk,
                        Heard::Introduction(introduction) => introduction.await,
                    };
                }
                Ok(Incoming::Excess(text, too_many)) => {
                    shared.services.metrics.limited.increment(1);
                    talk.warn(&text, too_many);
                }
                Ok(Incoming::Pong(payload)) => {
                    if let Some(lag_ms) = lag.pong(&payload, clock.now()) {
                        link.set_lag_ms(lag_ms);
                    }
                }
                Ok(Incoming::Nothing) => {}
                Err(farewell) => break farewell,
            },
            () = clock.sleep_until(look) => {
                let now = clock.now();
                if talk.hello_until().is_some_and(|until| until <= now) {
                    break Farewell::NoHello;
                }
                if lag.is_silent(now) {
                    break Farewell::Silent;
                }
                let ping = Message::Ping(lag.ping(now).to_vec().into());
                let sending = socket.send(ping);
                if let Err(farewell) = Box::pin(unless_slow(link, sending)).await {
                    break farewell;
                }
            }
        }
    };
    link.close(farewell);
    note(shared, farewell);
    Box::pin(shared.disconnect(link, talk.player())).await;
    let goodbye = timeout(GOODBYE_LIMIT, bid_farewell(&mut socket, link, farewell));
    // It makes no difference here whether the client received the close frame.
    let _ = Box::pin(goodbye).await;
}

fn note(shared: &Shared, farewell: Farewell) {
    match farewell {
        Farewell::TooSlow => shared.services.metrics.slow_consumers.increment(1),
        Farewell::Flood => shared.services.metrics.limited.increment(1),
        _ => {}
    }
}

/// A message from a client.
enum Incoming {
    Text(Utf8Bytes),
    /// Text that exceeded the rate limit.
    Excess(Utf8Bytes, TooMany),
    Pong(Vec<u8>),
    Nothing,
}

/// Classifies an incoming message and counts it against the rate limit.
fn listen(
    incoming: Option<Result<Message, axum::Error>>,
    link: &Link,
    rate: Option<&SocketRate>,
) -> Result<Incoming, Farewell> {
    let message = match incoming {
        None => return Err(Farewell::Left),
        Some(Err(error)) => return Err(fault(error)),
        Some(Ok(message)) => message,
    };
    let is_free = matches!(message, Message::Text(_)) && link.take_free_message();
    let excess = match rate.filter(|_| !is_free).map_or(Ok(()), SocketRate::check) {
        Ok(()) => None,
        Err(Excess::Warn(too_many)) => Some(too_many),
        Err(Excess::Close) => return Err(Farewell::Flood),
    };
    match message {
        Message::Text(text) => Ok(match excess {
            None => Incoming::Text(text),
            Some(too_many) => Incoming::Excess(text, too_many),
        }),
        Message::Pong(payload) => Ok(Incoming::Pong(payload.to_vec())),
        Message::Ping(_) => Ok(Incoming::Nothing),
        Message::Binary(_) => Err(Farewell::NotText),
        Message::Close(_) => Err(Farewell::Left),
    }
}

/// Returns the close reason for a read error.
fn fault(error: axum::Error) -> Farewell {
    match error.into_inner().downcast_ref::<ProtocolError>() {
        Some(ProtocolError::Capacity(_)) => Farewell::TooLong,
        Some(ProtocolError::Utf8(_)) => Farewell::NotUtf8,
        _ => Farewell::Left,
    }
}

/// Writes a message and those queued behind it, with a single flush.
async fn send(
    socket: &mut WebSocket,
    link: &Link,
    first: Utf8Bytes,
    ping: Option<[u8; 4]>,
) -> Result<(), axum::Error> {
    socket.feed(Message::Text(first)).await?;
    for _ in 1..BATCH {
        let Some(next) = link.take() else { break };
        socket.feed(Message::Text(next)).await?;
    }
    if let Some(payload) = ping {
        socket.feed(Message::Ping(payload.to_vec().into())).await?;
    }
    socket.flush().await
}

/// Waits for the client to read, until a timeout or an overflow of its queue.
async fn unless_slow(
    link: &Link,
    sending: impl Future<Output = Result<(), axum::Error>>,
) -> Result<(), Farewell> {
    tokio::select! {
        sent = timeout(SEND_LIMIT, sending) => match sent {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(Farewell::Left),
            Err(_) => Err(Farewell::TooSlow),
        },
        () = link.overflow() => Err(Farewell::TooSlow),
    }
}

/// Sends what is still queued and a close frame, then waits for the client to close.
async fn bid_farewell(
    socket: &mut WebSocket,
    link: &Link,
    farewell: Farewell,
) -> Result<(), axum::Error> {
    if farewell != Farewell::TooSlow {
        while let Some(message) = link.take() {
            socket.feed(Message::Text(message)).await?;
        }
    }
    let code = farewell.code().number();
    let frame = CloseFrame { code, reason: Utf8Bytes::from_static(farewell.reason()) };
    socket.send(Message::Close(Some(frame))).await?;
    // If the server closed the stream first, the client might never see the reason.
    while let Some(Ok(_)) = socket.recv().await {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the size of a connection's task, whatever it is waiting for.
    fn size<A, B, C, D, F>(_: impl FnOnce(A, B, C, D) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn an_idle_socket_takes_little_memory() {
        assert!(size(converse) <= 1700, "{} bytes", size(converse));
    }
}
