//! Cross-site requests: another site cannot use a visitor's session.

use castellan_server::Config;
use serde_json::{Value, json};

use crate::harness::{Client, PASSWORD, Request, Response, Server, config};

/// Every request that changes something.
fn unsafe_requests() -> Vec<(&'static str, &'static str, Value)> {
    vec![
        ("POST", "/api/guest", json!({"name": "Eve"})),
        ("POST", "/api/register", json!({"name": "Eve", "password": PASSWORD})),
        ("POST", "/api/login", json!({"name": "Anna", "password": PASSWORD})),
        ("POST", "/api/logout", json!({})),
        ("POST", "/api/password", json!({"current": PASSWORD, "new": "another horse"})),
        ("POST", "/api/recover", json!({"name": "Anna", "code": "x", "new": "another horse"})),
        ("POST", "/api/recover/mail", json!({"account": "Anna"})),
        ("POST", "/api/email", json!({"email": "eve@example.org", "password": PASSWORD})),
        ("POST", "/api/email/confirm", json!({"code": "x"})),
        ("POST", "/api/email/remove", json!({"password": PASSWORD})),
        ("POST", "/api/recovery-codes", json!({"password": PASSWORD})),
        ("POST", "/api/second-factor", json!({"password": PASSWORD, "secret": "x", "code": "1"})),
        ("POST", "/api/second-factor/secret", json!({})),
        ("POST", "/api/second-factor/remove", json!({"password": PASSWORD})),
        ("POST", "/api/me/delete", json!({"password": PASSWORD})),
        ("POST", "/api/reports", json!({"game": "x", "color": "white", "text": "x"})),
        ("POST", "/api/admin", json!({"command": "status"})),
        ("DELETE", "/api/sessions", json!({})),
        ("DELETE", "/api/sessions/0000000000000000", json!({})),
    ]
}

#[tokio::test]
async fn the_list_of_unsafe_requests_is_whole() {
    let server = Server::start().await;
    let document = server.browser().get("/api/openapi.json").await.json();
    let paths = document["paths"].as_object().unwrap();
    let methods = paths.values().flat_map(|item| item.as_object().unwrap().keys());
    let count = methods.filter(|method| *method != "get").count();
    assert_eq!(count, unsafe_requests().len());
}

async fn is_signed_in(client: &mut Client) -> bool {
    client.get("/api/me").await.json()["me"]["name"] == "Anna"
}

#[tokio::test]
async fn other_pages_change_nothing() {
    let server = Server::start().await;
    let mut anna = server.account("Anna").await;
    let port = server.address.port();
    let attacks: Vec<Vec<(&str, String)>> = vec![
        vec![("Origin", "https://evil.example".into())],
        vec![("Origin", "null".into())],
        vec![("Origin", format!("https://127.0.0.1:{}", port ^ 1))],
        vec![("Origin", format!("http://127.0.0.1:{port}.evil.example"))],
        vec![("Sec-Fetch-Site", "cross-site".into())],
        vec![("Sec-Fetch-Site", "same-site".into())],
        vec![
            ("Origin", format!("http://127.0.0.1:{port}")),
            ("Sec-Fetch-Site", "cross-site".into()),
        ],
        vec![("Referer", format!("http://127.0.0.1:{port}/"))],
    ];
    for (method, path, body) in unsafe_requests() {
        for attack in &attacks {
            let mut request = Request::new(method, path).json(&body);
            request = request.header("Cookie", anna.cookie.as_ref().unwrap());
            for (name, value) in attack {
                request = request.header(name, value);
            }
            let answer = request.send(server.address).await;
            answer.refused(403, "foreign_origin");
            assert_eq!(answer.header("set-cookie"), None, "{method} {path} {attack:?}");
        }
    }
    assert!(is_signed_in(&mut anna).await);
    assert!(server.store.account_by_name("Eve").await.unwrap().is_none());
}

