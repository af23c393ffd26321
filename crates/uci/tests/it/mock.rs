//! The mock engine, which cargo builds as an example beside the tests.

use std::env;
use std::time::Duration;

use castellan_testkit::waiting::LIMIT;
use castellan_uci::{Driver, DriverError, ExpectedReply, Program, Timeouts};

/// Timeouts for engines that reply, even on a busy machine.
pub(crate) const LONG_TIMEOUTS: Timeouts =
    Timeouts { handshake: LIMIT, ready: LIMIT, stop: LIMIT, quit: LIMIT };

/// The timeout for a reply that never comes. The test takes this long.
pub(crate) const SHORT: Duration = Duration::from_millis(200);

/// Returns the mock engine with a behavior and its arguments, such as `crash 3`.
pub(crate) fn mock(behavior: &str) -> Program {
    let tests = env::current_exe().expect("the tests are a program");
    let folder = tests.ancestors().nth(2).expect("they lie in a folder beside the examples");
    let path = folder.join("examples").join(format!("mock_engine{}", env::consts::EXE_SUFFIX));
    assert!(path.exists(), "{} is an example; cargo builds it without --test", path.display());
    let args = behavior.split_whitespace().map(str::to_owned).collect();
    Program { args, ..Program::new(path) }
}

/// Returns a shell that runs a script, for behavior that is hard to write in Rust.
#[cfg(unix)]
pub(crate) fn script(text: &str) -> Program {
    Program { args: vec!["-c".to_owned(), text.to_owned()], ..Program::new("sh") }
}

#[track_caller]
pub(crate) fn start(behavior: &str) -> Driver {
    start_with(behavior, LONG_TIMEOUTS)
}

#[track_caller]
pub(crate) fn start_with(behavior: &str, timeouts: Timeouts) -> Driver {
    match Driver::start(&mock(behavior), timeouts) {
        Ok(driver) => driver,
        Err(error) => panic!("{behavior}: {error}"),
    }
}

/// Returns the error of a program that must fail to start.
#[track_caller]
pub(crate) fn failure(program: &Program, timeouts: Timeouts) -> DriverError {
    match Driver::start(program, timeouts) {
        Ok(driver) => panic!("{} started", driver.name()),
        Err(error) => error,
    }
}

/// Returns the error of a program that prints lines but never `uciok`. The timeout grows until the
/// program has had time to print at least one line.
#[track_caller]
pub(crate) fn failure_without_uciok(program: &Program) -> DriverError {
    let mut handshake = SHORT;
    loop {
        let error = failure(program, Timeouts { handshake, ..LONG_TIMEOUTS });
        let has_printed_nothing = matches!(
            &error,
            DriverError::Silent { expected_reply: ExpectedReply::UciOk, last } if last.is_empty()
        );
        if !has_printed_nothing || handshake > LIMIT {
            return error;
        }
        handshake *= 2;
    }
}
