//! The mock engine, which cargo builds as an example beside the tests.

use std::env;
use std::time::Duration;

use castellan_testkit::waiting::LIMIT;
use castellan_uci::{Driver, DriverError, ExpectedReply, Program, Timeouts};

/// For engines that do what they are told, however long that takes on a busy machine.
pub(crate) const PATIENCE: Timeouts =
    Timeouts { handshake: LIMIT, ready: LIMIT, stop: LIMIT, quit: LIMIT };

/// For what an engine never does: the test lasts as long as this.
pub(crate) const SHORT: Duration = Duration::from_millis(200);

/// The mock engine with a behaviour, such as `crash 3`.
pub(crate) fn mock(behaviour: &str) -> Program {
    let tests = env::current_exe().expect("the tests are a program");
    let folder = tests.ancestors().nth(2).expect("they lie in a folder beside the examples");
    let path = folder.join("examples").join(format!("mock_engine{}", env::consts::EXE_SUFFIX));
    assert!(path.exists(), "{} is an example; cargo builds it without --test", path.display());
    let args = behaviour.split_whitespace().map(str::to_owned).collect();
    Program { args, ..Program::new(path) }
}

/// A shell that runs a script, for what a Rust program cannot easily do.
#[cfg(unix)]
pub(crate) fn script(text: &str) -> Program {
    Program { args: vec!["-c".to_owned(), text.to_owned()], ..Program::new("sh") }
}

#[track_caller]
pub(crate) fn start(behaviour: &str) -> Driver {
    start_with(behaviour, PATIENCE)
}

#[track_caller]
pub(crate) fn start_with(behaviour: &str, timeouts: Timeouts) -> Driver {
    match Driver::start(&mock(behaviour), timeouts) {
        Ok(driver) => driver,
        Err(error) => panic!("{behaviour}: {error}"),
    }
}

/// Why it does not start.
#[track_caller]
pub(crate) fn failure(program: &Program, timeouts: Timeouts) -> DriverError {
    match Driver::start(program, timeouts) {
        Ok(driver) => panic!("{} started", driver.name()),
        Err(error) => error,
    }
}

/// Why a program does not start that talks, but never says `uciok`. The timeout grows until the
/// program had time to say anything at all.
#[track_caller]
pub(crate) fn failure_of_talker(program: &Program) -> DriverError {
    let mut handshake = SHORT;
    loop {
        let error = failure(program, Timeouts { handshake, ..PATIENCE });
        let is_mute = matches!(
            &error,
            DriverError::Silent { expected_reply: ExpectedReply::UciOk, last } if last.is_empty()
        );
        if !is_mute || handshake > LIMIT {
            return error;
        }
        handshake *= 2;
    }
}
