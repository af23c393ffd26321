//! A client of the full protocol that checks what the server sends.

use std::collections::HashMap;

use castellan_game::{End, Event, GameId, Proposal, TimeControl};
use castellan_protocol::{
    ClientMessage, Features, GameEvent, GameRef, Hello, MakeMove, ProposalRef, Refused, Resync,
    Seat, Seek, ServerMessage, SessionToken, Snapshot, Welcome,
};
use castellan_rules::{CastlingSpelling, Line, Move, Role, UciMove};
use castellan_testkit::waiting::LIMIT;
use futures_util::{SinkExt, StreamExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::{HeaderName, HeaderValue};
use tokio_tungstenite::tungstenite::{Error, Message, protocol::CloseFrame};
use tokio_tungstenite::{WebSocketStream, client_async};

use super::server::TestServer;

/// Opens a WebSocket at a path of the server, with extra headers.
pub(crate) async fn open(
    server: &TestServer,
    path: &str,
    headers: &[(&str, &str)],
) -> Result<WebSocketStream<TcpStream>, Error> {
    let socket = TcpSocket::new_v4().unwrap();
    // A small buffer, so that a client that does not read is noticed before the system buffers
    // much.
    socket.set_recv_buffer_size(8192).unwrap();
    let stream = socket.connect(server.address).await.unwrap();
    let mut request = format!("ws://{}{path}", server.address).into_client_request().unwrap();
    for (name, value) in headers {
        let name: HeaderName = name.parse().unwrap();
        request.headers_mut().append(name, HeaderValue::from_str(value).unwrap());
    }
    Ok(client_async(request, stream).await?.0)
}

/// A client at `/ws`.
pub(crate) struct Client {
    pub(crate) socket: WebSocketStream<TcpStream>,
    pub(crate) welcome: Welcome,
    /// Seat and last version of each game that the server has sent.
    games: HashMap<GameId, (Option<Seat>, u32)>,
}

impl Client {
    /// Connects as a guest with a name.
    pub(crate) async fn guest(server: &TestServer, name: &str) -> Client {
        let hello = Hello { name: Some(name.parse().unwrap()), ..hello() };
        Client::greet(open(server, "/ws", &[]).await.unwrap(), hello).await
    }

    /// Connects with an earlier session.
    pub(crate) async fn back(server: &TestServer, session: SessionToken) -> Client {
        let hello = Hello { session: Some(session), ..hello() };
        Client::greet(open(server, "/ws", &[]).await.unwrap(), hello).await
    }

    /// Connects as a guest through a proxy that reports this address.
    pub(crate) async fn guest_from(server: &TestServer, name: &str, address: &str) -> Client {
        let hello = Hello { name: Some(name.parse().unwrap()), ..hello() };
        let headers = [("x-forwarded-for", address)];
        Client::greet(open(server, "/ws", &headers).await.unwrap(), hello).await
    }

    /// Connects with the cookie of an account.
    pub(crate) async fn with_cookie(server: &TestServer, cookie: &str) -> Client {
        let origin = format!("http://{}", server.address);
        let headers = [("cookie", cookie), ("origin", origin.as_str())];
        Client::greet(open(server, "/ws", &headers).await.unwrap(), hello()).await
    }

    async fn greet(mut socket: WebSocketStream<TcpStream>, hello: Hello) -> Client {
        let hello = ClientMessage::Hello(hello).to_json();
        socket.send(Message::text(hello)).await.unwrap();
        let welcome = match next(&mut socket).await {
            Ok(ServerMessage::Welcome(welcome)) => welcome,
            other => panic!("expected a welcome: {other:?}"),
        };
        Client { socket, welcome, games: HashMap::new() }
    }

    pub(crate) fn session(&self) -> SessionToken {
        self.welcome.session.clone().expect("a guest by name has a session")
    }

    /// Returns the unfinished games that the server listed when the client connected.
    pub(crate) fn welcome_games(&self) -> Vec<GameId> {
        self.welcome.games.clone()
    }

    pub(crate) fn seat(&self, game: GameId) -> Seat {
        self.games[&game].0.expect("a player has a seat")
    }

    /// Returns the version of the last event received.
    pub(crate) fn version(&self, game: GameId) -> u32 {
        self.games[&game].1
    }

    pub(crate) async fn say(&mut self, message: &ClientMessage) {
        self.say_text(&message.to_json()).await;
    }

    pub(crate) async fn say_text(&mut self, text: &str) {
        self.socket.send(Message::text(text)).await.unwrap();
    }

    /// Sends a text and returns `true` if the connection is still open.
    pub(crate) async fn try_say_text(&mut self, text: &str) -> bool {
        self.socket.send(Message::text(text)).await.is_ok()
    }

    /// Receives the next message, and asserts that events come without gaps and, unless
    /// requested, without repetition.
    pub(crate) async fn next(&mut self) -> ServerMessage {
        let message = next(&mut self.socket).await;
        let message = message.unwrap_or_else(|frame| panic!("closed: {frame:?}"));
        match &message {
            ServerMessage::Game(snapshot) => {
                self.games.insert(snapshot.game, (snapshot.you, snapshot.version));
            }
            ServerMessage::Event(event) => {
                if let Some((_, version)) = self.games.get_mut(&event.game) {
                    assert!(event.version <= *version + 1, "a gap before {event:?}");
                    *version = event.version.max(*version);
                }
            }
            _ => {}
        }
        message
    }

    /// Receives messages until one is wanted.
    pub(crate) async fn until<T>(&mut self, wanted: impl Fn(&ServerMessage) -> Option<T>) -> T {
        loop {
            let message = self.next().await;
            if let Some(found) = wanted(&message) {
                return found;
            }
        }
    }

    /// Returns the frame with which the server closes the connection.
    pub(crate) async fn closed(mut self) -> Option<CloseFrame> {
        loop {
            if let Err(frame) = next(&mut self.socket).await {
                return frame;
            }
        }
    }

    pub(crate) async fn game(&mut self) -> Snapshot {
        self.until(|message| match message {
            ServerMessage::Game(snapshot) => Some((**snapshot).clone()),
            ServerMessage::Refused(refused) => panic!("no game: {refused:?}"),
            _ => None,
        })
        .await
    }

    pub(crate) async fn event(&mut self) -> GameEvent {
        self.until(|message| match message {
            ServerMessage::Event(event) => Some(event.clone()),
            ServerMessage::Refused(refused) => panic!("no event: {refused:?}"),
            _ => None,
        })
        .await
    }

    /// Receives the next event of a game. Events of other games may come in between.
    pub(crate) async fn event_of(&mut self, game: GameId) -> GameEvent {
        loop {
            let event = self.event().await;
            if event.game == game {
                return event;
            }
        }
    }

    pub(crate) async fn end(&mut self) -> End {
        self.until(|message| match message {
            ServerMessage::Event(GameEvent { event: Event::Ended(end), .. }) => Some(*end),
            _ => None,
        })
        .await
    }

    pub(crate) async fn refused(&mut self) -> Refused {
        self.until(|message| match message {
            ServerMessage::Refused(refused) => Some(refused.clone()),
            ServerMessage::Event(event) => panic!("not refused: {event:?}"),
            _ => None,
        })
        .await
    }

    /// Returns the code of the next refusal or error.
    pub(crate) async fn refusal(&mut self) -> String {
        self.until(|message| match message {
            ServerMessage::Refused(refused) => Some(refused.code.to_string()),
            ServerMessage::Error(error) => Some(error.code.to_string()),
            ServerMessage::Event(event) => panic!("not refused: {event:?}"),
            _ => None,
        })
        .await
    }

    pub(crate) async fn queued(&mut self) {
        self.until(|message| matches!(message, ServerMessage::Queued(_)).then_some(())).await;
    }

    /// Receives the next presence message.
    pub(crate) async fn presence(&mut self) -> castellan_protocol::PresenceView {
        self.until(|message| match message {
            ServerMessage::Presence(presence) => Some(presence.presence),
            _ => None,
        })
        .await
    }

    /// Waits until the server has handled everything that was sent before.
    pub(crate) async fn settle(&mut self) {
        self.heard().await;
    }

    /// Waits likewise and returns what the server has sent in the meantime.
    pub(crate) async fn heard(&mut self) -> Vec<ServerMessage> {
        self.say_text(r#"{"type": "ping", "data": {"id": 4711}}"#).await;
        let mut heard = Vec::new();
        loop {
            match self.next().await {
                ServerMessage::Pong(_) => return heard,
                other => heard.push(other),
            }
        }
    }

    pub(crate) async fn seek(&mut self, time_control: TimeControl) {
        self.say(&ClientMessage::Seek(Seek { time_control, is_rated: false })).await;
    }

    pub(crate) async fn make_move(&mut self, game: GameId, ply: u32, mv: &str) {
        let mv = mv.parse().unwrap();
        self.say(&ClientMessage::MakeMove(MakeMove { game, ply, mv })).await;
    }

    pub(crate) async fn resign(&mut self, game: GameId) {
        self.say(&ClientMessage::Resign(GameRef { game })).await;
    }

    pub(crate) async fn offer(&mut self, game: GameId, what: Proposal) {
        self.say(&ClientMessage::Offer(ProposalRef { game, what })).await;
    }

    pub(crate) async fn accept(&mut self, game: GameId, what: Proposal) {
        self.say(&ClientMessage::Accept(ProposalRef { game, what })).await;
    }

    pub(crate) async fn watch(&mut self, game: GameId) -> Snapshot {
        self.say(&ClientMessage::Watch(GameRef { game })).await;
        self.game().await
    }

    pub(crate) async fn resync(&mut self, game: GameId, version: u32) {
        self.say(&ClientMessage::Resync(Resync { game, version })).await;
    }
}

fn hello() -> Hello {
    Hello { version: 1, name: None, session: None, features: Features::default() }
}

/// Receives the next message from the server, or the frame with which it closes.
pub(crate) async fn next(
    socket: &mut WebSocketStream<TcpStream>,
) -> Result<ServerMessage, Option<CloseFrame>> {
    let text = next_text(socket).await?;
    Ok(ServerMessage::parse(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
}

/// Receives the next text from the server, or the frame with which it closes.
pub(crate) async fn next_text(
    socket: &mut WebSocketStream<TcpStream>,
) -> Result<String, Option<CloseFrame>> {
    loop {
        let message = timeout(LIMIT, socket.next()).await.expect("the server says something");
        match message {
            Some(Ok(Message::Text(text))) => return Ok(text.to_string()),
            Some(Ok(Message::Close(frame))) => return Err(frame),
            Some(Ok(_)) => {}
            Some(Err(_)) | None => return Err(None),
        }
    }
}

/// Plays moves alternately from ply 0. Both clients receive every move.
pub(crate) async fn play(white: &mut Client, black: &mut Client, game: GameId, moves: &[&str]) {
    let first = white.version(game);
    assert_eq!(first, black.version(game));
    play_from(white, black, game, 0, moves).await;
}

/// Plays moves alternately from a later ply.
pub(crate) async fn play_from(
    white: &mut Client,
    black: &mut Client,
    game: GameId,
    first: u32,
    moves: &[&str],
) {
    for (ply, mv) in (first..).zip(moves) {
        let mover = if ply % 2 == 0 { &mut *white } else { &mut *black };
        mover.make_move(game, ply, mv).await;
        for client in [&mut *white, &mut *black] {
            let mut event = client.event_of(game).await;
            // If the server is slow to announce a move, it credits the time.
            while matches!(event.event, Event::Resumed { .. }) {
                event = client.event_of(game).await;
            }
            let Event::Moved { ply: heard, mv: heard_mv, .. } = event.event else {
                panic!("expected a move: {event:?}");
            };
            assert_eq!((heard, heard_mv.to_string().as_str()), (ply, *mv));
        }
    }
}

/// Returns four hundred legal moves that do not end the game.
pub(crate) fn long_game() -> Vec<String> {
    let mut line = Line::default();
    let mut state: u64 = 11;
    for _ in 0..100_000 {
        if line.moves().len() == 400 {
            break;
        }
        let position = line.position();
        let legal = position.legal_moves();
        // Avoids captures, which would hasten the end, and moves a pawn now and then.
        let is_quiet = |mv: &&Move| position.piece_at(mv.to()).is_none();
        let is_pawn = |mv: &&Move| position.piece_at(mv.from()).unwrap().role == Role::Pawn;
        let quiet: Vec<Move> = legal.iter().filter(is_quiet).copied().collect();
        let pawns: Vec<Move> = quiet.iter().filter(is_pawn).copied().collect();
        let moves = match (position.halfmove_clock() >= 40 && !pawns.is_empty(), quiet.is_empty()) {
            (true, _) => pawns,
            (false, false) => quiet,
            (false, true) => legal.iter().copied().collect(),
        };
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        line.play(moves[(state >> 33) as usize % moves.len()]).unwrap();
        if line.outcome().is_some() {
            // A way out of a dead end may be far back.
            for _ in 0..20 {
                line.undo();
            }
        }
    }
    assert_eq!(line.moves().len(), 400);
    let text = |mv: &Move| UciMove::from_move(*mv, CastlingSpelling::KingTwoSquares).to_string();
    line.moves().iter().map(text).collect()
}
