//! Class: a client answers pings late to gain lag compensation (a "lag switch").

use core::time::Duration;

use castellan_game::{Event, LagQuota};

use super::server::{MINUTE, TestServer};

#[tokio::test]
async fn a_client_that_answers_pings_late_gains_no_more_than_the_quota() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    let quota = LagQuota::of(MINUTE);
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let (mut forgiven_ms, mut own_moves) = (0, 0);
    for ply in 0..12_u32 {
        // Pings wait in the client's buffer while time passes, so that the server measures
        // seconds of lag; only then does the client read and answer.
        server.pass(Duration::from_millis(2_500));
        let mover = if ply % 2 == 0 { &mut white } else { &mut black };
        mover.settle().await;
        mover.make_move(game, ply, shuffle[ply as usize % 4]).await;
        let event = mover.event().await;
        let other = if ply % 2 == 0 { &mut black } else { &mut white };
        other.event().await;
        let Event::Moved { spent_ms, compensated_ms, .. } = event.event else {
            panic!("{event:?}")
        };
        assert_eq!(spent_ms + compensated_ms, 2_500, "time is forgiven or deducted, never lost");
        assert!(compensated_ms <= quota.max_ms);
        if ply % 2 == 0 {
            forgiven_ms += compensated_ms;
            own_moves += 1;
        }
    }
    assert!(forgiven_ms > 0, "the lag was noticed");
    assert!(forgiven_ms <= quota.start_ms + own_moves * quota.gain_ms, "{forgiven_ms} ms");
}

#[tokio::test]
async fn unrequested_pongs_say_nothing() {
    use futures_util::SinkExt;
    use tokio_tungstenite::tungstenite::Message;

    let server = TestServer::start().await;
    let (mut white, _black, game) = server.game().await;
    white.settle().await;
    server.pass(Duration::from_secs(3));
    for number in 0..20_u32 {
        white.socket.send(Message::Pong(number.to_be_bytes().to_vec().into())).await.unwrap();
    }
    white.make_move(game, 0, "e2e4").await;
    let Event::Moved { compensated_ms, .. } = white.event().await.event else { panic!() };
    assert_eq!(compensated_ms, 0);
}
