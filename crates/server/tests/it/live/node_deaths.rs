//! Players whose node dies: the time until they have reached another one is not charged.
//!
//! The clock of the nodes stands still while a test waits for something, so nothing here depends on
//! the speed of the machine.

use core::time::Duration;

use castellan_game::{Event, GameId};
use castellan_protocol::{Seat, ServerMessage, SessionToken};

use super::client::{Client, play};
use super::nodes::{Cluster, NodeRuntime, meet, sees};
use super::server::{TestServer, wait_until};

const MOVES: [&str; 4] = ["e2e4", "e7e5", "g1f3", "b8c6"];
const STEP: Duration = Duration::from_millis(20);
/// How long the players of these tests think, and how long they are on the way.
const THINK: Duration = Duration::from_secs(3);
const WAY: Duration = Duration::from_secs(6);
/// A player who is on the way for longer is charged for the rest.
const LONGEST_WAY: Duration = Duration::from_secs(20);

/// A game between a player at a node that stays and one at a node that can be killed. It is the
/// second player's turn after `plies` moves.
struct Table {
    cluster: Cluster,
    here: TestServer,
    _there: TestServer,
    runtime: Option<NodeRuntime>,
    stays: Client,
    leaves: Option<Client>,
    game: GameId,
    plies: u32,
}

impl Table {
    async fn new() -> Table {
        let cluster = Cluster::new(0);
        let (here, (there, runtime)) = (cluster.node().await, cluster.mortal_node().await);
        let (mut white, mut black, game) = meet(&here, &there).await;
        sees(&mut white, game, None).await;
        sees(&mut black, game, None).await;
        let anna_is_white = white.welcome.you.name == "Anna";
        // Anna is at the node that stays. The turn of the other player comes after her second move.
        let plies = if anna_is_white { 3 } else { 4 };
        play(&mut white, &mut black, game, &MOVES[..plies - 1]).await;
        let (stays, leaves) = if anna_is_white { (white, black) } else { (black, white) };
        assert_eq!(leaves.seat(game) == Seat::Black, anna_is_white);
        let plies = u32::try_from(plies).unwrap();
        let (runtime, leaves) = (Some(runtime), Some(leaves));
        Table { cluster, here, _there: there, runtime, stays, leaves, game, plies }
    }

    /// Kills the other node, and waits until its player has noticed. Returns the session with which
    /// that player can return.
    async fn kill(&mut self) -> SessionToken {
        let (player, runtime) = (self.leaves.take().unwrap(), self.runtime.take());
        let session = player.session();
        drop(runtime);
        player.closed().await;
        session
    }

    /// Makes the last move of the player who stays. The turn of the other one begins.
    async fn begin_turn(&mut self) {
        let ply = self.plies - 1;
        self.stays.make_move(self.game, ply, MOVES[ply as usize]).await;
        self.stays.until(|message| is_move(message, ply).then_some(())).await;
    }

    /// Waits until the player at the other node knows of the turn.
    async fn tell(&mut self) {
        let ply = self.plies - 1;
        self.leaves.as_mut().unwrap().until(|message| is_move(message, ply).then_some(())).await;
    }

    /// Lets a player of this session return to a node, and move. Returns what the move cost, and the
    /// time that has passed since the return.
    async fn return_to(&self, node: &TestServer, session: SessionToken) -> (u64, u64) {
        let mut player = Client::back(node, session).await;
        let before = received(node).await;
        let returned = self.cluster.clock.now();
        player.watch(self.game).await;
        wait_until("the other nodes have been asked", async || received(node).await > before).await;
        player
            .make_move(self.game, self.plies, if self.plies == 3 { "d7d6" } else { "d2d3" })
            .await;
        let mut spent_ms = None;
        wait_until("the move is played", async || {
            self.cluster.clock.advance(STEP);
            let heard = player.heard().await;
            spent_ms = spent_ms.or(heard.iter().find_map(|it| spent(it, self.plies)));
            spent_ms.is_some()
        })
        .await;
        (spent_ms.unwrap(), self.cluster.clock.now().since_ms(returned))
    }
}

