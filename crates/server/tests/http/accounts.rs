//! Guests, accounts, and sessions in normal use.

use serde_json::json;

use crate::harness::{PASSWORD, Server};

#[tokio::test]
async fn a_guest_who_gives_a_name_has_an_identity() {
    let server = Server::start().await;
    let mut anna = server.browser();
    assert_eq!(anna.get("/api/me").await.expect(200).json()["me"], json!(null));
    let welcome = anna.post("/api/guest", &json!({"name": "Anna"})).await;
    let me = welcome.expect(200).json();
    assert_eq!((&me["name"], &me["is_account"]), (&json!("Anna"), &json!(false)));
    assert_eq!(anna.get("/api/me").await.json()["me"], me);

    let mut other = server.guest("Anna").await;
    let other = other.get("/api/me").await.json()["me"].clone();
    assert_eq!(other["name"], "Anna");
    assert_ne!(other["player"], me["player"], "guests may share a name, and nothing else");
}

#[tokio::test]
async fn a_guest_who_takes_another_name_stays_the_same_player() {
    let server = Server::start().await;
    let mut anna = server.guest("Anna").await;
    let before = anna.get("/api/me").await.json()["me"].clone();
    anna.post("/api/guest", &json!({"name": "Annabel"})).await.expect(200);
    let after = anna.get("/api/me").await.json()["me"].clone();
    assert_eq!(after["player"], before["player"]);
    assert_eq!(after["name"], "Annabel");
}

#[tokio::test]
async fn an_account_protects_its_name_in_every_spelling() {
    let server = Server::start().await;
    server.account("Łukasz").await;
    for name in ["Łukasz", "łukasz", "LUKASZ", "Lukász"] {
        let body = json!({"name": name});
        server.browser().post("/api/guest", &body).await.refused(409, "name_taken");
        let body = json!({"name": name, "password": PASSWORD});
        server.browser().post("/api/register", &body).await.refused(409, "name_taken");
    }
    server.guest("Lukas").await;
}

#[tokio::test]
async fn a_guest_who_registers_stays_the_same_player() {
    let server = Server::start().await;
    let mut anna = server.guest("Anna").await;
    let guest = anna.get("/api/me").await.json()["me"].clone();
    let body = json!({"name": "Anna B.", "password": PASSWORD});
    anna.post("/api/register", &body).await.refused(422, "bad_name");
    let body = json!({"name": "Anna B", "password": PASSWORD});
    anna.post("/api/register", &body).await.expect(200);
    let account = anna.get("/api/me").await.json()["me"].clone();
    assert_eq!(account["player"], guest["player"]);
    assert_eq!((&account["name"], &account["is_account"]), (&json!("Anna B"), &json!(true)));
    anna.post("/api/register", &body).await.refused(409, "signed_in");
    anna.post("/api/guest", &json!({"name": "Other"})).await.refused(409, "signed_in");
}

#[tokio::test]
async fn a_guest_whose_name_is_registered_keeps_the_seat_under_another_name() {
    let server = Server::start().await;
    let mut guest = server.guest("Anna").await;
    let before = guest.get("/api/me").await.json()["me"].clone();
    server.account("ANNA").await;
    let after = guest.get("/api/me").await.json()["me"].clone();
    assert_eq!(after["player"], before["player"]);
    assert_eq!(after["name"], format!("Guest {}", before["player"]));
}

#[tokio::test]
async fn signing_in_and_out() {
    let server = Server::start().await;
    let account = server.account("Anna").await.get("/api/me").await.json();
    let mut elsewhere = server.browser();
    let body = json!({"name": "anna", "password": PASSWORD});
    let me = elsewhere.post("/api/login", &body).await.expect(200).json();
    assert_eq!(me, account["me"], "the name is told as its owner writes it");
    assert_eq!(elsewhere.post("/api/logout", &json!({})).await.json(), json!({"ended": 1}));
    assert_eq!(elsewhere.cookie, None, "the cookie is taken away");
    assert_eq!(elsewhere.get("/api/me").await.json()["me"], json!(null));
    assert_eq!(elsewhere.post("/api/logout", &json!({})).await.json(), json!({"ended": 0}));
}

#[tokio::test]
async fn a_user_who_knows_the_password_can_change_it() {
    let server = Server::start().await;
    let mut anna = server.account("Anna").await;
    let change = |current: &str, new: &str| json!({"current": current, "new": new});
    let path = "/api/password";
    anna.post(path, &change("wrong password", "another horse"))
        .await
        .refused(401, "wrong_credentials");
    anna.post(path, &change(PASSWORD, "short")).await.refused(422, "bad_password");
    anna.post(path, &change(PASSWORD, "ANNA")).await.refused(422, "bad_password");
    anna.post(path, &change(PASSWORD, "another horse")).await.expect(200);
    let login = |password: &str| json!({"name": "Anna", "password": password});
    let refused = server.browser().post("/api/login", &login(PASSWORD)).await;
    refused.refused(401, "wrong_credentials");
    server.browser().post("/api/login", &login("another horse")).await.expect(200);
    let mut guest = server.guest("Boris").await;
    guest.post(path, &change("a", "b")).await.refused(403, "needs_account");
    server.browser().post(path, &change("a", "b")).await.refused(401, "not_signed_in");
}

#[tokio::test]
async fn names_and_passwords_that_will_not_do_are_refused_with_a_reason() {
    let server = Server::start().await;
    for name in ["", "A", "Computer", "<b>Anna</b>", "An\u{200b}na", "A  B", "Anna\n", "Аnna"] {
        let body = json!({"name": name});
        server.browser().post("/api/guest", &body).await.refused(422, "bad_name");
        let body = json!({"name": name, "password": PASSWORD});
        server.browser().post("/api/register", &body).await.refused(422, "bad_name");
    }
    let long = "x".repeat(257);
    for password in ["", "1234567", "Anna Blume", "12345678", "Passw0rd!", "Chess2026", &long] {
        let body = json!({"name": "Anna Blume", "password": password});
        server.browser().post("/api/register", &body).await.refused(422, "bad_password");
    }
}
