//! Nodes whose clocks differ: it is noticed, and no player loses a game because of it.

use core::time::Duration;

use castellan_game::{EndReason, Event, TimeControl};
use castellan_server::Clock;

use super::client::play;
use super::nodes::{Cluster, PACE, tick};
use super::server::{TestServer, in_order, pair, wait_until};

async fn has_metric(node: &TestServer, line: &str) -> bool {
    node.get("/metrics").await.lines().any(|it| it == line)
}

/// One of three nodes was started before its machine had the right time.
#[tokio::test]
async fn a_clock_that_differs_from_the_others_is_counted() {
    let cluster = Cluster::new(0);
    let ahead = Clock::manual(cluster.clock.now().plus_ms(60_000));
    tick(&ahead);
    let right = [cluster.node().await, cluster.node().await];
    // Alone with the wrong node, none of them would know which clock is right.
    cluster.pass(3 * PACE.beat).await;
    let wrong = cluster.node_at(&ahead).await;
    let off = "castellan_clock_disagreements_total 1";
    wait_until("the node finds out", async || has_metric(&wrong, off).await).await;
    for node in &right {
        wait_until("the others see it", async || {
            let text = node.get("/metrics").await;
            let mut lines = text.lines();
            let offset = lines.find_map(|it| it.strip_prefix("castellan_clock_offset_seconds "));
            offset.is_some_and(|it| it.parse::<f64>().unwrap() > 50.0)
        })
        .await;
        assert!(has_metric(node, "castellan_clock_disagreements_total 0").await);
    }
}

/// Of two clocks neither is known to be right, so a player whose connection is lost is not flagged
/// until the clocks agree.
#[tokio::test]
async fn nodes_that_disagree_about_the_time_flag_only_their_own_players() {
    let cluster = Cluster::new(0);
    let ahead = Clock::manual(cluster.clock.now().plus_ms(2_000));
    tick(&ahead);
    let (here, there) = (cluster.node().await, cluster.node_at(&ahead).await);
    let off = "castellan_clock_disagreements_total 1";
    for node in [&here, &there] {
        wait_until("the node finds out", async || has_metric(node, off).await).await;
    }
    let (mut anna, mut ben) = (here.guest("Anna").await, there.guest("Ben").await);
    let quick = TimeControl::Increment { initial_ms: 2_000, increment_ms: 0 };
    let game = pair(&mut anna, &mut ben, quick).await;
    let (mut white, mut black) = in_order(anna, ben, game);
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    drop(white);
    // The clock of White has run out, and the time is over in which their own node decides.
    cluster.pass(Duration::from_secs(2) + 4 * PACE.beat + Duration::from_secs(2)).await;
    black.settle().await;
    let is_ended = async || {
        let record = here.record(game).await;
        record.iter().any(|event| matches!(event.event, Event::Ended(_)))
    };
    assert!(!is_ended().await, "the clocks do not agree");
    let gap_ms = ahead.now().since_ms(cluster.clock.now());
    cluster.clock.advance(Duration::from_millis(gap_ms));
    assert_eq!(black.end().await.reason, EndReason::Timeout);
}
