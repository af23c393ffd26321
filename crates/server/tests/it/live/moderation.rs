//! Bans, announcements, deleted chat and deleted games, while people play.

use core::time::Duration;

use castellan_game::{EndReason, GameId};
use castellan_protocol::{Chat, ClientMessage, GameRef, Refused, ServerMessage};
use castellan_server::{AdminReply, AdminRequest, AdminTarget};
use futures_util::SinkExt;
use tokio_tungstenite::tungstenite::Message;

use super::client::{Client, next, next_text, open, play};
use super::nodes::Cluster;
use super::server::{MINUTE, Setup, TestServer, in_order, pair};

const HOUR_MS: u64 = 3_600_000;

fn ban(server: &TestServer, target: AdminTarget) -> AdminRequest {
    let until = Some(server.now().as_millis() + HOUR_MS);
    AdminRequest::Ban { target, reason: "insults".to_owned(), until }
}

/// Asserts that a client is told that it is banned, and why, and is then disconnected.
async fn banned(mut client: Client) {
    let message = client
        .until(|message| match message {
            ServerMessage::Error(error) if error.code.as_str() == "banned" => {
                Some(error.message.clone())
            }
            _ => None,
        })
        .await;
    assert!(message.contains(" until ") && message.ends_with("UTC: insults"), "{message}");
    let frame = client.closed().await.expect("a close frame");
    assert_eq!(u16::from(frame.code), 4004);
}

/// Says hello and returns the code of the error.
async fn refused_hello(server: &TestServer, hello: &str, headers: &[(&str, &str)]) -> String {
    let mut socket = open(server, "/ws", headers).await.unwrap();
    socket.send(Message::text(hello)).await.unwrap();
    match next(&mut socket).await {
        Ok(ServerMessage::Error(error)) => error.code.to_string(),
        other => panic!("expected an error: {other:?}"),
    }
}

