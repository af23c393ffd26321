//! A client that knows only the seven messages of the plain protocol plays whole games.

use core::time::Duration;

use castellan_game::EndReason;
use castellan_protocol::{ClientMessage, GameRef};
use castellan_rules::{CastlingSpelling, Color, Line, UciMove};
use futures_util::SinkExt;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use super::client::{long_game, next_text};
use super::server::{Setup, TestServer};
use super::simple_client::SimpleClient;

/// Starts a game between two clients. Returns White and Black.
async fn game(server: &TestServer) -> (SimpleClient, SimpleClient) {
    let mut anna = SimpleClient::connect(server).await;
    let mut ben = SimpleClient::connect(server).await;
    anna.matchmake("Anna").await;
    ben.matchmake("Ben").await;
    let (for_anna, for_ben) = (anna.expect("game start").await, ben.expect("game start").await);
    assert_eq!(for_anna["opponent"], "Ben");
    assert_eq!(for_ben["opponent"], "Anna");
    match (for_anna["color"].as_str(), for_ben["color"].as_str()) {
        (Some("white"), Some("black")) => (anna, ben),
        (Some("black"), Some("white")) => (ben, anna),
        colors => panic!("{colors:?}"),
    }
}

/// Plays moves alternately. Only the opponent receives each move.
async fn play(white: &mut SimpleClient, black: &mut SimpleClient, moves: &[&str]) {
    for (ply, mv) in moves.iter().enumerate() {
        let (mover, other) =
            if ply % 2 == 0 { (&mut *white, &mut *black) } else { (&mut *black, &mut *white) };
        mover.make_move(mv).await;
        assert_eq!(other.opponents_move().await, *mv);
    }
}

#[tokio::test]
async fn mate_ends_the_game_for_both() {
    let server = TestServer::start().await;
    let (mut white, mut black) = game(&server).await;
    play(&mut white, &mut black, &["f2f3", "e7e5", "g2g4", "d8h4"]).await;
    for client in [&mut white, &mut black] {
        assert_eq!(client.expect("game end").await, json!({ "winner": "black" }));
    }
}

#[tokio::test]
async fn castling_en_passant_and_promotion_are_plain_moves() {
    let server = TestServer::start().await;
    let (mut white, mut black) = game(&server).await;
    let moves = [
        "e2e4", "a7a6", "e4e5", "d7d5", "e5d6", "a6a5", "g1f3", "a5a4", "f1e2", "a4a3", "e1g1",
        "a3b2", "d6c7", "b2a1n", "c7b8q",
    ];
    play(&mut white, &mut black, &moves).await;
    black.send("surrender", Value::Null).await;
    white.expect("surrender").await;
    for client in [&mut white, &mut black] {
        assert_eq!(client.expect("game end").await["winner"], "white");
    }
}

#[tokio::test]
async fn a_draw_is_offered_declined_and_accepted() {
    let server = TestServer::start().await;
    let (mut white, mut black) = game(&server).await;
    white.send("draw offer", json!({})).await;
    black.expect("draw offer").await;
    black.send("response to offer", json!({ "accepted": false })).await;
    assert_eq!(white.expect("response to offer").await["accepted"], false);
    play(&mut white, &mut black, &["e2e4"]).await;
    black.send("draw offer", json!({})).await;
    white.expect("draw offer").await;
    white.send("response to offer", json!({ "accepted": true })).await;
    assert_eq!(black.expect("response to offer").await["accepted"], true);
    for client in [&mut white, &mut black] {
        assert_eq!(client.expect("game end").await, json!({ "winner": null }));
    }
}

#[tokio::test]
async fn a_move_declines_an_offer() {
    let server = TestServer::start().await;
    let (mut white, mut black) = game(&server).await;
    white.send("draw offer", json!({})).await;
    black.expect("draw offer").await;
    white.make_move("e2e4").await;
    assert_eq!(black.opponents_move().await, "e2e4");
    black.make_move("e7e5").await;
    assert_eq!(white.expect("response to offer").await["accepted"], false);
    assert_eq!(white.opponents_move().await, "e7e5");
}

/// Plays random legal moves until the server reports the end of the game.
#[tokio::test]
async fn a_random_game_is_played_to_its_end() {
    let server = TestServer::start().await;
    let (mut white, mut black) = game(&server).await;
    let mut line = Line::default();
    let mut state: u64 = 7;
    let end = loop {
        let moves = line.position().legal_moves();
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        let mv = moves[(state >> 33) as usize % moves.len()];
        let text = UciMove::from_move(mv, CastlingSpelling::KingTwoSquares).to_string();
        let (mover, other) = match line.turn() {
            Color::White => (&mut white, &mut black),
            Color::Black => (&mut black, &mut white),
        };
        mover.make_move(&text).await;
        // A dead position ends the game before this client's next move arrives.
        let (kind, content) = other.receive().await;
        if kind == "game end" {
            break content;
        }
        assert_eq!(kind, "make move");
        assert_eq!(
            (content["from"].as_str(), content["to"].as_str()),
            (text.get(..2), text.get(2..4))
        );
        line.play(mv).unwrap();
        if line.outcome().is_some() {
            break other.expect("game end").await;
        }
    };
    assert!(line.moves().len() > 20, "{line:?}");
    let winner = line.outcome().and_then(|outcome| outcome.winner);
    let winner = winner.map(|winner| winner.fold("white", "black"));
    assert_eq!(end, json!({ "winner": winner }));
}

