//! Running the binary.

use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};
use std::thread;

/// The result of a run.
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

/// Returns a command for the binary: without colors, without a terminal, in English.
pub(crate) fn binary(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_castellan"));
    command.args(words).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.env("LC_ALL", "C");
    command
}

/// Runs the binary with arguments and input. A panic results in an exit code that we do not use.
#[track_caller]
pub(crate) fn castellan(words: &[&str], input: &[u8]) -> Ran {
    let mut child = binary(words).spawn().expect("the binary was built for this test");
    let mut stdin = child.stdin.take().expect("the input is a pipe");
    let input = input.to_vec();
    // Written by a separate thread, because both pipes may be full at the same time.
    let feeder = thread::spawn(move || match stdin.write_all(&input) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => panic!("{error}"),
        _ => {}
    });
    let output = child.wait_with_output().expect("the child can be waited for");
    feeder.join().expect("the input was written");
    let text = |bytes| String::from_utf8(bytes).expect("the output is UTF-8");
    let (out, err) = (text(output.stdout), text(output.stderr));
    assert!(!err.contains("panicked"), "{words:?}: {err}");
    Ran { code: output.status.code().expect("no signal ended it"), out, err }
}
