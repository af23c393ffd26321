//! Two players who come back whenever the server does, and remember all they were told.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use castellan_game::{Event, GameId, Proposal};
use castellan_protocol::{
    ClientMessage, GameEvent, GameRef, ProposalRef, ServerMessage, SessionToken, Snapshot,
};
use castellan_rules::{CastlingSpelling, Color, Line, Move, UciMove};
use castellan_testkit::online::{Client, ClientError, Table, lasting_move};
use castellan_testkit::random::SplitMix64;

use super::proof;

/// When a pair has played enough.
#[derive(Clone, Copy)]
pub(super) enum Stop {
    /// Only when the server is gone.
    Never,
    /// After so many moves.
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
    kept_unannounced: usize,
    /// No offers before so many moves.
    offers_from: usize,
    /// Whether every move that is left would end the game.
    is_over: bool,
}

/// What lets both come back.
struct Seats {
    game: GameId,
    sessions: [SessionToken; 2],
}

/// What a pair has been told.
#[derive(Default)]
pub(super) struct Memory {
    /// Every event that either of them has seen, by version.
    pub(super) events: BTreeMap<u32, GameEvent>,
    /// Offers up to this version have been answered or have lapsed.
    pub(super) answered_up_to: u32,
    /// The moves that were announced.
    pub(super) line: Line,
    /// A move that was sent and of which nothing has been heard.
    pub(super) unheard: Option<Move>,
    /// How long servers have been away since the last event.
    pub(super) away: Duration,
}

impl Memory {
    /// Takes an event in; both players see each of them, and both the same.
    fn learn(&mut self, event: GameEvent) {
        let version = event.version;
        if let Some(known) = self.events.get(&version) {
            // Only the clocks may be told in one place and not in the other.
            assert_eq!((known.at, &known.event), (event.at, &event.event), "version {version}");
            return;
        }
        if let Event::Moved { ply, mv, .. } = &event.event {
            self.learn_move(*ply as usize, *mv);
        }
        self.away = Duration::ZERO;
        self.events.insert(version, event);
    }

    /// A snapshot may have told of the move before the event does.
    fn learn_move(&mut self, ply: usize, mv: UciMove) {
        let position = self.line.positions().get(ply).expect("no move is left out");
        let mv = mv.resolve(position).expect("an announced move is legal");
        match self.line.moves().get(ply) {
            Some(known) => assert_eq!(*known, mv, "ply {ply} has changed"),
            None => {
                self.line.play(mv).expect("it was resolved there");
                self.unheard = None;
            }
        }
    }

    /// The version of the last event.
    pub(super) fn version(&self) -> u32 {
        self.events.last_key_value().map_or(0, |(version, _)| *version)
    }

    fn knows_move_at(&self, ply: usize) -> bool {
        self.line.moves().len() > ply
    }
}

/// A pair thinks longer for its moves the more lives the server has, so that a game lasts for all
/// of them.
const PAUSE_MS_PER_LIFE: usize = 2;
/// And plays so many moves before the last life: random games seldom end sooner.
const MOST_MOVES: usize = 500;

/// Whether a player has been cut off; anything else that goes wrong is a fault.
fn is_cut_off(error: &ClientError) -> bool {
    matches!(error, ClientError::Connect(_) | ClientError::Socket(_) | ClientError::Closed(_))
}

impl Pair {
    /// A pair whose game is to last for so many lives of the server.
    pub(super) fn new(number: usize, lives: usize) -> Pair {
        Pair {
            number,
            most_pause_ms: PAUSE_MS_PER_LIFE * lives.max(1),
            rng: SplitMix64::new(number as u64),
            seats: None,
            memory: Memory::default(),
            returns: 0,
            kept_unannounced: 0,
            offers_from: 0,
            is_over: false,
        }
    }

    pub(super) fn number(&self) -> usize {
        self.number
    }

    pub(super) fn game(&self) -> GameId {
        self.seats.as_ref().expect("every pair has sat down").game
    }

    pub(super) fn memory(&self) -> &Memory {
        &self.memory
    }

