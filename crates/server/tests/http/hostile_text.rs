//! Cross-site scripting through names and tags: hostile text is only ever sent as text.

use castellan_pgn::{Mode, parse_games};
use serde_json::json;

use crate::harness::{PlayedGame, Request, Server, store_game};

/// Names that an old or foreign database could contain. No user could choose any of them here.
const HOSTILE: [&str; 8] = [
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "Anna\"]\n[Result \"1-0\"]\n\n1. e4 1-0\n\n[Event \"x",
    "back\\slash\\\"",
    "} ; % ( ) $1 {",
    "\u{202e}evil\u{200b}",
    "javascript:alert(1)",
    "'; DROP TABLE games; --",
];

#[tokio::test]
async fn hostile_names_are_refused() {
    let server = Server::start().await;
    for name in HOSTILE {
        server.browser().post("/api/guest", &json!({"name": name})).await.refused(422, "bad_name");
    }
}

#[tokio::test]
async fn names_in_pgn_stay_inside_their_tags() {
    let server = Server::start().await;
    for (number, name) in (1..).zip(HOSTILE) {
        let game = PlayedGame { number, white: name, black: name, ..PlayedGame::default() };
        let (id, game) = store_game(&*server.store, &game).await;
        for path in [format!("/api/games/{id}/pgn"), format!("/api/games/{id}.pgn")] {
            let answer = server.browser().get(&path).await;
            let kind = answer.expect(200).header("content-type").unwrap();
            assert_eq!(kind, "application/x-chess-pgn; charset=utf-8");
            assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
            assert!(answer.header("content-disposition").unwrap().starts_with("attachment; "));
            let games = parse_games(answer.body.as_bytes(), Mode::Strict);
            assert_eq!(games.len(), 1, "{name:?}: {}", answer.body);
            assert!(games[0].problems.is_empty(), "{name:?}: {:?}", games[0].problems);
            assert_eq!(games[0].to_line().moves(), game.line().moves(), "{name:?}");
            assert_eq!(games[0].result.as_str(), "0-1", "{name:?}");
        }
    }
    let answer = server.browser().get("/api/games/pgn").await;
    let games = parse_games(answer.expect(200).body.as_bytes(), Mode::Strict);
    assert_eq!(games.len(), HOSTILE.len());
}

#[tokio::test]
async fn names_in_json_are_strings_and_nothing_is_html() {
    let server = Server::start().await;
    for (number, name) in (1..).zip(HOSTILE) {
        let game = PlayedGame { number, white: name, ..PlayedGame::default() };
        store_game(&*server.store, &game).await;
    }
    let answer = server.browser().get("/api/games").await;
    let list = answer.expect(200).json();
    let names: Vec<&str> = list["games"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["white"]["name"].as_str().unwrap())
        .collect();
    for name in HOSTILE {
        assert!(names.contains(&name), "{name:?} is not in {names:?}");
    }
    assert_eq!(answer.header("content-type"), Some("application/json"));
    assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
}

#[tokio::test]
async fn a_hostile_browser_name_is_a_string_in_the_list_of_sessions() {
    let server = Server::start().await;
    let agent = format!("<script>alert(1)</script>{}", "x".repeat(500));
    let request = Request::new("POST", "/api/guest").json(&json!({"name": "Anna"}));
    let mut anna = server.browser();
    anna.send(request.header("User-Agent", &agent)).await.expect(200);
    let answer = anna.get("/api/sessions").await;
    assert_eq!(answer.header("content-type"), Some("application/json"));
    let device = answer.json()["sessions"][0]["device"].as_str().unwrap().to_owned();
    assert_eq!(device, agent[..120]);
}

#[tokio::test]
async fn requests_are_not_echoed_as_a_page() {
    let server = Server::start().await;
    for path in ["/%3Cscript%3Ealert(1)%3C/script%3E", "/game/%3Cscript%3E", "/x?%3Cscript%3E"] {
        let answer = server.browser().get(path).await;
        assert!(!answer.body.contains("<script>"), "{path}: {answer:?}");
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe-inline"));
    }
}
