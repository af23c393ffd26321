//! E-mail: addresses are confirmed, codes for a new password work once, and nothing about accounts
//! is revealed.

use core::time::Duration;
use std::sync::atomic::Ordering;

use castellan_server::{Config, Rate};
use castellan_testkit::waiting::LIMIT;
use serde_json::{Value, json};

use crate::harness::{Client, MailServer, PASSWORD, Response, Server, config};
use crate::moderation::app_code;

const NEW_PASSWORD: &str = "another horse entirely";

/// Starts a mail server and a server that uses it.
async fn start(change: impl FnOnce(&mut Config)) -> (Server, MailServer) {
    let mail = MailServer::start().await;
    let mut config = Config { mail: Some(mail.config()), ..config() };
    let wide = Rate::per(1_000, Duration::from_secs(1));
    (config.rates.mails, config.rates.mails_to) = (wide, wide);
    change(&mut config);
    (Server::start_with(config).await, mail)
}

/// Creates an account with a confirmed address.
async fn account(server: &Server, mail: &mut MailServer, name: &str, email: &str) -> Client {
    let mut client = server.account(name).await;
    let body = json!({"email": email, "password": PASSWORD});
    client.post("/api/email", &body).await.expect(202);
    let code = mail.next().await.code();
    let done = client.post("/api/email/confirm", &json!({"code": code})).await;
    assert_eq!(done.expect(200).json()["email"], email);
    client
}

async fn request_reset(server: &Server, account: &str) -> Response {
    server.browser().post("/api/recover/mail", &json!({"account": account})).await
}

