//! A WebSocket within the simulation: two queues of messages, which the simulation fills and
//! empties at times of its choice.

use core::pin::Pin;
use core::task::{Context, Poll, Waker};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::extract::ws::Message;
use futures_util::{Sink, Stream};

/// Both directions of a socket. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(super) struct Pipe(Arc<Mutex<Ends>>);

#[derive(Debug, Default)]
struct Ends {
    to_server: VecDeque<Message>,
    to_client: VecDeque<Message>,
    /// The client has closed the socket, or the server has noticed that it is gone.
    is_ended: bool,
    /// The server has dropped the socket.
    is_dropped: bool,
    waker: Option<Waker>,
}

impl Pipe {
    fn lock(&self) -> MutexGuard<'_, Ends> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Delivers a message to the server.
    pub(super) fn deliver(&self, message: Message) {
        let mut ends = self.lock();
        ends.to_server.push_back(message);
        ends.waker.take().into_iter().for_each(Waker::wake);
    }

    /// Lets the server see that the client is gone.
    pub(super) fn end(&self) {
        let mut ends = self.lock();
        ends.is_ended = true;
        ends.waker.take().into_iter().for_each(Waker::wake);
    }

    /// Takes what the server has sent.
    pub(super) fn take(&self) -> Vec<Message> {
        self.lock().to_client.drain(..).collect()
    }

    /// Returns `true` if the server has dropped the socket.
    pub(super) fn is_dropped(&self) -> bool {
        self.lock().is_dropped
    }

    /// Returns the server's end.
    pub(super) fn server_end(&self) -> ServerEnd {
        ServerEnd(self.clone())
    }
}

/// The server's end of a socket.
pub(super) struct ServerEnd(Pipe);

impl Stream for ServerEnd {
    type Item = Result<Message, axum::Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let mut ends = self.0.lock();
        if let Some(message) = ends.to_server.pop_front() {
            return Poll::Ready(Some(Ok(message)));
        }
        if ends.is_ended {
            return Poll::Ready(None);
        }
        ends.waker = Some(context.waker().clone());
        Poll::Pending
    }
}

impl Sink<Message> for ServerEnd {
    type Error = axum::Error;

    fn poll_ready(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), axum::Error>> {
        Poll::Ready(Ok(()))
    }

    fn start_send(self: Pin<&mut Self>, message: Message) -> Result<(), axum::Error> {
        self.0.lock().to_client.push_back(message);
        Ok(())
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), axum::Error>> {
        Poll::Ready(Ok(()))
    }

    fn poll_close(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Result<(), axum::Error>> {
        Poll::Ready(Ok(()))
    }
}

impl Drop for ServerEnd {
    fn drop(&mut self) {
        self.0.lock().is_dropped = true;
    }
}
