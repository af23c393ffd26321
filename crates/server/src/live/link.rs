//! The way out to one socket.
//!
//! Owns: the bounded queue of what is still to be sent, and the one reason for which a socket is
//! closed. Leaves the sending to [`socket`](super::socket). Invariant: whoever speaks to a link
//! never waits. A client that does not read is cut off as soon as its queue is full; it comes
//! back and asks for what it has missed.

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

/// How many messages may wait for one client.
pub(crate) const QUEUE: usize = 64;

/// How many games one socket may follow at a time.
const MOST_GAMES: usize = 32;

/// Which of the two languages a socket speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Dialect {
    /// `/ws`.
    Full,
    /// `/ws/simple`.
    Simple,
}

/// A socket among all that have been open since the start.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct LinkId(pub(crate) u64);

/// Why the server closes a socket.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Farewell {
    /// The client does not read what it is sent.
    TooSlow,
    /// The client sends too much.
    Flood,
    /// The client sends what is no text.
    NotText,
    /// The client sends text that is not UTF-8.
    NotUtf8,
    /// The client sends a message that is too long.
    TooLong,
    /// The client does not answer pings.
    Silent,
    /// The client does not introduce itself.
    NoHello,
    /// The client speaks another version of the protocol.
    UnsupportedVersion,
    /// The session was ended elsewhere.
    SessionOver,
    /// The server goes away.
    Shutdown,
    /// The client said goodbye or is gone.
    Left,
}

impl Farewell {
    /// The code of the closing frame.
    pub(crate) fn code(self) -> CloseCode {
        match self {
            Farewell::TooSlow => CloseCode::TooSlow,
            Farewell::Flood => CloseCode::Policy,
            Farewell::NotText => CloseCode::NotText,
            Farewell::NotUtf8 => CloseCode::NotUtf8,
            Farewell::TooLong => CloseCode::TooBig,
            Farewell::NoHello => CloseCode::NoHello,
            Farewell::UnsupportedVersion => CloseCode::UnsupportedVersion,
            Farewell::SessionOver => CloseCode::SessionOver,
            Farewell::Silent | Farewell::Shutdown => CloseCode::GoingAway,
            Farewell::Left => CloseCode::Normal,
        }
    }

    /// The reason in the closing frame.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Farewell::TooSlow => "too slow to read; connect again and resync",
            Farewell::Flood => "too many messages",
            Farewell::NotText => "only text messages are understood",
            Farewell::NotUtf8 => "a message has to be UTF-8",
            Farewell::TooLong => "a message has at most 8192 bytes",
            Farewell::Silent => "no answer to pings",
            Farewell::NoHello => "no hello came",
            Farewell::UnsupportedVersion => "this version of the protocol is not spoken here",
            Farewell::SessionOver => "the session is over",
            Farewell::Shutdown => "the server is stopping",
            Farewell::Left => "goodbye",
        }
    }
}

/// Why a socket cannot follow another game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NoEntry {
    /// It is closed.
    Closed,
    /// It follows as many as it may.
    TooManyGames,
}

/// What a socket has to do next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    /// To send this.
    Message(Utf8Bytes),
    /// To close.
    Farewell(Farewell),
}

/// One socket, as the rest of the server sees it.
///
/// The queue is a plain one and takes no memory while it is empty: most sockets are idle.
#[derive(Debug)]
pub(crate) struct Link {
    id: LinkId,
    dialect: Dialect,
    address: Option<IpAddr>,
    queue: Mutex<VecDeque<Utf8Bytes>>,
    lag_ms: AtomicU32,
    /// Messages that cost nothing, because a move that was played gave its message back.
    free_messages: AtomicU32,
    /// The games whose events come here; none any more once the socket is closed.
    games: Mutex<Option<Vec<GameId>>>,
    /// How the last game of a plain client ended.
    last_end: Mutex<Option<GameEnd>>,
    farewell: OnceLock<Farewell>,
    /// Wakes the socket, and nobody else waits for it.
    news: Notify,
}

impl Link {
    /// A link without anything to say, to an address that has limits or to one that has none.
    pub(crate) fn new(id: LinkId, dialect: Dialect, address: Option<IpAddr>) -> Link {
        Link {
            id,
            dialect,
            address,
            queue: Mutex::default(),
            lag_ms: AtomicU32::new(0),
            free_messages: AtomicU32::new(0),
            games: Mutex::new(Some(Vec::new())),
            last_end: Mutex::new(None),
            farewell: OnceLock::new(),
            news: Notify::new(),
        }
    }

    pub(crate) fn id(&self) -> LinkId {
        self.id
    }

    /// The address whose limits count, if it has any.
    pub(crate) fn address(&self) -> Option<IpAddr> {
        self.address
    }

    pub(crate) fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Queues a message; whether the link still lives. A full queue closes the link.
    pub(crate) fn say(&self, message: Utf8Bytes) -> bool {
        if self.is_closing() {
            return false;
        }
        let mut queue = lock(&self.queue);
        if queue.len() >= QUEUE {
            drop(queue);
            self.close(Farewell::TooSlow);
            return false;
        }
        queue.push_back(message);
        drop(queue);
        self.news.notify_one();
        true
    }

    /// Takes what is queued, if anything. For the socket alone.
    pub(crate) fn take(&self) -> Option<Utf8Bytes> {
        lock(&self.queue).pop_front()
    }

