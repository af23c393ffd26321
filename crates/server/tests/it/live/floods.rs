//! Class: floods, giant frames, clients that do not read.

use castellan_protocol::{ClientMessage, GameRef};
use castellan_testkit::waiting::LIMIT;
use futures_util::SinkExt;
use tokio_tungstenite::tungstenite::Message;

use super::client::{next, open, play};
use super::server::{Setup, TestServer, wait_until};

#[tokio::test]
async fn too_many_messages_close_the_socket_with_a_reason() {
    let server = Setup::limited().start().await;
    let mut client = server.guest("Flood").await;
    let burst = server.services.config.rates.messages.burst;
    for _ in 0..=burst + 10 {
        if !client.try_say_text(r#"{"type": "ping", "data": {"id": 1}}"#).await {
            break;
        }
    }
    let frame = client.closed().await.expect("the reason arrives");
    assert_eq!((u16::from(frame.code), frame.reason.as_str()), (1008, "too many messages"));
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
            // The server may close before everything is written.
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

/// A client asks and asks and reads nothing: it is dropped, and the game does not wait for it.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_does_not_read_is_dropped_and_nobody_waits() {
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
    // The server needs a moment to notice; it then has room again.
    wait_until("room for one more", async || open(&server, "/ws", &[]).await.is_ok()).await;
}

#[tokio::test]
async fn seeks_and_chat_have_limits_of_their_own() {
    let mut setup = Setup::limited();
    setup.config.rates.seeks = castellan_server::Rate::per(3, core::time::Duration::from_secs(60));
    setup.config.rates.chat = castellan_server::Rate::per(2, core::time::Duration::from_secs(60));
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
