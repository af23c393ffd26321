//! Class: the server trusts a client's clock.

use core::time::Duration;

use castellan_game::{Event, TimeControl};
use castellan_rules::Color;

use super::client::play;
use super::server::TestServer;

#[tokio::test]
async fn a_message_with_a_clock_in_it_is_refused() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    for field in ["clock", "remaining_ms", "lag", "spent_ms", "at", "time"] {
        white
            .say_text(&format!(
                r#"{{"type": "make move", "data": {{"game": "{game}", "ply": 0, "mv": "e2e4", "{field}": 0}}}}"#
            ))
            .await;
        assert_eq!(white.refusal().await, "malformed", "{field}");
    }
    play(&mut white, &mut black, game, &["e2e4"]).await;
}

/// The time deducted is measured by the server's clock, whatever the clients do in the meantime.
#[tokio::test]
async fn deductions_are_the_servers_time() {
    let server = TestServer::start().await;
    let control = TimeControl::Increment { initial_ms: 60_000, increment_ms: 2_000 };
    let (mut white, mut black, game) = server.game_of(control).await;
    let moves = ["e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "g8f6"];
    let thought_ms = [100, 2_500, 7_000, 1, 0, 12_345];
    let mut left_ms = [60_000_i64; 2];
    for (ply, (mv, thought_ms)) in moves.into_iter().zip(thought_ms).enumerate() {
        // Pings are answered before time passes, so that no lag is measured.
        white.settle().await;
        black.settle().await;
        server.pass(Duration::from_millis(thought_ms));
        let (mover, other) =
            if ply % 2 == 0 { (&mut white, &mut black) } else { (&mut black, &mut white) };
        mover.make_move(game, ply as u32, mv).await;
        let (event, same) = (mover.event().await, other.event().await);
        assert_eq!(event, same, "both hear the same");
        let Event::Moved { spent_ms, compensated_ms, remaining_ms, .. } = event.event else {
            panic!("{event:?}");
        };
        assert_eq!((spent_ms, compensated_ms), (thought_ms, 0));
        left_ms[ply % 2] += 2_000 - thought_ms as i64;
        assert_eq!(remaining_ms, Some(left_ms[ply % 2] as u64));
        let clocks = event.clocks.unwrap();
        assert_eq!(clocks.white.remaining_ms, Some(left_ms[0] as u64));
        assert_eq!(clocks.black.remaining_ms, Some(left_ms[1] as u64));
    }
}

#[tokio::test]
async fn a_flag_falls_without_anybody_asking() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    server.pass(Duration::from_secs(59));
    white.settle().await;
    server.pass(Duration::from_secs(5));
    for client in [&mut white, &mut black] {
        let end = client.end().await;
        assert_eq!(
            (end.reason, end.winner),
            (castellan_game::EndReason::Timeout, Some(Color::Black))
        );
    }
}
