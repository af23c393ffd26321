//! Commands of admins and operators, registration, reports, recovery codes, the second factor, and
//! the export of the user's own data.

use core::time::Duration;

use castellan_game::PlayerId;
use castellan_server::{Config, Rate};
use castellan_store::{ModerationAct, NewAuditEntry};
use hmac::{Hmac, Mac};
use serde_json::{Value, json};
use sha1::Sha1;

use crate::harness::{Client, NOW, PASSWORD, PlayedGame, Request, Server, config, store_game};

async fn make_admin(server: &Server, name: &str) {
    let command = json!({"command": "set_admin", "name": name, "is_admin": true});
    server.command(&command).await.expect(200);
}

async fn admin(client: &mut Client, command: Value) -> crate::harness::Response {
    client.post("/api/admin", &command).await
}

#[tokio::test]
async fn commands_are_for_operators_and_admins() {
    let server = Server::start().await;
    let (mut anna, mut ben) = (server.account("Anna").await, server.account("Ben").await);
    let status = json!({"command": "status"});
    server.browser().post("/api/admin", &status).await.refused(403, "forbidden");
    let mut guest = server.guest("Guest").await;
    admin(&mut guest, status.clone()).await.refused(403, "forbidden");
    admin(&mut anna, status.clone()).await.refused(403, "forbidden");
    for key in ["Bearer ", "Bearer 00", "Basic 00", &format!("Bearer {}", "0".repeat(64))] {
        let request = Request::new("POST", "/api/admin").json(&status);
        let request = request.header("Authorization", key);
        request.send(server.address).await.refused(403, "forbidden");
    }
    let told = server.command(&status).await.expect(200).json();
    assert_eq!((&told["is_running"], &told["registration"]), (&json!(true), &json!("open")));

    make_admin(&server, "Anna").await;
    assert_eq!(anna.get("/api/me").await.json()["me"]["is_admin"], true);
    admin(&mut anna, status).await.expect(200);
    // An admin makes no admins, and acts neither against admins nor against themselves.
    let command = json!({"command": "set_admin", "name": "Ben", "is_admin": true});
    admin(&mut anna, command).await.refused(422, "admin_refused");
    make_admin(&server, "Ben").await;
    for name in ["Anna", "Ben"] {
        let command = json!({"command": "ban", "target": {"account": name}, "reason": ""});
        admin(&mut anna, command).await.refused(422, "admin_refused");
        let command = json!({"command": "delete_account", "name": name});
        admin(&mut anna, command).await.refused(422, "admin_refused");
    }
    let command = json!({"command": "ban", "target": {"account": "Ben"}, "reason": "", "x": 1});
    admin(&mut anna, command).await.refused(400, "bad_body");
    let command = json!({"command": "reset_password", "name": "Ben"});
    admin(&mut anna, command).await.refused(422, "admin_refused");

    // Another site cannot send commands with the cookie of an admin.
    let request = Request::new("POST", "/api/admin").json(&json!({"command": "bans"}));
    let foreign = ben.send(request.header("Origin", "https://evil.example")).await;
    foreign.refused(403, "foreign_origin");

    let log = server.command(&json!({"command": "audit"})).await.json();
    let actions: Vec<&str> = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["action"].as_str().unwrap())
        .collect();
    assert_eq!(actions, ["set-admin", "set-admin"], "what was refused is not in the log");
    let list = server.command(&json!({"command": "accounts", "part": "ann", "after": ""})).await;
    assert_eq!(list.json()["accounts"][0]["is_admin"], true);
}

