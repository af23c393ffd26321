//! Secrets in errors: no error repeats the client's input or reveals internals.

use core::time::Duration;

use castellan_server::{Config, Rate, RateConfig};
use serde_json::json;

use crate::harness::{PASSWORD, Request, Response, Server, config};

const SECRET: &str = "hunter2-hunter2";

/// Requests that fail in many ways, each with secrets in it.
fn bad_requests(token: &str) -> Vec<Request> {
    let json = |path: &str, text: String| {
        let request = Request::new("POST", path).header("Content-Type", "application/json");
        request.body(text.as_bytes())
    };
    let mut requests = vec![
        json("/api/login", format!(r#"{{"name": "Anna", "password": "{SECRET}""#)),
        json("/api/login", format!(r#"{{"name": "Anna", "password": ["{SECRET}"]}}"#)),
        json("/api/login", format!(r#"{{"name": "Anna", "{SECRET}": "password"}}"#)),
        json("/api/login", format!(r#"{{"name": "Anna", "password": "{SECRET}"}}"#)),
        json("/api/login", format!(r#""{SECRET}""#)),
        json("/api/login", SECRET.repeat(1000)),
        json("/api/register", format!(r#"{{"name": "<{SECRET}>", "password": "{SECRET}"}}"#)),
        json("/api/register", format!(r#"{{"name": "Anna", "password": "{SECRET}"}}"#)),
        json("/api/password", format!(r#"{{"current": "{SECRET}", "new": "{SECRET}"}}"#)),
        Request::new("POST", "/api/login").header("Content-Type", SECRET),
        Request::new("PATCH", "/api/login"),
    ];
    for path in [
        format!("/api/{SECRET}"),
        format!("/api/games?{SECRET}=1"),
        format!("/api/games?cursor={SECRET}"),
        format!("/api/games?limit={SECRET}"),
        format!("/api/games/{SECRET}"),
        format!("/api/games/{SECRET}/pgn"),
        format!("/api/players/{SECRET}x"),
        format!("/api/players/%ff{SECRET}"),
        format!("/{SECRET}.php"),
        format!("/{}", SECRET.repeat(200)),
    ] {
        requests.push(Request::new("GET", &path));
    }
    requests.push(Request::new("DELETE", &format!("/api/sessions/{SECRET}")));
    let with_cookie = |request: Request| request.header("Cookie", &format!("castellan={token}"));
    requests.into_iter().map(with_cookie).collect()
}

#[track_caller]
fn check(answer: &Response, token: &str) {
    assert!(answer.status >= 400, "{answer:?}");
    let told = format!("{:?}{}", answer.headers, answer.body);
    for secret in [SECRET, PASSWORD, token, "panicked", ".rs:", "sqlite", "SELECT", "argon2"] {
        assert!(!told.contains(secret), "{secret} is in {answer:?}");
    }
    let body = answer.json();
    let keys: Vec<&String> = body.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["code", "message"]);
    assert!(body["message"].as_str().unwrap().len() < 200, "{body}");
}

#[tokio::test]
async fn no_error_repeats_what_was_sent() {
    let server = Server::start().await;
    let token = server.account("Anna").await.token();
    let own = format!("http://{}", server.address);
    for request in bad_requests(&token) {
        check(&request.clone().send(server.address).await, &token);
        check(&request.clone().header("Origin", &own).send(server.address).await, &token);
        check(&request.header("Origin", "https://evil.example").send(server.address).await, &token);
    }
}

#[tokio::test]
async fn neither_does_a_limit() {
    let rates = RateConfig { requests: Rate::per(2, Duration::from_secs(600)), ..config().rates };
    let server = Server::start_with(Config { rates, ..config() }).await;
    let token = server.guest("Anna").await.token();
    server.browser().get("/api/me").await.expect(200);
    for request in bad_requests(&token) {
        let answer = request.send(server.address).await;
        assert!(matches!(answer.status, 429 | 414), "{answer:?}");
        check(&answer, &token);
    }
}

#[tokio::test]
async fn errors_of_the_store_reveal_no_details() {
    let server = Server::start().await;
    let mut anna = server.account("Anna").await;
    let token = anna.token();
    server.store.close().await.unwrap();
    for path in ["/api/me", "/api/games", "/api/games/longest", "/api/games/abcdefghijkl"] {
        let answer = anna.get(path).await;
        answer.refused(503, "store_unavailable");
        check(&answer, &token);
    }
    let body = json!({"name": "Anna", "password": PASSWORD});
    check(&server.browser().post("/api/login", &body).await, &token);
    let metrics = server.browser().get("/metrics").await.body;
    assert!(metrics.contains("castellan_store_errors_total 5"), "{metrics}");
}
