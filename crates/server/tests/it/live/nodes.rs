//! Several nodes on one store: players at different nodes are paired, play, chat, and reconnect
//! to another node, however many messages between the nodes are lost.

use core::time::Duration;
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use castellan_game::{EndReason, Event, GameId, Moment, Proposal};
use castellan_protocol::{
    Chat, ClientMessage, CreateInvitation, InvitationId, InvitationRef, ServerMessage, Terms,
};
use castellan_rules::Color;
use castellan_server::{Clock, HeartbeatConfig, MemoryBus};
use castellan_store::{Store, sqlite};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use super::client::{Client, play, play_from};
use super::faulty_store::{Faults, FaultyStore};
use super::server::{MINUTE, Setup, TestServer, in_order, pair, wait_until};

pub(super) const PACE: HeartbeatConfig = HeartbeatConfig { beat: Duration::from_millis(500) };
/// Step of a cluster's clock.
pub(super) const TICK: Duration = Duration::from_millis(10);
const BLITZ_MS: u64 = 180_000;
const BLITZ: castellan_game::TimeControl =
    castellan_game::TimeControl::Increment { initial_ms: BLITZ_MS as u32, increment_ms: 0 };
const CLASSIC: castellan_game::TimeControl =
    castellan_game::TimeControl::Increment { initial_ms: 3_600_000, increment_ms: 0 };

/// A store, a bus, and a clock for any number of nodes.
///
/// A task advances the clock tick by tick. If this program does not get to run, its clock stands
/// still as well, so no node takes another one for dead.
pub(super) struct Cluster {
    store: Arc<dyn Store>,
    pub(super) wire: MemoryBus,
    pub(super) clock: Clock,
    /// Whether the bus loses messages.
    is_lossy: bool,
    folder: TempDir,
    /// The task that advances the clock.
    ticking: JoinHandle<()>,
}

impl Cluster {
    pub(super) fn new(lost_per_mille: u64) -> Cluster {
        let folder = TempDir::new().unwrap();
        let path = folder.path().join("games.db");
        let store = sqlite::open(path, sqlite::SqliteOptions::default()).unwrap();
        let clock = Clock::manual(Moment::from_millis(1_800_000_000_000));
        let ticking = tick(&clock);
        let (wire, is_lossy) = (MemoryBus::new(lost_per_mille, 1), lost_per_mille > 0);
        Cluster { store, wire, clock, is_lossy, folder, ticking }
    }

    /// Returns the folder with the database.
    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) async fn node(&self) -> TestServer {
        self.node_at(&self.clock).await
    }

    /// Starts a node that can be killed.
    pub(super) async fn mortal_node(&self) -> (TestServer, NodeRuntime) {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let (store, clock, wire) = (Arc::clone(&self.store), self.clock.clone(), self.wire.clone());
        let started = runtime.spawn(async move {
            let bus = wire.join(PACE, &clock).unwrap();
            Setup::default().start_node(&store, &clock, bus).await
        });
        (started.await.unwrap(), NodeRuntime(Some(runtime)))
    }

    /// Starts a node with a clock of its own.
    pub(super) async fn node_at(&self, clock: &Clock) -> TestServer {
        let bus = self.wire.join(PACE, clock).unwrap();
        Setup::default().start_node(&self.store, clock, bus).await
    }

    /// Waits until this much time has passed on the clock of the nodes.
    pub(super) async fn pass(&self, time: Duration) {
        let time_ms = u64::try_from(time.as_millis()).unwrap();
        self.clock.sleep_until(self.clock.now().plus_ms(time_ms)).await;
    }

    /// Stops the clock. From now on, only the test advances it.
    pub(super) fn stop_clock(&self) {
        self.ticking.abort();
    }

    /// Starts a node whose access to the store can fail.
    pub(super) async fn faulty_node(&self) -> (TestServer, Arc<Faults>) {
        let (inner, faults) = (Arc::clone(&self.store), Arc::<Faults>::default());
        let store: Arc<dyn Store> = Arc::new(FaultyStore { inner, faults: Arc::clone(&faults) });
        let bus = self.wire.join(PACE, &self.clock).unwrap();
        (Setup::default().start_node(&store, &self.clock, bus).await, faults)
    }
}

