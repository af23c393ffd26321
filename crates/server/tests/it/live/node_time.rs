//! Time that nodes need to hear of each other's moves: it is charged to no player.

use core::time::Duration;
use std::sync::atomic::Ordering;

use castellan_game::Event;
use castellan_protocol::{ClientMessage, GameRef, ServerMessage};

use super::client::{Client, play};
use super::nodes::{Cluster, PACE, TICK, meet};
use super::server::wait_until;

/// Waits until a player hears of their own move, and returns what it cost.
pub(super) async fn spent_ms(mover: &mut Client, at: u32) -> u64 {
    mover
        .until(|message| match message {
            ServerMessage::Event(event) => match event.event {
                Event::Moved { ply, spent_ms, .. } if ply == at => Some(spent_ms),
                _ => None,
            },
            ServerMessage::Refused(refused) => panic!("{refused:?}"),
            _ => None,
        })
        .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_player_is_charged_for_a_late_bus_message() {
    let cluster = Cluster::new(0);
    let (here, there) = (cluster.node().await, cluster.node().await);
    let (mut white, mut black, game) = meet(&here, &there).await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    cluster.wire.lose(1000);
    white.make_move(game, 2, "g1f3").await;
    white.event().await;
    // Less than four beats, after which the nodes would read the game again.
    cluster.pass(3 * PACE.beat).await;
    let lost_until = cluster.clock.now();
    cluster.wire.lose(0);
    assert!(matches!(black.event().await.event, Event::Moved { ply: 2, .. }));
    black.make_move(game, 3, "b8c6").await;
    let spent_ms = spent_ms(&mut black, 3).await;
    let most_ms = cluster.clock.now().since_ms(lost_until);
    assert!(spent_ms <= most_ms, "{spent_ms} of {most_ms}");
}

/// A player asks another node for the game, as when their own has died. While that node reads it, the
/// opponent moves.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_player_is_charged_while_a_node_loads_the_game() {
    let cluster = Cluster::new(0);
    let (here, (there, faults)) = (cluster.node().await, cluster.faulty_node().await);
    // The other node may open a new game before it hears that this one serves it. Then another game
    // is needed: only one that it has not read can be read slowly.
    let (mut white, black, game, games_before) = loop {
        let games_before = faults.games_read.load(Ordering::SeqCst);
        assert!(games_before < 20, "the other node opens every game");
        let (mut white, mut black, game) = meet(&here, &here).await;
        play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
        faults.is_reading_stuck.store(true, Ordering::SeqCst);
        if faults.games_read.load(Ordering::SeqCst) == games_before {
            break (white, black, game, games_before);
        }
        faults.is_reading_stuck.store(false, Ordering::SeqCst);
    };
    let mut black = Client::back(&there, black.session()).await;
    black.say(&ClientMessage::Watch(GameRef { game })).await;
    black.settle().await;
    wait_until("the game is being read", async || {
        faults.games_read.load(Ordering::SeqCst) > games_before
    })
    .await;
    cluster.pass(TICK).await;
    white.make_move(game, 2, "g1f3").await;
    white.event().await;
    cluster.pass(3 * PACE.beat).await;
    let loaded = cluster.clock.now();
    faults.is_reading_stuck.store(false, Ordering::SeqCst);
    assert_eq!(black.game().await.moves.0.len(), 3);
    black.make_move(game, 3, "b8c6").await;
    let spent_ms = spent_ms(&mut black, 3).await;
    let most_ms = cluster.clock.now().since_ms(loaded);
    assert!(spent_ms <= most_ms, "{spent_ms} of {most_ms}");
}

/// The bus is away for longer than it takes until silent nodes count as gone. The nodes then ask the
/// store for moves with every beat.
#[tokio::test]
async fn no_player_is_charged_while_the_bus_is_away() {
    const STEP: Duration = Duration::from_millis(50);
    const MOST_MS: u64 = 100;
    let cluster = Cluster::new(0);
    let (here, there) = (cluster.node().await, cluster.node().await);
    let (mut white, mut black, game) = meet(&here, &there).await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    cluster.wire.set_down(true);
    for node in [&here, &there] {
        wait_until("the loss is noticed", async || {
            node.get("/healthz").await.contains(r#""bus":"lost""#)
        })
        .await;
    }
    cluster.stop_clock();
    let lost = cluster.clock.now();
    let moves = ["g1f3", "b8c6", "f1c4", "g8f6", "d2d3", "d7d6", "c2c3", "a7a6", "h2h3", "h7h6"];
    for (ply, mv) in (2..).zip(moves) {
        let (mover, opponent) = match ply % 2 {
            0 => (&mut white, &mut black),
            _ => (&mut black, &mut white),
        };
        mover.make_move(game, ply, mv).await;
        let spent_ms = spent_ms(mover, ply).await;
        // The first move was thought about while the clock was running by itself. Every other turn
        // began within the clock's last two steps, because the player is asked after every step.
        assert!(ply == 2 || spent_ms <= MOST_MS, "ply {ply}: {spent_ms} ms");
        let is_move = |message: &ServerMessage| {
            let ServerMessage::Event(event) = message else { return false };
            matches!(event.event, Event::Moved { ply: moved, .. } if moved == ply)
        };
        wait_until("the opponent hears of the move", async || {
            cluster.clock.advance(STEP);
            opponent.heard().await.iter().any(is_move)
        })
        .await;
    }
    let away = Duration::from_millis(cluster.clock.now().since_ms(lost));
    assert!(away > 4 * PACE.beat, "{away:?}");
    assert_eq!(white.watch(game).await.end, None);
    cluster.wire.set_down(false);
    for node in [&here, &there] {
        wait_until("the bus is back", async || {
            node.get("/healthz").await.contains(r#""bus":"connected""#)
        })
        .await;
    }
    // No beat is needed to hear of a move.
    white.make_move(game, 12, "e1g1").await;
    assert!(spent_ms(&mut white, 12).await <= MOST_MS);
    spent_ms(&mut black, 12).await;
}