    /// Waits for something to send or a reason to close. For the socket alone.
    pub(crate) async fn next(&self) -> Next {
        loop {
            if let Some(farewell) = self.farewell.get() {
                return Next::Farewell(*farewell);
            }
            if let Some(message) = self.take() {
                return Next::Message(message);
            }
            self.news.notified().await;
        }
    }

    /// Asks the socket to close; the first reason counts.
    pub(crate) fn close(&self, farewell: Farewell) {
        if self.farewell.set(farewell).is_ok() {
            self.news.notify_one();
        }
    }

    /// Waits until the queue has overflowed. For the socket alone, while it sends.
    pub(crate) async fn overflow(&self) {
        loop {
            match self.farewell.get() {
                Some(Farewell::TooSlow) => return,
                Some(_) => std::future::pending().await,
                None => self.news.notified().await,
            }
        }
    }

    /// Whether somebody has asked for the link to be closed.
    pub(crate) fn is_closing(&self) -> bool {
        self.farewell.get().is_some()
    }

    /// Notes that the events of a game come here from now on.
    pub(crate) fn enter(&self, game: GameId) -> Result<(), NoEntry> {
        let mut games = lock(&self.games);
        let games = games.as_mut().ok_or(NoEntry::Closed)?;
        if games.contains(&game) {
            return Ok(());
        }
        if games.len() >= MOST_GAMES {
            return Err(NoEntry::TooManyGames);
        }
        games.push(game);
        *lock(&self.last_end) = None;
        Ok(())
    }

    /// Notes that the events of a game come here no more.
    pub(crate) fn exit(&self, game: GameId) {
        if let Some(games) = lock(&self.games).as_mut() {
            games.retain(|it| *it != game);
        }
    }

    /// Removes a game that is over and remembers how it ended.
    pub(crate) fn finish(&self, game: GameId, end: GameEnd) {
        // First, so that a link without a game always knows the result of the last one.
        *lock(&self.last_end) = Some(end);
        self.exit(game);
    }

    /// How the last game of a plain client ended; `None` before the first end.
    pub(crate) fn last_end(&self) -> Option<GameEnd> {
        *lock(&self.last_end)
    }

    /// The games whose events come here.
    pub(crate) fn games(&self) -> Vec<GameId> {
        lock(&self.games).clone().unwrap_or_default()
    }

    /// Takes the list of games away: the socket is closed, and enters no others.
    pub(crate) fn leave_all(&self) -> Vec<GameId> {
        lock(&self.games).take().unwrap_or_default()
    }

    /// Gives back the message of a move that was played. A game paces its players by itself, so
    /// the rate limit is for everything else.
    pub(crate) fn refund_message(&self) {
        self.free_messages.fetch_add(1, Ordering::Relaxed);
    }

    /// Takes one of the messages that cost nothing, if there is one.
    pub(crate) fn take_free_message(&self) -> bool {
        let less = |count: u32| count.checked_sub(1);
        self.free_messages.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }

    /// The time on the wire, there and back, as the server has measured it.
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

    fn link() -> Link {
        Link::new(LinkId(1), Dialect::Full, None)
    }

    #[tokio::test]
    async fn a_full_queue_closes_the_link_and_nobody_waits() {
        let link = link();
        for _ in 0..QUEUE {
            assert!(link.say(Utf8Bytes::from_static("x")));
        }
        assert!(!link.is_closing());
        assert!(!link.say(Utf8Bytes::from_static("x")));
        link.overflow().await;
        assert_eq!(link.next().await, Next::Farewell(Farewell::TooSlow));
        assert!(link.take().is_some(), "what was queued in time is still there");
        assert!(!link.say(Utf8Bytes::from_static("x")), "and there is no more");
    }

    #[tokio::test]
    async fn messages_come_in_order_and_wake_the_socket() {
        let link = std::sync::Arc::new(link());
        let socket = tokio::spawn({
            let link = std::sync::Arc::clone(&link);
            async move { [link.next().await, link.next().await, link.next().await] }
        });
        for text in ["a", "b"] {
            tokio::task::yield_now().await;
            link.say(Utf8Bytes::from_static(text));
        }
        while lock(&link.queue).front().is_some() {
            tokio::task::yield_now().await;
        }
        link.close(Farewell::Shutdown);
        let [a, b, c] = socket.await.unwrap();
        assert_eq!(a, Next::Message(Utf8Bytes::from_static("a")));
        assert_eq!(b, Next::Message(Utf8Bytes::from_static("b")));
        assert_eq!(c, Next::Farewell(Farewell::Shutdown));
    }

    #[tokio::test]
    async fn the_first_reason_to_close_counts() {
        let link = link();
        link.close(Farewell::Flood);
        link.close(Farewell::Shutdown);
        assert_eq!(link.next().await, Next::Farewell(Farewell::Flood));
        assert_eq!(link.next().await, Next::Farewell(Farewell::Flood));
    }

    #[test]
    fn a_socket_follows_a_bounded_number_of_games_until_it_is_closed() {
        let link = link();
        let game = |number: usize| GameId::from_random([number as u8; 16]);
        for number in 0..MOST_GAMES {
            assert_eq!(link.enter(game(number)), Ok(()));
        }
        assert_eq!(link.enter(game(0)), Ok(()), "it does already");
        assert_eq!(link.enter(game(99)), Err(NoEntry::TooManyGames));
        link.exit(game(0));
        assert_eq!(link.enter(game(99)), Ok(()));
        assert_eq!(link.leave_all().len(), MOST_GAMES);
        assert_eq!(link.enter(game(0)), Err(NoEntry::Closed));
    }
}
