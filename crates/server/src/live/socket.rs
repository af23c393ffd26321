//! One connection, from its upgrade to its end.
//!
//! Owns: reading within limits, writing in batches, pings, and the closing handshake. Leaves to
//! [`full`](super::full) and [`simple`](super::simple) what messages mean. Invariant: a socket
//! task waits for its own client and for nobody else; only an introduction waits for the store.

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

/// How many messages are written before the client is listened to again.
const BATCH: usize = 32;
/// How long a client may take to read a batch.
const SEND_LIMIT: Duration = Duration::from_secs(20);
/// How long the closing handshake may take.
const GOODBYE_LIMIT: Duration = Duration::from_secs(2);

/// What a socket has besides its stream.
pub(crate) struct Connection {
    pub(crate) shared: Arc<Shared>,
    pub(crate) link: Arc<Link>,
    /// The budget of messages, unless the client has no limits.
    pub(crate) rate: Option<SocketRate>,
}

/// What has to happen before the next message is read; boxed, because idle sockets do not need it.
pub(crate) type Introduction = Pin<Box<dyn Future<Output = Talk> + Send>>;

/// A conversation in one of the two protocols.
pub(crate) enum Talk {
    /// `/ws`.
    Full(FullTalk),
    /// `/ws/simple`.
    Simple(SimpleTalk),
}

/// What comes of a message.
pub(crate) enum Heard {
    /// It is dealt with.
    Done(Talk),
    /// Somebody introduces himself.
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

    /// Tells the client that a message came too fast and was dropped.
    fn warn(&self, text: &str, too_many: TooMany) {
        let words = format!(
            "too many messages in too short a time; this one was ignored; wait {} s",
            too_many.seconds()
        );
        match self {
            Talk::Full(talk) => talk.warn(text, words),
            Talk::Simple(talk) => talk.warn(words),
        }
    }

    /// By when the client has to introduce itself, if it has not.
    fn hello_until(&self) -> Option<Moment> {
        match self {
            Talk::Full(talk) => talk.hello_until(),
            Talk::Simple(_) => None,
        }
    }
}

/// Talks with a client until one of the two has enough, and only then gives its place away.
///
/// Most sockets are idle, so what is seldom needed is boxed when it is needed.
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
    // Whether the client has heard it is for the client to notice.
    let _ = Box::pin(goodbye).await;
}

fn note(shared: &Shared, farewell: Farewell) {
    match farewell {
        Farewell::TooSlow => shared.services.metrics.slow_consumers.increment(1),
        Farewell::Flood => shared.services.metrics.limited.increment(1),
        _ => {}
    }
}

/// What a client has sent.
enum Incoming {
    Text(Utf8Bytes),
    /// A text beyond the rate limit.
    Excess(Utf8Bytes, TooMany),
    Pong(Vec<u8>),
    Nothing,
}

/// Looks at what came in, and counts it.
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

/// Why a stream cannot be read any more.
fn fault(error: axum::Error) -> Farewell {
    match error.into_inner().downcast_ref::<ProtocolError>() {
        Some(ProtocolError::Capacity(_)) => Farewell::TooLong,
        Some(ProtocolError::Utf8(_)) => Farewell::NotUtf8,
        _ => Farewell::Left,
    }
}

/// Writes a message and those that wait behind it, with one flush.
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

/// Waits for a client to read, but neither for ever nor after its queue has overflowed.
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

/// Sends what is still queued and the reason for the end, and waits for the client to agree.
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
    // Closing before the client has answered could take the reason away from it.
    while let Some(Ok(_)) = socket.recv().await {}
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How large the task of one socket is, whatever it waits for.
    fn size<A, B, C, D, F>(_: impl FnOnce(A, B, C, D) -> F) -> usize {
        size_of::<F>()
    }

    #[test]
    fn an_idle_socket_takes_little_memory() {
        assert!(size(converse) <= 1700, "{} bytes", size(converse));
    }
}