fn is_move(message: &ServerMessage, at: u32) -> bool {
    spent(message, at).is_some()
}

/// Returns what a move cost, before lag compensation.
fn spent(message: &ServerMessage, at: u32) -> Option<u64> {
    let ServerMessage::Event(event) = message else { return None };
    match event.event {
        Event::Moved { ply, spent_ms, compensated_ms, .. } if ply == at => {
            Some(spent_ms + compensated_ms)
        }
        _ => None,
    }
}

/// Starts a node and waits until it answers, for which it needs a clock that runs.
async fn ready_node(cluster: &Cluster) -> TestServer {
    let node = cluster.node().await;
    assert!(node.get("/healthz").await.contains(r#""bus":"connected""#));
    node
}

/// Returns how many messages a node has received from others.
async fn received(node: &TestServer) -> u64 {
    let metrics = node.get("/metrics").await;
    let line = metrics.lines().find_map(|line| line.strip_prefix("castellan_news_received_total "));
    line.unwrap().parse().unwrap()
}

fn to_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap()
}

/// The turn begins while its player is on the way.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_turn_that_begins_on_the_way_from_a_dead_node_is_not_charged() {
    let mut table = Table::new().await;
    let _other = ready_node(&table.cluster).await;
    table.cluster.stop_clock();
    let session = table.kill().await;
    table.begin_turn().await;
    table.cluster.clock.advance(WAY);
    let (spent_ms, since_ms) = table.return_to(&table.here, session).await;
    assert!(spent_ms <= since_ms, "{spent_ms} of {since_ms}");
}

/// The turn began before the node died. The time until then is the player's own.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_way_from_a_dead_node_is_not_charged_within_a_turn() {
    let mut table = Table::new().await;
    let _other = ready_node(&table.cluster).await;
    table.begin_turn().await;
    table.tell().await;
    let began = table.cluster.clock.now();
    table.cluster.pass(THINK).await;
    let session = table.kill().await;
    table.cluster.stop_clock();
    let thought_ms = table.cluster.clock.now().since_ms(began);
    table.cluster.clock.advance(WAY);
    let (spent_ms, since_ms) = table.return_to(&table.here, session).await;
    assert!(spent_ms <= thought_ms + since_ms, "{spent_ms} of {thought_ms} and {since_ms}");
}

/// A node that starts after the death asks the others, and credits the same.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_that_starts_after_the_death_credits_the_same() {
    let mut table = Table::new().await;
    let session = table.kill().await;
    let new = ready_node(&table.cluster).await;
    table.begin_turn().await;
    table.cluster.stop_clock();
    table.cluster.clock.advance(WAY);
    let (spent_ms, since_ms) = table.return_to(&new, session).await;
    assert!(spent_ms <= since_ms, "{spent_ms} of {since_ms}");
}

/// A player cannot gain more than the longest way by staying away.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_who_stays_away_is_charged() {
    let mut table = Table::new().await;
    let _other = ready_node(&table.cluster).await;
    table.cluster.stop_clock();
    let session = table.kill().await;
    table.begin_turn().await;
    table.cluster.clock.advance(LONGEST_WAY + THINK);
    let (spent_ms, _) = table.return_to(&table.here, session).await;
    assert!(spent_ms >= to_ms(THINK), "{spent_ms}");
}

/// A player who opens another connection gains nothing, although their node does not know that the
/// first one is lost.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_player_whose_node_is_alive_is_charged() {
    let mut table = Table::new().await;
    table.begin_turn().await;
    table.tell().await;
    table.cluster.stop_clock();
    let session = table.leaves.as_ref().unwrap().session();
    table.cluster.clock.advance(WAY);
    let (spent_ms, _) = table.return_to(&table.here, session).await;
    assert!(spent_ms >= to_ms(WAY), "{spent_ms}");
}