    pub(super) fn returns(&self) -> usize {
        self.returns
    }

    pub(super) fn kept_unannounced(&self) -> usize {
        self.kept_unannounced
    }

    pub(super) fn count_moves(&self) -> usize {
        self.memory.line.moves().len()
    }

    pub(super) fn count_offers(&self) -> usize {
        let is_offer = |event: &&GameEvent| matches!(event.event, Event::Offered { .. });
        self.memory.events.values().filter(is_offer).count()
    }

    /// Notes that there was no server for a while.
    pub(super) fn was_away(&mut self, away: Duration) {
        self.memory.away += away;
    }

    /// Sits down or comes back, and plays on until the server is gone or it is enough.
    pub(super) async fn live(mut self, address: SocketAddr, stop: Stop) -> Pair {
        match self.try_live(address, stop).await {
            Ok(()) => {}
            Err(error) if is_cut_off(&error) => {}
            Err(error) => panic!("pair {}: {error}", self.number),
        }
        self
    }

    async fn try_live(&mut self, address: SocketAddr, stop: Stop) -> Result<(), ClientError> {
        let mut clients = match &self.seats {
            None => self.sit_down(address).await?,
            Some(_) => self.come_back(address).await?,
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
                // Nothing more is played; what is there has to survive all the same.
                clients[0].hear().await?;
            } else {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn sit_down(&mut self, address: SocketAddr) -> Result<[Client; 2], ClientError> {
        let Table { game, players, sessions, .. } = Table::sit(address, self.number).await?;
        let sessions = sessions.map(|session| session.expect("a guest gets a session"));
        self.seats = Some(Seats { game, sessions });
        Ok(players)
    }

    /// Both connect again and are shown the game; everything they knew must be in it.
    async fn come_back(&mut self, address: SocketAddr) -> Result<[Client; 2], ClientError> {
        let Seats { game, sessions } = self.seats.as_ref().expect("they have sat down");
        let game = *game;
        let (mut white, welcome) = Client::returning(address, &sessions[0]).await?;
        assert!(
            welcome.games.contains(&game),
            "pair {}: White has lost {game}: {welcome:?}",
            self.number
        );
        white.say(&ClientMessage::Watch(GameRef { game })).await?;
        let seen = white.hear_game().await?;
        let (mut black, welcome) = Client::returning(address, &sessions[1]).await?;
        assert!(
            welcome.games.contains(&game),
            "pair {}: Black has lost {game}: {welcome:?}",
            self.number
        );
        let repeated = self.adopt(&seen);
        // The other asks only for what is missing; what it gets is checked as it comes.
        black.resync(game, self.memory.version()).await?;
        self.catch_up(&mut black, &seen).await?;
        self.returns += 1;
        // An offer may have been kept of which nobody has heard; two moves later it has lapsed.
        self.offers_from = self.count_moves() + 2;
        let mut clients = [white, black];
        if let Some(mv) = repeated {
            // The mover cannot know that it was kept; sending it again must change nothing.
            let ply = self.count_moves() - 1;
            let [_, mover] = pick(&mut clients, self.memory.line.turn());
            mover
                .make_move(game, u32::try_from(ply).expect("games are short"), spelled(mv))
                .await?;
        }
        Ok(clients)
    }

    /// Takes a snapshot over after it has been checked. The move in it of which nobody had heard,
    /// if there is one.
    fn adopt(&mut self, seen: &Snapshot) -> Option<Move> {
        let has_unheard = proof::assert_kept(&self.memory, seen);
        if seen.offers.iter().all(|offer| offer.what != Proposal::Draw) {
            // An answer may be known from a snapshot alone, if nobody has heard of it.
            self.memory.answered_up_to = seen.version;
        }
        if !has_unheard {
            return None;
        }
        let mv = self.memory.unheard.take().expect("there was one");
        self.memory.line.play(mv).expect("it was legal when it was sent");
        self.kept_unannounced += 1;
        Some(mv)
    }

    /// Hears what a resync brings, up to the version of the snapshot that the other has.
    async fn catch_up(&mut self, client: &mut Client, seen: &Snapshot) -> Result<(), ClientError> {
        loop {
            match client.hear().await? {
                ServerMessage::Game(own) => {
                    assert!(own.version >= seen.version);
                    assert_eq!((&own.moves, &own.offers), (&seen.moves, &seen.offers));
                    return Ok(());
                }
                ServerMessage::Event(event) => {
                    let is_last = event.version >= seen.version;
                    self.memory.learn(event);
                    if is_last {
                        return Ok(());
                    }
                }
                ServerMessage::Presence(_) => {}
                other => panic!("no answer to a resync: {}", other.to_json()),
            }
        }
    }

    /// One move, now and then with an offer before it; a move that nobody has heard of is sent
    /// again.
    async fn step(&mut self, clients: &mut [Client; 2]) -> Result<(), ClientError> {
        // Whoever offers what is offered agrees to it, and these games are to go on.
        let is_open = proof::open_offer(&self.memory).is_some();
        let may_offer = !is_open && self.count_moves() >= self.offers_from;
        if self.memory.unheard.is_none() && may_offer && self.rng.chance(20) {
            self.offer(clients).await?;
        }
        let next =
            self.memory.unheard.or_else(|| lasting_move(&mut self.memory.line, &mut self.rng));
        let Some(mv) = next else {
            self.is_over = true;
            return Ok(());
        };
        let (ply, turn) = (self.memory.line.moves().len(), self.memory.line.turn());
        self.memory.unheard = Some(mv);
        let [mover, opponent] = pick(clients, turn);
        let game = self.seats.as_ref().expect("they have sat down").game;
        let sent_ply = u32::try_from(ply).expect("games are short");
        mover.make_move(game, sent_ply, spelled(mv)).await?;
        for client in [opponent, mover] {
            self.hear_until(
                client,
                |event| matches!(event, Event::Moved { ply, .. } if *ply == sent_ply),
            )
            .await?;
        }
        assert!(self.memory.knows_move_at(ply));
        Ok(())
    }

    /// The player to move offers a draw; sometimes that is too often and refused.
    async fn offer(&mut self, clients: &mut [Client; 2]) -> Result<(), ClientError> {
        let by = self.memory.line.turn();
        let game = self.seats.as_ref().expect("they have sat down").game;
        let [mover, opponent] = pick(clients, by);
        mover.say(&ClientMessage::Offer(ProposalRef { game, what: Proposal::Draw })).await?;
        let is_offer = |event: &Event| matches!(event, Event::Offered { .. });
        if !self.hear_until(mover, is_offer).await? {
            return Ok(());
        }
        self.hear_until(opponent, is_offer).await?;
        if self.rng.chance(50) {
            opponent
                .say(&ClientMessage::Decline(ProposalRef { game, what: Proposal::Draw }))
                .await?;
            for client in [opponent, mover] {
                self.hear_until(client, |event| matches!(event, Event::Declined { .. })).await?;
            }
        }
        Ok(())
    }

    /// Hears events until a certain one; false if the request was refused instead.
    async fn hear_until(
        &mut self,
        client: &mut Client,
        is_awaited: impl Fn(&Event) -> bool,
    ) -> Result<bool, ClientError> {
        loop {
            match client.hear().await? {
                ServerMessage::Event(event) => {
                    let is_over = matches!(event.event, Event::Ended(_));
                    assert!(!is_over, "pair {}: {event:?}", self.number);
                    let is_done = is_awaited(&event.event);
                    self.memory.learn(event);
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

/// A move as these games spell it.
pub(super) fn spelled(mv: Move) -> UciMove {
    UciMove::from_move(mv, CastlingSpelling::KingTwoSquares)
}

/// The one to move, and the other.
fn pick(clients: &mut [Client; 2], turn: Color) -> [&mut Client; 2] {
    let [white, black] = clients;
    match turn {
        Color::White => [white, black],
        Color::Black => [black, white],
    }
}
