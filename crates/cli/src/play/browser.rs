//! Opens the browser, if there is one.

use std::process::{Command, Stdio};
use std::thread;

/// Opens the address in the user's browser. If that fails, the address is still on the screen.
pub(super) fn open(address: &str) {
    let (program, words): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(words).arg(address);
    let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match silent.spawn() {
        // A thread must wait for the child, or it remains in the process table.
        Ok(mut child) => {
            thread::spawn(move || child.wait());
        }
        Err(error) => tracing::warn!("cannot open the browser with {program}: {error}"),
    }
}