#[tokio::test]
async fn registration_can_be_by_invitation_or_closed() {
    let server = Server::start().await;
    let set = async |mode: &str| {
        server.command(&json!({"command": "registration", "mode": mode})).await.expect(200);
        assert_eq!(server.browser().get("/api/me").await.json()["registration"], mode);
    };
    let register = async |name: &str, code: &str| {
        let body = json!({"name": name, "password": PASSWORD, "code": code});
        server.browser().post("/api/register", &body).await
    };
    set("closed").await;
    register("Anna", "").await.refused(403, "registration_closed");
    server.guest("Guests may play").await;
    set("invitation").await;
    register("Anna", "").await.refused(403, "registration_closed");
    register("Anna", "0000-0000-0000-0000").await.refused(401, "bad_code");
    let invite = json!({"command": "invite", "uses": 2, "days": 7});
    let told = server.command(&invite).await.expect(200).json();
    let code = told["code"].as_str().unwrap().to_owned();
    register("Anna", &code.to_lowercase().replace('-', " ")).await.expect(200);
    register("anna", &code).await.refused(409, "name_taken");
    register("Ben", &code).await.expect(200);
    register("Clara", &code).await.refused(401, "bad_code");
    let late = server.command(&invite).await.json()["code"].as_str().unwrap().to_owned();
    server.clock.advance(Duration::from_secs(7 * 86_400));
    register("Clara", &late).await.refused(401, "bad_code");
    set("open").await;
    register("Clara", "").await.expect(200);
    for (uses, days) in [(0, 1), (1, 0), (10_001, 1), (1, 366)] {
        let invite = json!({"command": "invite", "uses": uses, "days": days});
        server.command(&invite).await.refused(422, "admin_refused");
    }
}

#[tokio::test]
async fn a_report_reaches_the_moderators_once() {
    let server = Server::start().await;
    let mut anna = server.account("Reporter").await;
    let (game, _) = store_game(&*server.store, &PlayedGame::default()).await;
    let report = json!({"game": game, "color": "black", "text": "  <b>rude</b> "});
    server.browser().post("/api/reports", &report).await.refused(401, "not_signed_in");
    assert_eq!(
        anna.post("/api/reports", &report).await.expect(200).json(),
        json!({"is_new": true})
    );
    assert_eq!(anna.post("/api/reports", &report).await.json(), json!({"is_new": false}));
    for text in ["", "   ", &"x".repeat(501), "\u{0}"] {
        let report = json!({"game": game, "color": "white", "text": text});
        anna.post("/api/reports", &report).await.refused(400, "bad_body");
    }
    let nowhere = json!({"game": "zzzzzzzzzzzz", "color": "white", "text": "rude"});
    anna.post("/api/reports", &nowhere).await.refused(404, "unknown_game");
    let list = server.command(&json!({"command": "reports", "is_all": false})).await.json();
    let reports = list["reports"].as_array().unwrap();
    assert_eq!(reports.len(), 1);
    assert_eq!(
        (&reports[0]["text"], &reports[0]["reported_name"]),
        (&json!("<b>rude</b>"), &json!("Boris"))
    );
    let close = json!({"command": "close_report", "number": reports[0]["number"]});
    server.command(&close).await.expect(200);
    server.command(&close).await.refused(422, "admin_refused");
    let status = server.command(&json!({"command": "status"})).await.json();
    assert_eq!(status["open_reports"], 0);
}

