//! What becomes of engines that do everything wrong.

use std::time::{Duration, Instant};

use castellan_rules::{Line, Position};
use castellan_testkit::waiting::{LIMIT, wait_until};
use castellan_uci::{
    Driver, DriverError, ExitOutcome, Go, Program, Report, Score, SearchEvent, SearchResult,
    Timeouts,
};

#[cfg(unix)]
use crate::mock::script;
use crate::mock::{PATIENCE, SHORT, failure, failure_of_talker, mock, start, start_with};

/// For engines that do not end a search, or themselves, when they are told to.
const HASTY: Timeouts = Timeouts { stop: SHORT, quit: SHORT, ..PATIENCE };

fn go() -> Go {
    Go { depth: Some(1), ..Go::default() }
}

fn search(engine: &mut Driver, limit: Duration) -> Result<SearchResult, DriverError> {
    engine.search(&Line::default(), &go(), limit, |_| ())
}

#[track_caller]
fn check_error(found: Result<SearchResult, DriverError>, expected: &str) {
    match found {
        Ok(answer) => panic!("it answered {}", answer.best),
        Err(error) => assert_eq!(error.to_string(), expected),
    }
}

/// A whole game by one engine, without an error.
#[track_caller]
fn play_game(engine: &mut Driver, line: &mut Line) {
    engine.new_game().expect("it is ready");
    while line.outcome().is_none() && line.moves().len() < 40 {
        let answer = engine.search(line, &go(), LIMIT, |_| ()).expect("it plays");
        line.play(answer.mv.expect("there is a move")).expect("it is legal");
    }
}

#[test]
fn a_good_engine_says_who_it_is_and_plays() {
    let mut engine = start("fine");
    assert_eq!((engine.name(), engine.author()), ("Mock fine", "Nobody"));
    assert_eq!(engine.options().len(), 4);
    assert!(engine.is_alive());
    let mut reports: Vec<Report> = Vec::new();
    engine.new_game().expect("it is ready");
    let answer =
        engine.search(&Line::default(), &go(), LIMIT, |report| reports.push(report.clone()));
    let answer = answer.expect("it plays");
    assert!(Position::start().legal_moves().contains(&answer.mv.expect("there are twenty")));
    assert_eq!(reports.len(), 1);
    assert_eq!(reports[0].score, Some(Score::centipawns(0)));
    play_game(&mut engine, &mut Line::default());
    assert!(matches!(engine.quit(), ExitOutcome::Ended(status) if status.success()));
}

#[test]
fn castling_is_spelled_as_the_game_needs_it() {
    let start_position = Position::chess960(0).expect("there is a first one");
    let mut engine = start("fine 5");
    engine.set_chess960(true).expect("it offers that");
    play_game(&mut engine, &mut Line::new(start_position));
}

#[test]
fn options_are_checked_against_what_is_offered() {
    let mut engine = start("fine");
    engine.set_option("hash", "64").expect("it is the most");
    engine.set_option("Clear Hash", "").expect("it is a button");
    let error = |result: Result<(), DriverError>| result.expect_err("it is refused").to_string();
    let refused = "option \"Hash\" cannot be \"65\": expected a number from 1 to 64";
    assert_eq!(error(engine.set_option("HASH", "65")), refused);
    assert_eq!(error(engine.set_option("Contempt", "1")), "the engine has no option \"Contempt\"");
    engine.ready().expect("it goes on");
}

#[test]
fn an_infinite_search_is_watched_and_stopped() {
    let mut engine = start("fine");
    let infinite = Go { is_infinite: true, ..Go::default() };
    engine.begin(&Line::default(), &infinite).expect("it is told");
    assert!(matches!(engine.begin(&Line::default(), &infinite), Err(DriverError::Busy)));
    assert!(matches!(engine.new_game(), Err(DriverError::Busy)));
    assert_eq!(engine.next_event(SHORT).expect("nothing is wrong"), None);
    assert!(engine.stop().expect("it answers").mv.is_some());
    assert!(matches!(engine.stop(), Err(DriverError::Idle)));
    assert!(matches!(engine.next_event(SHORT), Err(DriverError::Idle)));
}

#[test]
fn events_come_one_by_one() {
    let mut engine = start("fine");
    engine.begin(&Line::default(), &go()).expect("it is told");
    let first = engine.next_event(LIMIT).expect("it reports");
    assert!(matches!(first, Some(SearchEvent::Report(_))));
    let second = engine.next_event(LIMIT).expect("it answers");
    assert!(matches!(second, Some(SearchEvent::Finished(_))));
}

#[test]
fn where_there_is_no_move_none_is_an_answer() {
    let mut engine = start("fine");
    let mate = Position::from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").expect("it is a position");
    let answer = engine.search(&Line::new(mate), &go(), LIMIT, |_| ()).expect("that is fine");
    assert_eq!(answer.mv, None);
}

#[test]
fn what_is_not_there_does_not_start() {
    let error = failure(&Program::new("/nowhere/castellan-no-such-engine"), PATIENCE);
    assert_eq!(error.to_string(), "cannot start /nowhere/castellan-no-such-engine");
    assert!(matches!(error, DriverError::Start { .. }));
}

#[test]
fn one_that_prints_nothing_is_given_up() {
    let timeouts = Timeouts { handshake: SHORT, ..PATIENCE };
    assert_eq!(failure(&mock("silent"), timeouts).to_string(), "no uciok came in time");
}

#[test]
fn one_that_talks_without_end_is_given_up() {
    let error = failure_of_talker(&mock("flood")).to_string();
    let said = "no uciok came in time; its last output was \"what is this thing called uci\"";
    assert_eq!(error, said);
}

