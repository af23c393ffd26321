//! Class: stalling, no-shows, and aborting until the color is right.

use core::time::Duration;

use castellan_game::{EndReason, TimeControl};
use castellan_protocol::{ClientMessage, GameRef};

use super::client::play;
use super::server::{MINUTE, TestServer, pair};

#[tokio::test]
async fn a_player_who_makes_no_first_move_is_a_no_show() {
    let server = TestServer::start().await;
    for first_moves in [&[][..], &["e2e4"][..]] {
        let (mut white, mut black, game) = server.game().await;
        play(&mut white, &mut black, game, first_moves).await;
        server.pass(Duration::from_secs(14));
        white.settle().await;
        server.pass(Duration::from_secs(2));
        for client in [&mut white, &mut black] {
            let end = client.end().await;
            assert_eq!((end.reason, end.winner), (EndReason::Aborted, None));
        }
    }
}

#[tokio::test]
async fn once_both_have_moved_only_the_clock_counts() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    server.pass(Duration::from_secs(50));
    white.settle().await;
    white.say(&ClientMessage::Abort(GameRef { game })).await;
    assert_eq!(white.refusal().await, "too_late_to_abort");
}

#[tokio::test]
async fn an_offer_does_not_put_off_the_end_of_patience() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    server.pass(Duration::from_secs(14));
    white.offer(game, castellan_game::Proposal::Draw).await;
    white.event().await;
    server.pass(Duration::from_secs(2));
    assert_eq!(black.end().await.reason, EndReason::Aborted);
}

#[tokio::test]
async fn a_player_who_aborts_repeatedly_has_to_wait() {
    let server = TestServer::start().await;
    let mut picky = server.guest("Picky").await;
    let mut patient = server.guest("Patient").await;
    for _ in 0..4 {
        let game = pair(&mut picky, &mut patient, MINUTE).await;
        picky.say(&ClientMessage::Abort(GameRef { game })).await;
        picky.end().await;
        patient.end().await;
    }
    picky.seek(MINUTE).await;
    let refused = picky.refused().await;
    assert_eq!(refused.code.to_string(), "rate_limited");
    assert!(
        refused.message.contains("60 s") || refused.message.contains("61 s"),
        "{}",
        refused.message
    );
    // The abandoned player is not to blame, and the other player's pause ends.
    patient.seek(MINUTE).await;
    patient.queued().await;
    server.pass(Duration::from_secs(60));
    picky.seek(MINUTE).await;
    picky.game().await;
}

#[tokio::test]
async fn a_player_with_repeated_no_shows_has_to_wait() {
    let server = TestServer::start().await;
    let mut clients = [server.guest("Anna").await, server.guest("Ben").await];
    let mut idle = [0, 0];
    while idle.iter().all(|count| *count < 4) {
        let [one, other] = &mut clients;
        let game = pair(one, other, MINUTE).await;
        let white = usize::from(one.seat(game) != castellan_protocol::Seat::White);
        idle[white] += 1;
        server.pass(Duration::from_secs(16));
        one.end().await;
        other.end().await;
    }
    let banned = usize::from(idle[1] >= 4);
    clients[banned].seek(MINUTE).await;
    assert_eq!(clients[banned].refusal().await, "rate_limited");
}

#[tokio::test]
async fn games_without_a_clock_wait_longer_but_not_for_ever() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game_of(TimeControl::Unlimited {}).await;
    white.settle().await;
    black.settle().await;
    server.pass(Duration::from_secs(200));
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    drop(white);
    let presence = black.presence().await;
    let wait_ms = presence.abandoned_at.unwrap().since_ms(server.now());
    black.settle().await;
    server.pass(Duration::from_millis(wait_ms));
    assert_eq!(black.end().await.reason, EndReason::Abandoned);
}
