//! Chat, mutes, rematches, takebacks, and extra time.

use core::time::Duration;

use castellan_game::{Event, GameId, Proposal};
use castellan_protocol::{
    Chat, ChatLine, ClientMessage, CreateInvitation, GameRef, InvitationRef, Mute, Seat,
    ServerMessage, Terms,
};
use castellan_rules::Color;

use super::client::{Client, play};
use super::server::{MINUTE, Setup, TestServer};

async fn say(client: &mut Client, game: GameId, text: &str) {
    client.say(&ClientMessage::Chat(Chat { game, text: text.parse().unwrap() })).await;
}

async fn line(client: &mut Client) -> ChatLine {
    client
        .until(|message| match message {
            ServerMessage::ChatLine(line) => Some(line.clone()),
            _ => None,
        })
        .await
}

#[tokio::test]
async fn chat_lines_arrive_unchanged_and_are_stored() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    let text = r#"<script>alert("1")</script> & {@html x}"#;
    say(&mut white, game, text).await;
    for client in [&mut white, &mut black] {
        let line = line(client).await;
        assert_eq!((line.text.as_str(), line.color), (text, Some(Color::White)));
    }
    let stored = server.store.chat(game, 10).await.unwrap();
    assert_eq!((stored.len(), stored[0].text.as_str()), (1, text));
    for (text, why) in [
        ("", "empty"),
        ("  ", "spaces"),
        ("two\nlines", "a line break"),
        ("\u{202e}backwards", "direction"),
        (&"x".repeat(201), "too long"),
    ] {
        let message = serde_json::json!({ "type": "chat", "data": { "game": game, "text": text } });
        white.say_text(&message.to_string()).await;
        assert_eq!(white.refusal().await, "malformed", "{why}");
    }
}

#[tokio::test]
async fn watchers_talk_among_themselves_until_the_end() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    let (mut watcher, mut other) = (server.guest("Watcher").await, server.guest("Other").await);
    say(&mut watcher, game, "not here").await;
    assert_eq!(watcher.refusal().await, "unknown_game");
    watcher.watch(game).await;
    other.watch(game).await;
    say(&mut watcher, game, "e4 loses").await;
    assert_eq!(line(&mut other).await.text, "e4 loses");
    assert_eq!(line(&mut watcher).await.color, None);
    say(&mut black, game, "hello").await;
    // The first line that a player receives is the other player's, not the spectator's.
    assert_eq!(line(&mut white).await.text, "hello");
    assert_eq!(line(&mut other).await.text, "hello");
    black.resign(game).await;
    white.end().await;
    watcher.end().await;
    say(&mut watcher, game, "well played").await;
    assert_eq!(line(&mut white).await.text, "well played");
}

async fn history(client: &mut Client) -> Vec<String> {
    client
        .until(|message| match message {
            ServerMessage::ChatHistory(history) => {
                Some(history.lines.iter().map(|line| line.text.clone()).collect())
            }
            _ => None,
        })
        .await
}

#[tokio::test]
async fn a_client_that_joins_later_receives_the_chat() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    let mut watcher = server.guest("Watcher").await;
    watcher.watch(game).await;
    for (speaker, text) in [(&mut white, "good luck"), (&mut black, "you too")] {
        say(speaker, game, text).await;
        line(speaker).await;
        assert_eq!(line(&mut watcher).await.text, text);
    }
    say(&mut watcher, game, "they are nice").await;
    line(&mut watcher).await;
    let mut late = server.guest("Late").await;
    late.watch(game).await;
    assert_eq!(history(&mut late).await, ["good luck", "you too", "they are nice"]);
    // A player who returns receives lines of players only, and none by a player they have muted.
    let name = watcher.welcome.you.name.parse().unwrap();
    late.say(&ClientMessage::Mute(Mute { name, is_muted: true })).await;
    late.settle().await;
    late.watch(game).await;
    assert_eq!(history(&mut late).await, ["good luck", "you too"]);
    white.watch(game).await;
    assert_eq!(history(&mut white).await, ["good luck", "you too"]);
    // The chat is still there after a restart.
    let (session, now_ms) = (black.session(), server.now().as_millis());
    let folder = server.stop().await;
    let server = Setup { now_ms, ..Setup::default() }.start_in(folder).await;
    let mut black = Client::back(&server, session).await;
    black.watch(game).await;
    assert_eq!(history(&mut black).await, ["good luck", "you too"]);
}