#[test]
fn one_that_ends_at_once_is_told_with_what_it_complained_of() {
    let error = failure(&mock("dies"), PATIENCE).to_string();
    let expected =
        "the engine exited (exit status: 3) before uciok; its last output was \"no licence found\"";
    assert_eq!(error, expected);
}

#[test]
fn one_that_dies_thinking_is_told() {
    let mut engine = start("crash 2");
    search(&mut engine, LIMIT).expect("the first move is fine");
    let expected =
        "the engine exited (exit status: 101) before bestmove; its last output was \"out of luck\"";
    check_error(search(&mut engine, LIMIT), expected);
    assert!(!engine.is_alive());
    assert!(engine.new_game().is_err());
}

#[test]
fn bad_moves_are_told_and_the_engine_goes_on() {
    for (behaviour, expected) in [
        ("illegal", "the engine played the illegal move e1e8: "),
        ("unreadable", "the engine's reply contains no valid move: \"bestmove castles\""),
        ("none", "the engine returned no move although it has a legal one"),
    ] {
        let mut engine = start(behaviour);
        let error = search(&mut engine, LIMIT).expect_err("it is wrong").to_string();
        assert!(error.starts_with(expected), "{behaviour}: {error}");
        search(&mut engine, LIMIT).unwrap_or_else(|error| panic!("{behaviour}: {error}"));
    }
}

#[test]
fn one_that_thinks_too_long_is_stopped_and_goes_on() {
    let mut engine = start("slow");
    check_error(search(&mut engine, SHORT), "the engine sent no move within 200ms and was stopped");
    assert!(engine.is_alive());
    search(&mut engine, LIMIT).expect("the second move is fine");
}

#[test]
fn one_that_does_not_stop_is_killed() {
    let mut engine = start_with("deaf", HASTY);
    let expected = "the engine sent no move within 200ms and was killed because it did not stop";
    check_error(search(&mut engine, SHORT), expected);
    assert!(!engine.is_alive());
}

#[test]
fn one_that_reports_without_end_is_killed() {
    let mut engine = start_with("loud", HASTY);
    let expected = "the engine sent no move within 200ms and was killed because it did not stop";
    check_error(search(&mut engine, SHORT), expected);
    assert!(!engine.is_alive());
}

#[test]
fn a_ponder_hit_ends_pondering() {
    let mut engine = start("fine");
    assert!(matches!(engine.ponder_hit(), Err(DriverError::Idle)));
    let ponder = Go { is_ponder: true, ..go() };
    engine.begin(&Line::default(), &ponder).expect("it is told");
    assert_eq!(engine.next_event(SHORT).expect("nothing is wrong"), None);
    engine.ponder_hit().expect("it is told");
    while !matches!(engine.next_event(LIMIT).expect("it answers"), Some(SearchEvent::Finished(_))) {
    }
}

#[test]
fn one_that_does_not_quit_is_killed() {
    assert_eq!(start_with("stubborn", HASTY).quit(), ExitOutcome::Killed);
}

#[test]
fn garbage_is_counted_and_passed_over() {
    let mut engine = start("garbage");
    assert_eq!(engine.invalid_output().lines, 3);
    assert_eq!(engine.invalid_output().last, "best of luck");
    search(&mut engine, LIMIT).expect("it plays all the same");
}

#[test]
fn of_much_noise_the_end_is_kept() {
    let mut engine = start("noisy");
    engine.ready().expect("noise is no harm");
    // Another thread reads it.
    wait_until("the end of the noise", || engine.stderr_tail().ends_with("the end\n"));
    assert!(engine.stderr_tail().len() <= 4096);
}

#[test]
fn an_answer_given_twice_is_not_the_answer_to_the_next_question() {
    let mut engine = start("twice");
    let mut line = Line::default();
    for _ in 0..20 {
        let answer = engine.search(&line, &go(), LIMIT, |_| ()).expect("it plays");
        line.play(answer.mv.expect("there is a move")).expect("it is legal");
        engine.ready().expect("so that the second answer has come");
    }
}

#[test]
fn one_that_does_not_read_does_not_hold_us_up() {
    let mut engine = start("reader");
    let full = (0..200_000).find_map(|_| engine.set_option("Hash", "16").err());
    assert!(matches!(full, Some(DriverError::NotReading)), "{full:?}");
}

#[test]
fn time_is_measured_from_the_question_to_the_answer() {
    let mut engine = start("sleepy");
    let begin = Instant::now();
    let answer = search(&mut engine, LIMIT).expect("it plays");
    let (thought, passed) = (Duration::from_millis(300), begin.elapsed());
    assert!((thought..=passed).contains(&answer.time), "{:?} of {passed:?}", answer.time);
}

#[cfg(unix)]
#[test]
fn one_that_closes_its_output_is_killed() {
    let error = failure(&script("echo id name X; exec >&-; exec sleep 1000"), HASTY).to_string();
    assert_eq!(error, "the engine closed its output and was killed before uciok");
}

#[cfg(unix)]
#[test]
fn it_runs_where_it_is_told_to() {
    let folder = Some(std::env::temp_dir().canonicalize().expect("there is one"));
    let program =
        Program { folder, ..script("echo id name $(pwd -P); echo uciok; cat >/dev/null") };
    let engine = Driver::start(&program, PATIENCE).expect("it speaks UCI");
    assert_eq!(Some(engine.name()), program.folder.as_deref().and_then(|path| path.to_str()));
}

#[cfg(unix)]
#[test]
fn a_driver_that_is_dropped_leaves_no_process() {
    let engine = Driver::start(&script("echo id name $$; echo uciok; exec sleep 1000"), PATIENCE);
    let engine = engine.expect("it speaks UCI");
    let path = std::path::PathBuf::from(format!("/proc/{}", engine.name()));
    let is_linux = path.exists();
    drop(engine);
    assert!(!is_linux || !path.exists());
}
