//! Class: floods, giant frames, and clients that do not read.

use core::time::Duration;
use std::net::{IpAddr, Ipv4Addr};

use castellan_protocol::{ClientMessage, GameRef, ServerMessage};
use castellan_testkit::waiting::LIMIT;
use futures_util::SinkExt;
use tokio_tungstenite::tungstenite::Message;

use super::client::{Client, long_game, next, open, play};
use super::server::{Setup, TestServer, wait_until};

#[tokio::test]
async fn too_many_messages_close_the_socket_with_a_reason() {
    let server = Setup::limited().start().await;
    let mut client = server.guest("Flood").await;
    let rates = &server.services.config.rates;
    for _ in 0..=rates.messages.burst + rates.warnings.burst {
        if !client.try_say_text(r#"{"type": "ping", "data": {"id": 1}}"#).await {
            break;
        }
    }
    for _ in 0..rates.warnings.burst {
        let refused = client.refused().await;
        assert_eq!((refused.of.as_str(), &*refused.code.to_string()), ("ping", "rate_limited"));
        assert!(refused.message.ends_with("wait 1 s"), "{}", refused.message);
    }
    let frame = client.closed().await.expect("the reason arrives");
    assert_eq!((u16::from(frame.code), frame.reason.as_str()), (1008, "too many messages"));
}

/// The test's clock stands still, so waiting earns no further messages.
#[tokio::test]
async fn moves_are_never_too_fast() {
    let server = Setup::limited().start().await;
    let (mut white, mut black, game) = server.game().await;
    let moves = long_game();
    let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
    play(&mut white, &mut black, game, &moves).await;
    let rates = &server.services.config.rates;
    assert!(moves.len() / 2 > (rates.messages.burst + rates.warnings.burst) as usize);
}

#[tokio::test]
async fn others_do_not_notice_a_flood() {
    let server = Setup::limited().start().await;
    let (mut white, mut black, game) = server.game().await;
    let mut flood = server.guest("Flood").await;
    for _ in 0..1000 {
        let watch = ClientMessage::Watch(GameRef { game }).to_json();
        if !flood.try_say_text(&watch).await {
            break;
        }
    }
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
}

#[tokio::test]
async fn giant_messages_close_the_socket() {
    let server = TestServer::start().await;
    for path in ["/ws", "/ws/simple"] {
        for size in [8 * 1024 + 1, 1 << 20] {
            let mut socket = open(&server, path, &[]).await.unwrap();
            // The server may close the connection before everything is written.
            let _ = socket.send(Message::text("x".repeat(size))).await;
            let frame = next(&mut socket).await.unwrap_err();
            if let Some(frame) = frame {
                assert_eq!(u16::from(frame.code), 1009);
            }
        }
        let mut socket = open(&server, path, &[]).await.unwrap();
        socket.send(Message::text("x".repeat(8 * 1024))).await.unwrap();
        assert!(super::client::next_text(&mut socket).await.unwrap().contains("error"));
        socket.send(Message::binary(vec![0; 10])).await.unwrap();
        let frame = next(&mut socket).await.unwrap_err().unwrap();
        assert_eq!(u16::from(frame.code), 1003);
    }
}

#[tokio::test]
async fn a_message_in_many_fragments_is_still_bounded() {
    use tokio_tungstenite::tungstenite::protocol::frame::{
        Frame,
        coding::{Data, OpCode},
    };

    let server = TestServer::start().await;
    let mut socket = open(&server, "/ws", &[]).await.unwrap();
    let fragment = |code, is_last| {
        Message::Frame(Frame::message(vec![b'x'; 1000], OpCode::Data(code), is_last))
    };
    let mut is_open = socket.send(fragment(Data::Text, false)).await.is_ok();
    for _ in 0..20 {
        is_open = is_open && socket.send(fragment(Data::Continue, false)).await.is_ok();
    }
    let frame = next(&mut socket).await.unwrap_err();
    assert!(frame.is_none_or(|frame| u16::from(frame.code) == 1009));
}

/// A client sends requests and reads nothing: it is disconnected, and the game does not wait for
/// it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_does_not_read_is_dropped_and_delays_no_other() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    let mut slow = server.guest("Slow").await;
    slow.watch(game).await;
    let watch = ClientMessage::Watch(GameRef { game }).to_json();
    let is_dropped = async { while slow.try_say_text(&watch).await {} };
    tokio::time::timeout(LIMIT, is_dropped).await.expect("it is dropped");
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    let text = server.get("/metrics").await;
    assert!(text.contains("castellan_slow_consumers_total 1"), "{text}");
}

#[tokio::test]
async fn an_address_has_a_bounded_number_of_sockets() {
    let mut setup = Setup::limited();
    setup.config.max_sockets_per_address = 3;
    let server = setup.start().await;
    let mut sockets = Vec::new();
    for _ in 0..3 {
        sockets.push(open(&server, "/ws", &[]).await.unwrap());
    }
    assert!(open(&server, "/ws", &[]).await.is_err());
    assert!(open(&server, "/ws/simple", &[]).await.is_err());
    sockets.pop();
    // The server needs a moment to notice that a connection is free again.
    wait_until("room for one more", async || open(&server, "/ws", &[]).await.is_ok()).await;
}