#[tokio::test]
async fn lines_of_a_muted_player_do_not_arrive() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    let name = |client: &Client| client.welcome.you.name.parse().unwrap();
    let mute = |is_muted, name| ClientMessage::Mute(Mute { name, is_muted });
    white.say(&mute(true, name(&black))).await;
    white.settle().await;
    say(&mut black, game, "one").await;
    assert_eq!(line(&mut black).await.text, "one", "the author receives the line, too");
    white.say(&mute(false, name(&black))).await;
    white.settle().await;
    say(&mut black, game, "two").await;
    assert_eq!(line(&mut white).await.text, "two");
}

#[tokio::test]
async fn a_rematch_has_colors_reversed() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    white.offer(game, Proposal::Rematch).await;
    assert_eq!(white.refusal().await, "not_over");
    let mut watcher = server.guest("Watcher").await;
    assert_eq!(watcher.watch(game).await.rematch, None);
    black.resign(game).await;
    white.end().await;
    black.end().await;
    white.offer(game, Proposal::Rematch).await;
    assert!(matches!(black.event().await.event, Event::Offered { what: Proposal::Rematch, .. }));
    black.accept(game, Proposal::Rematch).await;
    let (of_white, of_black) = (white.game().await, black.game().await);
    assert_eq!(of_white.game, of_black.game);
    assert_eq!((of_white.you, of_black.you), (Some(Seat::Black), Some(Seat::White)));
    assert_eq!(of_white.rematch_of, Some(game));
    play(&mut black, &mut white, of_white.game, &["d2d4"]).await;
    assert_eq!(white.watch(game).await.rematch, Some(of_white.game));
    // The spectators are told about the rematch.
    let again = watcher.game().await;
    assert_eq!((again.game, again.rematch), (game, Some(of_white.game)));
}

#[tokio::test]
async fn moves_are_taken_back_where_that_was_agreed() {
    let server = TestServer::start().await;
    let (mut one, mut other) = (server.guest("One").await, server.guest("Other").await);
    let terms = Terms { allows_takeback: true, ..Terms::new(MINUTE) };
    let wanted = CreateInvitation { terms, color: Some(Color::White) };
    one.say(&ClientMessage::CreateInvitation(wanted)).await;
    let invitation = one
        .until(|message| match message {
            ServerMessage::Invitation(it) => Some(it.invitation.clone()),
            _ => None,
        })
        .await;
    other.say(&ClientMessage::AcceptInvitation(InvitationRef { invitation })).await;
    let game = one.game().await.game;
    other.game().await;
    play(&mut one, &mut other, game, &["e2e4", "e7e5"]).await;
    one.offer(game, Proposal::Takeback).await;
    one.event().await;
    other.event().await;
    other.accept(game, Proposal::Takeback).await;
    for client in [&mut one, &mut other] {
        assert!(matches!(client.event().await.event, Event::TakenBack { ply: 0 }));
    }
    play(&mut one, &mut other, game, &["d2d4"]).await;
}

#[tokio::test]
async fn time_is_given_to_the_opponent() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    server.pass(Duration::from_secs(1));
    white.say(&ClientMessage::AddTime(GameRef { game })).await;
    let event = black.event().await;
    let Event::TimeAdded { to, added_ms } = event.event else { panic!("{event:?}") };
    assert_eq!(to, Color::Black);
    assert_eq!(event.clocks.unwrap().black.remaining_ms, Some(60_000 + added_ms));
}
