//! Session fixation and theft: a planted or kept token is worth nothing to an attacker.

use core::time::Duration;

use castellan_server::Config;
use castellan_store::TokenDigest;
use serde_json::json;

use crate::harness::{Client, PASSWORD, Request, Server, config};

/// Returns `true` if a token still belongs to a session.
async fn is_somebody(server: &Server, token: &str) -> bool {
    let mut client = server.browser();
    client.cookie = Some(format!("castellan={token}"));
    !client.get("/api/me").await.json()["me"].is_null()
}

#[tokio::test]
async fn a_planted_token_is_not_adopted() {
    let server = Server::start().await;
    server.account("Anna").await;
    let planted = "ab".repeat(32);
    let mut victim = server.browser();
    victim.cookie = Some(format!("castellan={planted}"));
    victim.post("/api/login", &json!({"name": "Anna", "password": PASSWORD})).await.expect(200);
    assert_ne!(victim.token(), planted);
    assert!(!is_somebody(&server, &planted).await);
}

#[tokio::test]
async fn every_gain_of_rights_changes_the_token_and_ends_the_old_one() {
    let server = Server::start().await;
    server.account("Boris").await;
    let mut anna = server.guest("Anna").await;
    let steps = [
        ("/api/guest", json!({"name": "Annabel"})),
        ("/api/register", json!({"name": "Annabel", "password": PASSWORD})),
        ("/api/password", json!({"current": PASSWORD, "new": "another horse"})),
        ("/api/login", json!({"name": "Boris", "password": PASSWORD})),
    ];
    for (path, body) in steps {
        let before = anna.token();
        assert!(is_somebody(&server, &before).await);
        anna.post(path, &body).await.expect(200);
        assert_ne!(anna.token(), before, "{path}");
        assert!(!is_somebody(&server, &before).await, "{path}");
        assert!(is_somebody(&server, &anna.token()).await, "{path}");
    }
}

#[tokio::test]
async fn signing_out_ends_the_session_on_the_server() {
    let server = Server::start().await;
    let mut anna = server.account("Anna").await;
    let token = anna.token();
    anna.post("/api/logout", &json!({})).await.expect(200);
    assert!(!is_somebody(&server, &token).await);
}

async fn signed_in(server: &Server, agent: &str) -> Client {
    let mut client = server.browser();
    let body = json!({"name": "Anna", "password": PASSWORD});
    let request = Request::new("POST", "/api/login").json(&body).header("User-Agent", agent);
    client.send(request).await.expect(200);
    client
}

#[tokio::test]
async fn a_new_password_signs_everybody_else_out() {
    let server = Server::start().await;
    let mut anna = server.account("Anna").await;
    let thief = signed_in(&server, "thief").await;
    assert!(is_somebody(&server, &thief.token()).await);
    let body = json!({"current": PASSWORD, "new": "another horse"});
    anna.post("/api/password", &body).await.expect(200);
    assert!(!is_somebody(&server, &thief.token()).await);
    assert!(is_somebody(&server, &anna.token()).await);
}

#[tokio::test]
async fn sessions_are_listed_and_ended_one_by_one_or_all() {
    let server = Server::start().await;
    let mut anna = server.account("Anna").await;
    let (phone, laptop) = (signed_in(&server, "phone").await, signed_in(&server, "laptop").await);
    let list = anna.get("/api/sessions").await.expect(200).json();
    let list = list["sessions"].as_array().unwrap();
    assert_eq!(list.len(), 3);
    let current: Vec<_> = list.iter().filter(|row| row["is_current"] == true).collect();
    assert_eq!(current.len(), 1);
    let of_phone = list.iter().find(|row| row["device"] == "phone").unwrap();
    let id = of_phone["id"].as_str().unwrap();
    for secret in [anna.token(), phone.token(), laptop.token()] {
        assert!(!list.iter().any(|row| row.to_string().contains(&secret[..16])));
    }
    anna.delete(&format!("/api/sessions/{id}")).await.expect(200);
    assert!(!is_somebody(&server, &phone.token()).await);
    assert!(is_somebody(&server, &laptop.token()).await);
    assert_eq!(anna.delete("/api/sessions").await.expect(200).json(), json!({"ended": 1}));
    assert!(!is_somebody(&server, &laptop.token()).await);
    assert!(is_somebody(&server, &anna.token()).await);
}

#[tokio::test]
async fn a_session_ends_by_itself_unless_it_is_used() {
    let server = Server::start().await;
    let idle = server.guest("Idle").await.token();
    let busy = server.guest("Busy").await.token();
    let days = |days: u64| Duration::from_secs(days * 24 * 3600);
    server.clock.advance(days(20));
    assert!(is_somebody(&server, &busy).await);
    server.clock.advance(days(20));
    assert!(is_somebody(&server, &busy).await, "it was used twenty days ago");
    assert!(!is_somebody(&server, &idle).await, "it was not used for forty days");
}

#[tokio::test]
async fn the_store_knows_the_digest_and_not_the_token() {
    let server = Server::start().await;
    let token = server.guest("Anna").await.token();
    let bytes: Vec<u8> =
        (0..32).map(|at| u8::from_str_radix(&token[2 * at..2 * at + 2], 16).unwrap()).collect();
    let stored = server.store.session(TokenDigest::of(&bytes)).await.unwrap();
    assert_eq!(stored.unwrap().name, "Anna");
    let digest: [u8; 32] = bytes.try_into().unwrap();
    let stored = server.store.session(TokenDigest::from_bytes(digest)).await.unwrap();
    assert_eq!(stored, None, "the store does not contain the token");
}

#[tokio::test]
async fn two_cookies_of_the_name_are_none() {
    let server = Server::start().await;
    let mut anna = server.guest("Anna").await;
    let cookie = anna.cookie.clone().unwrap();
    anna.cookie = Some(format!("{cookie}; {cookie}"));
    assert_eq!(anna.get("/api/me").await.json()["me"], json!(null));
}

#[tokio::test]
async fn the_cookie_is_closed_to_scripts_and_bound_to_the_host() {
    let server = Server::start().await;
    let body = json!({"name": "Anna"});
    let answer = server.browser().post("/api/guest", &body).await;
    let cookie = answer.header("set-cookie").unwrap();
    for word in ["; HttpOnly", "; SameSite=Lax", "; Path=/"] {
        assert!(cookie.contains(word), "{cookie}");
    }
    assert!(!cookie.contains("Domain") && !cookie.contains("Secure"), "{cookie}");

    let origins = vec!["https://chess.example".parse().unwrap()];
    let server = Server::start_with(Config { origins, ..config() }).await;
    let request = Request::new("POST", "/api/guest").json(&body);
    let answer = request.header("Origin", "https://chess.example").send(server.address).await;
    let cookie = answer.expect(200).header("set-cookie").unwrap();
    assert!(cookie.starts_with("__Host-castellan="), "{cookie}");
    assert!(cookie.ends_with("; Secure"), "{cookie}");
    assert!(answer.header("strict-transport-security").is_some());
}