#[tokio::test]
async fn after_a_game_there_is_another_on_the_same_socket() {
    let server = TestServer::start().await;
    let (mut white, mut black) = game(&server).await;
    white.send("surrender", json!({})).await;
    white.expect("game end").await;
    black.expect("surrender").await;
    black.expect("game end").await;
    white.make_move("e2e4").await;
    assert!(white.expect("error").await["message"].as_str().unwrap().contains("not in a game"));
    white.matchmake("Anna").await;
    black.matchmake("Ben").await;
    white.expect("game start").await;
    black.expect("game start").await;
}

#[tokio::test]
async fn faults_are_answered_and_change_nothing() {
    let server = TestServer::start().await;
    let (mut white, mut black) = game(&server).await;
    for content in [json!({ "from": "e2", "to": "e5" }), json!({ "from": "e7", "to": "e5" })] {
        white.send("make move", content).await;
        white.expect("error").await;
    }
    black.make_move("e7e5").await;
    black.expect("error").await;
    for (kind, content) in [
        ("make move", json!({ "from": "e2" })),
        ("make move", json!({ "from": "e2", "to": "e4", "clock": 1 })),
        ("make move", json!(7)),
        ("game end", json!({ "winner": "white" })),
        ("response to offer", json!({ "accepted": true })),
        ("matchmake request", json!({ "username": "<script>" })),
        ("matchmake request", json!({ "username": "Carla" })),
    ] {
        white.send(kind, content).await;
        white.expect("error").await;
    }
    play(&mut white, &mut black, &["e2e4", "e7e5"]).await;
}

#[tokio::test]
async fn a_player_who_leaves_is_not_paired() {
    let server = TestServer::start().await;
    let mut gone = SimpleClient::connect(&server).await;
    gone.matchmake("Gone").await;
    // The request is handled before the connection is closed.
    gone.send("surrender", json!({})).await;
    gone.expect("error").await;
    gone.socket.close(None).await.unwrap();
    while let Ok(_text) = next_text(&mut gone.socket).await {}
    let (_white, _black) = game(&server).await;
}

#[tokio::test]
async fn players_of_both_protocols_meet() {
    let setup = Setup::default();
    let time_control = setup.config.live.simple_time_control;
    let server = setup.start().await;
    let mut plain = SimpleClient::connect(&server).await;
    plain.matchmake("Plain").await;
    plain.send("surrender", json!({})).await;
    plain.expect("error").await;
    let mut full = server.guest("Full").await;
    full.seek(time_control).await;
    let game = full.game().await.game;
    let is_white = plain.expect("game start").await["color"] == "white";
    if is_white {
        plain.make_move("e2e4").await;
        full.event().await;
        full.make_move(game, 1, "e7e5").await;
        assert_eq!(plain.opponents_move().await, "e7e5");
    } else {
        full.make_move(game, 0, "e2e4").await;
        assert_eq!(plain.opponents_move().await, "e2e4");
    }
    full.say(&ClientMessage::Resign(GameRef { game })).await;
    plain.expect("surrender").await;
    plain.expect("game end").await;
}

#[tokio::test]
async fn surrender_reaches_the_opponent_before_the_end() {
    let server = TestServer::start().await;
    let (mut white, mut black) = game(&server).await;
    play(&mut white, &mut black, &["e2e4"]).await;
    white.send("surrender", json!({})).await;
    assert_eq!(black.expect("surrender").await, json!({}));
    assert_eq!(black.expect("game end").await, json!({ "winner": "black" }));
    // The client that resigned receives the result as well.
    assert_eq!(white.expect("game end").await, json!({ "winner": "black" }));
}

/// A client may report the end itself, before or after the server does. Both are correct.
#[tokio::test]
async fn a_true_report_of_the_end_is_met_with_silence() {
    let server = TestServer::start().await;
    let (mut white, mut black) = game(&server).await;
    play(&mut white, &mut black, &["f2f3", "e7e5", "g2g4"]).await;
    black.make_move("d8h4").await;
    black.send("game end", json!({ "winner": "black" })).await;
    assert_eq!(white.opponents_move().await, "d8h4");
    for client in [&mut white, &mut black] {
        assert_eq!(client.expect("game end").await, json!({ "winner": "black" }));
        client.send("game end", json!({ "winner": "black" })).await;
        client.send("game end", json!({ "winner": "black" })).await;
    }
    // The server's next message is about the next game.
    white.matchmake("Anna").await;
    black.matchmake("Ben").await;
    for client in [&mut white, &mut black] {
        client.expect("game start").await;
    }
}