#[tokio::test]
async fn a_form_of_another_kind_is_not_json() {
    let server = Server::start().await;
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""] {
        let body = br#"{"name": "Eve", "password": "correct horse battery"}"#;
        for path in ["/api/guest", "/api/register", "/api/login"] {
            let request = Request::new("POST", path).header("Content-Type", kind).body(body);
            request.send(server.address).await.refused(415, "not_json");
        }
    }
}

#[tokio::test]
async fn safe_methods_change_nothing() {
    let server = Server::start().await;
    let mut anna = server.account("Anna").await;
    for (_, path, _) in unsafe_requests() {
        let answer = anna.get(path).await;
        assert!(matches!(answer.status, 200 | 404 | 405), "{path}: {answer:?}");
        assert_eq!(answer.header("set-cookie"), None, "{path}");
    }
    assert!(is_signed_in(&mut anna).await);
}

#[tokio::test]
async fn no_other_page_may_read_an_answer() {
    let server = Server::start().await;
    let request = Request::new("GET", "/api/me").header("Origin", "https://evil.example");
    let answer = request.send(server.address).await;
    assert_eq!(answer.header("access-control-allow-origin"), None);
    assert_eq!(answer.header("cross-origin-resource-policy"), Some("same-origin"));
    let preflight = Request::new("OPTIONS", "/api/guest").header("Origin", "https://evil.example");
    let answer = preflight.send(server.address).await;
    answer.refused(405, "method_not_allowed");
    assert_eq!(answer.header("access-control-allow-origin"), None);
}

#[tokio::test]
async fn a_name_of_the_attacker_for_this_machine_is_refused() {
    let server = Server::start().await;
    let request = Request::new("POST", "/api/guest")
        .json(&json!({"name": "Eve"}))
        .header("Host", "evil.example")
        .header("Origin", "http://evil.example");
    request.send(server.address).await.refused(403, "foreign_origin");
}

#[tokio::test]
async fn programs_without_cookies_need_no_origin() {
    let server = Server::start().await;
    let request = Request::new("POST", "/api/guest").json(&json!({"name": "Bot"}));
    request.send(server.address).await.expect(200);
}

#[tokio::test]
async fn behind_a_proxy_only_the_public_origin_counts() {
    let origins = vec!["https://chess.example".parse().unwrap()];
    let server = Server::start_with(Config { origins, ..config() }).await;
    let request = Request::new("POST", "/api/guest").json(&json!({"name": "Anna"}));
    let own = request.clone().header("Origin", "https://chess.example");
    own.send(server.address).await.expect(200);
    let inner = request.header("Origin", &format!("http://{}", server.address));
    inner.send(server.address).await.refused(403, "foreign_origin");
}

/// Asks for a WebSocket as a page with this origin would.
async fn open_socket(server: &Server, path: &str, headers: &[(&str, &str)]) -> Response {
    let mut request = Request::new("GET", path)
        .header("Upgrade", "websocket")
        .header("Sec-WebSocket-Version", "13")
        .header("Sec-WebSocket-Key", "AAAAAAAAAAAAAAAAAAAAAA==");
    for (name, value) in headers {
        request = request.header(name, value);
    }
    request.connection("upgrade").send_head(server.address).await
}

#[tokio::test]
async fn other_pages_open_no_socket() {
    let server = Server::start().await;
    let anna = server.account("Anna").await;
    let cookie = ("Cookie", anna.cookie.as_deref().unwrap());
    let own = format!("http://{}", server.address);
    for path in ["/ws", "/ws/simple"] {
        for attack in [
            ("Origin", "https://evil.example"),
            ("Origin", "null"),
            ("Sec-Fetch-Site", "cross-site"),
            ("X-Nothing", "a cookie without an origin"),
        ] {
            let answer = open_socket(&server, path, &[cookie, attack]).await;
            answer.refused(403, "foreign_origin");
        }
        open_socket(&server, path, &[("Origin", "https://evil.example")]).await.expect(403);
        open_socket(&server, path, &[cookie, ("Origin", &own)]).await.expect(101);
        open_socket(&server, path, &[]).await.expect(101);
    }
}
