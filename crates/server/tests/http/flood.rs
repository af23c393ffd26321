//! Floods: too many requests, and connections that are too many or too slow.

use core::time::Duration;
use std::net::SocketAddr;

use castellan_server::{Config, Rate, RateConfig};
use castellan_testkit::waiting::LIMIT;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::harness::{Request, Server, config};

/// A thousand times as long as a request takes. The tests run for about this long.
const SOON: Duration = Duration::from_secs(2);

fn few(rate: impl FnOnce(&mut RateConfig, Rate)) -> Config {
    let mut config = config();
    rate(&mut config.rates, Rate::per(3, Duration::from_secs(300)));
    config
}

#[tokio::test]
async fn requests_of_one_address_are_limited_and_the_answer_says_for_how_long() {
    let server = Server::start_with(few(|rates, rate| rates.requests = rate)).await;
    for _ in 0..3 {
        server.browser().get("/api/me").await.expect(200);
    }
    let answer = server.browser().get("/api/me").await;
    answer.refused(429, "rate_limited");
    let wait: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=101).contains(&wait), "{wait}");
    server.clock.advance(Duration::from_secs(wait));
    server.browser().get("/api/me").await.expect(200);
}

#[tokio::test]
async fn a_forged_address_earns_no_budget() {
    let server = Server::start_with(few(|rates, rate| rates.requests = rate)).await;
    for at in 0..5 {
        let forged = format!("192.0.2.{at}");
        let request = Request::new("GET", "/api/me").header("X-Forwarded-For", &forged);
        let answer =
            request.header("Forwarded", &format!("for={forged}")).send(server.address).await;
        answer.expect(if at < 3 { 200 } else { 429 });
    }
}

#[tokio::test]
async fn behind_a_trusted_proxy_each_client_has_a_budget() {
    let trusted_proxies = vec!["127.0.0.1".parse().unwrap()];
    let config = Config { trusted_proxies, ..few(|rates, rate| rates.requests = rate) };
    let server = Server::start_with(config).await;
    let send = async |forwarded: &str| {
        let request = Request::new("GET", "/api/me").header("X-Forwarded-For", forwarded);
        request.send(server.address).await.status
    };
    for _ in 0..3 {
        assert_eq!(send("192.0.2.1").await, 200);
    }
    assert_eq!(send("192.0.2.1").await, 429);
    assert_eq!(send("203.0.113.9, 192.0.2.1").await, 429, "the client wrote the first itself");
    assert_eq!(send("192.0.2.2").await, 200);
}

#[tokio::test]
async fn guests_accounts_and_exports_have_limits_of_their_own() {
    let limits = |rates: &mut RateConfig, rate| {
        (rates.guests, rates.registrations, rates.exports) = (rate, rate, rate);
    };
    let server = Server::start_with(few(limits)).await;
    for at in 0..4 {
        let is_allowed = at < 3;
        let expected = if is_allowed { 200 } else { 429 };
        let mut browser = server.browser();
        browser.post("/api/guest", &json!({"name": "Anna"})).await.expect(expected);
        browser.get("/api/games/pgn").await.expect(expected);
        let body = json!({"name": format!("Anna{at}"), "password": "correct horse"});
        server.browser().post("/api/register", &body).await.expect(expected);
    }
    server.browser().get("/api/me").await.expect(200);
}

#[tokio::test]
async fn an_address_without_limits_has_none() {
    let unlimited = vec!["127.0.0.1".parse().unwrap()];
    let config = Config { unlimited, ..few(|rates, rate| rates.requests = rate) };
    let server = Server::start_with(config).await;
    for _ in 0..10 {
        server.browser().get("/api/me").await.expect(200);
    }
}

#[tokio::test]
async fn passwords_beyond_the_pool_are_refused_as_busy() {
    let mut config = config();
    config.password_cost.at_once = 1;
    config.password_cost.waiting = 0;
    // A hash slow enough that the other requests arrive while it is computed.
    config.password_cost.memory_kib = 65_536;
    config.password_cost.passes = 3;
    let server = Server::start_with(config).await;
    let login = || async {
        let body = json!({"name": "Anna", "password": "wrong password"});
        server.browser().post("/api/login", &body).await.status
    };
    let answers = futures_util::future::join_all((0..12).map(|_| login())).await;
    assert!(answers.contains(&401), "{answers:?}");
    assert!(answers.contains(&503), "{answers:?}");
    assert_eq!(login().await, 401, "afterwards there is room again");
}