/// The runtime of one node. Dropping it is like `kill -9`: the sockets of the node close, and it says
/// no more.
pub(super) struct NodeRuntime(Option<Runtime>);

impl Drop for NodeRuntime {
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(Runtime::shutdown_background);
    }
}

/// Advances a clock from now on.
pub(super) fn tick(clock: &Clock) -> JoinHandle<()> {
    let clock = clock.clone();
    tokio::spawn(async move {
        loop {
            tokio::time::sleep(TICK).await;
            clock.advance(TICK);
        }
    })
}

/// Pairs a guest at one node with a guest at the other. Returns White and Black.
pub(super) async fn meet(one: &TestServer, other: &TestServer) -> (Client, Client, GameId) {
    let (mut anna, mut ben) = (one.guest("Anna").await, other.guest("Ben").await);
    let game = pair(&mut anna, &mut ben, CLASSIC).await;
    let (white, black) = in_order(anna, ben, game);
    (white, black, game)
}

async fn says(speaker: &mut Client, listener: &mut Client, game: GameId, text: &str) {
    speaker.say(&ClientMessage::Chat(Chat { game, text: text.parse().unwrap() })).await;
    for client in [speaker, listener] {
        client
            .until(|message| match message {
                ServerMessage::ChatLine(line) => (line.text == text).then_some(()),
                ServerMessage::ChatHistory(it) => {
                    it.lines.iter().find(|it| it.text == text).map(drop)
                }
                _ => None,
            })
            .await;
    }
}

/// Waits until a client sees both players present, or all but the color that is away.
pub(super) async fn sees(client: &mut Client, game: GameId, away: Option<Color>) {
    let wanted = Color::ALL.map(|color| away != Some(color));
    wait_until("the right players are there", async || {
        let presence = client.watch(game).await.presence;
        [presence.white, presence.black] == wanted
    })
    .await;
}

