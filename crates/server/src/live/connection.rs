//! The sending side of one connection.
//!
//! This module is responsible for the bounded queue of messages to send, and for the close reason
//! of a connection. It leaves the sending to [`socket`](super::socket). Invariant: a caller that
//! queues a message never waits. A client that does not read is disconnected as soon as its queue
//! is full; it reconnects and asks for what it has missed.

use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};

use axum::extract::ws::Utf8Bytes;
use castellan_game::GameId;
use castellan_protocol::CloseCode;
use castellan_protocol::simple::GameEnd;
use tokio::sync::Notify;

use super::lock;
use crate::clock::Arrival;

/// Maximum number of messages queued for one client.
pub(crate) const QUEUE: usize = 64;

/// Maximum number of games that one connection may follow at a time.
const MOST_GAMES: usize = 32;

/// The protocol of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Protocol {
    /// The full protocol at `/ws`.
    Full,
    /// The plain protocol at `/ws/simple`.
    Simple,
}

/// ID of a connection, unique since the server started.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ConnectionId(pub(crate) u64);

/// Why a connection is closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CloseReason {
    /// The client is not reading fast enough; its send queue overflowed.
    TooSlow,
    /// The client exceeded the rate limit.
    Flood,
    /// The client sent a binary message.
    NotText,
    /// The client sent text that is not UTF-8.
    NotUtf8,
    /// The client sent a message that is too long.
    TooLong,
    /// The client did not answer a ping.
    Silent,
    /// The client did not send a hello in time.
    NoHello,
    /// The client uses an unsupported protocol version.
    UnsupportedVersion,
    /// The session has ended.
    SessionOver,
    /// The task of a game that the client follows has failed.
    RoomFailed,
    /// The player, the name or the address is banned.
    Banned,
    /// The server is shutting down.
    Shutdown,
    /// The client closed the connection, or it was lost.
    Left,
}

impl CloseReason {
    /// Returns the code for the close frame.
    pub(crate) fn code(self) -> CloseCode {
        match self {
            CloseReason::TooSlow => CloseCode::TooSlow,
            CloseReason::Flood => CloseCode::Policy,
            CloseReason::NotText => CloseCode::NotText,
            CloseReason::NotUtf8 => CloseCode::NotUtf8,
            CloseReason::TooLong => CloseCode::TooBig,
            CloseReason::NoHello => CloseCode::NoHello,
            CloseReason::UnsupportedVersion => CloseCode::UnsupportedVersion,
            CloseReason::SessionOver => CloseCode::SessionOver,
            CloseReason::RoomFailed => CloseCode::Internal,
            CloseReason::Banned => CloseCode::Banned,
            CloseReason::Silent | CloseReason::Shutdown => CloseCode::GoingAway,
            CloseReason::Left => CloseCode::Normal,
        }
    }

    /// Returns the text for the close frame.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            CloseReason::TooSlow => "client reads too slowly; reconnect and resync",
            CloseReason::Flood => "too many messages",
            CloseReason::NotText => "only text messages are supported",
            CloseReason::NotUtf8 => "a message must be UTF-8",
            CloseReason::TooLong => "a message can have at most 8192 bytes",
            CloseReason::Silent => "no response to pings",
            CloseReason::NoHello => "no hello message received in time",
            CloseReason::UnsupportedVersion => "unsupported protocol version",
            CloseReason::SessionOver => "the session has ended",
            CloseReason::RoomFailed => "internal error; reconnect and resync",
            CloseReason::Banned => "banned",
            CloseReason::Shutdown => "the server is shutting down",
            CloseReason::Left => "goodbye",
        }
    }
}

/// Why a connection cannot follow another game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FollowError {
    /// The connection is closed.
    Closed,
    /// The connection already follows as many games as it may.
    TooManyGames,
}

/// What a connection has to do next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    /// Send this message.
    Message(Utf8Bytes),
    /// Close for this reason.
    Close(CloseReason),
}