/// One address submits so many passwords at once that no others could be checked.
#[tokio::test]
async fn passwords_of_others_are_checked_during_a_flood() {
    let mut config = config();
    config.trusted_proxies = vec!["127.0.0.1".parse().unwrap()];
    config.password_cost.at_once = 1;
    config.password_cost.waiting = 15;
    // A hash slow enough that the pool stays full.
    config.password_cost.memory_kib = 65_536;
    config.password_cost.passes = 3;
    // The pool is full for as long as the machine takes to empty it.
    config.request_timeout = LIMIT;
    let server = Server::start_with(config).await;
    let login = async |address: &str| {
        let body = json!({"name": "Anna", "password": "wrong password"});
        let request = Request::new("POST", "/api/login").json(&body);
        server.browser().send(request.header("X-Forwarded-For", address)).await.status
    };
    let (refused, mut told) = tokio::sync::mpsc::unbounded_channel();
    let flood = futures_util::future::join_all((0..40).map(|_| async {
        let status = login("192.0.2.1").await;
        refused.send(status).unwrap();
        status
    }));
    let victims = async {
        while told.recv().await.unwrap() != 503 {}
        [login("198.51.100.1").await, login("198.51.100.2").await]
    };
    let (flood, victims) = tokio::join!(flood, victims);
    assert_eq!(victims, [401, 401], "they are looked at, and not told to wait");
    assert!(flood.contains(&401), "{flood:?}");
}

/// Reads until the server closes the connection, and returns the number of bytes.
async fn closed_after(stream: &mut TcpStream) -> usize {
    let mut bytes = Vec::new();
    let _ = stream.read_to_end(&mut bytes).await;
    bytes.len()
}

#[tokio::test]
async fn a_head_that_never_ends_is_not_waited_for() {
    let config = Config { head_timeout: SOON, ..config() };
    let server = Server::start_with(config).await;
    let mut silent = TcpStream::connect(server.address).await.unwrap();
    let mut slow = TcpStream::connect(server.address).await.unwrap();
    slow.write_all(b"GET / HTTP/1.1\r\nX-Slow: ").await.unwrap();
    assert_eq!(closed_after(&mut silent).await, 0);
    closed_after(&mut slow).await;
    server.browser().get("/api/me").await.expect(200);
}

#[tokio::test]
async fn a_body_that_never_ends_is_not_waited_for() {
    let config = Config { request_timeout: SOON, ..config() };
    let server = Server::start_with(config).await;
    let request = Request::new("POST", "/api/guest")
        .header("Content-Type", "application/json")
        .header("Content-Length", "100")
        .body(b"{\"name\":");
    request.send(server.address).await.refused(408, "timeout");
}

#[tokio::test]
async fn a_body_has_less_time_than_its_answer() {
    let config = Config { body_timeout: SOON, request_timeout: LIMIT * 10, ..config() };
    let server = Server::start_with(config).await;
    let request = Request::new("POST", "/api/login")
        .header("Content-Type", "application/json")
        .header("Content-Length", "100")
        .body(b"{\"name\":");
    request.send(server.address).await.refused(408, "timeout");
}

/// Half requests from many addresses: together they could hold every connection of the server.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_client_without_a_connection_gets_one_however_many_others_hold() {
    let config = Config {
        max_connections: 64,
        max_connections_per_address: 16,
        body_timeout: LIMIT * 10,
        request_timeout: LIMIT * 10,
        ..config()
    };
    let server = Server::start_with(config).await;
    let half = b"POST /api/login HTTP/1.1\r\nHost: localhost\r\n\
        Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
    let mut held = Vec::new();
    for _ in 0..16 {
        for last in 2..10 {
            let socket = TcpSocket::new_v4().unwrap();
            socket.bind(SocketAddr::from(([127, 0, 0, last], 0))).unwrap();
            let mut stream = socket.connect(server.address).await.unwrap();
            // The server may already have closed the connection.
            let _ = stream.write_all(half).await;
            held.push(stream);
        }
    }
    for _ in 0..10 {
        let answer = tokio::time::timeout(LIMIT, server.browser().get("/healthz")).await;
        answer.expect("a client without a connection gets in").expect(200);
    }
    drop(held);
}

#[tokio::test]
async fn a_connection_does_not_live_for_ever() {
    let config = Config { connection_age: SOON, ..config() };
    let server = Server::start_with(config).await;
    let mut idle = TcpStream::connect(server.address).await.unwrap();
    idle.write_all(b"GET /api/me HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
    assert!(closed_after(&mut idle).await > 0, "the answer came, and then the end");
}

#[tokio::test]
async fn an_address_has_so_many_connections_and_gets_them_back() {
    let config = Config { max_connections_per_address: 3, ..config() };
    let server = Server::start_with(config).await;
    let mut held = Vec::new();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(b"GET /api/me HTTP/1.1\r\nHost: localhost\r\n\r\n").await.unwrap();
        let mut byte = [0];
        stream.read_exact(&mut byte).await.unwrap();
        held.push(stream);
    }
    let mut beyond = TcpStream::connect(server.address).await.unwrap();
    // The server may already have closed the connection.
    let _ = beyond.write_all(b"GET /api/me HTTP/1.1\r\nConnection: close\r\n\r\n").await;
    assert_eq!(closed_after(&mut beyond).await, 0);
    drop(held);
    // The connections are free again as soon as the server notices.
    while server.browser().get("/api/me").await.status != 200 {
        tokio::task::yield_now().await;
    }
}
