//! Sessions with the engine, from input text to output text.

use std::io::{BufReader, Read};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use castellan_testkit::network::{NetworkShape, PlainNetwork};
use castellan_testkit::random::SplitMix64;
use castellan_testkit::waiting::LIMIT;

use super::*;

/// Returns the replies to some lines, after which the input ends.
fn answers(input: &str) -> Vec<String> {
    let mut output = Vec::new();
    run_session(&mut input.as_bytes(), &mut output).unwrap();
    String::from_utf8(output).unwrap().lines().map(str::to_owned).collect()
}

/// Returns the move of the last reply, which must be a `bestmove`.
#[track_caller]
fn best_move(input: &str) -> String {
    let answers = answers(input);
    let last = answers.last().expect("something is answered");
    let best = last.strip_prefix("bestmove ").unwrap_or_else(|| panic!("{answers:?}"));
    best.split(' ').next().unwrap_or_default().to_owned()
}

#[test]
fn the_engine_introduces_itself() {
    let answers = answers("uci\nisready\nquit\nisready\n");
    assert!(answers[0].starts_with("id name Castellan "));
    assert!(answers.contains(&"option name Hash type spin default 16 min 1 max 32768".to_owned()));
    assert!(answers.contains(&"option name UCI_Chess960 type check default false".to_owned()));
    assert_eq!(answers[answers.len() - 2..], ["uciok", "readyok"]);
}

#[test]
fn every_search_ends_with_one_move_even_if_the_input_ends() {
    for go in ["go depth 3", "go", "go infinite", "go nodes 500", "go movetime 50", "go mate 1"] {
        let answers = answers(&format!("position startpos moves e2e4\n{go}\n"));
        let moves = answers.iter().filter(|line| line.starts_with("bestmove ")).count();
        assert_eq!(moves, 1, "{go}: {answers:?}");
    }
}

#[test]
fn castling_is_spelled_as_it_was_asked_for() {
    let castle = "position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1\n";
    let go = "go depth 1 searchmoves e1g1\n";
    assert_eq!(best_move(&format!("{castle}{go}")), "e1g1");
    let option = "setoption name UCI_Chess960 value true\n";
    assert_eq!(best_move(&format!("{option}{castle}{go}")), "e1h1");
    // The usual notation is not used where it would be ambiguous.
    let other = "position fen 4k3/8/8/8/8/8/8/3K2R1 w G - 0 1\n";
    assert_eq!(best_move(&format!("{other}go depth 1 searchmoves d1g1\n")), "d1g1");
}

#[test]
fn chances_are_shown_when_asked_for() {
    let go = "position startpos\ngo depth 4\n";
    let has_chances = |input: &str| answers(input).iter().any(|line| line.contains(" wdl "));
    assert!(!has_chances(go));
    assert!(has_chances(&format!("setoption name UCI_ShowWDL value true\n{go}")));
}

#[test]
fn a_position_without_moves_has_no_best_move() {
    let mate = "position startpos moves f2f3 e7e5 g2g4 d8h4\ngo depth 3\n";
    assert_eq!(best_move(mate), "(none)");
}

