//! Oversized bodies, URLs, heads, and nestings are refused with an error message.

use serde_json::json;

use crate::harness::{Request, Server};

fn post(body: &[u8]) -> Request {
    Request::new("POST", "/api/guest").header("Content-Type", "application/json").body(body)
}

#[tokio::test]
async fn bodies_have_a_limit() {
    let server = Server::start().await;
    for size in [4097, 100_000, 10_000_000] {
        post(&b"x".repeat(size)).send(server.address).await.refused(413, "too_large");
    }
    post(&b"x".repeat(4096)).send(server.address).await.refused(400, "bad_body");
    let name = json!({"name": "Anna"}).to_string();
    let padded = format!("{name}{}", " ".repeat(4096 - name.len()));
    post(padded.as_bytes()).send(server.address).await.expect(200);
}

#[tokio::test]
async fn bodies_without_a_length_have_the_same_limit() {
    let server = Server::start().await;
    let chunk = format!("800\r\n{}\r\n", "x".repeat(0x800));
    let body = format!("{}0\r\n\r\n", chunk.repeat(100));
    let request = post(body.as_bytes()).header("Transfer-Encoding", "chunked");
    request.send(server.address).await.refused(413, "too_large");
}

#[tokio::test]
async fn a_wrong_content_length_harms_no_other_client() {
    let server = Server::start().await;
    for length in ["-1", "1e9", "99999999999999999999999", "4 4"] {
        let answer = post(b"{}").header("Content-Length", length).send(server.address).await;
        assert!(matches!(answer.status, 400 | 413), "{length}: {answer:?}");
    }
    let both =
        post(b"0\r\n\r\n").header("Content-Length", "5").header("Transfer-Encoding", "chunked");
    let answer = both.send(server.address).await;
    assert!(answer.status >= 400 || answer.header("connection") == Some("close"), "{answer:?}");
    server.browser().get("/api/me").await.expect(200);
}

#[tokio::test]
async fn addresses_have_a_limit() {
    let server = Server::start().await;
    let get = async |length: usize| {
        let path = format!("/api/games?name={}", "a".repeat(length - "/api/games?name=".len()));
        Request::new("GET", &path).send(server.address).await
    };
    get(2048).await.expect(200);
    get(2049).await.refused(414, "address_too_long");
    get(8000).await.refused(414, "address_too_long");
    let answer = get(70_000).await;
    assert!(matches!(answer.status, 414 | 431), "{answer:?}");
}

#[tokio::test]
async fn heads_have_a_limit() {
    let server = Server::start().await;
    let answer = Request::new("GET", "/api/me")
        .header("X-Giant", &"x".repeat(100_000))
        .send(server.address)
        .await;
    answer.expect(431);
    let mut many = Request::new("GET", "/api/me");
    for at in 0..1000 {
        many = many.header(&format!("X-{at}"), "x");
    }
    many.send(server.address).await.expect(431);
    server.browser().get("/api/me").await.expect(200);
}

#[tokio::test]
async fn nesting_does_not_overflow_anything() {
    let server = Server::start().await;
    for open in ["[", "{\"name\":"] {
        let body = open.repeat(4000 / open.len());
        post(body.as_bytes()).send(server.address).await.refused(400, "bad_body");
    }
}

#[tokio::test]
async fn malformed_bodies_are_refused() {
    let server = Server::start().await;
    post(b"{\"name\": \"\xff\xfe\"}").send(server.address).await.refused(400, "bad_body");
    post(b"{\"name\": \"Anna\"} x").send(server.address).await.refused(400, "bad_body");
    post(b"{\"name\": \"Anna\", \"name\": \"B\"}")
        .send(server.address)
        .await
        .refused(400, "bad_body");
    post(b"{\"name\": \"Anna\", \"is_admin\": true}")
        .send(server.address)
        .await
        .refused(400, "bad_body");
    let answer = Request::new("GET", "/api/players/%ff%fe").send(server.address).await;
    answer.refused(404, "not_found");
    server.browser().get("/api/me").await.expect(200);
}