/// A connection, as the rest of the server sees it.
///
/// The queue is a `VecDeque`, which takes no memory while it is empty, because most connections
/// are idle.
#[derive(Debug)]
pub(crate) struct Connection {
    id: ConnectionId,
    protocol: Protocol,
    address: Option<IpAddr>,
    peer: Option<IpAddr>,
    /// When the client connected; `None` in tests.
    opened: Option<Arrival>,
    queue: Mutex<VecDeque<Utf8Bytes>>,
    lag_ms: AtomicU32,
    /// Number of messages that do not count against the rate limit, one for each move that was
    /// played.
    free_messages: AtomicU32,
    /// The games that this connection follows; `None` once it is closed.
    games: Mutex<Option<Vec<GameId>>>,
    /// Result of the last game on a connection that uses the plain protocol.
    last_end: Mutex<Option<GameEnd>>,
    reason: OnceLock<CloseReason>,
    /// Wakes the connection's task, which is the only one that waits for it.
    wake: Notify,
}

impl Connection {
    /// Creates a connection with an empty queue. `address` is `None` for a client without limits.
    pub(crate) fn new(id: ConnectionId, protocol: Protocol, address: Option<IpAddr>) -> Connection {
        Connection {
            id,
            protocol,
            address,
            peer: None,
            opened: None,
            queue: Mutex::default(),
            lag_ms: AtomicU32::new(0),
            free_messages: AtomicU32::new(0),
            games: Mutex::new(Some(Vec::new())),
            last_end: Mutex::new(None),
            reason: OnceLock::new(),
            wake: Notify::new(),
        }
    }

    /// Sets the client's own address, to which bans apply, and when it connected.
    pub(crate) fn accepted(self, peer: IpAddr, opened: Arrival) -> Connection {
        Connection { peer: Some(peer), opened: Some(opened), ..self }
    }

    /// Returns when the client connected.
    pub(crate) fn opened(&self) -> Option<Arrival> {
        self.opened
    }

    /// Returns the client's own address.
    pub(crate) fn peer(&self) -> Option<IpAddr> {
        self.peer
    }

    pub(crate) fn id(&self) -> ConnectionId {
        self.id
    }

