//! Players lose their connections and return to their games.

use core::time::Duration;

use castellan_game::{EndReason, Event};
use castellan_protocol::ServerMessage;
use castellan_rules::Color;
use futures_util::SinkExt;
use tokio_tungstenite::tungstenite::Message;

use super::client::{Client, next, open, play, play_from};
use super::server::{TestServer, wait_until};

#[tokio::test]
async fn a_player_who_returns_receives_the_missed_events() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    let (session, version) = (black.session(), black.version(game));
    drop(black);
    let presence = white.presence().await;
    assert!(presence.white && !presence.black);
    assert!(presence.abandoned_at.is_some());
    white.make_move(game, 2, "g1f3").await;
    white.event().await;

    let mut black = Client::back(&server, session).await;
    assert_eq!(black.welcome.games, [game]);
    black.resync(game, version).await;
    let event = black.event().await;
    assert_eq!(event.version, version + 1, "one event was missed, and no more is sent");
    assert!(matches!(event.event, Event::Moved { ply: 2, .. }));
    let presence = white.presence().await;
    assert!(presence.white && presence.black && presence.abandoned_at.is_none());

    black.make_move(game, 3, "b8c6").await;
    assert_eq!(white.event().await, black.event().await);
}

#[tokio::test]
async fn too_large_a_gap_is_closed_by_the_whole_game() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let moves: Vec<&str> = shuffle.iter().copied().cycle().take(15).collect();
    play(&mut white, &mut black, game, &moves).await;
    let mut late = server.guest("Late").await;
    for version in [0, 999] {
        late.resync(game, version).await;
        let snapshot = late.game().await;
        assert_eq!((snapshot.version, snapshot.moves.0.len()), (18, 15), "from {version}");
        assert_eq!(snapshot.you, None);
    }
}

#[tokio::test]
async fn a_client_that_missed_nothing_gets_the_last_event_again() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    play(&mut white, &mut black, game, &["e2e4"]).await;
    white.resync(game, 4).await;
    let event = white.event().await;
    assert_eq!(event.version, 4);
}

#[tokio::test]
async fn a_player_who_stays_away_loses_the_game() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5", "g1f3"]).await;
    drop(white);
    let presence = black.presence().await;
    let wait_ms = presence.abandoned_at.unwrap().since_ms(server.now());
    server.pass(Duration::from_millis(wait_ms - 1));
    black.settle().await;
    server.pass(Duration::from_millis(1));
    let end = black.end().await;
    assert_eq!((end.reason, end.winner), (EndReason::Abandoned, Some(Color::Black)));
}

#[tokio::test]
async fn a_second_screen_sees_the_same_game() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    let mut other_screen = Client::back(&server, white.session()).await;
    other_screen.resync(game, 0).await;
    assert_eq!(other_screen.game().await.you, Some(castellan_protocol::Seat::White));
    other_screen.make_move(game, 0, "e2e4").await;
    for client in [&mut white, &mut black, &mut other_screen] {
        assert!(matches!(client.event().await.event, Event::Moved { ply: 0, .. }));
    }
    // The player closes one of two connections and is still present.
    drop(other_screen);
    play_from(&mut white, &mut black, game, 1, &["e7e5", "g1f3"]).await;
    assert!(black.watch(game).await.presence.white);
}

#[tokio::test]
async fn a_session_that_is_ended_closes_its_sockets() {
    let server = TestServer::start().await;
    let cookie = server.account("Carla").await;
    let mut carla = Client::with_cookie(&server, &cookie).await;
    carla.settle().await;
    let status = server.post_with_cookie("/api/logout", "{}", &cookie).await;
    assert!(status < 300, "{status}");
    assert_eq!(u16::from(carla.closed().await.unwrap().code), 4001);
}

#[tokio::test]
async fn a_client_that_does_not_answer_pings_is_gone() {
    let server = TestServer::start().await;
    let (white, mut black, _game) = server.game().await;
    black.settle().await;
    // White reads nothing from here on, so its pongs do not go out. Black keeps reading.
    let is_alone = |message: &ServerMessage| match message {
        ServerMessage::Presence(presence) => !presence.presence.white,
        _ => false,
    };
    wait_until("White is taken for gone", async || {
        server.pass(Duration::from_secs(5));
        black.heard().await.iter().any(is_alone)
    })
    .await;
    drop(white);
}

#[tokio::test]
async fn the_first_word_is_hello_and_it_comes_soon() {
    use super::client::{next, open};

    let server = TestServer::start().await;
    let mut socket = open(&server, "/ws", &[]).await.unwrap();
    server.pass(Duration::from_secs(14));
    tokio::task::yield_now().await;
    server.pass(Duration::from_secs(2));
    let frame = next(&mut socket).await.unwrap_err().unwrap();
    assert_eq!(u16::from(frame.code), 4003);
}

/// The cookie is checked when the connection is opened, and the hello may come much later.
#[tokio::test]
async fn a_session_that_ended_before_hello_is_over() {
    let server = TestServer::start().await;
    let cookie = server.account("Anna").await;
    let origin = format!("http://{}", server.address);
    let headers = [("cookie", cookie.as_str()), ("origin", origin.as_str())];
    let mut socket = open(&server, "/ws", &headers).await.unwrap();
    assert_eq!(server.post_with_cookie("/api/logout", "{}", &cookie).await, 200);
    socket.send(Message::text(r#"{"type": "hello", "data": {"version": 1}}"#)).await.unwrap();
    match next(&mut socket).await {
        Ok(ServerMessage::Error(error)) => assert_eq!(error.code.to_string(), "session_over"),
        other => panic!("{other:?}"),
    }
    let frame = next(&mut socket).await.unwrap_err().expect("a close frame");
    assert_eq!(u16::from(frame.code), 4001);
}
