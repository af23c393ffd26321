//! The read-only API: lists, filters, single games, and PGN that can be read back.

use castellan_game::TimeControl;
use castellan_pgn::{Mode, parse_games};
use castellan_rules::Color;
use serde_json::{Value, json};

use crate::harness::{NOW, PlayedGame, Server, store_game};

const NAMES: [(&str, &str); 6] = [
    ("Anna", "Boris"),
    ("Cecília", "Anna"),
    ("Boris", "Dora"),
    ("Annabel", "Dora"),
    ("Dora", "Cecilia"),
    ("Boris", "Anna"),
];

/// Stores six games, each a minute after the previous one and longer than it.
async fn six_games(server: &Server) {
    let moves = [
        "f3 e5 g4 Qh4#",
        "e4 e5 Nf3 Nc6 Bb5",
        "e4 e5 Nf3 Nc6 Bb5 a6",
        "e4 e5 Nf3 Nc6 Bb5 a6 Ba4",
        "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6",
        "e4 e5 Nf3 Nc6 Bb5 a6 Ba4 Nf6 O-O",
    ];
    for (at, ((white, black), moves)) in (0..).zip(NAMES.into_iter().zip(moves)) {
        let game = PlayedGame {
            number: at + 1,
            white,
            black,
            moves,
            is_resigned: at > 0,
            created: NOW.plus_ms(u64::from(at) * 60_000),
            ..PlayedGame::default()
        };
        store_game(&*server.store, &game).await;
    }
}

fn names(list: &Value) -> Vec<(String, String)> {
    let name = |seat: &Value| seat["name"].as_str().unwrap().to_owned();
    let rows = list["games"].as_array().unwrap().iter();
    rows.map(|row| (name(&row["white"]), name(&row["black"]))).collect()
}

#[tokio::test]
async fn the_history_is_filtered_by_name_and_an_empty_filter_shows_all() {
    let server = Server::start().await;
    six_games(&server).await;
    let mut browser = server.browser();
    let newest_first: Vec<_> =
        NAMES.iter().rev().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
    for path in ["/api/games", "/api/games?name="] {
        assert_eq!(names(&browser.get(path).await.expect(200).json()), newest_first, "{path}");
    }
    let count = async |name: &str| {
        let path = format!("/api/games?name={name}");
        let list = server.browser().get(&path).await.expect(200).json();
        list["games"].as_array().unwrap().len()
    };
    assert_eq!(count("anna").await, 4, "Anna and Annabel");
    assert_eq!(count("CECILIA").await, 2, "with and without an accent");
    assert_eq!(count("%25").await, 0, "no wildcard");
    assert_eq!(count("nobody").await, 0);
    assert_eq!(count(&"x".repeat(1000)).await, 0);
}

#[tokio::test]
async fn pages_follow_each_other_and_show_every_game_once() {
    let server = Server::start().await;
    six_games(&server).await;
    let mut browser = server.browser();
    let (mut seen, mut cursor) = (Vec::new(), String::new());
    loop {
        let path = format!("/api/games?limit=4&cursor={cursor}");
        let list = browser.get(&path).await.expect(200).json();
        seen.extend(names(&list));
        match list["next"].as_str() {
            Some(next) => cursor = next.to_owned(),
            None => break,
        }
    }
    assert_eq!(seen.len(), NAMES.len());
    for bad in ["?cursor=x", "?limit=x", "?limit=-1", "?nonsense=1"] {
        browser.get(&format!("/api/games{bad}")).await.refused(400, "bad_query");
    }
}

#[tokio::test]
async fn the_longest_games_come_longest_first() {
    let server = Server::start().await;
    six_games(&server).await;
    let list = server.browser().get("/api/games/longest").await.expect(200).json();
    let rows = list["games"].as_array().unwrap();
    let plies: Vec<u64> = rows.iter().map(|row| row["plies"].as_u64().unwrap()).collect();
    assert_eq!(plies, [9, 8, 7, 6, 5, 4]);
}

