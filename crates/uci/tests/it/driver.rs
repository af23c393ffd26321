//! How the driver handles engines that misbehave, and those that do not.

use std::time::{Duration, Instant};

use castellan_rules::{Line, Position};
use castellan_testkit::waiting::{LIMIT, wait_until};
#[cfg(target_os = "linux")]
use castellan_uci::ProcessLimits;
use castellan_uci::{
    Driver, DriverError, ExitOutcome, Go, Program, Report, Score, SearchEvent, SearchResult,
    Timeouts,
};

#[cfg(unix)]
use crate::mock::script;
use crate::mock::{LONG_TIMEOUTS, SHORT, failure, failure_without_uciok, mock, start, start_with};

/// Timeouts for engines that ignore `stop` or `quit`.
const SHORT_TIMEOUTS: Timeouts = Timeouts { stop: SHORT, quit: SHORT, ..LONG_TIMEOUTS };

fn go() -> Go {
    Go { depth: Some(1), ..Go::default() }
}

fn search(engine: &mut Driver, limit: Duration) -> Result<SearchResult, DriverError> {
    engine.search(&Line::default(), &go(), limit, |_| ())
}

#[track_caller]
fn check_error(found: Result<SearchResult, DriverError>, expected: &str) {
    match found {
        Ok(answer) => panic!("expected an error, found {}", answer.best),
        Err(error) => assert_eq!(error.to_string(), expected),
    }
}

/// Plays a game of up to 40 plies with one engine on both sides.
#[track_caller]
fn play_game(engine: &mut Driver, line: &mut Line) {
    engine.new_game().expect("it is ready");
    while line.outcome().is_none() && line.moves().len() < 40 {
        let answer = engine.search(line, &go(), LIMIT, |_| ()).expect("it plays");
        line.play(answer.mv.expect("there is a move")).expect("it is legal");
    }
}