    /// Returns the address whose limits apply, or `None` if the client has no limits.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        self.address
    }

    pub(crate) fn protocol(&self) -> Protocol {
        self.protocol
    }

    /// Queues a message. Returns `false` if the connection is closing. A full queue
    /// closes the connection.
    pub(crate) fn send(&self, message: Utf8Bytes) -> bool {
        if self.is_closing() {
            return false;
        }
        let mut queue = lock(&self.queue);
        if queue.len() >= QUEUE {
            drop(queue);
            self.close(CloseReason::TooSlow);
            return false;
        }
        queue.push_back(message);
        drop(queue);
        self.wake.notify_one();
        true
    }

    /// Takes the next queued message, if any. Only the connection's task may call this.
    pub(crate) fn take(&self) -> Option<Utf8Bytes> {
        lock(&self.queue).pop_front()
    }

    /// Waits for a message to send or a reason to close. Only the connection's task may call
    /// this.
    pub(crate) async fn next(&self) -> Next {
        loop {
            if let Some(reason) = self.reason.get() {
                return Next::Close(*reason);
            }
            if let Some(message) = self.take() {
                return Next::Message(message);
            }
            self.wake.notified().await;
        }
    }

    /// Asks the connection to close. The first reason counts.
    pub(crate) fn close(&self, reason: CloseReason) {
        if self.reason.set(reason).is_ok() {
            self.wake.notify_one();
        }
    }

    /// Waits until the queue overflows. Only the connection's task may call this, while it sends.
    pub(crate) async fn overflow(&self) {
        loop {
            match self.reason.get() {
                Some(CloseReason::TooSlow) => return,
                Some(_) => std::future::pending().await,
                None => self.wake.notified().await,
            }
        }
    }

    /// Returns `true` if the connection has been asked to close.
    pub(crate) fn is_closing(&self) -> bool {
        self.reason.get().is_some()
    }

    /// Records that the connection follows a game.
    pub(crate) fn follow(&self, game: GameId) -> Result<(), FollowError> {
        let mut games = lock(&self.games);
        let games = games.as_mut().ok_or(FollowError::Closed)?;
        if games.contains(&game) {
            return Ok(());
        }
        if games.len() >= MOST_GAMES {
            return Err(FollowError::TooManyGames);
        }
        games.push(game);
        *lock(&self.last_end) = None;
        Ok(())
    }

    /// Records that the connection no longer follows a game.
    pub(crate) fn unfollow(&self, game: GameId) {
        if let Some(games) = lock(&self.games).as_mut() {
            games.retain(|it| *it != game);
        }
    }

    /// Removes a finished game and remembers its result.
    pub(crate) fn finish(&self, game: GameId, end: GameEnd) {
        // This comes first, so that a connection without a game always knows the result of the
        // last one.
        *lock(&self.last_end) = Some(end);
        self.unfollow(game);
    }

    /// Returns the result of the last game in the plain protocol. `None` before the first game
    /// has ended, and while another one is running.
    pub(crate) fn last_end(&self) -> Option<GameEnd> {
        *lock(&self.last_end)
    }

    /// Returns the games that this connection follows.
    pub(crate) fn games(&self) -> Vec<GameId> {
        lock(&self.games).clone().unwrap_or_default()
    }

    /// Takes the list of games. The connection is closed and cannot follow others.
    pub(crate) fn leave_all(&self) -> Vec<GameId> {
        lock(&self.games).take().unwrap_or_default()
    }

    /// Refunds the message of a move that was played. A game limits the pace of its players by
    /// itself, so the rate limit is for everything else.
    pub(crate) fn refund_message(&self) {
        self.free_messages.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes one of the refunded messages, if there is one.
    pub(crate) fn take_free_message(&self) -> bool {
        let less = |count: u32| count.checked_sub(1);
        self.free_messages.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }

    /// Returns the round-trip time in milliseconds, as measured by the server.
    pub(crate) fn lag_ms(&self) -> u32 {
        self.lag_ms.load(Ordering::Relaxed)
    }

    pub(crate) fn set_lag_ms(&self, lag_ms: u32) {
        self.lag_ms.store(lag_ms, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connection() -> Connection {
        Connection::new(ConnectionId(1), Protocol::Full, None)
    }

    #[tokio::test]
    async fn a_full_queue_closes_the_connection_without_waiting() {
        let connection = connection();
        for _ in 0..QUEUE {
            assert!(connection.send(Utf8Bytes::from_static("x")));
        }
        assert!(!connection.is_closing());
        assert!(!connection.send(Utf8Bytes::from_static("x")));
        connection.overflow().await;
        assert_eq!(connection.next().await, Next::Close(CloseReason::TooSlow));
        assert!(connection.take().is_some(), "what was queued in time is still there");
        assert!(!connection.send(Utf8Bytes::from_static("x")), "and there is no more");
    }

    #[tokio::test]
    async fn messages_come_in_order_and_wake_the_socket() {
        let connection = std::sync::Arc::new(connection());
        let socket = tokio::spawn({
            let connection = std::sync::Arc::clone(&connection);
            async move { [connection.next().await, connection.next().await, connection.next().await] }
        });
        for text in ["a", "b"] {
            tokio::task::yield_now().await;
            connection.send(Utf8Bytes::from_static(text));
        }
        while lock(&connection.queue).front().is_some() {
            tokio::task::yield_now().await;
        }
        connection.close(CloseReason::Shutdown);
        let [a, b, c] = socket.await.unwrap();
        assert_eq!(a, Next::Message(Utf8Bytes::from_static("a")));
        assert_eq!(b, Next::Message(Utf8Bytes::from_static("b")));
        assert_eq!(c, Next::Close(CloseReason::Shutdown));
    }

    #[tokio::test]
    async fn the_first_reason_to_close_counts() {
        let connection = connection();
        connection.close(CloseReason::Flood);
        connection.close(CloseReason::Shutdown);
        assert_eq!(connection.next().await, Next::Close(CloseReason::Flood));
        assert_eq!(connection.next().await, Next::Close(CloseReason::Flood));
    }

    #[test]
    fn a_socket_follows_a_bounded_number_of_games_until_it_is_closed() {
        let connection = connection();
        let game = |number: usize| GameId::from_random([number as u8; 16]);
        for number in 0..MOST_GAMES {
            assert_eq!(connection.follow(game(number)), Ok(()));
        }
        assert_eq!(connection.follow(game(0)), Ok(()), "it does already");
        assert_eq!(connection.follow(game(99)), Err(FollowError::TooManyGames));
        connection.unfollow(game(0));
        assert_eq!(connection.follow(game(99)), Ok(()));
        assert_eq!(connection.leave_all().len(), MOST_GAMES);
        assert_eq!(connection.follow(game(0)), Err(FollowError::Closed));
    }
}
