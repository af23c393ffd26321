//! The limit that the sockets set: a server with the same libraries that only echoes messages.

use std::net::SocketAddr;
use std::time::Duration;

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use axum::routing::get;
use axum::serve::ListenerExt;
use castellan_testkit::online::Client;
use futures_util::future::try_join_all;
use tokio::net::TcpListener;
use tokio::time::Instant;

/// A message of the same length as a move.
const TEXT: &str = r#"{"type":"make move","data":{"game":"k3ZfQ81xWpLm","ply":42,"mv":"g1f3"}}"#;
const BUFFER_BYTES: usize = 4096;

/// Serves on a free port until the process is killed, with the settings of the server.
pub(super) async fn serve() -> Result<()> {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    println!("http://{}", listener.local_addr()?);
    let listener = listener.tap_io(|stream| {
        // If this fails, the echo is only slower.
        let _ = stream.set_nodelay(true);
    });
    let router = Router::new().route("/ws", get(upgrade));
    axum::serve(listener, router).await.context("the echo server stopped")
}

async fn upgrade(upgrade: WebSocketUpgrade) -> Response {
    upgrade.read_buffer_size(BUFFER_BYTES).write_buffer_size(BUFFER_BYTES).on_upgrade(send_back)
}

async fn send_back(mut socket: WebSocket) {
    while let Some(Ok(message)) = socket.recv().await {
        let is_text = matches!(message, Message::Text(_));
        if is_text && socket.send(message).await.is_err() {
            return;
        }
    }
}

/// Returns how many messages come back within `time` if each socket waits for its message before it
/// sends the next.
pub(super) async fn measure(address: SocketAddr, sockets: usize, time: Duration) -> Result<usize> {
    let mut clients = Vec::new();
    for _ in 0..sockets {
        clients.push(Client::connect(address, "/ws").await?);
    }
    let until = Instant::now() + time;
    let loops = clients.into_iter().map(|client| tokio::spawn(echo_loop(client, until)));
    let mut total = 0;
    for count in try_join_all(loops).await.context("a socket task panicked")? {
        total += count?;
    }
    Ok(total)
}

async fn echo_loop(mut client: Client, until: Instant) -> Result<usize> {
    let mut count = 0;
    while Instant::now() < until {
        client.send_text(TEXT.to_owned()).await?;
        client.receive_text().await?;
        count += 1;
    }
    Ok(count)
}