async fn login(server: &TestServer, name: &str) -> u16 {
    let body = format!(r#"{{"name": "{name}", "password": "correct horse battery {name}"}}"#);
    server.post("/api/login", &body).await.0
}

#[tokio::test]
async fn a_ban_ends_everything_at_once_and_then_itself() {
    let server = TestServer::start().await;
    let cookie = server.account("Anna").await;
    let mut anna = Client::with_cookie(&server, &cookie).await;
    let mut ben = server.guest("Ben").await;
    let game = pair(&mut anna, &mut ben, MINUTE).await;
    let is_anna_white = anna.seat(game) == castellan_protocol::Seat::White;
    let (mut white, mut black) = in_order(anna, ben, game);
    play(&mut white, &mut black, game, &["e2e4", "e7e5", "g1f3"]).await;
    let (anna, mut ben) = if is_anna_white { (white, black) } else { (black, white) };
    let target = AdminTarget::Account("anna".to_owned());
    server.command(&ban(&server, target.clone())).await.expect("a ban");
    banned(anna).await;
    let end = ben.end().await;
    assert_eq!(end.reason, EndReason::Resignation);
    assert!(end.winner.is_some_and(|winner| winner.fold(!is_anna_white, is_anna_white)));

    assert_eq!(login(&server, "Anna").await, 403);
    let name = r#"{"name": "Anna", "password": "wrong horse battery"}"#;
    assert_eq!(server.post("/api/login", name).await.0, 401, "only the owner learns of the ban");
    let origin = format!("http://{}", server.address);
    let headers = [("cookie", cookie.as_str()), ("origin", origin.as_str())];
    let hello = r#"{"type": "hello", "data": {"version": 1}}"#;
    assert_eq!(refused_hello(&server, hello, &headers).await, "needs_name", "the session is over");

    // A second ban that is lifted changes nothing for others.
    server.pass(Duration::from_millis(HOUR_MS));
    assert_eq!(login(&server, "Anna").await, 200);
    server.command(&ban(&server, target.clone())).await.expect("a ban");
    assert_eq!(login(&server, "Anna").await, 403);
    let lifted = server.command(&AdminRequest::Unban { target }).await;
    assert!(matches!(lifted, Ok(AdminReply::Done { .. })), "{lifted:?}");
    assert_eq!(login(&server, "Anna").await, 200);
}

#[tokio::test]
async fn a_game_without_moves_is_aborted_for_a_banned_guest() {
    let server = TestServer::start().await;
    let (white, mut black, game) = server.game().await;
    let events = server.record(game).await;
    let seated = events.iter().find_map(|recorded| match &recorded.event {
        castellan_game::Event::Seated { color, player } => {
            color.fold(true, false).then_some(player.id)
        }
        _ => None,
    });
    let target = AdminTarget::Player(seated.expect("White is seated").0);
    server.command(&ban(&server, target)).await.expect("a ban");
    banned(white).await;
    let end = black.end().await;
    assert_eq!((end.reason, end.winner), (EndReason::Aborted, None));
}

#[tokio::test]
async fn banned_names_and_networks_stay_outside() {
    let mut setup = Setup::limited();
    setup.config.trusted_proxies = vec!["127.0.0.1".parse().unwrap()];
    let server = setup.start().await;
    let inside = Client::guest_from(&server, "Inside", "192.0.2.77").await;
    let mut outside = Client::guest_from(&server, "Outside", "198.51.100.1").await;
    let rude = Client::guest_from(&server, "Rude Boy", "198.51.100.2").await;
    let target = AdminTarget::Address("192.0.2.1/24".to_owned());
    server.command(&ban(&server, target)).await.expect("a ban");
    banned(inside).await;
    let target = AdminTarget::Name("RUDE  BÓY".to_owned());
    server.command(&ban(&server, target)).await.expect("a ban");
    banned(rude).await;
    outside.settle().await;

    let hello =
        |name: &str| format!(r#"{{"type": "hello", "data": {{"version": 1, "name": "{name}"}}}}"#);
    let from = |address| [("x-forwarded-for", address)];
    let banned = refused_hello(&server, &hello("Other"), &from("192.0.2.9")).await;
    assert_eq!(banned, "banned");
    let banned = refused_hello(&server, &hello("rude boy"), &from("198.51.100.9")).await;
    assert_eq!(banned, "banned");
    let mut simple = open(&server, "/ws/simple", &from("192.0.2.9")).await.unwrap();
    let seek = r#"{"type": "matchmake request", "data": {"username": "Somebody"}}"#;
    simple.send(Message::text(seek)).await.unwrap();
    let told = next_text(&mut simple).await.unwrap();
    assert!(told.contains("you are banned"), "{told}");

    for (request, why) in [
        (AdminTarget::Address("0.0.0.0/0".to_owned()), "too large"),
        (AdminTarget::Address("::/8".to_owned()), "too large"),
        (AdminTarget::Address("nowhere".to_owned()), "expected an address"),
        (AdminTarget::Account("Nobody".to_owned()), "unknown_player"),
    ] {
        let refused = server.command(&ban(&server, request)).await.expect_err(why);
        assert!(refused.contains(why), "{refused}");
    }
}

async fn say(client: &mut Client, game: GameId, text: &str) {
    client.say(&ClientMessage::Chat(Chat { game, text: text.parse().unwrap() })).await;
    client
        .until(|message| {
            matches!(message, ServerMessage::ChatLine(line) if line.text == text).then_some(())
        })
        .await;
}

#[tokio::test]
async fn a_command_of_an_admin_at_one_node_reaches_every_node() {
    let cluster = Cluster::new(0);
    let (here, there) = (cluster.node().await, cluster.node().await);
    let cookie = here.account("Anna").await;
    let mut anna = Client::with_cookie(&there, &cookie).await;
    let mut ben = here.guest("Ben").await;
    let game = pair(&mut anna, &mut ben, MINUTE).await;
    say(&mut ben, game, "something rude").await;
    anna.until(|message| matches!(message, ServerMessage::ChatLine(_)).then_some(())).await;

    // The chat is deleted at the other node, too, and the clients are told.
    let deleted = here.command(&AdminRequest::DeleteChat { game, account: None }).await;
    assert_eq!(deleted, Ok(AdminReply::Done { changed: 1 }));
    for client in [&mut anna, &mut ben] {
        client
            .until(|message| match message {
                ServerMessage::ChatHistory(history) => history.lines.is_empty().then_some(()),
                _ => None,
            })
            .await;
    }
    let mut late = there.guest("Late").await;
    late.watch(game).await;
    let heard = late.heard().await;
    assert!(!heard.iter().any(|it| matches!(it, ServerMessage::ChatHistory(_))), "{heard:?}");

    let text = "The server restarts at eight.".to_owned();
    here.command(&AdminRequest::Message { text: text.clone() }).await.expect("a message");
    for client in [&mut anna, &mut ben, &mut late] {
        let wanted = |message: &ServerMessage| match message {
            ServerMessage::Announcement(it) => Some(it.text.clone()),
            _ => None,
        };
        assert_eq!(client.until(wanted).await, text);
    }

    let target = AdminTarget::Account("Anna".to_owned());
    here.command(&ban(&here, target)).await.expect("a ban");
    banned(anna).await;
    assert_eq!(ben.end().await.reason, EndReason::Aborted);
    assert_eq!(login(&there, "Anna").await, 403);
}

#[tokio::test]
async fn a_deleted_game_is_shown_at_no_node() {
    let cluster = Cluster::new(0);
    let (here, there) = (cluster.node().await, cluster.node().await);
    let (mut anna, mut ben) = (there.guest("Anna").await, here.guest("Ben").await);
    let game = pair(&mut anna, &mut ben, MINUTE).await;
    ben.resign(game).await;
    for client in [&mut anna, &mut ben] {
        client.end().await;
    }
    here.command(&AdminRequest::DeleteGame { game }).await.expect("the game has ended");
    // Those who still look at it are told, and nobody else gets to see it.
    let is_unknown = |refused: Refused| {
        assert_eq!((refused.game, &*refused.code.to_string()), (Some(game), "unknown_game"));
    };
    is_unknown(anna.refused().await);
    is_unknown(ben.refused().await);
    for node in [&here, &there] {
        let mut late = node.guest("Late").await;
        late.say(&ClientMessage::Watch(GameRef { game })).await;
        is_unknown(late.refused().await);
    }
}