/// Plays a whole game with everything that can happen between two nodes.
async fn whole_game(cluster: &Cluster) {
    let (here, there) = (cluster.node().await, cluster.node().await);
    let (mut white, mut black, game) = meet(&here, &there).await;
    sees(&mut white, game, None).await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5", "f1c4"]).await;
    says(&mut white, &mut black, game, "good luck").await;
    says(&mut black, &mut white, game, "you too").await;
    black.offer(game, Proposal::Draw).await;
    let offered = Event::Offered { by: Color::Black, what: Proposal::Draw };
    for client in [&mut white, &mut black] {
        // A node may have credited the time that a lost message cost; without losses it may not.
        client
            .until(|message| match message {
                ServerMessage::Event(event) if event.event == offered => Some(()),
                ServerMessage::Event(event) => {
                    let is_credit = matches!(event.event, Event::Resumed { .. });
                    assert!(cluster.is_lossy && is_credit, "{event:?}");
                    None
                }
                _ => None,
            })
            .await;
    }
    play_from(&mut white, &mut black, game, 3, &["b8c6", "d1h5", "g8f6", "h5f7"]).await;
    for client in [&mut white, &mut black] {
        let end = client.end().await;
        assert_eq!((end.reason, end.winner), (EndReason::Checkmate, Some(Color::White)));
    }
    white.offer(game, Proposal::Rematch).await;
    black
        .until(|message| match message {
            ServerMessage::Event(event) => {
                matches!(event.event, Event::Offered { .. }).then_some(())
            }
            _ => None,
        })
        .await;
    black.accept(game, Proposal::Rematch).await;
    let rematch = white.game().await.game;
    assert_eq!(black.game().await.game, rematch);
    play(&mut black, &mut white, rematch, &["d2d4", "d7d5"]).await;
    let begun = cluster.store.unfinished().await.unwrap();
    assert_eq!(begun, [rematch], "one rematch and no other");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_players_at_two_nodes_play_a_whole_game() {
    whole_game(&Cluster::new(0)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_third_of_all_news_may_be_lost() {
    whole_game(&Cluster::new(333)).await;
}

/// Each player who looks for a game gets exactly one, from any node.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_player_is_seated_twice_or_waits_forever() {
    let cluster = Cluster::new(333);
    let nodes = [cluster.node().await, cluster.node().await, cluster.node().await];
    let mut players = Vec::new();
    for number in 0..18 {
        let mut player = nodes[number % 3].guest(&format!("Player {number}")).await;
        player.seek(MINUTE).await;
        players.push(player);
    }
    let mut seats = HashSet::new();
    for player in &mut players {
        let game = player.game().await;
        assert!(seats.insert((game.game, game.you)), "two in one seat");
    }
    assert_eq!(cluster.store.unfinished().await.unwrap().len(), 9);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_who_cancels_at_one_node_is_not_paired_at_another() {
    let cluster = Cluster::new(0);
    let (here, there) = (cluster.node().await, cluster.node().await);
    let mut quitter = here.guest("Quitter").await;
    quitter.seek(MINUTE).await;
    quitter.queued().await;
    quitter.say_text(r#"{"type": "cancel seek"}"#).await;
    quitter.until(|message| matches!(message, ServerMessage::SeekEnded(_)).then_some(())).await;
    let (mut one, mut other) = (there.guest("One").await, here.guest("Other").await);
    one.seek(MINUTE).await;
    one.queued().await;
    other.seek(MINUTE).await;
    assert_eq!(one.game().await.game, other.game().await.game);
    assert_eq!(cluster.store.unfinished().await.unwrap().len(), 1);
}

/// Creates an invitation and waits for its ID.
async fn invite(host: &mut Client, color: Option<Color>) -> InvitationId {
    let wanted = CreateInvitation { terms: Terms::new(MINUTE), color };
    host.say(&ClientMessage::CreateInvitation(wanted)).await;
    host.until(|message| match message {
        ServerMessage::Invitation(invitation) => Some(invitation.invitation.clone()),
        _ => None,
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invitation_is_accepted_at_another_node() {
    let cluster = Cluster::new(0);
    let (here, there) = (cluster.node().await, cluster.node().await);
    let (mut host, mut guest) = (here.guest("Host").await, there.guest("Guest").await);
    let invitation = invite(&mut host, Some(Color::Black)).await;
    guest.say(&ClientMessage::AcceptInvitation(InvitationRef { invitation })).await;
    let game = guest.game().await.game;
    assert_eq!(host.game().await.game, game);
    play(&mut guest, &mut host, game, &["e2e4", "e7e5"]).await;
}

/// The start of the game is announced until the host has joined.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_host_hears_of_the_game_though_the_first_news_are_lost() {
    let cluster = Cluster::new(0);
    let (here, there) = (cluster.node().await, cluster.node().await);
    let (mut host, mut guest) = (here.guest("Host").await, there.guest("Guest").await);
    let invitation = invite(&mut host, None).await;
    // The first five announcements, each delivered to both nodes.
    cluster.wire.lose_next("game_started", 10);
    guest.say(&ClientMessage::AcceptInvitation(InvitationRef { invitation })).await;
    assert_eq!(guest.game().await.game, host.game().await.game);
}

/// No client asks for the game that has started for it, so the node has to retry reading it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_receives_their_game_though_it_cannot_be_read_at_once() {
    let cluster = Cluster::new(0);
    let ((here, faults), there) = (cluster.faulty_node().await, cluster.node().await);
    let (mut anna, mut ben) = (here.guest("Anna").await, there.guest("Ben").await);
    anna.seek(CLASSIC).await;
    anna.queued().await;
    faults.unreadable.store(3, Ordering::SeqCst);
    // The node of the later seek starts the game, and timestamps have millisecond resolution.
    cluster.pass(TICK).await;
    ben.seek(CLASSIC).await;
    assert_eq!(ben.game().await.game, anna.game().await.game);
    assert_eq!(faults.unreadable.load(Ordering::SeqCst), 0);
}

/// A silent node counts as dead, so heartbeats do not wait for the store.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_whose_store_does_not_answer_is_still_there() {
    let cluster = Cluster::new(0);
    let (here, (there, faults)) = (cluster.node().await, cluster.faulty_node().await);
    let (mut white, mut black, game) = meet(&here, &there).await;
    sees(&mut white, game, None).await;
    sees(&mut black, game, None).await;
    faults.is_mute.store(true, Ordering::SeqCst);
    let mut waiting = there.guest("Waiting").await;
    waiting.seek(MINUTE).await;
    waiting.queued().await;
    // Long enough for a silent node to be forgotten.
    cluster.pass(PACE.beat * 8).await;
    sees(&mut white, game, None).await;
    sees(&mut black, game, None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_whose_node_stops_goes_on_at_another() {
    let cluster = Cluster::new(0);
    let here = cluster.node().await;
    let there = cluster.node().await;
    let (white, black, game) = meet(&here, &there).await;
    let (mut stays, mut moves) = match white.welcome.you.name.as_str() {
        "Anna" => (white, black),
        _ => (black, white),
    };
    let color = |client: &Client| match client.seat(game) {
        castellan_protocol::Seat::White => Color::White,
        _ => Color::Black,
    };
    let away = color(&moves);
    let session = moves.session();
    there.leave().await;
    sees(&mut stays, game, Some(away)).await;
    assert_eq!(moves.closed().await.map(|frame| frame.code.into()), Some(1001));
    moves = Client::back(&here, session).await;
    assert_eq!(moves.welcome.games, [game]);
    moves.watch(game).await;
    sees(&mut stays, game, None).await;
    let (mut white, mut black) = in_order(stays, moves, game);
    play_from(&mut white, &mut black, game, 0, &["e2e4", "e7e5"]).await;
    // A node that starts while another is running takes part at once.
    let there = cluster.node().await;
    let mut watcher = there.guest("Watcher").await;
    watcher.watch(game).await;
    play_from(&mut white, &mut black, game, 2, &["g1f3"]).await;
    assert!(matches!(watcher.event().await.event, Event::Moved { ply: 2, .. }));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn games_of_a_node_that_is_gone_are_taken_up() {
    let cluster = Cluster::new(0);
    let (here, there) = (cluster.node().await, cluster.node().await);
    let (mut one, mut other) = (there.guest("One").await, there.guest("Other").await);
    pair(&mut one, &mut other, CLASSIC).await;
    there.leave().await;
    wait_until("the game is taken up", async || {
        here.get("/metrics").await.contains("castellan_games 1\n")
    })
    .await;
}

/// All nodes are down for longer than the players have on their clocks, and start together.
/// Whichever node the player to move reaches first, no player loses the game or any time.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_node_credits_the_same_outage() {
    let cluster = Cluster::new(0);
    let (here, there) = (cluster.node().await, cluster.node().await);
    let mut games = Vec::new();
    for _ in 0..4 {
        let (mut anna, mut ben) = (here.guest("Anna").await, there.guest("Ben").await);
        let game = pair(&mut anna, &mut ben, BLITZ).await;
        let (mut white, mut black) = in_order(anna, ben, game);
        play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
        games.push((game, white.session()));
    }
    here.leave().await;
    there.leave().await;
    let left_at = cluster.clock.now();
    cluster.clock.advance(Duration::from_secs(190));
    let (here, there) = tokio::join!(cluster.node(), cluster.node());
    for (number, (game, session)) in games.into_iter().enumerate() {
        let stored = cluster.store.load_game(game).await.unwrap().unwrap();
        let moved_at = stored.events.iter().rev().find_map(|it| match it.event {
            Event::Moved { .. } => Some(it.at),
            _ => None,
        });
        let node = if number % 2 == 0 { &here } else { &there };
        let mut white = Client::back(node, session).await;
        let snapshot = white.watch(game).await;
        assert_eq!(snapshot.end, None, "{game}");
        let before_ms = BLITZ_MS - left_at.since_ms(moved_at.unwrap());
        let left_ms = snapshot.clocks.white.remaining_ms.unwrap();
        // The clock runs from White's return until this machine gets to report it.
        assert!(left_ms + BLITZ_MS / 3 >= before_ms, "{game}: {left_ms} of {before_ms}");
        white.make_move(game, 2, "g1f3").await;
        white
            .until(|message| match message {
                ServerMessage::Event(event) => {
                    assert!(!matches!(event.event, Event::Ended(_)), "{event:?}");
                    matches!(event.event, Event::Moved { ply: 2, .. }).then_some(())
                }
                _ => None,
            })
            .await;
    }
}

/// A node reads the events that it does not have, and not the games they belong to.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_move_at_another_node_costs_one_event() {
    let cluster = Cluster::new(0);
    let (here, (there, faults)) = (cluster.node().await, cluster.faulty_node().await);
    let (mut white, mut black, game) = meet(&here, &there).await;
    sees(&mut white, game, None).await;
    sees(&mut black, game, None).await;
    let before = here.record(game).await.len();
    let events_before = faults.events_read.load(Ordering::SeqCst);
    let games_before = faults.games_read.load(Ordering::SeqCst);
    let moves = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "b5a4", "g8f6", "e1g1", "f8e7"];
    play(&mut white, &mut black, game, &moves).await;
    let events_read = faults.events_read.load(Ordering::SeqCst) - events_before;
    assert_eq!(faults.games_read.load(Ordering::SeqCst), games_before, "no game is read again");
    // Half of the moves were made at each node. Either node may also have credited some time.
    let half = moves.len() / 2;
    let most = here.record(game).await.len() - before - half;
    assert!((half..=most).contains(&(events_read as usize)), "{events_read} of {half} to {most}");
}

/// If the new events do not fit, or the store does not find them, a node reads the whole game.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_that_do_not_fit_make_a_node_read_the_game() {
    let cluster = Cluster::new(0);
    let (here, (there, faults)) = (cluster.node().await, cluster.faulty_node().await);
    let (mut white, mut black, game) = meet(&here, &there).await;
    sees(&mut white, game, None).await;
    sees(&mut black, game, None).await;
    let moves = ["e2e4", "e7e5", "g1f3", "b8c6"];
    for (fault, plies) in [(&faults.misnumbered, 0..2), (&faults.lost, 2..4)] {
        let games_before = faults.games_read.load(Ordering::SeqCst);
        fault.store(1, Ordering::SeqCst);
        let first = u32::try_from(plies.start).unwrap();
        play_from(&mut white, &mut black, game, first, &moves[plies]).await;
        assert_eq!(fault.load(Ordering::SeqCst), 0, "the fault has happened");
        assert!(faults.games_read.load(Ordering::SeqCst) > games_before);
    }
}

/// While all messages are lost, the store decides, and a command that is still possible takes
/// effect.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_action_on_an_old_version_is_decided_after_the_missed_events() {
    let cluster = Cluster::new(0);
    let (here, there) = (cluster.node().await, cluster.node().await);
    let (mut white, mut black, game) = meet(&here, &there).await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    cluster.wire.lose(1000);
    white.make_move(game, 2, "g1f3").await;
    white.event().await;
    // Black's node has not received the third move.
    black.resign(game).await;
    assert!(matches!(black.event().await.event, Event::Moved { ply: 2, .. }));
    assert_eq!(black.end().await.reason, EndReason::Resignation);
    cluster.wire.lose(0);
    assert_eq!(white.end().await.reason, EndReason::Resignation);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_that_ends_at_one_node_ends_at_all() {
    let cluster = Cluster::new(0);
    let (here, there) = (cluster.node().await, cluster.node().await);
    let cookie = here.account("Anna").await;
    let client = Client::with_cookie(&there, &cookie).await;
    assert_eq!(here.post_with_cookie("/api/logout", "{}", &cookie).await, 200);
    let frame = client.closed().await.expect("a close frame");
    assert_eq!(frame.reason.as_str(), "the session has ended");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sent_and_received_bus_messages_are_counted() {
    let cluster = Cluster::new(0);
    let (here, _there) = (cluster.node().await, cluster.node().await);
    assert!(here.get("/healthz").await.contains(r#""bus":"connected""#));
    for name in ["sent", "received"] {
        let none = format!("castellan_news_{name}_total 0\n");
        wait_until(name, async || !here.get("/metrics").await.contains(&none)).await;
    }
    let alone = TestServer::start().await;
    assert!(alone.get("/healthz").await.contains(r#""bus":"none""#));
}
