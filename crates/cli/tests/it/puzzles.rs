//! `castellan puzzles`: the same puzzles however the work is divided, interrupted and continued.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::shell::{Ran, castellan};

/// Two games with mistakes, one without, and one that begins in a given position.
const GAMES: &str = "[Event \"Paris\"]\n[White \"Legal\"]\n[Black \"Saint Brie\"]\n\n\
    1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 g6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0\n\n\
    [Event \"School\"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0\n\n\
    [Event \"Quiet\"]\n\n1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 1/2-1/2\n\n\
    [Event \"Rank\"]\n[FEN \"6k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1\"]\n\n1... h6 2. Rd8+ Kh7 *\n\n\
    [Event \"Rank again\"]\n[FEN \"6k1/5ppp/8/8/8/8/1r3PPP/3R2K1 b - - 0 1\"]\n\n1... Rb8 2. h3 *\n\n\
    [Event \"Forgotten\"]\n[FEN \"3r2k1/5ppp/8/8/8/8/r4PPP/3R2K1 b - - 0 1\"]\n\n1... Ra8 2. Rxd8+ *\n\n";

struct Folder(TempDir);

impl Folder {
    fn new(games: &str) -> Folder {
        let folder = Folder(TempDir::new().expect("there is room"));
        fs::write(folder.0.path().join("games.pgn"), games).expect("there is room");
        folder
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("the name is plain").to_owned()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).expect("the run wrote it")
    }

    /// Makes puzzles with little effort.
    fn run(&self, words: &[&str]) -> Ran {
        let games = self.path("games.pgn");
        castellan(&[&["puzzles", &games, "--nodes", "1000"], words].concat(), b"")
    }
}

#[test]
fn puzzles_are_the_same_with_any_number_of_threads() {
    let folder = Folder::new(&GAMES.repeat(2));
    let one = folder.run(&["--threads", "1"]);
    assert_eq!(one.code, 0, "{}", one.err);
    assert!(
        one.out.contains("[Event \"School\"]") && one.out.contains("4. Qxf7# *"),
        "{}",
        one.out
    );
    assert!(one.out.contains("[Themes \"mate_in_1\"]"), "{}", one.out);
    assert!(one.out.contains("[Mistake \"Nf6\"]\n") && one.out.contains("[SourcePly \"6\"]"));
    // The games of the second half are all duplicates.
    let counts: Vec<&str> = one.err.trim().split(' ').collect();
    assert_eq!((counts[1], counts[3]), ("12", counts[5]), "{}", one.err);
    let three = folder.run(&["--threads", "3"]);
    assert_eq!((&three.out, &three.err), (&one.out, &one.err));
    // The output is PGN with legal moves.
    let checked = castellan(&["pgn", "check"], one.out.as_bytes());
    assert_eq!(checked.out, format!("games {0} ok {0} broken 0\n", counts[3]));

    let json = folder.run(&["--json"]);
    let lines: Vec<serde_json::Value> =
        json.out.lines().map(|line| serde_json::from_str(line).expect("it is JSON")).collect();
    assert_eq!(lines.len().to_string(), counts[3]);
    let school =
        lines.iter().find(|line| line["source"]["event"] == "School").expect("it is there");
    assert_eq!(school["moves"], serde_json::json!(["h5f7"]));
    assert_eq!(school["san"], serde_json::json!(["Qxf7#"]));
    assert_eq!(school["themes"], serde_json::json!(["mate_in_1"]));
    assert_eq!((&school["source"]["game"], &school["source"]["ply"]), (&2.into(), &6.into()));
}

#[test]
fn a_run_in_parts_gives_the_same_file_as_one_run() {
    for format in [&[][..], &["--json"]] {
        let folder = Folder::new(GAMES);
        let (whole, parts) = (folder.path("whole"), folder.path("parts"));
        let run = |words: &[&str]| folder.run(&[format, words].concat());
        assert_eq!(run(&["-o", &whole]).code, 0);
        assert!(!Path::new(&folder.path("whole.state")).exists(), "the run is complete");
        for _ in 0..3 {
            assert_eq!(run(&["-o", &parts, "--games", "2"]).code, 0);
            // What an interrupted run has written after its last whole game is cut off.
            let longer = folder.read("parts") + "[Event \"Cut o";
            fs::write(&parts, longer).expect("there is room");
        }
        let last = run(&["-o", &parts]);
        assert_eq!(last.err, "continuing after 6 games\n");
        assert_eq!(folder.read("parts"), folder.read("whole"));
        assert!(!Path::new(&folder.path("parts.state")).exists());

        // A limit on puzzles can be raised later.
        let some = folder.path("some");
        assert_eq!(run(&["-o", &some, "--max", "1"]).code, 0);
        assert_ne!(folder.read("some"), folder.read("whole"));
        assert_eq!(run(&["-o", &some]).code, 0);
        assert_eq!(folder.read("some"), folder.read("whole"));
    }
}

#[test]
fn only_the_same_run_continues_a_file() {
    let folder = Folder::new(GAMES);
    let out = folder.path("out");
    assert_eq!(folder.run(&["-o", &out, "--games", "1"]).code, 0);
    let written = folder.read("out");
    let other = folder.run(&["-o", &out, "--json"]);
    assert_eq!(other.code, 2);
    assert!(
        other.err.contains("it was begun with other settings: pgn, 1000 nodes"),
        "{}",
        other.err
    );
    assert_eq!(folder.run(&["-o", &out]).code, 0);
    // A complete file is not overwritten.
    assert_eq!(folder.run(&["-o", &out]).code, 2);
    assert!(folder.read("out").starts_with(&written));
    fs::write(folder.path("bad.state"), "nonsense").expect("there is room");
    let bad = folder.run(&["-o", &folder.path("bad")]);
    assert!(bad.code == 2 && bad.err.contains("remove it and the output"), "{}", bad.err);
    let missing = castellan(&["puzzles", &folder.path("missing.pgn")], b"");
    assert!(missing.code == 2 && missing.err.contains("missing.pgn"), "{}", missing.err);
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_continues_and_gives_the_same_file() {
    use std::process::Command;

    use castellan_testkit::waiting::wait_until;

    let folder = Folder::new(&GAMES.repeat(10));
    let (whole, parts) = (folder.path("whole"), folder.path("parts"));
    assert_eq!(folder.run(&["-o", &whole]).code, 0);
    let games = folder.path("games.pgn");
    let words = ["puzzles", &games, "--nodes", "1000", "-o", &parts];
    let child = crate::shell::binary(&words).spawn().expect("the binary was built for this test");
    let id = child.id().to_string();
    wait_until("a game is done", || Path::new(&folder.path("parts.state")).exists());
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("there is a kill").success());
    let ended = child.wait_with_output().expect("it ends");
    let err = String::from_utf8_lossy(&ended.stderr).into_owned();
    // A fast machine may be done before the signal arrives.
    if ended.status.code() != Some(0) {
        assert_eq!(ended.status.code(), Some(2), "{err}");
        assert!(err.contains("run the same command again to continue"), "{err}");
        assert_eq!(folder.run(&["-o", &parts]).code, 0);
    }
    assert_eq!(folder.read("parts"), folder.read("whole"));
}