#[tokio::test]
async fn a_player_has_results_by_color() {
    let server = Server::start().await;
    six_games(&server).await;
    let mut browser = server.browser();
    let anna = browser.get("/api/players/anna").await.expect(200).json();
    assert_eq!(anna["is_account"], false);
    assert_eq!(anna["as_white"], json!({"wins": 0, "draws": 0, "losses": 1}));
    assert_eq!(anna["as_black"], json!({"wins": 2, "draws": 0, "losses": 0}));
    assert_eq!(anna["ratings"], json!([]));
    for name in ["nobody", "%25", &"x".repeat(500)] {
        let answer = browser.get(&format!("/api/players/{name}")).await;
        answer.refused(404, "unknown_player");
        let found = browser.get(&format!("/api/players?name={name}")).await.expect(200).json();
        assert_eq!(found, json!({"player": null}));
    }
    let found = browser.get("/api/players?name=ANNA").await.expect(200).json();
    assert_eq!(found["player"]["as_black"], anna["as_black"]);
    server.account("Zoe").await;
    let zoe = browser.get("/api/players/ZOE").await.expect(200).json();
    assert_eq!((&zoe["name"], &zoe["is_account"]), (&json!("Zoe"), &json!(true)));
}

#[tokio::test]
async fn a_game_is_told_with_moves_clocks_and_end() {
    let server = Server::start().await;
    let (id, _) = store_game(&*server.store, &PlayedGame::default()).await;
    let game = server.browser().get(&format!("/api/games/{id}")).await.expect(200).json();
    assert_eq!(game["id"], id.to_string());
    assert_eq!(game["white"]["name"], "Anna");
    let moves = game["moves"].as_array().unwrap();
    let told: Vec<_> = moves.iter().map(|mv| (mv["uci"].as_str(), mv["san"].as_str())).collect();
    let expected = [("f2f3", "f3"), ("e7e5", "e5"), ("g2g4", "g4"), ("d8h4", "Qh4#")];
    assert_eq!(told, expected.map(|(uci, san)| (Some(uci), Some(san))));
    assert_eq!(moves[1]["spent_ms"], 1_500);
    assert_eq!(moves[1]["remaining_ms"], 300_500);
    assert_eq!(game["end"], json!({"result": "0-1", "reason": "checkmate", "winner": "black"}));
    assert_eq!(game["white_clock"]["remaining_ms"], 301_000);
    for id in ["abcdefghijkl", "short", "k3YzQ0aBcD1!", "..", "%2e%2e%2fetc"] {
        for path in [format!("/api/games/{id}"), format!("/api/games/{id}/pgn")] {
            let answer = server.browser().get(&path).await;
            assert_eq!(answer.status, 404, "{path}: {answer:?}");
        }
    }
}

#[tokio::test]
async fn a_running_game_can_be_read() {
    let server = Server::start().await;
    let running = PlayedGame { moves: "e4 e5", ..PlayedGame::default() };
    let (id, _) = store_game(&*server.store, &running).await;
    server.clock.advance(core::time::Duration::from_secs(10));
    let game = server.browser().get(&format!("/api/games/{id}")).await.expect(200).json();
    assert_eq!(game["end"], Value::Null);
    let white = game["white_clock"]["remaining_ms"].as_u64().unwrap();
    assert_eq!(white, 300_000 + 2_000 - 1_500 - 7_000, "White's clock is running");
    let answer = server.browser().get(&format!("/api/games/{id}.pgn")).await;
    assert!(answer.expect(200).body.ends_with(" *\n\n"), "{}", answer.body);
}

