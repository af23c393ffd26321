//! Health, metrics, the page, headers, and graceful shutdown.

use core::time::Duration;

use castellan_game::{Moment, PlayerId};
use castellan_server::Config;
use castellan_store::{ChatLine, Retention, sqlite};
use castellan_testkit::waiting::LIMIT;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::harness::{NOW, PlayedGame, Request, Server, config, store_game};

#[tokio::test]
async fn health_says_whether_the_store_works() {
    let server = Server::start().await;
    let answer = server.browser().get("/healthz").await;
    assert_eq!(answer.expect(200).json()["store"], "works");
    server.store.close().await.unwrap();
    let answer = server.browser().get("/healthz").await;
    assert_eq!(answer.expect(503).json()["store"], "fails");
}

/// A server deletes what is too old when it starts, and then every hour.
#[tokio::test]
async fn chat_is_deleted_when_it_is_older_than_it_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.db");
    let store = sqlite::open(path, sqlite::SqliteOptions::default()).unwrap();
    let day = Duration::from_secs(86_400);
    let mut games = Vec::new();
    for (number, age_days) in [(1, 3), (2, 0)] {
        let created = Moment::from_millis(NOW.as_millis() - age_days * 86_400_000 - 60_000);
        let played = PlayedGame { number, created, ..PlayedGame::default() };
        let (game, _) = store_game(&*store, &played).await;
        let (player, name, text) = (PlayerId(101), "Anna".to_owned(), "hello".to_owned());
        store.add_chat(ChatLine { game, at: created, player, name, text }).await.unwrap();
        games.push(game);
    }
    let retention = Retention { chat: Some(2 * day), ..Retention::default() };
    let server = Server::start_on(Config { retention, ..config() }, store, folder).await;
    let lines = async |game| server.store.chat(game, 9).await.unwrap().len();
    let deleting = async {
        while lines(games[0]).await > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(LIMIT, deleting).await.expect("it is deleted");
    assert_eq!(lines(games[1]).await, 1, "this game has ended only now");
    assert!(server.store.load_game(games[0]).await.unwrap().is_some(), "games stay");
}

#[tokio::test]
async fn metrics_count_and_are_not_for_everybody() {
    let server = Server::start().await;
    server.guest("Anna").await;
    let answer = server.browser().get("/metrics").await;
    assert!(answer.expect(200).header("content-type").unwrap().starts_with("text/plain"));
    for name in [
        "castellan_move_seconds",
        "castellan_sockets",
        "castellan_games",
        "castellan_store_errors_total",
        "castellan_moves_total",
    ] {
        assert!(answer.body.contains(&format!("# TYPE {name} ")), "{name}: {}", answer.body);
    }
    let line = answer.body.lines().find(|line| line.starts_with("castellan_requests_total "));
    assert_eq!(line, Some("castellan_requests_total 2"));
    let proxied = Request::new("GET", "/metrics").header("X-Forwarded-For", "192.0.2.1");
    proxied.send(server.address).await.refused(403, "forbidden");
}

/// A client that asks for many paths must not make the metrics grow.
#[tokio::test]
async fn requests_are_timed_by_route_and_not_by_path() {
    let server = Server::start().await;
    for path in ["/api/games/k3YzQ0aBcD12", "/api/games/another", "/secret-1.js", "/secret-2"] {
        server.browser().get(path).await;
    }
    Request::new("PROPFIND", "/secret-3").send(server.address).await;
    let metrics = server.browser().get("/metrics").await.expect(200).body.clone();
    for line in [
        r#"castellan_request_seconds_count{method="GET",route="/api/games/{id}"} 2"#,
        r#"castellan_request_seconds_count{method="GET",route="page"} 2"#,
        r#"castellan_request_seconds_count{method="other",route="page"} 1"#,
    ] {
        assert!(metrics.lines().any(|it| it == line), "{line} is not in {metrics}");
    }
    assert!(!metrics.contains("secret") && !metrics.contains("k3YzQ0aBcD12"), "{metrics}");
}

#[tokio::test]
async fn the_document_is_openapi() {
    let server = Server::start().await;
    let document = server.browser().get("/api/openapi.json").await.expect(200).json();
    assert!(document["openapi"].as_str().unwrap().starts_with("3."));
    for path in ["/api/guest", "/api/games/{id}/pgn", "/healthz"] {
        assert!(document["paths"][path].is_object(), "{path}");
    }
    let reference = &document["paths"]["/api/guest"]["post"]["responses"]["409"];
    assert!(reference.to_string().contains("#/components/schemas/ErrorBody"), "{reference}");
}

#[tokio::test]
async fn every_answer_carries_the_headers_of_security() {
    let server = Server::start().await;
    for (method, path) in [
        ("GET", "/"),
        ("GET", "/game/abc"),
        ("GET", "/api/me"),
        ("GET", "/api/nothing"),
        ("GET", "/nothing.js"),
        ("POST", "/api/guest"),
        ("PUT", "/api/guest"),
        ("GET", "/metrics"),
    ] {
        let answer = Request::new(method, path).send(server.address).await;
        let policy = answer.header("content-security-policy").unwrap_or_default();
        assert!(policy.contains("script-src 'self' 'wasm-unsafe-eval';"), "{path}: {answer:?}");
        assert!(policy.contains("frame-ancestors 'none'"), "{path}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("referrer-policy"), Some("no-referrer"), "{path}");
        assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{path}");
    }
}

#[tokio::test]
async fn there_is_a_page_and_missing_files_are_missing() {
    let server = Server::start().await;
    for path in ["/", "/game/k3YzQ0aBcD12"] {
        let answer = server.browser().get(path).await;
        assert_eq!(answer.expect(200).header("content-type"), Some("text/html; charset=utf-8"));
        assert!(answer.body.contains("Castellan"), "{}", answer.body);
    }
    for path in ["/nothing.js", "/favicon.png", "/api/nothing", "/../Cargo.toml", "/.env"] {
        server.browser().get(path).await.refused(404, "not_found");
    }
}

#[tokio::test]
async fn a_shutdown_ends_idle_connections_and_lets_go_of_the_port() {
    let server = Server::start().await;
    let mut idle = TcpStream::connect(server.address).await.unwrap();
    idle.write_all(b"GET /api/me HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    let mut byte = [0];
    idle.read_exact(&mut byte).await.unwrap();
    let address = server.address;
    server.stop().await;
    let mut rest = Vec::new();
    let _ = idle.read_to_end(&mut rest).await;
    assert!(TcpStream::connect(address).await.is_err());
}
