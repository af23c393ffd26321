//! Matches between engines that play at random and misbehave on request.

use std::env;
use std::fs;
use std::path::PathBuf;

use castellan_testkit::waiting::wait_until;

use crate::shell::{Ran, castellan};

/// Seconds for a game of two or three moves: a thousand times what engines need that play at
/// random, but short for an engine that never moves.
const SHORT_GAME: &str = "3";

/// Returns the command of a mock engine, which cargo builds as an example together with the tests.
fn mock(behavior: &str) -> String {
    let tests = env::current_exe().expect("the tests are a program");
    let folder = tests.ancestors().nth(2).expect("they lie in a folder beside the examples");
    let path = folder.join("examples").join(format!("match_engine{}", env::consts::EXE_SUFFIX));
    assert!(path.exists(), "{} is an example; cargo builds it without --test", path.display());
    format!("'{}' {behavior}", path.display())
}

/// A temporary file for one test, removed at the end.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn new(name: &str) -> TemporaryFile {
        let name = format!("castellan-match-{}-{name}", std::process::id());
        TemporaryFile(env::temp_dir().join(name))
    }

    fn with(name: &str, content: &str) -> TemporaryFile {
        let file = TemporaryFile::new(name);
        fs::write(&file.0, content).expect("there is a folder for temporary files");
        file
    }

    fn path(&self) -> &str {
        self.0.to_str().expect("the name is plain")
    }

    fn read(&self) -> String {
        fs::read_to_string(&self.0).expect("the match wrote it")
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

const OPENINGS: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n\
    rnbqkbnr/ppp1pppp/8/3p4/3P4/8/PPP1PPPP/RNBQKBNR w KQkq - bm c4; id \"queens\";\n";

#[track_caller]
fn play(a: &str, b: &str, args: &[&str]) -> Ran {
    let (a, b) = (mock(a), mock(b));
    let mut all = vec!["match", "--a", &a, "--b", &b, "--nodes", "1"];
    all.extend(args);
    castellan(&all, b"")
}

/// Returns the words of each of the three lines for programs.
#[track_caller]
fn last_lines(out: &str) -> [Vec<&str>; 3] {
    let lines: Vec<&str> = out.lines().collect();
    let Some(last) = lines.last_chunk::<3>() else { panic!("{out}") };
    last.map(|line| line.split(' ').collect())
}

#[test]
fn a_match_is_played_and_written_in_reversed_pairs() {
    let openings = TemporaryFile::with("pairs.epd", OPENINGS);
    let pgn = TemporaryFile::new("pairs.pgn");
    let args = ["--games", "8", "--concurrency", "3", "--openings", openings.path()];
    let ran = play("fine 1", "fine 2", &[&args[..], &["--pgn", pgn.path()]].concat());
    assert_eq!(ran.code, 0, "{}", ran.err);
    let [score, elo, llr] = last_lines(&ran.out);
    assert_eq!((score[0], score[2]), ("score", "8"));
    assert_eq!(elo[0], "elo");
    assert_eq!(llr, ["llr", "none"]);
    let text = pgn.read();
    let tag = |name: &str| -> Vec<&str> {
        let start = format!("[{name} \"");
        let values = text.lines().filter_map(|line| line.strip_prefix(&start));
        values.filter_map(|line| line.strip_suffix("\"]")).collect()
    };
    assert_eq!(tag("Round"), ["1", "2", "3", "4", "5", "6", "7", "8"]);
    assert_eq!(tag("White")[..2], ["Mock fine (a)", "Mock fine (b)"]);
    let fens = tag("FEN");
    assert_eq!((fens[0], fens[2]), (fens[1], fens[3]));
    assert_ne!(fens[0], fens[2]);
    assert_eq!(fens[0], fens[4], "the openings begin again");
    let checked = castellan(&["pgn", "check", pgn.path()], b"");
    assert_eq!(checked.out.lines().last(), Some("games 8 ok 8 broken 0"));
}

#[test]
fn a_match_goes_on_where_it_stopped() {
    let openings = TemporaryFile::with("resume.epd", OPENINGS);
    let pgn = TemporaryFile::new("resume.pgn");
    let common = ["--openings", openings.path(), "--pgn", pgn.path(), "--games"];
    let with = |games: &'static str| [&common[..], &[games]].concat();
    assert_eq!(play("fine 1", "fine 2", &with("2")).code, 0);
    let first = pgn.read();
    let ran = play("fine 1", "fine 2", &with("4"));
    assert_eq!(ran.err, "continuing after 2 games\n");
    assert_eq!(last_lines(&ran.out)[0][2], "4");
    assert!(pgn.read().starts_with(&first));
    assert_eq!(pgn.read().matches("[Round ").count(), 4);
    let whole = pgn.read();
    let again = play("fine 1", "fine 2", &with("4"));
    assert_eq!(again.out, ran.out, "there is nothing left to play");
    assert_eq!(pgn.read(), whole);
    // Only the incomplete game is played again.
    fs::write(&pgn.0, &whole[..whole.len() - 9]).expect("it can be written");
    let mended = play("fine 1", "fine 2", &with("4"));
    assert_eq!(mended.err, "continuing after 3 games\n");
    assert_eq!(pgn.read().matches("[Round \"4\"]").count(), 1);
}

#[test]
fn the_games_of_another_match_are_not_touched() {
    let pgn = TemporaryFile::new("other.pgn");
    let args = ["--games", "2", "--pgn", pgn.path()];
    assert_eq!(play("fine 1", "fine 2", &args).code, 0);
    let before = pgn.read();
    let ran = play("fine 1", "fine 3", &args);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(ran.err.contains("it was played with other settings: a: "), "{}", ran.err);
    assert_eq!(pgn.read(), before);
}

#[test]
fn faults_lose_are_named_and_counted() {
    for (behavior, fault, said) in [
        ("loud 3", "crash 0, illegal move 0, time loss 1", "no move within"),
        ("deaf 3", "crash 0, illegal move 0, time loss 1", "no move within"),
        ("slow 3", "crash 0, illegal move 0, time loss 1", "no move within"),
        ("crash 3", "crash 1, illegal move 0, time loss 0", "out of luck"),
        (
            "illegal 3",
            "crash 0, illegal move 1, time loss 0",
            "the engine played the illegal move e1e8",
        ),
        ("unreadable 3", "crash 0, illegal move 1, time loss 0", "bestmove castles"),
    ] {
        let pgn = TemporaryFile::new(&format!("{}.pgn", &behavior[..4]));
        let (a, b) = (mock("fine"), mock(behavior));
        let args = ["match", "--a", &a, "--b", &b, "--games", "1", "--tc", SHORT_GAME, "--pgn"];
        let ran = castellan(&[&args[..], &[pgn.path()]].concat(), b"");
        assert_eq!(ran.code, 1, "{behavior}: {}", ran.err);
        let expected = format!("faults of Mock {}: {fault}", &behavior[..behavior.len() - 2]);
        assert!(ran.out.lines().any(|line| line == expected), "{behavior}: {}", ran.out);
        assert!(ran.err.contains(said), "{behavior}: {}", ran.err);
        assert_eq!(last_lines(&ran.out)[0], ["score", "1.0", "1", "1.0000"]);
        assert!(pgn.read().contains("[Termination \""), "{}", pgn.read());
    }
}

#[test]
fn a_crashed_engine_is_started_again() {
    // Each process crashes at its third move, which loses each of the four games.
    let ran = play("crash 3", "fine", &["--games", "4"]);
    assert_eq!(ran.code, 1);
    let expected = "faults of Mock crash: crash 4, illegal move 0, time loss 0";
    assert!(ran.out.lines().any(|line| line == expected), "{}", ran.out);
    assert_eq!(last_lines(&ran.out)[0], ["score", "0.0", "4", "0.0000"]);
}

#[test]
fn time_is_kept() {
    // The engine does move, but too late.
    let (slow, fine) = (mock("sleepy 2 3500"), mock("fine"));
    let args = ["match", "--a", &slow, "--b", &fine, "--games", "1", "--margin", "50", "--tc"];
    let ran = castellan(&[&args[..], &[SHORT_GAME]].concat(), b"");
    assert_eq!(ran.code, 1);
    let expected = "faults of Mock sleepy: crash 0, illegal move 0, time loss 1";
    assert!(ran.out.lines().any(|line| line == expected), "{}{}", ran.out, ran.err);
}

#[test]
fn chess960_is_played_by_its_own_spelling() {
    let pgn = TemporaryFile::new("960.pgn");
    let args = ["--games", "6", "--chess960", "--seed", "7", "--pgn", pgn.path()];
    let ran = play("fine 1", "fine 2", &args);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(pgn.read().matches("[Variant \"Chess960\"]").count(), 6);
    let checked = castellan(&["pgn", "check", pgn.path()], b"");
    assert_eq!(checked.out.lines().last(), Some("games 6 ok 6 broken 0"));
}

#[test]
fn a_test_ends_once_it_is_decided() {
    let ran = play("crash 1", "fine", &["--games", "10000", "--sprt", "-10,10"]);
    assert_eq!(ran.code, 1);
    let [score, _, llr] = last_lines(&ran.out);
    assert_eq!(llr[2..], ["-2.944", "2.944", "rejected"]);
    let games: u32 = score[2].parse().expect("it is a number");
    assert!(games < 1000, "{games}");
}

#[test]
fn an_invalid_match_is_refused_before_it_begins() {
    let fine = mock("fine");
    let missing = "error: engine /nowhere/engine: cannot start /nowhere/engine: ";
    for (args, expected) in [
        (&["--b", &fine, "--nodes", "1", "--a", "/nowhere/engine"][..], missing),
        (&["--a", &fine, "--b", &fine], "error: the following required arguments"),
        (&["--a", &fine, "--b", &fine, "--tc", "1", "--nodes", "1"], "error: the argument"),
        (&["--a", &fine, "--b", &fine, "--tc", "x"], "error: invalid value 'x'"),
        (&["--a", &fine, "--b", &fine, "--nodes", "1", "--sprt", "5,0"], "error: invalid value"),
        (&["--a", "'x", "--b", &fine, "--nodes", "1"], "error: invalid value"),
        (
            &["--a", &fine, "--b", &fine, "--nodes", "1", "--openings", "/nowhere/book.epd"],
            "error: cannot read /nowhere/book.epd: ",
        ),
    ] {
        let args: Vec<&str> = ["match"].iter().chain(args).copied().collect();
        let ran = castellan(&args, b"");
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{args:?}");
        assert!(ran.err.starts_with(expected), "{args:?}: {}", ran.err);
    }
    let ran = play("fine", "fine", &["--option-a", "Contempt=5"]);
    assert!(ran.err.ends_with("the engine has no option \"Contempt\"\n"), "{}", ran.err);
    let ran = play("fine", "fine", &["--hash", "65"]);
    assert!(ran.err.contains("option \"Hash\" cannot be \"65\""), "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_match_with_the_results_so_far() {
    use std::process::Command;

    let pgn = TemporaryFile::new("interrupt.pgn");
    let (a, b) = (mock("fine 1"), mock("fine 2"));
    let args = ["match", "--a", &a, "--b", &b, "--nodes", "1", "--games", "1000000", "--pgn"];
    let args = [&args[..], &[pgn.path()]].concat();
    let child = crate::shell::binary(&args).spawn().expect("the binary was built for this test");
    wait_until("a game is written", || pgn.0.exists() && !pgn.read().is_empty());
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-INT", &id]).status().expect("there is a kill").success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0));
    let out = String::from_utf8(output.stdout).expect("it is text");
    let games = pgn.read().matches("[Round ").count().to_string();
    assert_eq!(last_lines(&out)[0][2], games);
}
