//! Two players who reconnect after every restart and remember everything that was announced.

use std::net::SocketAddr;
use std::time::Duration;

use castellan_game::{Event, GameId, Proposal};
use castellan_protocol::{
    ClientMessage, GameEvent, GameRef, ProposalRef, ServerMessage, SessionToken, Snapshot,
};
use castellan_rules::{Color, Move};
use castellan_testkit::online::{Client, ClientError, OnlineGame, lasting_move};
use castellan_testkit::random::SplitMix64;

use super::memory::{Memory, spelled};
use super::proof;

/// When a pair stops playing.
#[derive(Clone, Copy)]
pub(super) enum Stop {
    /// When the server is gone.
    Never,
    /// After this many moves.
    AfterMoves(usize),
}

/// Two players and what they know.
pub(super) struct Pair {
    number: usize,
    most_pause_ms: usize,
    rng: SplitMix64,
    seats: Option<Seats>,
    memory: Memory,
    returns: usize,
    stored_unannounced: usize,
    /// The number of moves before which no draw is offered.
    offers_from: usize,
    /// Whether every legal move would end the game.
    is_over: bool,
}

/// What both players need to reconnect.
struct Seats {
    game: GameId,
    sessions: [SessionToken; 2],
}

/// The more often the server is killed, the longer a pair pauses between moves, so that a game
/// lasts until the end.
const PAUSE_MS_PER_RUN: usize = 2;
/// Maximum number of moves before the last restart; random games seldom end sooner.
const MOST_MOVES: usize = 500;

/// Returns whether the connection was lost. Any other error fails the test.
fn is_disconnected(error: &ClientError) -> bool {
    matches!(error, ClientError::Connect(_) | ClientError::Socket(_) | ClientError::Closed(_))
}

impl Pair {
    /// Creates a pair whose game lasts for this many runs of the server.
    pub(super) fn new(number: usize, runs: usize) -> Pair {
        Pair {
            number,
            most_pause_ms: PAUSE_MS_PER_RUN * runs.max(1),
            rng: SplitMix64::new(number as u64),
            seats: None,
            memory: Memory::default(),
            returns: 0,
            stored_unannounced: 0,
            offers_from: 0,
            is_over: false,
        }
    }

    pub(super) fn number(&self) -> usize {
        self.number
    }

    pub(super) fn game(&self) -> GameId {
        self.seats.as_ref().expect("every pair has a game").game
    }

    pub(super) fn memory(&self) -> &Memory {
        &self.memory
    }

    pub(super) fn returns(&self) -> usize {
        self.returns
    }

    pub(super) fn stored_unannounced(&self) -> usize {
        self.stored_unannounced
    }

    pub(super) fn count_moves(&self) -> usize {
        self.memory.line.moves().len()
    }

    pub(super) fn count_offers(&self) -> usize {
        let is_offer = |event: &&GameEvent| matches!(event.event, Event::Offered { .. });
        self.memory.events.values().filter(is_offer).count()
    }

    /// Records that there was no server for a while.
    pub(super) fn add_downtime(&mut self, downtime: Duration) {
        self.memory.downtime += downtime;
    }

    /// Starts or rejoins the game, and plays until the server is gone or `stop` is reached.
    pub(super) async fn play(mut self, address: SocketAddr, stop: Stop) -> Pair {
        match self.try_play(address, stop).await {
            Ok(()) => {}
            Err(error) if is_disconnected(&error) => {}
            Err(error) => panic!("pair {}: {error}", self.number),
        }
        self
    }