#[tokio::test]
async fn seeks_and_chat_have_limits_of_their_own() {
    let mut setup = Setup::limited();
    setup.config.rates.seeks = castellan_server::Rate::per(3, Duration::from_secs(60));
    setup.config.rates.chat = castellan_server::Rate::per(2, Duration::from_secs(60));
    let server = setup.start().await;
    let (mut white, _black, game) = server.game().await;
    for count in 0..5 {
        let text =
            format!(r#"{{"type": "chat", "data": {{"game": "{game}", "text": "hello {count}"}}}}"#);
        white.say_text(&text).await;
    }
    assert_eq!(white.refusal().await, "rate_limited");
    let mut seeker = server.guest("Seeker").await;
    for _ in 0..3 {
        seeker.seek(super::server::MINUTE).await;
        seeker.queued().await;
    }
    seeker.seek(super::server::MINUTE).await;
    assert_eq!(seeker.refusal().await, "rate_limited");
}

/// New guests of an address do not get more games than the address may have, and other addresses do
/// not notice.
#[tokio::test]
async fn the_guests_of_an_address_share_a_limit_for_seeks() {
    let mut setup = few_games();
    setup.config.rates.seeks_by_address = castellan_server::Rate::per(3, Duration::from_secs(60));
    let server = setup.start().await;
    for number in 0..3 {
        let name = format!("Greedy {number}");
        let mut greedy = Client::guest_from(&server, &name, "10.0.0.1").await;
        greedy.seek(super::server::MINUTE).await;
        greedy.queued().await;
        greedy.say_text(r#"{"type": "cancel seek"}"#).await;
        let is_over = |message: &_| matches!(message, ServerMessage::SeekEnded(_)).then_some(());
        greedy.until(is_over).await;
    }
    let mut greedy = Client::guest_from(&server, "Greedy", "10.0.0.1").await;
    for request in
        [r#"{"type": "seek", "data": {"time_control": {"type": "unlimited"}}}"#, PLAY_ENGINE]
    {
        greedy.say_text(request).await;
        assert_eq!(greedy.refusal().await, "rate_limited");
    }
    let mut other = Client::guest_from(&server, "Other", "10.0.0.2").await;
    other.seek(super::server::MINUTE).await;
    other.queued().await;
}

const PLAY_ENGINE: &str = r#"{"type": "play engine", "data": {"level": 400, "color": "white",
    "terms": {"time_control": {"type": "unlimited"}}}}"#;

/// Returns a setup in which each address may have three games in memory.
fn few_games() -> Setup {
    let mut setup = Setup::limited();
    setup.config.trusted_proxies = vec![IpAddr::V4(Ipv4Addr::LOCALHOST)];
    setup.config.live.max_games_per_address = 3;
    setup
}

/// An address starts as many games as it may and leaves them: other addresses can still start
/// games.
#[tokio::test]
async fn an_address_has_a_bounded_number_of_games() {
    let server = few_games().start().await;
    for number in 0..3 {
        let name = format!("Greedy {number}");
        let mut greedy = Client::guest_from(&server, &name, "10.0.0.1").await;
        greedy.say_text(PLAY_ENGINE).await;
        greedy.game().await;
    }
    let mut greedy = Client::guest_from(&server, "Greedy", "10.0.0.1").await;
    greedy.say_text(PLAY_ENGINE).await;
    assert_eq!(greedy.refusal().await, "too_many");
    let mut other = Client::guest_from(&server, "Other", "10.0.0.2").await;
    other.say_text(PLAY_ENGINE).await;
    other.game().await;
}

/// Finished games that are loaded again for a client count toward its limit, too.
#[tokio::test]
async fn an_address_looks_at_a_bounded_number_of_games() {
    let server = few_games().start().await;
    let mut games = Vec::new();
    for number in 0..4 {
        // At most three from each address.
        let address = format!("10.0.0.{number}");
        let mut player = Client::guest_from(&server, "Player", &address).await;
        player.say_text(PLAY_ENGINE).await;
        let game = player.game().await.game;
        player.resign(game).await;
        player.end().await;
        games.push(game);
    }
    let folder = server.stop().await;
    let server = few_games().start_in(folder).await;
    let mut watcher = Client::guest_from(&server, "Watcher", "10.0.0.9").await;
    for game in &games[..3] {
        watcher.watch(*game).await;
    }
    let last = ClientMessage::Watch(GameRef { game: games[3] });
    watcher.say(&last).await;
    assert_eq!(watcher.refusal().await, "too_many");
    watcher.say(&ClientMessage::Leave(GameRef { game: games[0] })).await;
    wait_until("a game has left memory", async || {
        server.pass(Duration::from_millis(200));
        watcher.say(&last).await;
        watcher
            .until(|message| match message {
                ServerMessage::Game(snapshot) => Some(snapshot.game == games[3]),
                ServerMessage::Refused(_) => Some(false),
                _ => None,
            })
            .await
    })
    .await;
}