/// Returns the score of the first iteration, which a search completes even if the input ends.
fn score_after(lines: &str) -> String {
    let answers = answers(&format!("{lines}position startpos moves e2e4\ngo depth 1\n"));
    let last = answers.iter().rev().find(|line| line.contains(" score ")).expect("a report");
    let score = last.split(" score ").nth(1).expect("a score");
    score.split(' ').take(2).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_network_is_loaded_and_put_aside_again() {
    let shape = NetworkShape { hidden: 64, king_buckets: 2 };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a network.nnue");
    std::fs::write(&file, PlainNetwork::material(shape).to_file()).unwrap();
    let load = format!("setoption name EvalFile value {}\n", file.display());
    let (by_hand, internal) =
        (score_after("setoption name UseNNUE value false\n"), score_after(""));
    let loaded = score_after(&load);
    assert_ne!(loaded, by_hand);
    assert_eq!(score_after(&format!("{load}setoption name UseNNUE value false\n")), by_hand);
    assert_eq!(score_after(&format!("{load}setoption name EvalFile value <internal>\n")), internal);
    // A file that cannot be read leaves the network unchanged.
    std::fs::write(folder.path().join("bad"), b"CASTNNUE").unwrap();
    let bad = format!("setoption name EvalFile value {}\n", folder.path().join("bad").display());
    assert_eq!(score_after(&format!("{load}{bad}")), loaded);
    let answers = answers(&bad);
    assert!(answers[0].contains("the file ends at byte 8"), "{answers:?}");
}

#[test]
fn faults_are_explained_and_change_nothing() {
    #[track_caller]
    fn check(line: &str, expected: &str) {
        let answers = answers(&format!("{line}\nisready\n"));
        assert!(answers[0].starts_with("info string "), "{answers:?}");
        assert!(answers[0].contains(expected), "{answers:?}");
        assert_eq!(answers[1], "readyok");
    }
    check("position fen nonsense", "position not changed");
    check("setoption name UCI_Elo value 399", "expected a number from 400 to 2800");
    check("position startpos moves e2e5", "move 1, e2e5");
    check("setoption name Nonsense value 3", "no option Nonsense");
    check("setoption name Hash value many", "expected a number from 1 to 32768");
    check("setoption name Hash value 0", "expected a number from 1 to 32768");
    check("setoption name UCI_ShowWDL value yes", "expected true or false");
    check(&"x".repeat(MAX_LINE_BYTES + 10), "too long");
}

#[test]
fn nonsense_never_ends_the_conversation() {
    let words = [
        "go",
        "position",
        "startpos",
        "fen",
        "moves",
        "e2e4",
        "e7e8q",
        "0000",
        "depth",
        "1",
        "-5",
        "99999999999999999999",
        "nodes",
        "wtime",
        "binc",
        "movestogo",
        "infinite",
        "ponder",
        "stop",
        "ponderhit",
        "setoption",
        "name",
        "Hash",
        "value",
        "Threads",
        "MultiPV",
        "\u{0}",
        "uci",
        "isready",
        "ucinewgame",
        "searchmoves",
        "mate",
        "8/8/8/8/8/8/8/8",
        "w",
        "KQkq",
        "4k3/8/8/8/8/8/8/4K3",
        "-",
        "register",
        "debug",
        "on",
        "ÿ",
        "Clear",
    ];
    let mut random = SplitMix64::new(71);
    for _ in 0..40 {
        let mut input = String::new();
        for _ in 0..60 {
            let line: Vec<&str> =
                (0..random.below(9)).filter_map(|_| random.pick(&words).copied()).collect();
            // Tables of gigabytes are legal, but too large for a test.
            let line = line.join(" ");
            if !line.contains("Hash value") && !line.contains("Threads value") {
                input += &line;
            }
            input.push('\n');
        }
        // A search may be running, so `stop` ends it.
        input += "stop\nisready\n";
        assert!(answers(&input).contains(&"readyok".to_owned()), "{input}");
    }
}

/// Input that the test sends line by line.
struct TestInput(mpsc::Receiver<&'static str>);

impl Read for TestInput {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Ok(line) = self.0.recv() else { return Ok(0) };
        buffer[..line.len()].copy_from_slice(line.as_bytes());
        Ok(line.len())
    }
}

/// Output that is sent to the test.
struct TestOutput(mpsc::Sender<String>);

impl Write for TestOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // The receiver is gone once the test is over.
        let _ = self.0.send(String::from_utf8_lossy(bytes).into_owned());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A session that runs on another thread, next to the test.
struct BackgroundSession {
    typed: mpsc::Sender<&'static str>,
    heard: mpsc::Receiver<String>,
    /// Output that was received but not yet read.
    rest: String,
}

impl BackgroundSession {
    fn start() -> BackgroundSession {
        let (typed, typing) = mpsc::channel();
        let (hearing, heard) = mpsc::channel();
        std::thread::spawn(move || {
            run_session(&mut BufReader::new(TestInput(typing)), TestOutput(hearing))
        });
        BackgroundSession { typed, heard, rest: String::new() }
    }

    fn type_line(&self, line: &'static str) {
        self.typed.send(line).expect("the conversation goes on");
    }

    fn next_line(&mut self) -> String {
        loop {
            if let Some((line, rest)) = self.rest.split_once('\n') {
                let line = line.to_owned();
                self.rest = rest.to_owned();
                return line;
            }
            self.rest += &self.heard.recv_timeout(LIMIT).expect("the engine says something");
        }
    }

    /// Reads reports until the search has run for `time`; no `bestmove` may come before.
    fn searches_for(&mut self, time: Duration) {
        loop {
            let line = self.next_line();
            assert!(!line.starts_with("bestmove"), "{line} came by itself");
            let (_, rest) = line.split_once(" time ").unwrap_or_default();
            let ms = rest.split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0);
            if Duration::from_millis(ms) >= time {
                return;
            }
        }
    }

    fn best_move(&mut self) {
        while !self.next_line().starts_with("bestmove ") {}
    }
}

