//! Tests of the binary, run as a user runs it.

#[cfg(unix)]
mod admin;
#[cfg(unix)]
mod backup;
mod certificate;
#[cfg(unix)]
mod crash;
mod dead;
#[cfg(unix)]
mod failover;
mod fen;
#[cfg(target_os = "linux")]
mod full_disk;
#[cfg(unix)]
mod mail;
mod match_command;
#[cfg(unix)]
mod migrate;
#[cfg(unix)]
mod nats;
#[cfg(unix)]
mod nodes;
mod operations;
mod packaging;
mod perft;
mod pgn;
mod play;
#[cfg(target_os = "linux")]
mod power_loss;
mod puzzles;
mod serve;
mod shell;

use shell::castellan;

#[test]
fn help_is_everywhere_and_has_an_example() {
    for command in [
        "", "play", "serve", "admin", "backup", "restore", "migrate", "fen", "dead", "perft",
        "puzzles", "uci", "bench", "match",
    ] {
        let args: Vec<&str> = command.split_terminator(' ').chain(["--help"]).collect();
        let ran = castellan(&args, b"");
        assert_eq!(ran.code, 0, "{command}");
        assert!(ran.out.contains("Example"), "{command}: {}", ran.out);
        assert_eq!(ran.err, "", "{command}");
    }
}

#[test]
fn the_commands_that_the_readme_shows_exist() {
    let readme = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = std::fs::read_to_string(readme).expect("the readme");
    // Every other piece between fences is a block.
    let blocks = readme.split("```").skip(1).step_by(2);
    let shown = blocks.flat_map(str::lines).filter_map(|line| line.strip_prefix("castellan "));
    let shown: Vec<&str> = shown.filter_map(|call| call.split(' ').next()).collect();
    assert!(shown.len() > 8, "{shown:?}");
    let help = castellan(&["--help"], b"").out;
    for command in shown {
        let is_listed = help.lines().any(|line| line.starts_with(&format!("  {command} ")));
        assert!(is_listed, "`castellan {command}` is in the readme, but not in:\n{help}");
    }
}

#[test]
fn the_version_is_printed() {
    let ran = castellan(&["--version"], b"");
    assert_eq!(ran.out, format!("castellan {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(ran.code, 0);
}

#[test]
fn invalid_arguments_exit_with_2_and_go_to_standard_error() {
    for args in [
        &["nonsense"][..],
        &["perft"],
        &["perft", "-1"],
        &["perft", "31"],
        &["perft", "x"],
        &["perft", "1", "--threads", "0"],
        &["perft", "1", "--threads", "257"],
        &["perft", "1", "--fen", "8/8/8/8/8/8/8/8 w - - 0 1"],
        &["fen", "--lang", "xx", "4k3/8/8/8/8/8/8/4K3 w - -"],
        &["fen", "--effort", "huge", "4k3/8/8/8/8/8/8/4K3 w - -"],
        &["fen", "--time", "0", "4k3/8/8/8/8/8/8/4K3 w - -"],
        &["fen", "--json", "--svg", "board.svg"],
        &["dead"],
        &["dead", "not a fen"],
        &["play", "--terminal", "--chess960", "960"],
        &["play", "--terminal", "--chess960", "5", "--fen", "4k3/8/8/8/8/8/8/4K3 w - -"],
        &["play", "--terminal", "--fen", "not a fen"],
        &["play", "--terminal", "--no-open"],
        &["play", "--fen", "4k3/8/8/8/8/8/8/4K3 w - -"],
        &["play", "--listen", "nowhere"],
        &["puzzles", "--nodes", "999"],
        &["puzzles", "--max", "0"],
        &["puzzles", "--games", "0"],
        &["puzzles", "--threads", "0"],
        &["puzzles", "--output", "/nowhere/puzzles.pgn"],
        &["admin", "ban"],
        &["admin", "ban", "--account", "a", "--address", "192.0.2.1"],
        &["admin", "ban", "--account", "a", "--for", "x"],
        &["admin", "ban", "--account", "a", "--for", "1d", "--until", "2027-01-01"],
        &["admin", "delete-game", "x"],
        &["admin", "--data", "/nowhere", "status"],
        &["backup"],
        &["backup", "--data", "/nowhere", "new.db"],
        &["restore", "--data", "target", "/nowhere/old.db"],
        &["migrate", "--data", "/nowhere"],
        &["migrate", "--data", "a", "--database", "postgres://127.0.0.1/b"],
        &["serve", "--keep-chat", "-1"],
        &["serve", "--listen", "127.0.0.1"],
        &["serve", "--engine-threads", "257"],
        &["serve", "--engine-share", "0"],
        &["serve", "--max-sockets", "0"],
        &["serve", "--readers", "x"],
        &["serve", "--origin", "chess.example.org"],
        &["serve", "--data", "a", "--database", "postgres://127.0.0.1/b"],
        &["serve", "--data", "Cargo.toml"],
        &["serve", "--data", "a", "--bus", "nats://127.0.0.1:4222"],
        &["serve", "--database", "postgres://127.0.0.1/b", "--bus", "127.0.0.1:4222"],
    ] {
        let ran = castellan(args, b"");
        assert_eq!(ran.code, 2, "{args:?}");
        assert_eq!(ran.out, "", "{args:?}");
        assert!(ran.err.starts_with("error: "), "{args:?}: {}", ran.err);
    }
}
