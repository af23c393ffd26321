//! A client with one connection.

use std::net::{IpAddr, SocketAddr};

use castellan_game::GameId;
use castellan_protocol::{
    ClientMessage, Hello, MakeMove, Name, PROTOCOL_VERSION, ParseMessageError, Resync,
    ServerMessage, SessionToken, Snapshot, Welcome,
};
use castellan_rules::UciMove;
use futures_util::{SinkExt, StreamExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{self, Message};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use crate::waiting::LIMIT;

const BUFFER_BYTES: usize = 4096;

/// A client that has sent `hello` or is about to.
pub struct Client {
    socket: WebSocketStream<TcpStream>,
}

/// Why a client failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The connection could not be opened.
    #[error("no connection: {0}")]
    Connect(#[from] std::io::Error),
    /// The connection broke.
    #[error("the socket broke: {0}")]
    Socket(Box<tungstenite::Error>),
    /// The server closed the connection.
    #[error("the server closed the socket: {0}")]
    Closed(String),
    /// No message arrived in time.
    #[error("nothing came within {} s", LIMIT.as_secs())]
    Late,
    /// The server sent a text that is not a valid message.
    #[error("not a message of the server: {error}: {text}")]
    Parse {
        /// Why the text is invalid.
        error: ParseMessageError,
        /// The text that was received.
        text: String,
    },
    /// The server sent a different message than expected.
    #[error("expected {expected}, not {found}")]
    Unexpected {
        /// Description of the expected message.
        expected: &'static str,
        /// The message that was received.
        found: String,
    },
}

impl From<tungstenite::Error> for ClientError {
    fn from(error: tungstenite::Error) -> ClientError {
        ClientError::Socket(Box::new(error))
    }
}

impl Client {
    /// Opens a connection to a path.
    pub async fn connect(address: SocketAddr, path: &str) -> Result<Client, ClientError> {
        Client::upgrade(TcpStream::connect(address).await?, address, path).await
    }

    /// Performs the handshake of the protocol on a connection.
    async fn upgrade(
        stream: TcpStream,
        address: SocketAddr,
        path: &str,
    ) -> Result<Client, ClientError> {
        stream.set_nodelay(true)?;
        let config = WebSocketConfig::default()
            .read_buffer_size(BUFFER_BYTES)
            .write_buffer_size(0)
            .max_write_buffer_size(1 << 16);
        let url = format!("ws://{address}{path}");
        let opening = client_async_with_config(url, stream, Some(config));
        let (socket, _) = timeout(LIMIT, opening).await.map_err(|_| ClientError::Late)??;
        Ok(Client { socket })
    }

    /// Opens a connection and sends `hello` as a guest.
    pub async fn guest(address: SocketAddr, name: &Name) -> Result<(Client, Welcome), ClientError> {
        let client = Client::connect(address, "/ws").await?;
        client.greet(Some(name.clone()), None).await
    }

    /// Does the same from a given address of this machine: from one address, fewer than 30,000
    /// connections to a server are possible.
    pub async fn guest_from(
        source: IpAddr,
        address: SocketAddr,
        name: &Name,
    ) -> Result<(Client, Welcome), ClientError> {
        let socket = if source.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
        socket.bind(SocketAddr::new(source, 0))?;
        let client = Client::upgrade(socket.connect(address).await?, address, "/ws").await?;
        client.greet(Some(name.clone()), None).await
    }

    /// Opens a connection and continues a session.
    pub async fn returning(
        address: SocketAddr,
        session: &SessionToken,
    ) -> Result<(Client, Welcome), ClientError> {
        let client = Client::connect(address, "/ws").await?;
        client.greet(None, Some(session.clone())).await
    }

    /// Sends `hello` and waits for the welcome.
    async fn greet(
        mut self,
        name: Option<Name>,
        session: Option<SessionToken>,
    ) -> Result<(Client, Welcome), ClientError> {
        let features = castellan_protocol::Features::default();
        let hello = Hello { version: PROTOCOL_VERSION, name, session, features };
        self.send(&ClientMessage::Hello(hello)).await?;
        match self.receive().await? {
            ServerMessage::Welcome(welcome) => Ok((self, welcome)),
            other => Err(unexpected("a welcome", &other)),
        }
    }

    /// Sends a message.
    pub async fn send(&mut self, message: &ClientMessage) -> Result<(), ClientError> {
        self.send_text(message.to_json()).await
    }

    /// Sends any text.
    pub async fn send_text(&mut self, text: String) -> Result<(), ClientError> {
        let sending = self.socket.send(Message::text(text));
        Ok(timeout(LIMIT, sending).await.map_err(|_| ClientError::Late)??)
    }

    /// Sends a move.
    pub async fn make_move(
        &mut self,
        game: GameId,
        ply: u32,
        mv: UciMove,
    ) -> Result<(), ClientError> {
        self.send(&ClientMessage::MakeMove(MakeMove { game, ply, mv })).await
    }

    /// Waits for the next message.
    pub async fn receive(&mut self) -> Result<ServerMessage, ClientError> {
        let text = self.receive_text().await?;
        ServerMessage::parse(&text).map_err(|error| ClientError::Parse { error, text })
    }

    /// Waits for the next text.
    pub async fn receive_text(&mut self) -> Result<String, ClientError> {
        loop {
            let next = timeout(LIMIT, self.socket.next()).await;
            match next.map_err(|_| ClientError::Late)? {
                Some(Ok(Message::Text(text))) => return Ok(text.as_str().to_owned()),
                Some(Ok(Message::Close(frame))) => {
                    let why = frame.map_or(String::new(), |frame| frame.to_string());
                    return Err(ClientError::Closed(why));
                }
                // The socket answers pings itself, together with the next write.
                Some(Ok(Message::Ping(_))) => self.socket.flush().await?,
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error.into()),
                None => return Err(ClientError::Closed(String::new())),
            }
        }
    }

    /// Stays connected and answers pings, but reads nothing else. Returns why the connection ended.
    pub async fn idle(mut self) -> ClientError {
        loop {
            match self.receive_text().await {
                Ok(_) | Err(ClientError::Late) => {}
                Err(error) => return error,
            }
        }
    }

    /// Waits for the snapshot of a game, skipping other messages before it.
    pub async fn receive_game(&mut self) -> Result<Snapshot, ClientError> {
        loop {
            match self.receive().await? {
                ServerMessage::Game(snapshot) => return Ok(*snapshot),
                other @ (ServerMessage::Refused(_) | ServerMessage::Error(_)) => {
                    return Err(unexpected("a game", &other));
                }
                _ => {}
            }
        }
    }

    /// Asks for the events of a game after a version.
    pub async fn resync(&mut self, game: GameId, version: u32) -> Result<(), ClientError> {
        self.send(&ClientMessage::Resync(Resync { game, version })).await
    }
}

/// Returns the error for an unexpected message.
pub(super) fn unexpected(expected: &'static str, found: &ServerMessage) -> ClientError {
    ClientError::Unexpected { expected, found: found.to_json() }
}