#[test]
fn stop_is_answered_at_once_and_ponderhit_starts_the_clock() {
    let mut beside = BackgroundSession::start();
    // A measure of the machine's speed right now: a hundred times what `stop` may take.
    let begin = Instant::now();
    beside.type_line("go nodes 400000\n");
    beside.best_move();
    let long = begin.elapsed();
    let mut shortest = Duration::MAX;
    for _ in 0..3 {
        beside.type_line("ucinewgame\n");
        beside.type_line("go infinite\n");
        beside.searches_for(Duration::ZERO);
        let begin = Instant::now();
        beside.type_line("stop\n");
        beside.best_move();
        shortest = shortest.min(begin.elapsed());
    }
    assert!(shortest < long, "{shortest:?}, and {long:?} for a whole search");
    beside.type_line("go ponder movetime 30\n");
    beside.searches_for(Duration::from_millis(60));
    beside.type_line("ponderhit\n");
    beside.best_move();
}

/// Returns the best move of a session whose input stays open until the move is found, because the
/// end of the input would stop the search.
fn undisturbed_best_move(input: &str) -> String {
    let (keep_open, typed) = mpsc::channel();
    let (hear, heard) = mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let input = input.as_bytes().chain(TestInput(typed));
            run_session(&mut BufReader::new(input), TestOutput(hear))
        });
        let mut text = String::new();
        while !(text.contains("bestmove ") && text.ends_with('\n')) {
            text += &heard.recv_timeout(LIMIT).expect("a level moves");
        }
        drop(keep_open);
        let best = text.rsplit("bestmove ").next().and_then(|rest| rest.split_whitespace().next());
        best.expect("a move follows").to_owned()
    })
}

#[test]
fn a_level_plays_the_same_with_the_same_seed_and_other_moves_without() {
    let limit = "setoption name UCI_LimitStrength value true\nsetoption name UCI_Elo value 800\n";
    // The time does not matter: a level searches a number of positions.
    let go = "position startpos\ngo wtime 600000 btime 600000\n";
    let seeded = format!("{limit}setoption name Level Seed value 7\n{go}");
    assert_eq!(undisturbed_best_move(&seeded), undisturbed_best_move(&seeded));
    let first = undisturbed_best_move(&format!("{limit}{go}"));
    let is_other = |_| undisturbed_best_move(&format!("{limit}{go}")) != first;
    assert!((0..40).any(is_other), "always {first}");
    let options = answers("uci\n");
    let elo = "option name UCI_Elo type spin default 1500 min 400 max 2800";
    assert!(options.iter().any(|line| line == elo), "{options:?}");
}
