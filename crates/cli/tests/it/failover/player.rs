//! A player who goes to another node when their own is gone, and takes the time of their moves.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use castellan_game::{Event, GameId};
use castellan_protocol::{GameEvent, ServerMessage, SessionToken, Snapshot};
use castellan_rules::{Color, Move};
use castellan_testkit::online::{Client, ClientError, OnlineGame, lasting_move};
use castellan_testkit::random::SplitMix64;
use castellan_testkit::waiting::LIMIT;
use tokio::time::{Instant, sleep, sleep_until};

use super::{Nodes, Table};
use crate::crash::memory::{Memory, spelled};

/// Longest time for which a player thinks, in the short test and in a load test.
const THINK_MS: [usize; 2] = [20, 1_000];
/// Pause before a request is repeated that no node answered.
const RETRY: Duration = Duration::from_millis(50);
/// Codes of refusals after which a client tries again.
const TEMPORARY: [&str; 4] = ["busy", "not_stored", "uncertain", "store_unavailable"];

/// A move of this player.
#[derive(Clone, Copy)]
pub(super) struct Turn {
    pub(super) ply: usize,
    /// When the player knew that it was their turn.
    pub(super) learned: Instant,
    /// When the move was sent for the first time.
    pub(super) sent: Instant,
    /// When the move was acknowledged.
    pub(super) heard: Instant,
    /// Time without a connection during this turn.
    pub(super) offline: Duration,
    /// When the connection was opened on which the move was acknowledged.
    pub(super) connected: Instant,
    /// Number of refusals during this turn.
    pub(super) refusals: usize,
}

/// One of the two players of a game.
pub(super) struct Player {
    number: usize,
    color: Color,
    game: GameId,
    session: SessionToken,
    client: Client,
    rng: SplitMix64,
    most_think_ms: usize,
    memory: Memory,
    /// The version that the player has, which may come from a snapshot.
    version: u32,
    /// When the player learned of the last move.
    learned: Instant,
    /// When the player connected to their node.
    connected: Instant,
    /// When each move of the opponent arrived.
    seen: Vec<(usize, Instant)>,
    turns: Vec<Turn>,
    /// Time without a connection since the player learned of the last move.
    offline: Duration,
    pub(super) reconnects: usize,
    pub(super) refusals: usize,
    pub(super) sent_again: usize,
}

impl Player {
    /// Returns White and Black of a game that has just begun.
    pub(super) fn both(number: usize, online: OnlineGame, is_load_test: bool) -> [Player; 2] {
        let OnlineGame { game, players: [white, black], sessions: [host, guest], .. } = online;
        let player = |color: Color, client, session: Option<SessionToken>| Player {
            number,
            color,
            game,
            session: session.expect("a guest gets a session"),
            client,
            rng: SplitMix64::new((2 * number + color.index()) as u64),
            most_think_ms: THINK_MS[usize::from(is_load_test)],
            memory: Memory::default(),
            version: 0,
            learned: Instant::now(),
            connected: Instant::now(),
            seen: Vec::new(),
            turns: Vec::new(),
            offline: Duration::ZERO,
            reconnects: 0,
            refusals: 0,
            sent_again: 0,
        };
        [player(Color::White, white, host), player(Color::Black, black, guest)]
    }

    pub(super) fn seat(&self) -> (usize, usize) {
        (self.number, self.color.index())
    }

    pub(super) fn game(&self) -> GameId {
        self.game
    }

    pub(super) fn memory(&self) -> &Memory {
        &self.memory
    }

    pub(super) fn turns(&self) -> &[Turn] {
        &self.turns
    }

    pub(super) fn seen(&self) -> &[(usize, Instant)] {
        &self.seen
    }

    /// Plays until the game is asked to stop.
    pub(super) async fn play(mut self, nodes: Arc<Nodes>, table: Arc<Table>) -> Player {
        let mut last_ply = table.last_ply.subscribe();
        loop {
            if self.memory.line.turn() == self.color {
                let mv = lasting_move(&mut self.memory.line, &mut self.rng);
                let Some(mv) = mv.filter(|_| !table.is_stopping.load(Ordering::SeqCst)) else {
                    table.last_ply.send_replace(Some(self.ply()));
                    return self;
                };
                self.make_move(mv, &nodes).await;
                table.plies.store(self.ply(), Ordering::SeqCst);
            } else {
                let is_last = *last_ply.borrow_and_update() == Some(self.ply());
                if is_last {
                    return self;
                }
                tokio::select! {
                    message = self.client.receive() => self.handle(message, &nodes).await,
                    _ = last_ply.changed() => {}
                }
            }
        }
    }

    fn ply(&self) -> usize {
        self.memory.line.moves().len()
    }

