//! Games without a clock that every client has left: their rooms are closed, and opened again when
//! a client comes back or a player has been away for too long.

use core::time::Duration;
use std::net::{IpAddr, Ipv4Addr};

use castellan_game::{EndReason, Event, GameId, TimeControl};
use castellan_protocol::{ClientMessage, Level, PlayEngine, Terms};
use castellan_rules::Color;

use super::client::{Client, play, play_from};
use super::nodes::Cluster;
use super::server::{Setup, TestServer, in_order, pair, wait_until};

const UNLIMITED: TimeControl = TimeControl::Unlimited {};
const HOUR: TimeControl = TimeControl::Increment { initial_ms: 3_600_000, increment_ms: 0 };

/// Waits until the metrics have a line.
async fn measures(server: &TestServer, line: &str) {
    let line = format!("{line}\n");
    wait_until(&line, async || server.get("/metrics").await.contains(&line)).await;
}

/// Disconnects the players of a game, and waits until the server has noticed.
async fn leave(server: &TestServer, players: [Client; 2]) {
    drop(players);
    measures(server, "castellan_sockets 0").await;
}

/// Lets time pass until this many rooms are open. The room of a game learns a moment later than the
/// socket that a player has left.
async fn wait_for_rooms(server: &TestServer, count: usize) {
    let line = format!("castellan_rooms {count}\n");
    wait_until(&line, async || {
        server.pass(Duration::from_secs(10));
        server.get("/metrics").await.contains(&line)
    })
    .await;
}

#[tokio::test]
async fn an_abandoned_game_without_a_clock_leaves_memory_and_goes_on_when_its_players_return() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game_of(UNLIMITED).await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5", "g1f3"]).await;
    let sessions = [white.session(), black.session()];
    leave(&server, [white, black]).await;
    measures(&server, "castellan_rooms 1").await;
    wait_for_rooms(&server, 0).await;
    measures(&server, "castellan_games 1").await;
    let mut white = Client::back(&server, sessions[0].clone()).await;
    let mut black = Client::back(&server, sessions[1].clone()).await;
    assert_eq!(white.welcome_games(), [game]);
    assert_eq!(black.watch(game).await.moves.0.len(), 3);
    white.watch(game).await;
    play_from(&mut white, &mut black, game, 3, &["b8c6", "f1b5"]).await;
    measures(&server, "castellan_rooms 1").await;
    measures(&server, "castellan_games 1").await;
    white.resign(game).await;
    white.end().await;
    measures(&server, "castellan_games 0").await;
    // Nothing of the game is left behind.
    let again = Client::back(&server, sessions[0].clone()).await;
    assert!(again.welcome_games().is_empty());
}

#[tokio::test]
async fn a_game_in_which_a_client_is_left_or_a_clock_runs_stays_in_memory() {
    let server = TestServer::start().await;
    let (mut white, mut black, watched) = server.game_of(UNLIMITED).await;
    play(&mut white, &mut black, watched, &["e2e4", "e7e5"]).await;
    let mut watcher = server.guest("Watcher").await;
    watcher.watch(watched).await;
    drop((white, black));
    let (mut white, mut black, timed) = server.game_of(HOUR).await;
    play(&mut white, &mut black, timed, &["e2e4", "e7e5"]).await;
    drop((white, black));
    measures(&server, "castellan_sockets 1").await;
    server.pass(Duration::from_secs(61));
    watcher.watch(watched).await;
    watcher.settle().await;
    measures(&server, "castellan_rooms 2").await;
    drop(watcher);
    measures(&server, "castellan_sockets 0").await;
    wait_for_rooms(&server, 1).await;
}

async fn stored_end(server: &TestServer, game: GameId) -> Option<EndReason> {
    match server.record(game).await.pop().unwrap().event {
        Event::Ended(end) => Some(end.reason),
        _ => None,
    }
}

#[tokio::test]
async fn a_game_that_sleeps_is_still_abandoned_in_the_end() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game_of(UNLIMITED).await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    leave(&server, [white, black]).await;
    let left = server.now();
    wait_for_rooms(&server, 0).await;
    // A player may be away for half an hour, and both together for four times as long.
    server.pass(Duration::from_millis(left.plus_ms(7_190_000).since_ms(server.now())));
    server.get("/metrics").await;
    assert_eq!(stored_end(&server, game).await, None);
    wait_until("the game is abandoned", async || {
        server.pass(Duration::from_secs(10));
        stored_end(&server, game).await == Some(EndReason::Abandoned)
    })
    .await;
    measures(&server, "castellan_games 0").await;
    measures(&server, "castellan_rooms 0").await;
}

/// Both nodes had a room, neither opens another one by itself, and each finds the game again.
#[tokio::test]
async fn a_game_that_sleeps_can_be_continued_at_other_nodes() {
    let cluster = Cluster::new(0);
    let (north, south) = (cluster.node().await, cluster.node().await);
    let (mut anna, mut ben) = (north.guest("Anna").await, south.guest("Ben").await);
    let game = pair(&mut anna, &mut ben, UNLIMITED).await;
    let (mut white, mut black) = in_order(anna, ben, game);
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    let sessions = [white.session(), black.session()];
    drop((white, black));
    let none = "castellan_rooms 0\n";
    wait_until("no node has a room", async || {
        cluster.clock.advance(Duration::from_secs(1));
        let metrics = [north.get("/metrics").await, south.get("/metrics").await];
        metrics.iter().all(|text| text.contains(none))
    })
    .await;
    let mut white = Client::back(&south, sessions[0].clone()).await;
    let mut black = Client::back(&north, sessions[1].clone()).await;
    for client in [&mut white, &mut black] {
        assert_eq!(client.welcome_games(), [game]);
        assert_eq!(client.watch(game).await.moves.0.len(), 2);
    }
    play_from(&mut white, &mut black, game, 2, &["g1f3", "b8c6", "f1b5"]).await;
}

/// A client that begins many games against the engine and leaves them does not get others instead.
#[tokio::test]
async fn a_sleeping_game_counts_for_its_address_but_takes_no_room() {
    let mut setup = Setup::limited();
    setup.config.trusted_proxies = vec![IpAddr::V4(Ipv4Addr::LOCALHOST)];
    setup.config.live.max_games_per_address = 2;
    setup.config.live.max_games = 2;
    let server = setup.start().await;
    let level = Level::from_elo(400).unwrap();
    let color = Some(Color::White);
    let wanted = PlayEngine { level, terms: Terms::new(UNLIMITED), color };
    let wanted = ClientMessage::PlayEngine(wanted);
    for name in ["Greedy one", "Greedy two"] {
        let mut greedy = Client::guest_from(&server, name, "10.0.0.1").await;
        greedy.say(&wanted).await;
        let game = greedy.game().await.game;
        greedy.make_move(game, 0, "e2e4").await;
        greedy.event().await;
        wait_until("the engine has moved", async || {
            server.pass(Duration::from_millis(500));
            server.record(game).await.len() == 5
        })
        .await;
    }
    measures(&server, "castellan_sockets 0").await;
    wait_for_rooms(&server, 0).await;
    measures(&server, "castellan_games 2").await;
    let mut greedy = Client::guest_from(&server, "Greedy", "10.0.0.1").await;
    greedy.say(&wanted).await;
    assert_eq!(greedy.refusal().await, "too_many");
    let mut other = Client::guest_from(&server, "Other", "10.0.0.2").await;
    other.say(&wanted).await;
    other.game().await;
}
