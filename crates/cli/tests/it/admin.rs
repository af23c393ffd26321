//! `castellan admin`, with a server that runs and without one.

use std::path::Path;

use serde_json::Value;

use crate::serve::Server;
use crate::shell::{Ran, castellan};

fn admin(data: &Path, args: &[&str]) -> Ran {
    let data = data.to_str().expect("the folder has a plain name");
    castellan(&[&["admin", "--data", data], args].concat(), b"")
}

/// Runs a command that has to work, and returns what it prints.
#[track_caller]
fn done(data: &Path, args: &[&str]) -> String {
    let ran = admin(data, args);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{args:?}: {}", ran.out);
    ran.out
}

#[track_caller]
fn refused(data: &Path, args: &[&str], why: &str) {
    let ran = admin(data, args);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{args:?}");
    assert!(ran.err.contains(why), "{args:?}: {}", ran.err);
}

fn sign(server: &Server, way: &str, password: &str) -> String {
    let body = format!(r#"{{"name": "Anna", "password": "{password}"}}"#);
    server.ask("POST", &format!("/api/{way}"), "", &body)
}

#[test]
fn commands_work_with_and_without_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    refused(&data, &["status"], "there is no database at");
    let password = "correct horse battery";
    let server = Server::start("serve", &data);
    assert!(sign(&server, "register", password).starts_with("HTTP/1.1 200"));
    let status = done(&data, &["status"]);
    assert!(status.contains("\ngames: 0\n") && !status.contains("no server"), "{status}");
    assert!(done(&data, &["accounts", "nn"]).contains("  Anna\n"));
    let ban = ["ban", "--account", "anna", "--for", "7d", "--reason", "spam"];
    assert_eq!(done(&data, &ban), "banned, 1 session ended\n");
    let told = sign(&server, "login", password);
    assert!(told.contains("\"banned\"") && told.contains("UTC: spam"), "{told}");
    assert!(done(&data, &["bans"]).contains("player Anna  until "));
    assert_eq!(done(&data, &["unban", "--account", "Anna"]), "1 ban lifted\n");
    refused(&data, &["unban", "--account", "Anna"], "there is no such ban");
    assert!(sign(&server, "login", password).starts_with("HTTP/1.1 200"));
    refused(&data, &["ban", "--account", "Nobody"], "this player does not exist");
    refused(&data, &["ban", "--address", "0.0.0.0/0"], "too large");
    refused(&data, &["ban", "--name", "x", "--until", "2020-01-01"], "over already");
    let code = done(&data, &["reset-password", "Anna"]);
    let code = code.lines().next().expect("a code");
    let body = format!(r#"{{"name": "Anna", "code": "{code}", "new": "a newer horse battery"}}"#);
    assert!(server.ask("POST", "/api/recover", "", &body).starts_with("HTTP/1.1 200"));
    assert!(sign(&server, "login", "a newer horse battery").starts_with("HTTP/1.1 200"));
    assert_eq!(done(&data, &["registration", "closed"]), "registration: closed\n");
    assert_eq!(done(&data, &["message", "Good evening"]), "shown to 0 clients\n");
    // The key that the command uses is in a file that other users cannot read, and nowhere else.
    let (_, log) = server.end("-TERM");
    assert!(!data.join("castellan.admin").exists());
    assert!(!log.contains(code), "{log}");
    assert!(!log.contains('\u{1b}'), "a log in a file has colors: {log:?}");

    let status = done(&data, &["status"]);
    assert!(status.contains("no server is running") && status.contains("closed"), "{status}");
    done(&data, &ban);
    assert!(done(&data, &["accounts"]).contains("Anna banned"));
    let server = Server::start("serve", &data);
    let told = sign(&server, "login", "a newer horse battery");
    assert!(told.contains("\"banned\""), "{told}");
    server.end("-KILL");
    assert!(data.join("castellan.admin").exists(), "nothing could remove it");
    assert_eq!(done(&data, &["delete-account", "Anna"]), "account deleted\n");
    let log = done(&data, &["--json", "audit"]);
    let log: Value = serde_json::from_str(&log).expect("JSON");
    let actions: Vec<&str> = log["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["action"].as_str().unwrap())
        .collect();
    let expected =
        ["delete-account", "ban", "message", "registration", "reset-password", "unban", "ban"];
    assert_eq!(actions, expected);
}