    async fn try_play(&mut self, address: SocketAddr, stop: Stop) -> Result<(), ClientError> {
        let mut clients = match &self.seats {
            None => self.start_game(address).await?,
            Some(_) => self.reconnect(address).await?,
        };
        let goal = match stop {
            Stop::Never => usize::MAX,
            Stop::AfterMoves(count) => self.count_moves() + count,
        };
        while self.count_moves() < goal {
            tokio::time::sleep(Duration::from_millis(self.rng.below(self.most_pause_ms) as u64))
                .await;
            let is_resting = self.is_over || goal == usize::MAX && self.count_moves() >= MOST_MOVES;
            if !is_resting {
                self.step(&mut clients).await?;
            } else if goal == usize::MAX {
                // No more moves are played, but the existing ones still have to survive.
                clients[0].receive().await?;
            } else {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn start_game(&mut self, address: SocketAddr) -> Result<[Client; 2], ClientError> {
        let OnlineGame { game, players, sessions, .. } =
            OnlineGame::start(address, self.number).await?;
        let sessions = sessions.map(|session| session.expect("a guest gets a session"));
        self.seats = Some(Seats { game, sessions });
        Ok(players)
    }

    /// Reconnects both players, and checks that the game contains everything they knew.
    async fn reconnect(&mut self, address: SocketAddr) -> Result<[Client; 2], ClientError> {
        let Seats { game, sessions } = self.seats.as_ref().expect("the game has started");
        let game = *game;
        let (mut white, welcome) = Client::returning(address, &sessions[0]).await?;
        assert!(
            welcome.games.contains(&game),
            "pair {}: White has lost {game}: {welcome:?}",
            self.number
        );
        white.send(&ClientMessage::Watch(GameRef { game })).await?;
        let seen = white.receive_game().await?;
        let (mut black, welcome) = Client::returning(address, &sessions[1]).await?;
        assert!(
            welcome.games.contains(&game),
            "pair {}: Black has lost {game}: {welcome:?}",
            self.number
        );
        let repeated = self.adopt(&seen);
        // Black only asks for the missing events, which are checked as they arrive.
        black.resync(game, self.memory.version()).await?;
        self.catch_up(&mut black, &seen).await?;
        self.returns += 1;
        // An offer may have been stored without being announced; after two moves it has lapsed.
        self.offers_from = self.count_moves() + 2;
        let mut clients = [white, black];
        if let Some(mv) = repeated {
            // The mover cannot know that the move was stored; sending it again must change nothing.
            let ply = self.count_moves() - 1;
            let [_, mover] = pick(&mut clients, self.memory.line.turn());
            mover
                .make_move(game, u32::try_from(ply).expect("games are short"), spelled(mv))
                .await?;
        }
        Ok(clients)
    }

    /// Checks and adopts a snapshot. Returns the move in it that had not been announced, if there
    /// is one.
    fn adopt(&mut self, seen: &Snapshot) -> Option<Move> {
        let has_unannounced = proof::assert_snapshot(&self.memory, seen);
        if seen.offers.iter().all(|offer| offer.what != Proposal::Draw) {
            // The reply to an offer may be in a snapshot although it was never announced.
            self.memory.answered_up_to = seen.version;
        }
        if !has_unannounced {
            return None;
        }
        let mv = self.memory.unannounced.take().expect("there was one");
        self.memory.line.play(mv).expect("it was legal when it was sent");
        self.stored_unannounced += 1;
        Some(mv)
    }

    /// Receives the result of a resync, up to the version of the other player's snapshot.
    async fn catch_up(&mut self, client: &mut Client, seen: &Snapshot) -> Result<(), ClientError> {
        loop {
            match client.receive().await? {
                ServerMessage::Game(own) => {
                    assert!(own.version >= seen.version);
                    assert_eq!((&own.moves, &own.offers), (&seen.moves, &seen.offers));
                    return Ok(());
                }
                ServerMessage::Event(event) => {
                    let is_last = event.version >= seen.version;
                    self.memory.record(event);
                    if is_last {
                        return Ok(());
                    }
                }
                ServerMessage::Presence(_) => {}
                other => panic!("no answer to a resync: {}", other.to_json()),
            }
        }
    }

    /// Plays one move, sometimes with a draw offer before it. A move that was not announced is sent
    /// again.
    async fn step(&mut self, clients: &mut [Client; 2]) -> Result<(), ClientError> {
        // Offering what the opponent has offered would accept it, and these games must continue.
        let is_open = proof::open_offer(&self.memory).is_some();
        let may_offer = !is_open && self.count_moves() >= self.offers_from;
        if self.memory.unannounced.is_none() && may_offer && self.rng.chance(20) {
            self.offer(clients).await?;
        }
        let next =
            self.memory.unannounced.or_else(|| lasting_move(&mut self.memory.line, &mut self.rng));
        let Some(mv) = next else {
            self.is_over = true;
            return Ok(());
        };
        let (ply, turn) = (self.memory.line.moves().len(), self.memory.line.turn());
        self.memory.unannounced = Some(mv);
        let [mover, opponent] = pick(clients, turn);
        let game = self.seats.as_ref().expect("the game has started").game;
        let sent_ply = u32::try_from(ply).expect("games are short");
        mover.make_move(game, sent_ply, spelled(mv)).await?;
        for client in [opponent, mover] {
            self.receive_until(
                client,
                |event| matches!(event, Event::Moved { ply, .. } if *ply == sent_ply),
            )
            .await?;
        }
        assert!(self.memory.knows_move_at(ply));
        Ok(())
    }

    /// Lets the player to move offer a draw. The server may refuse if they offer too often.
    async fn offer(&mut self, clients: &mut [Client; 2]) -> Result<(), ClientError> {
        let by = self.memory.line.turn();
        let game = self.seats.as_ref().expect("the game has started").game;
        let [mover, opponent] = pick(clients, by);
        mover.send(&ClientMessage::Offer(ProposalRef { game, what: Proposal::Draw })).await?;
        let is_offer = |event: &Event| matches!(event, Event::Offered { .. });
        if !self.receive_until(mover, is_offer).await? {
            return Ok(());
        }
        self.receive_until(opponent, is_offer).await?;
        if self.rng.chance(50) {
            opponent
                .send(&ClientMessage::Decline(ProposalRef { game, what: Proposal::Draw }))
                .await?;
            for client in [opponent, mover] {
                self.receive_until(client, |event| matches!(event, Event::Declined { .. })).await?;
            }
        }
        Ok(())
    }

    /// Receives events up to a certain one. Returns `false` if the request was refused instead.
    async fn receive_until(
        &mut self,
        client: &mut Client,
        is_awaited: impl Fn(&Event) -> bool,
    ) -> Result<bool, ClientError> {
        loop {
            match client.receive().await? {
                ServerMessage::Event(event) => {
                    let is_over = matches!(event.event, Event::Ended(_));
                    assert!(!is_over, "pair {}: {event:?}", self.number);
                    let is_done = is_awaited(&event.event);
                    self.memory.record(event);
                    if is_done {
                        return Ok(true);
                    }
                }
                ServerMessage::Refused(refused) => {
                    let is_nagging = ["offered_too_often", "already_offered", "answer_first"]
                        .contains(&refused.code.as_str());
                    assert!(is_nagging, "pair {}: {refused:?}", self.number);
                    return Ok(false);
                }
                ServerMessage::Presence(_) => {}
                other => panic!("pair {}: {}", self.number, other.to_json()),
            }
        }
    }
}

/// Returns the client of the player to move, then that of the opponent.
fn pick(clients: &mut [Client; 2], turn: Color) -> [&mut Client; 2] {
    let [white, black] = clients;
    match turn {
        Color::White => [white, black],
        Color::Black => [black, white],
    }
}