#[test]
fn a_correct_engine_identifies_itself_and_plays() {
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
fn castling_is_spelled_for_chess960_games() {
    let start_position = Position::chess960(0).expect("there is a first one");
    let mut engine = start("fine 5");
    engine.set_chess960(true).expect("the engine has the option");
    play_game(&mut engine, &mut Line::new(start_position));
}

#[test]
fn options_are_checked_against_those_of_the_engine() {
    let mut engine = start("fine");
    engine.set_option("hash", "64").expect("64 is the maximum");
    engine.set_option("Clear Hash", "").expect("it is a button");
    let error = |result: Result<(), DriverError>| result.expect_err("it is refused").to_string();
    let refused = "option \"Hash\" cannot be \"65\": expected a number from 1 to 64";
    assert_eq!(error(engine.set_option("HASH", "65")), refused);
    assert_eq!(error(engine.set_option("Contempt", "1")), "the engine has no option \"Contempt\"");
    engine.ready().expect("the engine is still ready");
}

#[test]
fn an_infinite_search_runs_until_it_is_stopped() {
    let mut engine = start("fine");
    let infinite = Go { is_infinite: true, ..Go::default() };
    engine.begin(&Line::default(), &infinite).expect("the command is sent");
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
    engine.begin(&Line::default(), &go()).expect("the command is sent");
    let first = engine.next_event(LIMIT).expect("it reports");
    assert!(matches!(first, Some(SearchEvent::Report(_))));
    let second = engine.next_event(LIMIT).expect("it answers");
    assert!(matches!(second, Some(SearchEvent::Finished(_))));
}

#[test]
fn an_engine_without_a_legal_move_may_return_none() {
    let mut engine = start("fine");
    let mate = Position::from_fen("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1").expect("it is a position");
    let answer = engine
        .search(&Line::new(mate), &go(), LIMIT, |_| ())
        .expect("no legal move is not an error");
    assert_eq!(answer.mv, None);
}

#[test]
fn a_missing_program_does_not_start() {
    let error = failure(&Program::new("/nowhere/castellan-no-such-engine"), LONG_TIMEOUTS);
    assert_eq!(error.to_string(), "cannot start /nowhere/castellan-no-such-engine");
    assert!(matches!(error, DriverError::Start { .. }));
}

#[test]
fn an_engine_that_prints_nothing_times_out() {
    let timeouts = Timeouts { handshake: SHORT, ..LONG_TIMEOUTS };
    assert_eq!(failure(&mock("silent"), timeouts).to_string(), "no uciok came in time");
}

#[test]
fn an_engine_that_prints_without_end_times_out() {
    let error = failure_without_uciok(&mock("flood")).to_string();
    let expected = "no uciok came in time; its last output was \"what is this thing called uci\"";
    assert_eq!(error, expected);
}

#[test]
fn the_error_for_an_engine_that_exits_quotes_its_last_output() {
    let error = failure(&mock("dies"), LONG_TIMEOUTS).to_string();
    let expected =
        "the engine exited (exit status: 3) before uciok; its last output was \"no license found\"";
    assert_eq!(error, expected);
}

#[test]
fn an_engine_that_dies_during_a_search_is_reported() {
    let mut engine = start("crash 2");
    search(&mut engine, LIMIT).expect("the first move is fine");
    let expected =
        "the engine exited (exit status: 101) before bestmove; its last output was \"out of luck\"";
    check_error(search(&mut engine, LIMIT), expected);
    assert!(!engine.is_alive());
    assert!(engine.new_game().is_err());
}

#[test]
fn bad_moves_are_reported_and_the_engine_remains_usable() {
    for (behavior, expected) in [
        ("illegal", "the engine played the illegal move e1e8: "),
        ("unreadable", "the engine's reply contains no valid move: \"bestmove castles\""),
        ("none", "the engine returned no move although it has a legal one"),
    ] {
        let mut engine = start(behavior);
        let error = search(&mut engine, LIMIT).expect_err("it is wrong").to_string();
        assert!(error.starts_with(expected), "{behavior}: {error}");
        search(&mut engine, LIMIT).unwrap_or_else(|error| panic!("{behavior}: {error}"));
    }
}

#[test]
fn an_engine_that_searches_too_long_is_stopped_and_remains_usable() {
    let mut engine = start("slow");
    check_error(search(&mut engine, SHORT), "the engine sent no move within 200ms and was stopped");
    assert!(engine.is_alive());
    search(&mut engine, LIMIT).expect("the second move is fine");
}

#[test]
fn an_engine_that_does_not_stop_is_killed() {
    let mut engine = start_with("deaf", SHORT_TIMEOUTS);
    let expected = "the engine sent no move within 200ms and was killed because it did not stop";
    check_error(search(&mut engine, SHORT), expected);
    assert!(!engine.is_alive());
}

#[test]
fn an_engine_that_reports_without_end_is_killed() {
    let mut engine = start_with("loud", SHORT_TIMEOUTS);
    let expected = "the engine sent no move within 200ms and was killed because it did not stop";
    check_error(search(&mut engine, SHORT), expected);
    assert!(!engine.is_alive());
}

#[test]
fn a_ponder_hit_ends_pondering() {
    let mut engine = start("fine");
    assert!(matches!(engine.ponder_hit(), Err(DriverError::Idle)));
    let ponder = Go { is_ponder: true, ..go() };
    engine.begin(&Line::default(), &ponder).expect("the command is sent");
    assert_eq!(engine.next_event(SHORT).expect("nothing is wrong"), None);
    engine.ponder_hit().expect("the command is sent");
    while !matches!(engine.next_event(LIMIT).expect("it answers"), Some(SearchEvent::Finished(_))) {
    }
}

#[test]
fn an_engine_that_does_not_quit_is_killed() {
    assert_eq!(start_with("stubborn", SHORT_TIMEOUTS).quit(), ExitOutcome::Killed);
}

#[test]
fn invalid_output_is_counted_and_skipped() {
    let mut engine = start("garbage");
    assert_eq!(engine.invalid_output().lines, 3);
    assert_eq!(engine.invalid_output().last, "best of luck");
    search(&mut engine, LIMIT).expect("it plays");
}

#[test]
fn only_the_end_of_stderr_is_kept() {
    let mut engine = start("noisy");
    engine.ready().expect("the engine is ready");
    // Another thread reads the output.
    wait_until("the end of the noise", || engine.stderr_tail().ends_with("the end\n"));
    assert!(engine.stderr_tail().len() <= 4096);
}

#[test]
fn a_repeated_bestmove_does_not_answer_the_next_search() {
    let mut engine = start("twice");
    let mut line = Line::default();
    for _ in 0..20 {
        let answer = engine.search(&line, &go(), LIMIT, |_| ()).expect("it plays");
        line.play(answer.mv.expect("there is a move")).expect("it is legal");
        engine.ready().expect("the repeated answer has arrived");
    }
}

#[test]
fn an_engine_that_does_not_read_does_not_block_the_driver() {
    let mut engine = start("reader");
    let full = (0..200_000).find_map(|_| engine.set_option("Hash", "16").err());
    assert!(matches!(full, Some(DriverError::NotReading)), "{full:?}");
}

#[test]
fn time_is_measured_from_go_to_bestmove() {
    let mut engine = start("sleepy");
    let begin = Instant::now();
    let answer = search(&mut engine, LIMIT).expect("it plays");
    let (thought, passed) = (Duration::from_millis(300), begin.elapsed());
    assert!((thought..=passed).contains(&answer.time), "{:?} of {passed:?}", answer.time);
}

#[cfg(unix)]
#[test]
fn an_engine_that_closes_its_output_is_killed() {
    let error =
        failure(&script("echo id name X; exec >&-; exec sleep 1000"), SHORT_TIMEOUTS).to_string();
    assert_eq!(error, "the engine closed its output and was killed before uciok");
}

#[cfg(unix)]
#[test]
fn the_engine_runs_in_the_given_folder() {
    let folder = Some(std::env::temp_dir().canonicalize().expect("there is one"));
    let program =
        Program { folder, ..script("echo id name $(pwd -P); echo uciok; cat >/dev/null") };
    let engine = Driver::start(&program, LONG_TIMEOUTS).expect("it speaks UCI");
    assert_eq!(Some(engine.name()), program.folder.as_deref().and_then(|path| path.to_str()));
}

/// The engine prints its limits, in kilobytes and seconds, and its priority. The tests may run with a
/// low priority themselves.
#[cfg(target_os = "linux")]
#[test]
fn an_engine_has_the_given_limits() {
    let limits = ProcessLimits {
        memory_bytes: Some(300 << 20),
        processor_time: Some(Duration::from_secs(77)),
        is_background: true,
    };
    let text = "read word; echo id name $(ulimit -d) $(ulimit -t) $(nice); echo uciok; read word";
    let engine = Driver::start(&Program { limits, ..script(text) }, LONG_TIMEOUTS);
    let engine = engine.expect("it speaks UCI");
    let words: Vec<i64> = engine.name().split(' ').map(|word| word.parse().unwrap()).collect();
    assert_eq!(words[..2], [300 << 10, 77]);
    assert!(words[2] >= 10, "{words:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_engine_that_uses_up_its_processor_time_is_killed() {
    let processor_time = Some(Duration::from_secs(1));
    let limits = ProcessLimits { processor_time, ..ProcessLimits::default() };
    let endless = Program { limits, ..script("while :; do :; done") };
    let error = failure(&endless, LONG_TIMEOUTS);
    assert!(matches!(error, DriverError::Died { .. }), "{error:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn what_an_engine_has_started_is_killed_with_it() {
    let engine = script("sleep 1000 & echo id name $!; echo uciok; wait");
    let engine = Driver::start(&engine, LONG_TIMEOUTS).expect("it speaks UCI");
    let path = format!("/proc/{}/stat", engine.name());
    // A process that nobody has waited for is listed as a zombie.
    let is_running = || {
        let stat = std::fs::read_to_string(&path).unwrap_or_default();
        stat.rsplit_once(')').is_some_and(|(_, state)| !state.starts_with(" Z"))
    };
    assert!(is_running());
    drop(engine);
    wait_until("the program behind the script has ended", || !is_running());
}

#[cfg(unix)]
#[test]
fn dropping_a_driver_leaves_no_process() {
    let engine =
        Driver::start(&script("echo id name $$; echo uciok; exec sleep 1000"), LONG_TIMEOUTS);
    let engine = engine.expect("it speaks UCI");
    let path = std::path::PathBuf::from(format!("/proc/{}", engine.name()));
    let is_linux = path.exists();
    drop(engine);
    assert!(!is_linux || !path.exists());
}
