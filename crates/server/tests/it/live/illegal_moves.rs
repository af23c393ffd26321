//! Class: an illegal move is accepted, or ends the game.

use castellan_game::GameId;
use castellan_protocol::Snapshot;
use castellan_rules::{Position, Square, UciMove};

use super::client::{Client, play};
use super::server::TestServer;

async fn snapshot(client: &mut Client, game: GameId) -> Snapshot {
    let mut snapshot = client.watch(game).await;
    // Watching again changes nothing but the presence.
    snapshot.presence = Default::default();
    snapshot
}

/// Returns every pair of squares, and every promotion of some of them, that is not a legal move.
fn illegal_moves(position: &Position) -> Vec<String> {
    let mut texts = Vec::new();
    for from in Square::ALL {
        for to in Square::ALL {
            texts.push(format!("{from}{to}"));
        }
    }
    texts.extend(["e2e4q", "e2e1q", "e7e8q", "a7a8n", "0000", "e1h1", "e8g8"].map(str::to_owned));
    texts.retain(|text| {
        let mv: UciMove = text.parse().unwrap();
        mv.resolve(position).is_err()
    });
    texts
}

#[tokio::test]
async fn no_illegal_move_changes_the_position_or_ends_the_game() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
    let before = snapshot(&mut white, game).await;
    let position = position_after(&["e2e4", "e7e5"]);
    let texts = illegal_moves(&position);
    assert!(texts.len() > 4000);
    for text in &texts {
        white.make_move(game, 2, text).await;
        let code = white.refusal().await;
        assert_eq!(code, "illegal_move", "{text}");
    }
    assert_eq!(snapshot(&mut white, game).await, before);
    super::client::play_from(&mut white, &mut black, game, 2, &["g1f3", "b8c6"]).await;
}

#[tokio::test]
async fn garbage_is_refused_with_the_place_and_the_game_goes_on() {
    let server = TestServer::start().await;
    let (mut white, mut black, game) = server.game().await;
    let texts = [
        "",
        "{",
        "[]",
        "null",
        "7",
        "\"make move\"",
        "{}",
        "{\"type\": 7}",
        "{\"type\": \"make move\"}",
        "{\"type\": \"make move\", \"data\": []}",
        "{\"type\": \"move\", \"data\": {}}",
        "\u{0}",
        "{\"type\": \"make move\", \"data\": {\"game\": \"x\"}}",
    ];
    let with_move = [
        "e2",
        "e2e",
        "e2e9",
        "i2e4",
        "e2e4k",
        "e2e4qq",
        "",
        " e2e4",
        "e2-e4",
        "O-O",
        "\u{202e}e2e4",
    ];
    for text in texts {
        white.say_text(text).await;
        assert_eq!(white.refusal().await, "malformed", "{text}");
    }
    for mv in with_move {
        let text = serde_json::json!({
            "type": "make move", "data": { "game": game, "ply": 0, "mv": mv }
        });
        white.say_text(&text.to_string()).await;
        assert_eq!(white.refusal().await, "malformed", "{mv}");
    }
    for ply in ["-1", "1.5", "4294967296", "\"0\"", "null"] {
        white.say_text(&format!(
            "{{\"type\": \"make move\", \"data\": {{\"game\": \"{game}\", \"ply\": {ply}, \"mv\": \"e2e4\"}}}}"
        )).await;
        assert_eq!(white.refusal().await, "malformed", "{ply}");
    }
    play(&mut white, &mut black, game, &["e2e4", "e7e5"]).await;
}

#[tokio::test]
async fn the_same_holds_in_the_plain_protocol() {
    use super::simple_client::SimpleClient;
    let server = TestServer::start().await;
    let mut clients = [SimpleClient::connect(&server).await, SimpleClient::connect(&server).await];
    clients[0].matchmake("Anna").await;
    clients[1].matchmake("Ben").await;
    let is_white = clients[0].expect("game start").await["color"] == "white";
    clients[1].expect("game start").await;
    if !is_white {
        clients.reverse();
    }
    let [mut white, mut black] = clients;
    for text in illegal_moves(&Position::default()).iter().filter(|text| *text != "0000") {
        white.make_move(text).await;
        white.expect("error").await;
    }
    white.make_move("e2e4").await;
    assert_eq!(black.opponents_move().await, "e2e4");
}

fn position_after(moves: &[&str]) -> Position {
    let mut line = castellan_rules::Line::default();
    for mv in moves {
        let mv = mv.parse::<UciMove>().unwrap().resolve(line.position()).unwrap();
        line.play(mv).unwrap();
    }
    *line.position()
}
