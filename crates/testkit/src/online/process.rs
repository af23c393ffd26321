//! A server in its own process, so that it can be killed and its memory measured.

use std::fs;
use std::io::{self, BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use crate::waiting::LIMIT;

/// Maximum number of output lines shown if the server does not start.
const SHOWN_LINES: usize = 20;

/// A running server. Dropping it kills it.
pub struct Process {
    child: Child,
    address: SocketAddr,
}

/// Why a server did not start or stop.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// The program could not be started at all.
    #[error("cannot start {program}: {error}")]
    Start {
        /// Path of the program.
        program: String,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The server exited or never printed its address; this is what it printed.
    #[error("the server did not print its address; its output was: {0}")]
    Silent(String),
    /// It did not stop in time.
    #[error("the server did not stop in time")]
    Stop,
    /// An operating system call failed.
    #[error("{0}")]
    Io(#[from] io::Error),
}

impl Process {
    /// Starts a program that prints `http://ADDRESS` once it is listening there.
    pub fn start(command: &mut Command) -> Result<Process, ProcessError> {
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|error| {
            let program = Path::new(command.get_program()).display().to_string();
            ProcessError::Start { program, error }
        })?;
        let (lines, received) = mpsc::channel();
        // Both pipes are read to their end, because a server that cannot write would block.
        if let Some(stdout) = child.stdout.take() {
            forward_lines(stdout, lines.clone());
        }
        if let Some(stderr) = child.stderr.take() {
            forward_lines(stderr, lines);
        }
        let (deadline, mut output) = (Instant::now() + LIMIT, Vec::new());
        let address = loop {
            match received.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => match address_in(&line) {
                    Some(address) => break address,
                    None => output.push(line),
                },
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    let (_, _) = (child.kill(), child.wait());
                    let from = output.len().saturating_sub(SHOWN_LINES);
                    return Err(ProcessError::Silent(output[from..].join("\n")));
                }
            }
        };
        Ok(Process { child, address })
    }

    /// Returns the address the server listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the resident memory of the server, in bytes.
    pub fn resident_bytes(&self) -> io::Result<u64> {
        resident_bytes(self.child.id())
    }

    /// Kills the server without warning, as a power failure would.
    pub fn kill(mut self) -> Result<(), ProcessError> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }

    /// Asks the server to stop and waits until it has.
    pub fn stop(mut self) -> Result<(), ProcessError> {
        let id = self.child.id().to_string();
        Command::new("kill").args(["-TERM", &id]).status()?;
        let deadline = Instant::now() + LIMIT;
        while Instant::now() < deadline {
            if self.child.try_wait()?.is_some() {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(ProcessError::Stop)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have exited already, and errors cannot be reported here.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Forwards the lines of a pipe; once the receiver is gone, they are discarded.
fn forward_lines(pipe: impl Read + Send + 'static, lines: Sender<String>) {
    thread::spawn(move || {
        for line in BufReader::new(pipe).lines().map_while(Result::ok) {
            let _ = lines.send(line);
        }
    });
}

/// Returns the address in a line.
fn address_in(line: &str) -> Option<SocketAddr> {
    let (_, rest) = line.split_once("http://")?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || ".:[]".contains(c)));
    rest[..end.unwrap_or(rest.len())].parse().ok()
}

/// Returns the resident memory of a process, as counted by the kernel.
pub fn resident_bytes(process: u32) -> io::Result<u64> {
    // Assumes pages of 4 KiB: other sizes exist, but not on the machines used for measuring.
    const PAGE_BYTES: u64 = 4096;
    let text = fs::read_to_string(format!("/proc/{process}/statm"))?;
    let pages = text.split(' ').nth(1).and_then(|word| word.parse::<u64>().ok());
    let pages = pages
        .ok_or_else(|| io::Error::other("/proc/PID/statm does not have the expected format"))?;
    Ok(pages * PAGE_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_in_a_line() {
        let found = |line| address_in(line).map(|address| address.to_string());
        assert_eq!(found("listening on http://127.0.0.1:81/ now"), Some("127.0.0.1:81".into()));
        assert_eq!(found("http://[::1]:81"), Some("[::1]:81".into()));
        assert_eq!(found("listening"), None);
        assert_eq!(found("http://localhost/"), None);
    }

    #[test]
    fn the_memory_of_this_process_is_measured() {
        assert!(resident_bytes(std::process::id()).unwrap() > 100_000);
    }
}