#[tokio::test]
async fn a_recovery_code_replaces_a_password_once() {
    let server = Server::start().await;
    let mut anna = server.account("Anna").await;
    let wrong = json!({"password": "wrong horse battery"});
    anna.post("/api/recovery-codes", &wrong).await.refused(401, "wrong_credentials");
    let made = anna.post("/api/recovery-codes", &json!({"password": PASSWORD})).await;
    let made = made.expect(200).json();
    let codes: Vec<&str> =
        made["codes"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    assert_eq!(codes.len(), 10);
    assert_eq!(anna.get("/api/security").await.json()["recovery_codes_left"], 10);
    let recover = async |name: &str, code: &str, new: &str| {
        let body = json!({"name": name, "code": code, "new": new});
        server.browser().post("/api/recover", &body).await
    };
    let new = "another horse battery";
    recover("Anna", "0000-0000-0000-0000", new).await.refused(401, "bad_code");
    recover("Nobody", codes[0], new).await.refused(401, "bad_code");
    recover("Anna", codes[0], "short").await.refused(422, "bad_password");
    recover("Anna", codes[0], new).await.expect(200);
    assert_eq!(anna.get("/api/me").await.json()["me"], json!(null), "all sessions end");
    recover("Anna", codes[0], new).await.refused(401, "bad_code");
    let login = |password: &str| json!({"name": "Anna", "password": password});
    server.browser().post("/api/login", &login(PASSWORD)).await.refused(401, "wrong_credentials");
    server.browser().post("/api/login", &login(new)).await.expect(200);

    let reset = json!({"command": "reset_password", "name": "anna"});
    let code = server.command(&reset).await.expect(200).json()["code"].as_str().unwrap().to_owned();
    server.clock.advance(Duration::from_secs(86_400));
    recover("Anna", &code, PASSWORD).await.refused(401, "bad_code");
    let code = server.command(&reset).await.json()["code"].as_str().unwrap().to_owned();
    recover("Anna", &code, PASSWORD).await.expect(200);
    let told = server.command(&json!({"command": "audit"})).await.body;
    assert!(!told.contains(&code[..9]), "no code is in the log: {told}");
}

#[tokio::test]
async fn guessing_codes_costs_as_much_as_guessing_passwords() {
    let mut config: Config = config();
    config.rates.logins_by_name = Rate::per(3, Duration::from_secs(30));
    let server = Server::start_with(config).await;
    server.account("Anna").await;
    let body = json!({"name": "Anna", "code": "0000-0000-0000-0000", "new": "another horse"});
    for _ in 0..3 {
        server.browser().post("/api/recover", &body).await.refused(401, "bad_code");
    }
    server.browser().post("/api/recover", &body).await.refused(429, "rate_limited");
}

/// An authenticator app, written after RFC 4226 and RFC 6238.
pub(crate) fn app_code(secret: &str, now_ms: u64) -> String {
    let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
    let bits: String =
        secret.chars().map(|c| format!("{:05b}", letters.find(c).unwrap())).collect();
    let key: Vec<u8> = (0..bits.len() / 8)
        .map(|at| u8::from_str_radix(&bits[8 * at..8 * at + 8], 2).unwrap())
        .collect();
    let mut mac = Hmac::<Sha1>::new_from_slice(&key).unwrap();
    mac.update(&(now_ms / 30_000).to_be_bytes());
    let hash = mac.finalize().into_bytes();
    let offset = (hash[19] & 0xf) as usize;
    let word = u32::from_be_bytes(hash[offset..offset + 4].try_into().unwrap()) & 0x7fff_ffff;
    format!("{:06}", word % 1_000_000)
}

#[tokio::test]
async fn a_second_factor_is_asked_for_and_no_code_works_twice() {
    let mut config = config();
    config.rates.logins_by_name = Rate::per(5, Duration::from_secs(3_000));
    let server = Server::start_with(config).await;
    let mut anna = server.account("Anna").await;
    let now = || server.clock.now().as_millis();
    let made = anna.post("/api/second-factor/secret", &json!({})).await.expect(200).json();
    let secret = made["secret"].as_str().unwrap().to_owned();
    assert!(made["link"].as_str().unwrap().contains(&secret));
    let setup =
        |code: &str, password: &str| json!({"password": password, "secret": secret, "code": code});
    let code = app_code(&secret, now());
    anna.post("/api/second-factor", &setup(&code, "wrong horse"))
        .await
        .refused(401, "wrong_credentials");
    let wrong = if code == "000000" { "000001" } else { "000000" };
    anna.post("/api/second-factor", &setup(wrong, PASSWORD)).await.refused(401, "bad_code");
    let on = anna.post("/api/second-factor", &setup(&code, PASSWORD)).await;
    assert_eq!(on.expect(200).json()["has_second_factor"], true);
    anna.post("/api/second-factor", &setup(&code, PASSWORD)).await.refused(401, "needs_code");

    let login = async |code: Option<&str>| {
        let body = match code {
            Some(code) => json!({"name": "Anna", "password": PASSWORD, "code": code}),
            None => json!({"name": "Anna", "password": PASSWORD}),
        };
        server.browser().post("/api/login", &body).await
    };
    login(None).await.refused(401, "needs_code");
    login(Some(" ")).await.refused(401, "needs_code");
    login(Some(&code)).await.refused(401, "bad_code");
    server.clock.advance(Duration::from_secs(60));
    let code = app_code(&secret, now());
    login(Some(&code)).await.expect(200);
    login(Some(&code)).await.refused(401, "bad_code");
    login(Some(wrong)).await.refused(401, "bad_code");

    // A recovery code replaces it, once.
    server.clock.advance(Duration::from_secs(60));
    let proof = json!({"password": PASSWORD, "code": app_code(&secret, now())});
    let made = anna.post("/api/recovery-codes", &proof).await.expect(200).json();
    let spare = made["codes"][3].as_str().unwrap().to_owned();
    login(Some(&spare)).await.expect(200);
    login(Some(&spare)).await.refused(401, "bad_code");
    // Five wrong codes are too many, wherever they come from, and the right one has to wait.
    login(Some(wrong)).await.refused(401, "bad_code");
    server.clock.advance(Duration::from_secs(60));
    login(Some(&app_code(&secret, now()))).await.refused(429, "rate_limited");
    server.clock.advance(Duration::from_secs(3_000));

    anna.post("/api/second-factor/remove", &json!({"password": PASSWORD}))
        .await
        .refused(401, "needs_code");
    let proof = json!({"password": PASSWORD, "code": app_code(&secret, now())});
    let off = anna.post("/api/second-factor/remove", &proof).await;
    assert_eq!(off.expect(200).json()["has_second_factor"], false);
    login(None).await.expect(200);
}

#[tokio::test]
async fn the_owner_takes_the_data_along_and_deletes_the_account() {
    let server = Server::start().await;
    let mut boris = server.account("Boris").await;
    let player = boris.get("/api/me").await.json()["me"]["player"].as_u64().unwrap();
    let played = PlayedGame { black_id: player, ..PlayedGame::default() };
    let (game, _) = store_game(&*server.store, &played).await;
    let namesake = PlayedGame { number: 2, black_id: 999, ..PlayedGame::default() };
    let (other, _) = store_game(&*server.store, &namesake).await;
    let line = |player, text: &str| castellan_store::ChatLine {
        game,
        at: NOW,
        player: PlayerId(player),
        name: "Boris".to_owned(),
        text: text.to_owned(),
    };
    server.store.add_chat(line(player, "good luck")).await.unwrap();
    server.store.add_chat(line(101, "you too")).await.unwrap();

    server.browser().get("/api/me/export").await.refused(401, "not_signed_in");
    let data = boris.get("/api/me/export").await.expect(200).json();
    assert_eq!((&data["name"], &data["next"]), (&json!("Boris"), &json!(null)));
    let games = data["games"].as_array().unwrap();
    assert_eq!(games.len(), 1, "the namesake's game is not exported");
    assert_eq!(games[0]["id"], json!(game));
    assert!(games[0]["pgn"].as_str().unwrap().contains("[Black \"Boris\"]"));
    assert_eq!(games[0]["chat"].as_array().unwrap().len(), 1);
    assert_eq!(games[0]["chat"][0]["text"], "good luck");
    boris.get("/api/me/export?cursor=x").await.refused(400, "bad_query");

    let wrong = json!({"password": "wrong horse battery"});
    boris.post("/api/me/delete", &wrong).await.refused(401, "wrong_credentials");
    boris.post("/api/me/delete", &json!({"password": PASSWORD})).await.expect(200);
    assert_eq!(boris.get("/api/me").await.json()["me"], json!(null));
    let stored = server.store.load_game(game).await.unwrap().unwrap();
    assert!(!format!("{stored:?}").contains("Boris"), "{stored:?}");
    let pgn =
        server.browser().get(&format!("/api/games/{game}/pgn")).await.expect(200).body.clone();
    assert!(pgn.contains(&format!("[Black \"Guest {player}\"]")), "{pgn}");
    let stored = server.store.load_game(other).await.unwrap().unwrap();
    assert!(format!("{stored:?}").contains("Boris"), "the namesake keeps the name");
    assert_eq!(server.store.chat(game, 9).await.unwrap().len(), 1);
    let login = json!({"name": "Boris", "password": PASSWORD});
    server.browser().post("/api/login", &login).await.refused(401, "wrong_credentials");
    let log = server.command(&json!({"command": "audit"})).await.body;
    assert!(log.contains("delete-account") && !log.contains("Boris"), "{log}");
    // The name is free for others.
    server.account("Boris").await;
}

#[tokio::test]
async fn lists_are_read_page_by_page() {
    let server = Server::start().await;
    for number in 0..101 {
        let entry = NewAuditEntry {
            at: NOW,
            actor: "operator".to_owned(),
            action: "message",
            target: String::new(),
            details: number.to_string(),
        };
        server.store.moderation().act(ModerationAct::Note, entry).await.unwrap();
    }
    let first = server.command(&json!({"command": "audit"})).await.json();
    let first = first["entries"].as_array().unwrap();
    assert_eq!(first.len(), 100);
    let before = &first[99]["number"];
    let rest = server.command(&json!({"command": "audit", "before": before})).await.json();
    assert_eq!(rest["entries"].as_array().unwrap().len(), 1);
    assert_eq!(rest["entries"][0]["details"], "0");
}
