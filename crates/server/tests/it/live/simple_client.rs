//! A client that knows the seven messages of the plain protocol and nothing else. It reads and
//! writes JSON and does not use our types.

use futures_util::SinkExt;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use super::client::{next_text, open};
use super::server::TestServer;

/// A client at `/ws/simple`.
pub(crate) struct SimpleClient {
    pub(crate) socket: WebSocketStream<TcpStream>,
}

impl SimpleClient {
    pub(crate) async fn connect(server: &TestServer) -> SimpleClient {
        SimpleClient { socket: open(server, "/ws/simple", &[]).await.unwrap() }
    }

    /// Asks for a game.
    pub(crate) async fn matchmake(&mut self, username: &str) {
        self.send("matchmake request", json!({ "username": username })).await;
    }

    pub(crate) async fn send(&mut self, kind: &str, content: Value) {
        let message = json!({ "type": kind, "data": content });
        self.socket.send(Message::text(message.to_string())).await.unwrap();
    }

    /// Receives the next message: its type and its data.
    pub(crate) async fn receive(&mut self) -> (String, Value) {
        let text = next_text(&mut self.socket).await.expect("the server says something");
        let message: Value = serde_json::from_str(&text).unwrap();
        (message["type"].as_str().unwrap().to_owned(), message["data"].clone())
    }

    /// Receives the next message, which has to be of this type, and returns its data.
    pub(crate) async fn expect(&mut self, kind: &str) -> Value {
        let (found, content) = self.receive().await;
        assert_eq!(found, kind, "{content}");
        content
    }

    /// Makes a move given in UCI notation.
    pub(crate) async fn make_move(&mut self, mv: &str) {
        let mut content = json!({ "from": &mv[..2], "to": &mv[2..4] });
        if let Some(letter) = mv.get(4..5) {
            let role = match letter {
                "q" => "queen",
                "r" => "rook",
                "b" => "bishop",
                _ => "knight",
            };
            content["promotion"] = json!(role);
        }
        self.send("make move", content).await;
    }

    /// Receives the opponent's move in UCI notation.
    pub(crate) async fn opponents_move(&mut self) -> String {
        let content = self.expect("make move").await;
        let word = |key: &str| content[key].as_str().unwrap_or_default().to_owned();
        let promotion = match word("promotion").as_str() {
            "queen" => "q",
            "rook" => "r",
            "bishop" => "b",
            "knight" => "n",
            _ => "",
        };
        format!("{}{}{promotion}", word("from"), word("to"))
    }
}
