//! Pairing of players who seek a game.

use castellan_game::TimeControl;
use castellan_protocol::{ClientMessage, Seat, Seek, ServerMessage};

use super::client::Client;
use super::server::{MINUTE, Setup, TestServer, pair};

#[tokio::test]
async fn only_players_who_want_the_same_game_are_paired() {
    let server = TestServer::start().await;
    let other_control = TimeControl::Increment { initial_ms: 60_000, increment_ms: 1_000 };
    let (mut one, mut two) = (server.guest("One").await, server.guest("Two").await);
    one.seek(MINUTE).await;
    one.queued().await;
    two.seek(other_control).await;
    two.queued().await;
    let mut three = server.guest("Three").await;
    three.seek(other_control).await;
    let game = two.game().await;
    assert_eq!(three.game().await.game, game.game);
    assert_eq!(game.settings.time_control, other_control);
}

#[tokio::test]
async fn no_player_is_paired_with_themselves() {
    let server = TestServer::start().await;
    let mut one = server.guest("One").await;
    let mut same = Client::back(&server, one.session()).await;
    one.seek(MINUTE).await;
    one.queued().await;
    same.seek(MINUTE).await;
    same.queued().await;
    let mut other = server.guest("Other").await;
    other.seek(MINUTE).await;
    let game = same.game().await.game;
    assert_eq!(other.game().await.game, game);
}

#[tokio::test]
async fn a_player_who_cancels_or_leaves_is_not_paired() {
    let server = TestServer::start().await;
    let (mut quitter, mut gone) = (server.guest("Quitter").await, server.guest("Gone").await);
    quitter.seek(MINUTE).await;
    quitter.queued().await;
    quitter.say_text(r#"{"type": "cancel seek"}"#).await;
    quitter.until(|message| matches!(message, ServerMessage::SeekEnded(_)).then_some(())).await;
    gone.seek(MINUTE).await;
    gone.queued().await;
    gone.socket.close(None).await.unwrap();
    gone.closed().await;
    let (mut one, mut other) = (server.guest("One").await, server.guest("Other").await);
    one.seek(MINUTE).await;
    one.queued().await;
    other.seek(MINUTE).await;
    assert_eq!(one.game().await.game, other.game().await.game);
}

/// Colors depend only on the random source and not on anything that a player does.
#[tokio::test]
async fn colors_are_drawn_by_lot() {
    let seats = |seed| async move {
        let server = Setup { seed, ..Setup::default() }.start().await;
        let (mut one, mut other) = (server.guest("One").await, server.guest("Other").await);
        let mut seats = Vec::new();
        for _ in 0..12 {
            let game = pair(&mut one, &mut other, MINUTE).await;
            seats.push(one.seat(game));
            one.resign(game).await;
            one.end().await;
            other.end().await;
        }
        seats
    };
    let (first, again, otherwise) = (seats(1).await, seats(1).await, seats(2).await);
    assert_eq!(first, again);
    assert_ne!(first, otherwise);
    assert!(first.contains(&Seat::White) && first.contains(&Seat::Black));
}

#[tokio::test]
async fn impossible_seeks_and_rated_seeks_of_guests_are_refused() {
    let server = TestServer::start().await;
    let mut guest = server.guest("Guest").await;
    guest.say(&ClientMessage::Seek(Seek { time_control: MINUTE, is_rated: true })).await;
    assert_eq!(guest.refusal().await, "needs_account");
    for control in [
        r#"{"type": "increment", "initial_ms": 0, "increment_ms": 0}"#,
        r#"{"type": "increment", "initial_ms": 4294967295, "increment_ms": 0}"#,
        r#"{"type": "increment", "initial_ms": -5, "increment_ms": 0}"#,
        r#"{"type": "eternal"}"#,
    ] {
        guest
            .say_text(&format!(r#"{{"type": "seek", "data": {{"time_control": {control}}}}}"#))
            .await;
        assert_eq!(guest.refusal().await, "malformed", "{control}");
    }
}

#[tokio::test]
async fn a_player_has_a_bounded_number_of_games() {
    let mut setup = Setup::default();
    setup.config.live.max_games_per_player = 1;
    let server = setup.start().await;
    let (mut one, mut other) = (server.guest("One").await, server.guest("Other").await);
    pair(&mut one, &mut other, MINUTE).await;
    one.seek(MINUTE).await;
    assert_eq!(one.refusal().await, "too_many");
}

/// Their seek ends when it would be answered, and they are sent the game that they have.
#[tokio::test]
async fn a_player_is_not_paired_while_their_game_is_running() {
    let server = TestServer::start().await;
    let (mut one, mut other) = (server.guest("One").await, server.guest("Other").await);
    let (mut third, mut fourth) = (server.guest("Third").await, server.guest("Fourth").await);
    let game = pair(&mut one, &mut other, MINUTE).await;
    one.seek(MINUTE).await;
    one.queued().await;
    third.seek(MINUTE).await;
    one.until(|message| matches!(message, ServerMessage::SeekEnded(_)).then_some(())).await;
    assert_eq!(one.game().await.game, game);
    fourth.seek(MINUTE).await;
    let another = third.game().await.game;
    assert_eq!(fourth.game().await.game, another);
    one.resign(game).await;
    one.end().await;
    third.resign(another).await;
    third.end().await;
    pair(&mut one, &mut third, MINUTE).await;
}

#[tokio::test]
async fn a_server_has_a_bounded_number_of_games() {
    let mut setup = Setup::default();
    setup.config.live.max_games = 1;
    let server = setup.start().await;
    let (_white, _black, _game) = server.game().await;
    let (mut one, mut other) = (server.guest("One").await, server.guest("Other").await);
    one.seek(MINUTE).await;
    one.queued().await;
    other.seek(MINUTE).await;
    assert_eq!(one.refusal().await, "busy");
    assert_eq!(other.refusal().await, "busy");
}

/// The current activity is public: waiting players and running games appear in it and disappear.
#[tokio::test]
async fn every_visitor_can_see_the_activity_of_the_server() {
    let server = TestServer::start().await;
    let now = async || -> serde_json::Value {
        let answer = server.get("/api/games/running").await;
        serde_json::from_str(answer.split("\r\n\r\n").nth(1).unwrap()).unwrap()
    };
    let counts =
        |now: &serde_json::Value| ["people", "waiting", "playing"].map(|it| now[it].as_u64());
    assert_eq!(counts(&now().await), [Some(0), Some(0), Some(0)]);
    let mut waiter = server.guest("Waiter").await;
    waiter.seek(MINUTE).await;
    waiter.queued().await;
    let told = now().await;
    assert_eq!(counts(&told), [Some(1), Some(1), Some(0)]);
    let control = serde_json::to_value(MINUTE).unwrap();
    let wanted = serde_json::json!([{"time_control": control, "is_rated": false, "players": 1}]);
    assert_eq!(told["wanted"], wanted);
    waiter.say_text(r#"{"type": "cancel seek"}"#).await;
    waiter.until(|message| matches!(message, ServerMessage::SeekEnded(_)).then_some(())).await;
    let (mut white, mut black, game) = server.game().await;
    let told = now().await;
    assert_eq!(counts(&told), [Some(3), Some(0), Some(1)]);
    assert_eq!(told["games"][0]["id"], game.to_string());
    assert!(told["games"][0]["white"]["name"].is_string(), "{told}");
    assert!(told["games"][0]["time_control"]["type"].is_string(), "{told}");
    assert_eq!(told["wanted"], serde_json::json!([]));
    white.resign(game).await;
    white.end().await;
    black.end().await;
    assert_eq!(now().await["games"], serde_json::json!([]));
}
