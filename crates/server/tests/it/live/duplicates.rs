//! Class: a repeated move is played twice, or a late one is taken for another.

use castellan_game::Event;

use super::client::{Client, play, play_from};
use super::server::TestServer;

#[tokio::test]
async fn a_move_that_is_sent_again_is_made_once() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    for _ in 0..5 {
        white.make_move(game, 0, "e2e4").await;
    }
    // The sender receives the same event each time; the opponent receives it once.
    for _ in 0..5 {
        let event = white.event().await;
        assert_eq!(event.version, 4);
        assert!(matches!(event.event, Event::Moved { ply: 0, .. }));
    }
    assert_eq!(black.event().await.version, 4);
    black.settle().await;
    assert_eq!(server.record(game).await.len(), 4);
    play_from(&mut white, &mut black, game, 1, &["e7e5"]).await;
}

#[tokio::test]
async fn another_move_for_an_old_ply_is_stale() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    for (ply, mv) in [(0, "d2d4"), (0, "g1f3"), (1, "d2d4")] {
        white.make_move(game, ply, mv).await;
        let code = white.refusal().await;
        assert!(["stale", "not_your_turn"].contains(&code.as_str()), "{code}");
    }
    for ply in [3, 4, 1000, u32::MAX] {
        white.make_move(game, ply, "d2d4").await;
        assert!(["ahead", "not_your_turn"].contains(&white.refusal().await.as_str()));
    }
    play_from(&mut white, &mut black, game, 2, &["d2d4"]).await;
}

/// A client that does not know whether a move arrived sends it again after reconnecting.
#[tokio::test]
async fn a_move_is_sent_again_after_the_connection_was_lost() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    let session = white.session();
    white.make_move(game, 0, "e2e4").await;
    drop(white);
    assert!(matches!(black.event().await.event, Event::Moved { ply: 0, .. }));
    let mut white = Client::back(&server, session).await;
    assert_eq!(white.welcome.games, [game]);
    white.make_move(game, 0, "e2e4").await;
    let snapshot = white.game().await;
    assert_eq!((snapshot.version, snapshot.moves.0.len()), (4, 1));
    assert_eq!(white.event().await.version, 4);
    play_from(&mut white, &mut black, game, 1, &["e7e5", "g1f3"]).await;
}
