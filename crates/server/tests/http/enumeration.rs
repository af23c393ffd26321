//! Enumeration: signing in does not reveal which names have accounts, and guessing is limited.

use core::time::Duration;
use std::collections::BTreeSet;

use castellan_server::{Config, Rate, RateConfig};
use serde_json::json;

use crate::harness::{PASSWORD, Request, Response, Server, config};

async fn wrong_login(server: &Server, name: &str) -> Response {
    let body = json!({"name": name, "password": "wrong password"});
    server.browser().post("/api/login", &body).await
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_name_get_the_same_answer() {
    let server = Server::start().await;
    server.account("Anna").await;
    let known = wrong_login(&server, "Anna").await;
    known.refused(401, "wrong_credentials");
    for name in ["Boris", "Computer", "<script>", "", "x", &"y".repeat(2000)] {
        let unknown = wrong_login(&server, name).await;
        assert_eq!((unknown.status, &unknown.body), (known.status, &known.body), "{name}");
        let names = |response: &Response| -> BTreeSet<String> {
            response.headers.iter().map(|(name, _)| name.clone()).collect()
        };
        assert_eq!(names(&unknown), names(&known), "{name}");
    }
}

#[tokio::test]
async fn an_unknown_name_costs_as_much_work_as_a_known_one() {
    let server = Server::start().await;
    server.account("Anna").await;
    let hashes = async || {
        let text = server.browser().get("/metrics").await.body;
        let line = text.lines().find(|line| line.starts_with("castellan_password_hashes_total "));
        line.and_then(|line| line.split(' ').nth(1)?.parse::<u64>().ok()).unwrap()
    };
    let before = hashes().await;
    wrong_login(&server, "Anna").await;
    assert_eq!(hashes().await, before + 1);
    wrong_login(&server, "Boris").await;
    assert_eq!(hashes().await, before + 2);
    wrong_login(&server, "<script>").await;
    assert_eq!(hashes().await, before + 3);
}

#[tokio::test]
async fn guessing_for_one_name_ends_soon_whether_it_exists_or_not() {
    let rates =
        RateConfig { logins_by_name: Rate::per(5, Duration::from_secs(600)), ..config().rates };
    let server = Server::start_with(Config { rates, ..config() }).await;
    server.account("Anna").await;
    for name in ["Anna", "Boris"] {
        for _ in 0..5 {
            wrong_login(&server, name).await.refused(401, "wrong_credentials");
        }
        wrong_login(&server, name).await.refused(429, "rate_limited");
        wrong_login(&server, &name.to_uppercase()).await.refused(429, "rate_limited");
    }
    server.clock.advance(Duration::from_secs(121));
    wrong_login(&server, "Anna").await.refused(401, "wrong_credentials");
}

/// Anyone can guess the password of a name, so guessing must not keep its owner out.
#[tokio::test]
async fn wrong_guesses_of_others_do_not_keep_the_owner_out() {
    let rates =
        RateConfig { logins_by_name: Rate::per(5, Duration::from_secs(600)), ..config().rates };
    let trusted_proxies = vec!["127.0.0.1".parse().unwrap()];
    let server = Server::start_with(Config { rates, trusted_proxies, ..config() }).await;
    let mut anna = server.account("Anna").await;
    let login = async |address: &str, password: &str| {
        let body = json!({"name": "Anna", "password": password});
        let request = Request::new("POST", "/api/login").json(&body);
        server.browser().send(request.header("X-Forwarded-For", address)).await
    };
    for address in ["192.0.2.1", "192.0.2.2", "192.0.2.3"] {
        for _ in 0..5 {
            login(address, "a wrong guess").await.refused(401, "wrong_credentials");
        }
        login(address, PASSWORD).await.refused(429, "rate_limited");
    }
    login("198.51.100.7", PASSWORD).await.expect(200);
    // The owner reacts to the guessing with a new password.
    let change = json!({"current": PASSWORD, "new": "another good one"});
    anna.post("/api/password", &change).await.expect(200);
    // Right passwords are not guesses.
    for _ in 0..10 {
        login("198.51.100.7", "another good one").await.expect(200);
    }
    // A thief of the browser cannot guess forever.
    let change = json!({"current": "a wrong guess", "new": "whatever it is"});
    for _ in 0..5 {
        anna.post("/api/password", &change).await.refused(401, "wrong_credentials");
    }
    anna.post("/api/password", &change).await.refused(429, "rate_limited");
}

#[tokio::test]
async fn tokens_are_long_and_never_the_same() {
    let server = Server::start().await;
    let mut tokens = BTreeSet::new();
    for _ in 0..20 {
        let token = server.guest("Anna").await.token();
        assert_eq!(token.len(), 64, "256 bits in hexadecimal");
        assert!(tokens.insert(token));
    }
}

#[tokio::test]
async fn the_id_of_another_users_session_finds_nothing() {
    let server = Server::start().await;
    let mut anna = server.account("Anna").await;
    let sessions = anna.get("/api/sessions").await.json();
    let id = sessions["sessions"][0]["id"].as_str().unwrap().to_owned();
    let mut boris = server.account("Boris").await;
    boris.delete(&format!("/api/sessions/{id}")).await.refused(404, "unknown_session");
    anna.get("/api/sessions").await.expect(200);
}