/// Waits until every message that was asked for is sent or dropped.
async fn idle(server: &Server) {
    let is_idle = async || {
        let metrics = server.browser().get("/metrics").await.body;
        metrics.lines().any(|line| line == "castellan_mail_queued 0")
    };
    let idle = async {
        while !is_idle().await {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, idle).await.expect("the queue is worked off");
}

async fn recover(server: &Server, name: &str, code: &str) -> Response {
    let body = json!({"name": name, "code": code, "new": NEW_PASSWORD});
    server.browser().post("/api/recover", &body).await
}

async fn login(server: &Server, password: &str, code: Option<&str>) -> Response {
    let mut body = json!({"name": "Anna", "password": password});
    if let Some(code) = code {
        body["code"] = json!(code);
    }
    server.browser().post("/api/login", &body).await
}

#[tokio::test]
async fn an_address_is_confirmed_before_it_is_used() {
    let (server, mut mail) = start(|_| ()).await;
    let mut anna = server.account("Anna").await;
    let me = anna.get("/api/me").await.json();
    assert_eq!(me["sends_mail"], true);
    let before = anna.get("/api/security").await.json();
    assert_eq!((&before["email"], &before["sends_mail"]), (&Value::Null, &json!(true)));
    let wrong = json!({"email": "anna@example.org", "password": "wrong horse battery"});
    anna.post("/api/email", &wrong).await.refused(401, "wrong_credentials");
    for email in ["anna", "anna@example.org\r\nBcc: eve@example.org", "anna@localhost"] {
        let body = json!({"email": email, "password": PASSWORD});
        anna.post("/api/email", &body).await.refused(422, "bad_email");
    }
    let body = json!({"email": "Anna@Example.org", "password": PASSWORD, "language": "fi"});
    anna.post("/api/email", &body).await.expect(202);
    let message = mail.next().await;
    assert_eq!(message.to, "Anna@Example.org");
    for header in ["From: Castellan <chess@example.org>", "Auto-Submitted: auto-generated"] {
        assert!(message.text.contains(header), "{message:?}");
    }
    assert!(message.text.contains("30 minuuttia"), "{message:?}");
    // Until it is confirmed, it is good for nothing.
    request_reset(&server, "Anna").await.expect(202);
    request_reset(&server, "anna@example.org").await.expect(202);
    let mut eve = server.account("Eve").await;
    let code = json!({"code": message.code()});
    eve.post("/api/email/confirm", &code).await.refused(401, "bad_code");
    anna.post("/api/email/confirm", &json!({"code": "x"})).await.refused(401, "bad_code");
    let done = anna.post("/api/email/confirm", &code).await;
    assert_eq!(done.expect(200).json()["email"], "Anna@Example.org");
    anna.post("/api/email/confirm", &code).await.refused(401, "bad_code");
    server
        .guest("Boris")
        .await
        .post("/api/email/confirm", &code)
        .await
        .refused(403, "needs_account");

    let export = anna.get("/api/me/export").await.json();
    assert_eq!(export["email"], "Anna@Example.org");
    let proof = json!({"password": PASSWORD});
    let removed = anna.post("/api/email/remove", &proof).await;
    assert_eq!(removed.expect(200).json()["email"], Value::Null);
    request_reset(&server, "Anna").await.expect(202);
    idle(&server).await;
    assert!(mail.is_quiet());
}

#[tokio::test]
async fn a_mailed_code_changes_the_password_once_and_ends_sessions() {
    let (server, mut mail) = start(|_| ()).await;
    let mut anna = account(&server, &mut mail, "Anna", "anna@example.org").await;
    request_reset(&server, "ANNA").await.expect(202);
    let first = mail.next().await;
    assert_eq!(first.to, "anna@example.org");
    request_reset(&server, "Anna@EXAMPLE.org").await.expect(202);
    let second = mail.next().await.code();
    recover(&server, "Anna", "0000-0000-0000-0000").await.refused(401, "bad_code");
    recover(&server, "Eve", &second).await.refused(401, "bad_code");
    let done = recover(&server, "Anna", &second.to_lowercase()).await;
    assert_eq!(done.expect(200).json()["ended"], 1);
    assert_eq!(anna.get("/api/me").await.json()["me"], Value::Null, "the session has ended");
    // Every other code is useless, too.
    recover(&server, "Anna", &second).await.refused(401, "bad_code");
    recover(&server, "Anna", &first.code()).await.refused(401, "bad_code");
    login(&server, PASSWORD, None).await.refused(401, "wrong_credentials");
    login(&server, NEW_PASSWORD, None).await.expect(200);
    let audit = server.command(&json!({"command": "audit"})).await.json();
    let entry = &audit["entries"][0];
    assert_eq!((&entry["action"], &entry["target"]), (&json!("recover"), &json!("Anna")));

    request_reset(&server, "Anna").await.expect(202);
    let late = mail.next().await.code();
    server.clock.advance(Duration::from_secs(30 * 60));
    recover(&server, "Anna", &late).await.refused(401, "bad_code");
}

#[tokio::test]
async fn a_mailbox_does_not_replace_the_second_factor() {
    let (server, mut mail) = start(|_| ()).await;
    let mut anna = account(&server, &mut mail, "Anna", "anna@example.org").await;
    let made = anna.post("/api/second-factor/secret", &json!({})).await.expect(200).json();
    let secret = made["secret"].as_str().unwrap().to_owned();
    let now = || server.clock.now().as_millis();
    let code = app_code(&secret, now());
    let setup = json!({"password": PASSWORD, "secret": secret, "code": code});
    anna.post("/api/second-factor", &setup).await.expect(200);
    let body = json!({"email": "eve@example.org", "password": PASSWORD});
    anna.post("/api/email", &body).await.refused(401, "needs_code");
    anna.post("/api/email/remove", &json!({"password": PASSWORD})).await.refused(401, "needs_code");

    request_reset(&server, "Anna").await.expect(202);
    recover(&server, "Anna", &mail.next().await.code()).await.expect(200);
    login(&server, NEW_PASSWORD, None).await.refused(401, "needs_code");
    request_reset(&server, "Anna").await.expect(202);
    let mailed = mail.next().await.code();
    login(&server, NEW_PASSWORD, Some(&mailed)).await.refused(401, "bad_code");
    server.clock.advance(Duration::from_secs(60));
    login(&server, NEW_PASSWORD, Some(&app_code(&secret, now()))).await.expect(200);
}

#[tokio::test]
async fn a_response_does_not_say_who_exists() {
    let (server, mut mail) = start(|_| ()).await;
    account(&server, &mut mail, "Anna", "anna@example.org").await;
    server.account("Boris").await;
    let plain = |response: &Response| {
        let headers = response.headers.iter().filter(|(name, _)| name != "date").cloned();
        (response.status, headers.collect::<Vec<_>>(), response.body.clone())
    };
    let expected = plain(&request_reset(&server, "Anna").await);
    assert_eq!(expected.0, 202);
    let long = "x".repeat(3_000);
    for account in ["Boris", "Nobody", "anna@example.org", "eve@example.org", "@", "", &long] {
        assert_eq!(plain(&request_reset(&server, account).await), expected, "{account}");
    }
    for _ in 0..2 {
        assert_eq!(mail.next().await.to, "anna@example.org");
    }
    idle(&server).await;
    assert!(mail.is_quiet(), "no other account has an address");
}

#[tokio::test]
async fn mail_is_limited_by_client_and_by_recipient() {
    let few = Rate::per(3, Duration::from_secs(3_600));
    let (server, mut mail) = start(|config| config.rates.mails_to = few).await;
    // The message that confirms the address counts as well.
    account(&server, &mut mail, "Anna", "anna@example.org").await;
    for _ in 0..10 {
        request_reset(&server, "Anna").await.expect(202);
    }
    for _ in 0..2 {
        mail.next().await;
    }
    idle(&server).await;
    assert!(mail.is_quiet(), "a stranger cannot fill a mailbox");
    server.clock.advance(Duration::from_secs(3_600));
    request_reset(&server, "Anna").await.expect(202);
    mail.next().await;

    let (server, _mail) = start(|config| config.rates.mails = few).await;
    for _ in 0..3 {
        request_reset(&server, "Nobody").await.expect(202);
    }
    request_reset(&server, "Nobody").await.refused(429, "rate_limited");
}

#[tokio::test]
async fn a_message_that_is_refused_for_now_is_sent_again() {
    let short = [Duration::from_millis(1); 2];
    let (server, mut mail) = start(|config| {
        config.mail.as_mut().unwrap().retry_pauses = short;
    })
    .await;
    mail.manners.refuses_for_now.store(2, Ordering::SeqCst);
    account(&server, &mut mail, "Anna", "anna@example.org").await;
    assert_eq!(mail.manners.connections.load(Ordering::SeqCst), 3);
    // A message that is refused for good is not.
    mail.manners.refuses_for_good.store(1, Ordering::SeqCst);
    request_reset(&server, "Anna").await.expect(202);
    let failed = async {
        while !server.browser().get("/metrics").await.body.contains("castellan_mail_failed_total 1")
        {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, failed).await.expect("it is given up");
    assert_eq!(mail.manners.connections.load(Ordering::SeqCst), 4);
    let metrics = server.browser().get("/metrics").await.body;
    assert!(metrics.contains("castellan_mail_sent_total 1"), "{metrics}");
}

/// A mail server that accepts connections and then says nothing.
#[tokio::test]
async fn a_dead_mail_server_delays_nothing_else() {
    let (server, mail) = start(|_| ()).await;
    mail.manners.silences.store(u32::MAX, Ordering::SeqCst);
    let mut anna = server.account("Anna").await;
    let body = json!({"email": "anna@example.org", "password": PASSWORD});
    let mut waiting = 0;
    // The queue is bounded, and a request that finds it full is refused.
    let full = loop {
        let answer = anna.post("/api/email", &body).await;
        if answer.status != 202 {
            break answer;
        }
        waiting += 1;
        assert!(waiting < 1_000, "the queue has no end");
    };
    full.refused(503, "busy");
    assert!(full.header("retry-after").is_some());
    server.browser().get("/healthz").await.expect(200);
    login(&server, PASSWORD, None).await.expect(200);
    server.guest("Boris").await.get("/api/me").await.expect(200);
    tokio::time::timeout(LIMIT, server.stop()).await.expect("and it can be stopped");
}

#[tokio::test]
async fn a_server_without_mail_offers_none() {
    let server = Server::start().await;
    let mut anna = server.account("Anna").await;
    assert_eq!(anna.get("/api/me").await.json()["sends_mail"], false);
    assert_eq!(anna.get("/api/security").await.json()["sends_mail"], false);
    let body = json!({"email": "anna@example.org", "password": PASSWORD});
    anna.post("/api/email", &body).await.refused(404, "not_found");
    let code = json!({"code": "0000-0000-0000-0000"});
    anna.post("/api/email/confirm", &code).await.refused(404, "not_found");
    request_reset(&server, "Anna").await.refused(404, "not_found");
}
