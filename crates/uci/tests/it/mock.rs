//! The mock engine, which cargo builds as an example beside the tests.

use std::env;
use std::time::Duration;

use castellan_uci::{Driver, DriverError, Patience, Program};

/// Short, so that the tests are; long enough for a machine that is busy with other things.
pub(crate) const PATIENCE: Patience = Patience {
    handshake: Duration::from_secs(5),
    ready: Duration::from_secs(5),
    stop: Duration::from_millis(300),
    quit: Duration::from_millis(300),
};

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
    match Driver::start(&mock(behaviour), PATIENCE) {
        Ok(driver) => driver,
        Err(error) => panic!("{behaviour}: {error}"),
    }
}

/// Why it does not start; the patience with its handshake is short.
#[track_caller]
pub(crate) fn failure(program: &Program) -> DriverError {
    let patience = Patience { handshake: Duration::from_millis(400), ..PATIENCE };
    match Driver::start(program, patience) {
        Ok(driver) => panic!("{} started", driver.name()),
        Err(error) => error,
    }
}