#[tokio::test]
async fn a_false_report_of_the_end_is_answered_with_the_truth() {
    let server = TestServer::start().await;
    let mut early = SimpleClient::connect(&server).await;
    early.send("game end", json!({ "winner": null })).await;
    assert!(early.expect("error").await["message"].as_str().unwrap().contains("not in a game"));
    let (mut white, mut black) = game(&server).await;
    play(&mut white, &mut black, &["f2f3", "e7e5", "g2g4"]).await;
    white.send("game end", json!({ "winner": "white" })).await;
    let message = white.expect("error").await["message"].clone();
    assert_eq!(message, "the game is not over; it is Black's turn");
    play(&mut black, &mut white, &["d8h4"]).await;
    for client in [&mut white, &mut black] {
        assert_eq!(client.expect("game end").await, json!({ "winner": "black" }));
        for reported in [json!("white"), Value::Null] {
            client.send("game end", json!({ "winner": reported })).await;
            assert_eq!(client.expect("game end").await, json!({ "winner": "black" }));
        }
    }
}

#[tokio::test]
async fn programs_play_as_fast_as_they_can() {
    let server = Setup::limited().start().await;
    let (mut white, mut black) = game(&server).await;
    let moves = long_game();
    let moves: Vec<&str> = moves.iter().map(String::as_str).collect();
    play(&mut white, &mut black, &moves).await;
    white.send("surrender", json!({})).await;
    assert_eq!(white.expect("game end").await, json!({ "winner": "black" }));
}

#[tokio::test]
async fn a_client_that_sends_too_fast_is_warned_and_then_cut_off() {
    let server = Setup::limited().start().await;
    let (mut white, mut black) = game(&server).await;
    let rates = &server.services.config.rates;
    let offer = json!({ "accepted": false });
    let mut message = String::new();
    for _ in 0..rates.messages.burst {
        white.send("response to offer", offer.clone()).await;
        message = white.expect("error").await["message"].as_str().unwrap().to_owned();
        if message.contains("too many messages") {
            break;
        }
    }
    assert_eq!(message, "too many messages; this one was ignored, wait 1 s");
    // A client that waits for as long as it was told can go on as if nothing had happened.
    server.pass(Duration::from_secs(1));
    play(&mut white, &mut black, &["e2e4", "e7e5"]).await;
    // A client that does not wait is disconnected.
    let end = loop {
        let message = json!({ "type": "response to offer", "data": offer });
        let _ = white.socket.send(Message::text(message.to_string())).await;
        if let Err(frame) = next_text(&mut white.socket).await {
            break frame.expect("the reason arrives");
        }
    };
    assert_eq!((u16::from(end.code), end.reason.as_str()), (1008, "too many messages"));
}

/// Plays a game resigned before the first move, one that never begins, and a real one.
#[tokio::test]
async fn the_longest_games_have_moves_and_were_not_called_off() {
    let server = TestServer::start().await;
    let (mut white, mut black) = game(&server).await;
    white.send("surrender", json!({})).await;
    white.expect("game end").await;
    drop((white, black));
    let (mut one, _other, called_off) = server.game().await;
    one.say(&ClientMessage::Abort(GameRef { game: called_off })).await;
    assert_eq!(one.end().await.reason, EndReason::Aborted);
    let longest = async || {
        let answer = server.get("/api/games/longest").await;
        let (_, body) = answer.split_once("\r\n\r\n").unwrap();
        let list: Value = serde_json::from_str(body).unwrap();
        list["games"].as_array().unwrap().iter().map(|game| game["plies"].clone()).collect()
    };
    let none: Vec<Value> = longest().await;
    assert_eq!(none, Vec::<Value>::new());
    (white, black) = game(&server).await;
    play(&mut white, &mut black, &["f2f3", "e7e5", "g2g4", "d8h4"]).await;
    black.expect("game end").await;
    assert_eq!(longest().await, [json!(4)]);
}

#[tokio::test]
async fn the_date_of_a_game_is_the_day_on_which_it_began() {
    // One second before midnight on January 15, 2027, UTC.
    let now_ms = 1_800_057_599_000;
    let server = Setup { now_ms, ..Setup::default() }.start().await;
    let (mut white, mut black) = game(&server).await;
    server.pass(Duration::from_secs(2));
    play(&mut white, &mut black, &["e2e4", "e7e5"]).await;
    white.send("surrender", json!({})).await;
    white.expect("game end").await;
    server.pass(Duration::from_secs(86_400 * 40));
    let pgn = server.get("/api/games/pgn").await;
    assert!(pgn.contains("[Date \"2027.01.15\"]\n"), "{pgn}");
    assert!(pgn.contains("[UTCDate \"2027.01.16\"]\n"), "{pgn}");
}