#[tokio::test]
async fn an_exported_game_reads_back_with_clocks_to_the_millisecond() {
    let server = Server::start().await;
    let controls = [
        TimeControl::Increment { initial_ms: 300_000, increment_ms: 2_000 },
        TimeControl::Increment { initial_ms: 61_500, increment_ms: 0 },
        TimeControl::Delay { initial_ms: 60_000, delay_ms: 1_000 },
        TimeControl::CountUp {},
        TimeControl::Unlimited {},
    ];
    for (number, time_control) in (1..).zip(controls) {
        let played = PlayedGame { number, time_control, ..PlayedGame::default() };
        let (id, game) = store_game(&*server.store, &played).await;
        let answer = server.browser().get(&format!("/api/games/{id}/pgn")).await;
        let read = parse_games(answer.expect(200).body.as_bytes(), Mode::Strict).remove(0);
        assert!(read.problems.is_empty(), "{:?}", read.problems);
        assert_eq!(read.to_line().moves(), game.line().moves());
        let clocks = game.clocks(game.last_at());
        for color in Color::ALL {
            let clock = clocks.of(color);
            let shown = match time_control {
                TimeControl::Unlimited {} => None,
                TimeControl::CountUp {} => Some(clock.used_ms),
                _ => clock.remaining_ms,
            };
            let told = read.final_clock(color).map(castellan_pgn::ClockTime::milliseconds);
            assert_eq!(told, shown, "{time_control:?} {color:?}");
        }
        let told: Vec<_> = read
            .main_line()
            .map(|at| read.clock(at).map(castellan_pgn::ClockTime::milliseconds))
            .collect();
        let left: Vec<_> = game.played().iter().map(|played| played.remaining_ms).collect();
        if left[0].is_some() {
            assert_eq!(told, left, "{time_control:?}");
        }
    }
}

#[tokio::test]
async fn the_tags_are_those_of_the_standard() {
    let server = Server::start().await;
    let (id, _) = store_game(&*server.store, &PlayedGame::default()).await;
    let answer = server.browser().get(&format!("/api/games/{id}/pgn")).await;
    let expected = format!(
        "[Event \"Online game\"]\n[Site \"?\"]\n[Date \"2026.09.21\"]\n[Round \"-\"]\n\
         [White \"Anna\"]\n[Black \"Boris\"]\n[Result \"0-1\"]\n[BlackClock \"0:05:01\"]\n\
         [BlackType \"human\"]\n\
         [Ending \"Black wins by checkmate\"]\n[GameId \"{id}\"]\n[Termination \"normal\"]\n\
         [TimeControl \"300+2\"]\n[UTCDate \"2026.09.21\"]\n[UTCTime \"14:13:21\"]\n\
         [WhiteClock \"0:05:01\"]\n[WhiteType \"human\"]\n\n"
    );
    assert!(answer.body.starts_with(&expected), "{}", answer.body);
    assert!(answer.body.contains("1. f3 {[%clk 0:05:00.500]} 1... e5"), "{}", answer.body);
}

#[tokio::test]
async fn many_games_are_exported_in_bounded_pieces() {
    let server = Server::start().await;
    six_games(&server).await;
    let mut browser = server.browser();
    let first = browser.get("/api/games/pgn?limit=4").await;
    assert_eq!(parse_games(first.expect(200).body.as_bytes(), Mode::Strict).len(), 4);
    let cursor = first.header("x-next-cursor").unwrap();
    let rest = browser.get(&format!("/api/games/pgn?limit=4&cursor={cursor}")).await;
    assert_eq!(parse_games(rest.body.as_bytes(), Mode::Strict).len(), 2);
    assert_eq!(rest.header("x-next-cursor"), None);
    let dora = browser.get("/api/games/pgn?name=dora&limit=4000000000").await;
    assert_eq!(parse_games(dora.body.as_bytes(), Mode::Strict).len(), 3);
}

#[tokio::test]
async fn the_engine_is_the_computer() {
    let server = Server::start().await;
    let played =
        PlayedGame { black: "Castellan 1500", black_id: (1 << 52) + 1500, ..PlayedGame::default() };
    let (id, _) = store_game(&*server.store, &played).await;
    let answer = server.browser().get(&format!("/api/games/{id}/pgn")).await;
    for tag in [
        "[Black \"Computer\"]",
        "[BlackType \"program\"]",
        "[BlackElo \"1500\"]",
        "[White \"Anna\"]",
    ] {
        assert!(answer.body.contains(tag), "{tag} is not in {}", answer.body);
    }
}
