//! `castellan backup` and `castellan restore`, around a server that runs.

use std::fs;
use std::path::Path;

use crate::serve::Server;
use crate::shell::{Ran, castellan};

fn text(path: &Path) -> &str {
    path.to_str().expect("the folder has a plain name")
}

fn backup(data: &Path, file: &Path) -> Ran {
    castellan(&["backup", "--data", text(data), text(file)], b"")
}

fn restore(data: &Path, file: &Path, options: &[&str]) -> Ran {
    castellan(&[&["restore", "--data", text(data), text(file)], options].concat(), b"")
}

/// Creates an account. Returns `true` if the name was free.
fn register(server: &Server, name: &str) -> bool {
    let body = format!(r#"{{"name": "{name}", "password": "correct horse battery"}}"#);
    let answer = server.ask("POST", "/api/register", "", &body);
    assert!(answer.starts_with("HTTP/1.1 200") || answer.contains("name_taken"), "{answer}");
    answer.starts_with("HTTP/1.1 200")
}

#[test]
fn a_backup_of_a_running_server_has_everything_it_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file) = (folder.path().join("data"), folder.path().join("backup.db"));
    let server = Server::start("serve", &data);
    assert!(register(&server, "Anna"));
    let ran = backup(&data, &file);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.starts_with("backed up 0 games and 1 account to "), "{}", ran.out);
    assert!(register(&server, "Boris"), "the server goes on");
    let again = backup(&data, &file);
    assert_eq!(again.code, 2);
    assert!(again.err.contains("already exists"), "{}", again.err);
    let refused = restore(&data, &file, &["--replace"]);
    assert!(refused.err.contains("is in use by"), "{}", refused.err);
    server.end("-KILL");
    let refused = restore(&data, &file, &[]);
    assert!(refused.err.contains("castellan.db already exists"), "{}", refused.err);
    let ran = restore(&data, &file, &["--replace"]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    assert!(ran.out.starts_with("restored 0 games and 1 account to "), "{}", ran.out);
    let server = Server::start("serve", &data);
    assert!(!register(&server, "Anna"), "what was backed up is there");
    assert!(register(&server, "Boris"), "and what came later is not");
    let (_, log) = server.end("-TERM");
    assert!(!log.contains("WARN"), "{log}");
    // The database that was replaced is kept, with its log.
    let kept = folder.path().join("kept");
    fs::create_dir(&kept).unwrap();
    for suffix in ["", "-wal"] {
        let old = data.join(format!("castellan.db.before-restore{suffix}"));
        fs::rename(old, kept.join(format!("castellan.db{suffix}"))).unwrap();
    }
    let server = Server::start("serve", &kept);
    assert!(!register(&server, "Boris"));
}

#[test]
fn a_new_folder_starts_from_a_backup() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file) = (folder.path().join("data"), folder.path().join("backup.db"));
    let server = Server::start("serve", &data);
    assert!(register(&server, "Anna"));
    server.end("-TERM");
    assert_eq!(backup(&data, &file).code, 0, "a server that is stopped is backed up, too");
    let new = folder.path().join("new/data");
    assert_eq!(restore(&new, &file, &[]).code, 0);
    let server = Server::start("serve", &new);
    assert!(!register(&server, "Anna"));
}

#[test]
fn a_file_that_is_not_a_backup_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (data, file) = (folder.path().join("data"), folder.path().join("backup.db"));
    fs::write(&file, "not a database, but long enough to look like something".repeat(100)).unwrap();
    let ran = restore(&data, &file, &[]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("is not a Castellan database"), "{}", ran.err);
    let left: Vec<_> = fs::read_dir(&data).unwrap().map(|it| it.unwrap().file_name()).collect();
    assert_eq!(left, ["castellan.db.lock"], "the lock is there for the next server");
}

/// An operator copies the file of a running server, and not its log.
#[test]
fn a_plain_copy_of_a_running_database_is_warned_about() {
    let folder = tempfile::tempdir().unwrap();
    let (data, copy) = (folder.path().join("data"), folder.path().join("copy"));
    let server = Server::start("serve", &data);
    assert!(register(&server, "Anna"));
    fs::create_dir(&copy).unwrap();
    fs::copy(data.join("castellan.db"), copy.join("castellan.db")).unwrap();
    let second = Server::start("serve", &copy);
    let (_, log) = second.end("-TERM");
    assert!(log.contains("the file ending in -wal is missing"), "{log}");
    // A copy that failed leaves an empty file.
    let empty = folder.path().join("empty");
    fs::create_dir(&empty).unwrap();
    fs::write(empty.join("castellan.db"), "").unwrap();
    let (_, log) = Server::start("serve", &empty).end("-TERM");
    assert!(log.contains("is an empty file"), "{log}");
    let (_, log) = Server::start("serve", &empty).end("-TERM");
    assert!(!log.contains("is an empty file"), "{log}");
    // Neither a server that was killed nor one that was stopped has lost anything.
    server.end("-KILL");
    for signal in ["-TERM", "-TERM"] {
        let server = Server::start("serve", &data);
        assert!(!register(&server, "Anna"));
        let (_, log) = server.end(signal);
        assert!(!log.contains("-wal"), "{log}");
    }
}