    /// Thinks, sends a move, and waits until it is acknowledged.
    async fn make_move(&mut self, mv: Move, nodes: &Nodes) {
        let (ply, learned, refusals) = (self.ply(), self.learned, self.refusals);
        let think = Duration::from_millis(self.rng.below(self.most_think_ms) as u64);
        let until = Instant::now() + think;
        while Instant::now() < until {
            // A player who thinks is still listening.
            tokio::select! {
                message = self.client.receive() => self.handle(message, nodes).await,
                () = sleep_until(until) => {}
            }
        }
        self.memory.unannounced = Some(mv);
        let sent = Instant::now();
        if let Err(error) = self.send_unannounced().await {
            self.handle(Err(error), nodes).await;
        }
        while !self.memory.knows_move_at(ply) {
            let message = self.client.receive().await;
            self.handle(message, nodes).await;
        }
        let offline = std::mem::take(&mut self.offline);
        let (heard, connected) = (Instant::now(), self.connected);
        let refusals = self.refusals - refusals;
        self.turns.push(Turn { ply, learned, sent, heard, offline, connected, refusals });
    }

    /// Sends a move that has not been acknowledged, if there is one.
    async fn send_unannounced(&mut self) -> Result<(), ClientError> {
        let Some(mv) = self.memory.unannounced else { return Ok(()) };
        let ply = u32::try_from(self.ply()).expect("games are short");
        self.client.make_move(self.game, ply, spelled(mv)).await
    }

    async fn handle(&mut self, message: Result<ServerMessage, ClientError>, nodes: &Nodes) {
        match message {
            Ok(ServerMessage::Event(event)) => self.hear(event, nodes).await,
            Ok(ServerMessage::Game(snapshot)) => self.adopt(&snapshot),
            Ok(ServerMessage::Refused(refused)) => {
                let code = refused.code.as_str();
                assert!(TEMPORARY.contains(&code), "{:?}: {refused:?}", self.seat());
                self.refusals += 1;
                sleep(RETRY).await;
                self.catch_up(nodes).await;
            }
            Ok(ServerMessage::Error(error)) => panic!("{:?}: {error:?}", self.seat()),
            // Presence, and the end of the invitation.
            Ok(_) => {}
            Err(ClientError::Connect(_) | ClientError::Socket(_) | ClientError::Closed(_)) => {
                self.reconnect(nodes).await;
            }
            Err(error) => panic!("{:?} at ply {}: {error}", self.seat(), self.ply()),
        }
    }

    async fn hear(&mut self, event: GameEvent, nodes: &Nodes) {
        assert!(!matches!(event.event, Event::Ended(_)), "{:?}: {event:?}", self.seat());
        // The first event that a player hears tells which versions the game began with.
        if self.version > 0 && event.version > self.version + 1 {
            return self.catch_up(nodes).await;
        }
        let before = self.ply();
        self.version = self.version.max(event.version);
        self.memory.record(event);
        self.note_moves(before);
    }

    fn adopt(&mut self, snapshot: &Snapshot) {
        assert!(snapshot.end.is_none(), "{:?}: {:?}", self.seat(), snapshot.end);
        if snapshot.version < self.version {
            // This node has not heard of the last events yet.
            return;
        }
        let before = self.ply();
        for (ply, &mv) in snapshot.moves.0.iter().enumerate() {
            self.memory.record_move(ply, mv);
        }
        self.version = snapshot.version;
        self.note_moves(before);
    }

    /// Takes the time of the moves that are new to the player.
    fn note_moves(&mut self, before: usize) {
        if self.ply() == before {
            return;
        }
        self.learned = Instant::now();
        let is_mine = |ply: &usize| ply % 2 == self.color.index();
        let theirs = (before..self.ply()).filter(|ply| !is_mine(ply));
        self.seen.extend(theirs.map(|ply| (ply, self.learned)));
        if self.memory.line.turn() == self.color {
            self.offline = Duration::ZERO;
        }
    }

    /// Reconnects to another node.
    async fn reconnect(&mut self, nodes: &Nodes) {
        let gone = Instant::now();
        self.reconnects += 1;
        loop {
            assert!(gone.elapsed() < LIMIT, "{:?}: no node answers", self.seat());
            let Some(address) = nodes.pick(&mut self.rng) else {
                sleep(RETRY).await;
                continue;
            };
            match Client::returning(address, &self.session).await {
                Ok((client, welcome)) => {
                    assert!(welcome.games.contains(&self.game), "{:?}", self.seat());
                    self.client = client;
                    self.connected = Instant::now();
                    if self.ask_again().await.is_ok() {
                        break;
                    }
                }
                Err(ClientError::Late) => panic!("{:?}: a node does not answer", self.seat()),
                Err(_) => sleep(RETRY).await,
            }
        }
        self.offline += gone.elapsed();
    }

    /// Asks for the events that are missing, and sends a move that was not acknowledged again.
    async fn catch_up(&mut self, nodes: &Nodes) {
        if self.ask_again().await.is_err() {
            Box::pin(self.reconnect(nodes)).await;
        }
    }

    async fn ask_again(&mut self) -> Result<(), ClientError> {
        self.client.resync(self.game, self.version).await?;
        self.sent_again += usize::from(self.memory.unannounced.is_some());
        self.send_unannounced().await
    }
}
