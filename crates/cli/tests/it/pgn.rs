//! `castellan pgn`.

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::process::Command;

use serde_json::Value;

use crate::shell::{binary, castellan};

/// Three games: a complete one, one with an illegal move, and one in a nonstandard spelling.
const GAMES: &str = "\
[Event \"One\"]
[White \"Abel\"]
[Black \"Beth\"]
[Result \"1-0\"]

1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0

[Event \"Two\"]
[White \"Abel\"]
[Black \"Cain\"]
[Result \"0-1\"]

1. e4 e5 2. Ke3 Nf6 0-1

[Event \"Three\"]
[White \"Beth\"]
[Black \"?\"]
[Result \"1/2-1/2\"]

1. Nf3 d5 2. g3 Nf6 3. Bg2 g6 4. 0-0 Bg7 1/2-1/2
";

fn objects(out: &str) -> Vec<Value> {
    out.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
}

/// Creates a temporary file for one test.
fn file(name: &str, content: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, content).expect("the folder is for tests");
    path
}

fn path_text(path: &std::path::Path) -> &str {
    path.to_str().expect("the target folder has a name in UTF-8")
}

/// Returns many games, with broken ones far apart.
fn many_games(count: usize) -> String {
    (0..count).map(|i| if i % 500 == 250 { GAMES } else { whole_game() }).collect()
}

/// Returns games that fill blocks and memory with few moves: each has a comment of 1,000 bytes.
fn commented_games(count: usize) -> String {
    let commented = whole_game().replace("e4 e5", &format!("e4 {{{}}} e5", "x".repeat(1000)));
    let game = |at| if at % 500 == 250 { GAMES } else { &commented };
    (0..count).map(game).collect()
}

fn whole_game() -> &'static str {
    let end = GAMES.find("[Event \"Two\"]").expect("there are three games");
    &GAMES[..end]
}

#[test]
fn help_has_an_example() {
    for words in [&["pgn"][..], &["pgn", "check"], &["pgn", "format"], &["pgn", "stats"]] {
        let ran = castellan(&[words, &["--help"]].concat(), b"");
        assert_eq!(ran.code, 0, "{words:?}");
        assert!(ran.out.contains("Example"), "{words:?}: {}", ran.out);
    }
}

#[test]
fn a_broken_game_is_listed_with_its_place() {
    let ran = castellan(&["pgn", "check"], GAMES.as_bytes());
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!((ran.code, lines.len()), (1, 2), "{}", ran.out);
    assert!(lines[0].starts_with("stdin:13:13: Ke3: illegal move: "), "{}", lines[0]);
    assert!(lines[0].ends_with(" (Abel - Cain)"), "{}", lines[0]);
    assert_eq!(lines[1], "games 3 ok 2 broken 1");
    assert_eq!(ran.err, "");
}

#[test]
fn whole_games_give_0() {
    let ran = castellan(&["pgn", "check", "-"], whole_game().as_bytes());
    assert_eq!((ran.code, ran.out.as_str()), (0, "games 1 ok 1 broken 0\n"));
    let ran = castellan(&["pgn", "check"], b"");
    assert_eq!((ran.code, ran.out.as_str()), (0, "games 0 ok 0 broken 0\n"));
}

#[test]
fn strict_lists_what_was_forgiven() {
    let ran = castellan(&["pgn", "check", "--strict"], GAMES.as_bytes());
    let castling = "stdin:20:34: 0-0: castling is written O-O or O-O-O (Beth - ?)";
    assert!(ran.out.lines().any(|line| line == castling), "{}", ran.out);
    assert!(ran.out.ends_with("games 3 ok 2 broken 1\n"), "{}", ran.out);
    let forgiven = &GAMES[GAMES.find("[Event \"Three\"]").unwrap()..];
    let check = |words: &[&str]| castellan(words, forgiven.as_bytes()).code;
    assert_eq!(check(&["pgn", "check"]), 0);
    assert_eq!(check(&["pgn", "check", "--strict"]), 1);
}

#[test]
fn json_says_the_same() {
    let ran = castellan(&["pgn", "check", "--json"], GAMES.as_bytes());
    let objects = objects(&ran.out);
    let [finding, counts] = &objects[..] else { panic!("{}", ran.out) };
    assert_eq!(finding["file"], "stdin");
    assert_eq!((&finding["line"], &finding["column"]), (&13.into(), &13.into()));
    assert_eq!((&finding["token"], &finding["severity"]), (&"Ke3".into(), &"broken".into()));
    assert_eq!((&finding["white"], &finding["black"]), (&"Abel".into(), &"Cain".into()));
    assert_eq!(counts, &serde_json::json!({ "games": 3, "ok": 2, "broken": 1 }));
    assert_eq!(ran.code, 1);
}

#[test]
fn compressed_files_are_recognized_by_their_content() {
    let expected = castellan(&["pgn", "format"], GAMES.as_bytes()).out;
    let mut gzip = Vec::new();
    let mut bzip2 = Vec::new();
    flate2::read::GzEncoder::new(GAMES.as_bytes(), flate2::Compression::best())
        .read_to_end(&mut gzip)
        .unwrap();
    bzip2::read::BzEncoder::new(GAMES.as_bytes(), bzip2::Compression::best())
        .read_to_end(&mut bzip2)
        .unwrap();
    let zstd = zstd::encode_all(GAMES.as_bytes(), 19).unwrap();
    for packed in [&gzip, &bzip2, &zstd] {
        assert_eq!(castellan(&["pgn", "format"], packed).out, expected);
        let path = file("misnamed.pgn", packed);
        assert_eq!(castellan(&["pgn", "format", path_text(&path)], b"").out, expected);
    }
}

#[test]
fn several_files_are_read_in_order() {
    let (one, two) = (file("one.pgn", GAMES.as_bytes()), file("two.pgn", GAMES.as_bytes()));
    let (one, two) = (path_text(&one), path_text(&two));
    let ran = castellan(&["pgn", "check", one, "-", two], GAMES.as_bytes());
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 4, "{}", ran.out);
    for (line, file) in lines.iter().zip([one, "stdin", two]) {
        assert!(line.starts_with(&format!("{file}:13:13: Ke3: ")), "{line}");
    }
    assert_eq!(lines[3], "games 9 ok 6 broken 3");
}

#[test]
fn a_missing_file_is_2_and_the_others_are_read() {
    let good = file("good.pgn", GAMES.as_bytes());
    let ran = castellan(&["pgn", "check", "no/such/file", path_text(&good)], b"");
    assert_eq!(ran.code, 2);
    assert!(ran.err.starts_with("error: no/such/file: "), "{}", ran.err);
    assert!(ran.out.ends_with("games 3 ok 2 broken 1\n"), "{}", ran.out);
}

#[test]
fn a_packed_file_that_is_cut_off_is_2() {
    let packed = zstd::encode_all(many_games(5000).as_bytes(), 3).unwrap();
    let ran = castellan(&["pgn", "check"], &packed[..packed.len() - 8]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.starts_with("error: stdin: "), "{}", ran.err);
    assert!(!ran.out.contains("games 0"), "what came before the cut is checked: {}", ran.out);
}

#[test]
fn any_number_of_threads_says_the_same() {
    // Seven blocks, more than there are threads.
    let games = commented_games(7_000);
    for command in [&["check"][..], &["check", "--json", "--strict"], &["format"], &["stats"]] {
        let run = |threads| {
            let words = [&["pgn"], command, &["--threads", threads]].concat();
            castellan(&words, games.as_bytes())
        };
        let alone = run("1");
        for threads in ["2", "5"] {
            let together = run(threads);
            assert!(alone.out == together.out, "{command:?}");
            assert!(alone.err == together.err, "{command:?}");
            assert_eq!(alone.code, together.code, "{command:?}");
        }
    }
}

#[test]
fn format_writes_the_standard_and_reports_what_is_broken() {
    let ran = castellan(&["pgn", "format"], GAMES.as_bytes());
    assert_eq!(ran.code, 1);
    assert!(ran.err.starts_with("stdin:13:13: Ke3: illegal move: "), "{}", ran.err);
    assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
    let tags = "[Event \"One\"]\n[Site \"?\"]\n[Date \"????.??.??\"]\n[Round \"?\"]\n";
    assert!(ran.out.starts_with(tags), "{}", ran.out);
    assert!(ran.out.contains("\n\n1. e4 e5 0-1\n"), "the start is kept: {}", ran.out);
    assert!(ran.out.contains(" 4. O-O Bg7 1/2-1/2\n"), "{}", ran.out);
    let again = castellan(&["pgn", "format"], ran.out.as_bytes());
    assert_eq!((again.code, &again.out, again.err.as_str()), (0, &ran.out, ""));
    assert_eq!(castellan(&["pgn", "check", "--strict"], ran.out.as_bytes()).code, 0);
}

#[test]
fn stats_count() {
    let ran = castellan(&["pgn", "stats", "--json"], GAMES.as_bytes());
    assert_eq!(ran.code, 0);
    let stats: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(
        stats,
        serde_json::json!({
            "games": 3, "broken": 1, "plies": 17, "average_plies": 5.67,
            "results": { "white": 1, "black": 1, "draw": 1, "open": 0 },
            "players": {
                "count": 3, "is_limit_reached": false,
                "top": [
                    { "name": "Abel", "games": 2 },
                    { "name": "Beth", "games": 2 },
                    { "name": "Cain", "games": 1 },
                ],
            },
            "openings": {
                "count": 3,
                "top": [
                    { "eco": "A05", "name": "King's Indian Attack", "games": 1 },
                    { "eco": "C20", "name": "King's Pawn Game", "games": 1 },
                    { "eco": "C23", "name": "Bishop's Opening", "games": 1 },
                ],
            },
            "longest": [
                { "plies": 8, "white": "Beth", "black": "", "file": "stdin", "line": 15 },
                { "plies": 7, "white": "Abel", "black": "Beth", "file": "stdin", "line": 1 },
                { "plies": 2, "white": "Abel", "black": "Cain", "file": "stdin", "line": 8 },
            ],
        })
    );
}

#[test]
fn stats_are_for_people_too() {
    let ran = castellan(&["pgn", "stats"], GAMES.as_bytes());
    let head = "games    3, 1 of them broken\nplies    17, 5.7 per game\n\
        results  1-0 1, 0-1 1, 1/2-1/2 1, * 0\n\nplayers  3\n        2  Abel\n";
    assert!(ran.out.starts_with(head), "{}", ran.out);
    assert!(ran.out.ends_with("        2 plies  Abel - Cain  stdin:8\n"), "{}", ran.out);
    assert_eq!(castellan(&["pgn", "stats"], b"").code, 0);
}

#[test]
fn invalid_arguments_exit_with_2() {
    for words in [&["pgn"][..], &["pgn", "check", "--threads", "0"], &["pgn", "nonsense"]] {
        assert_eq!(castellan(words, b"").code, 2, "{words:?}");
    }
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let games = file("many.pgn", many_games(40_000).as_bytes());
    let mut child = binary(&["pgn", "format", path_text(&games)]).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// Returns the peak memory use of a run on a file in kilobytes, as counted by the kernel.
fn peak_memory_kb(command: &str, path: &str) -> Option<u64> {
    // Only memory of the program itself counts: how much of a large test binary is mapped depends on
    // the kernel.
    let mut child = Command::new(env!("CARGO_BIN_EXE_castellan"))
        .args(["pgn", command, "--threads", "4", path])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("the binary was built for this test");
    let mut peak = None;
    while child.try_wait().expect("it can be waited for").is_none() {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok();
        let line =
            status.as_deref().and_then(|text| text.lines().find(|l| l.starts_with("RssAnon")));
        let now = line.and_then(|line| line.split_whitespace().nth(1)?.parse().ok());
        peak = peak.max(now);
        // Polling without a pause would use as much of a processor as reading the file.
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    peak
}

/// Three games of the maximum length, with only moves, comments or variations.
fn hostile_games(line: &str) -> String {
    let game = format!("[Event \"?\"]\n\n{} 1-0\n\n", line.repeat(8_000_000 / line.len()));
    game.repeat(3)
}

#[test]
fn hostile_games_need_little_memory_and_come_to_an_end() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let lines = [
        "Nf3\nNf6\nNg1\nNg8\n",
        "Nf3{a}\nNf6{b}\nNg1{c}\nNg8{d}\n",
        "e4 e5 (e6 (d6 $1) a6)\nNf3 Nf6\nNg1 Ng8\n",
    ];
    for (name, line) in ["moves", "comments", "variations"].into_iter().zip(lines) {
        let path = file(&format!("hostile-{name}.pgn"), hostile_games(line).as_bytes());
        // All three commands read in the same way; `format` also keeps the games in memory.
        let commands =
            if name == "variations" { &["check", "format", "stats"][..] } else { &["format"] };
        for command in commands {
            let peak = peak_memory_kb(command, path_text(&path)).expect("it runs long enough");
            assert!(peak < 64 * 1024, "{name}: {command}: {peak} kB");
        }
        fs::remove_file(path).unwrap();
    }
}

#[test]
fn a_large_file_needs_little_memory() {
    if !cfg!(target_os = "linux") {
        return;
    }
    let path = file("large.pgn", commented_games(90_000).as_bytes());
    for command in ["check", "format", "stats"] {
        let peak = peak_memory_kb(command, path_text(&path)).expect("it runs long enough");
        assert!(peak < 64 * 1024, "{command}: {peak} kB");
    }
    fs::remove_file(path).unwrap();
}
