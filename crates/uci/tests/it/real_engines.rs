//! Tests with third-party engines that are installed.
//!
//! `cargo xtask test` installs them if it has the permission to and names their folder in
//! `CASTELLAN_ENGINES`. If an engine is missing, its test prints that it was skipped and passes.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use castellan_rules::{Line, Position};
use castellan_testkit::waiting::LIMIT;
use castellan_uci::{Driver, DriverError, ExpectedReply, Go, Program, ScoreValue};

use crate::mock::{LONG_TIMEOUTS, failure_without_uciok};

/// Returns the program, if it is installed.
fn installed(name: &str) -> Option<Program> {
    let folder = env::var_os("CASTELLAN_ENGINES").map(PathBuf::from).unwrap_or_default();
    let path = folder.join(name);
    if !path.is_file() {
        println!("skipped: {name} is not in the folder that CASTELLAN_ENGINES names");
        return None;
    }
    // In the folder for temporary files, because some engines write logs to the current folder and
    // look for opening books there.
    Some(Program { folder: Some(env::temp_dir()), ..Program::new(path) })
}

fn go() -> Go {
    Go { move_time: Some(Duration::from_millis(20)), ..Go::default() }
}

/// Tests the handshake, options, a mate in one, twenty plies of a game, an infinite search and
/// quitting.
#[track_caller]
fn check(name: &str, expected_name: &str) {
    let Some(program) = installed(name) else { return };
    let mut engine = Driver::start(&program, LONG_TIMEOUTS).expect("it speaks UCI");
    assert!(engine.name().starts_with(expected_name), "{}", engine.name());
    engine.set_option("Hash", "8").expect("8 MB are allowed");
    for (option, value) in [("OwnBook", "false"), ("Threads", "1")] {
        if engine.option(option).is_some() {
            engine.set_option(option, value).expect("it is offered");
        }
    }
    engine.new_game().expect("it is ready");
    let mate = Position::from_fen("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1").expect("it is a position");
    let mut mates = Vec::new();
    let depth = Go { depth: Some(5), ..Go::default() };
    let answer = engine.search(&Line::new(mate), &depth, LIMIT, |report| {
        mates.extend(report.score.map(|score| score.value));
    });
    assert_eq!(answer.expect("it plays").best.mv.map(|mv| mv.to_string()).as_deref(), Some("d1d8"));
    assert_eq!(mates.last(), Some(&ScoreValue::Mate(1)));
    engine.new_game().expect("it is ready");
    let mut line = Line::default();
    for _ in 0..20 {
        let answer = engine.search(&line, &go(), LIMIT, |_| ()).expect("it plays");
        line.play(answer.mv.expect("there is a move")).expect("it is legal");
    }
    let infinite = Go { is_infinite: true, ..Go::default() };
    engine.begin(&line, &infinite).expect("the command is sent");
    assert!(engine.next_event(LIMIT).expect("it reports").is_some());
    assert!(engine.stop().expect("it stops").mv.is_some());
    engine.quit();
}

#[test]
fn stockfish_plays() {
    check("stockfish", "Stockfish");
}

#[test]
fn ethereal_plays() {
    check("ethereal-chess", "Ethereal");
}

#[test]
fn toga_plays() {
    check("toga2", "Toga II");
}

#[test]
fn glaurung_plays() {
    check("glaurung", "Glaurung");
}

/// Phalanx knows only the XBoard protocol and reads `uci` as a move.
#[test]
fn an_xboard_engine_is_reported_as_silent() {
    let Some(program) = installed("phalanx") else { return };
    match failure_without_uciok(&program) {
        DriverError::Silent { expected_reply, last } => {
            assert_eq!(expected_reply, ExpectedReply::UciOk);
            assert_ne!(last, "", "Phalanx prints lines, but none of them is UCI");
        }
        other => panic!("{other:?}"),
    }
}
