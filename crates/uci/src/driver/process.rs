//! A process with three pipes, each served by its own thread.
//!
//! This module is responsible for the process and kills it on drop. The threads end when their
//! pipes close; they are not joined, because a child of the engine may keep a pipe open forever.

use std::io::{BufReader, Read, Write};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use super::lines::read_line;
use super::tail::Tail;
use super::{DriverError, ExitOutcome, Program};
use crate::MAX_LINE_BYTES;

/// Capacity of the queues of lines to and from the engine. When a queue is full, its sender must
/// wait.
const QUEUED_LINES: usize = 64;

/// How much of the standard error output is kept, in bytes.
const STDERR_TAIL_BYTES: usize = 4096;

/// How often to poll whether the process has ended.
const POLL_INTERVAL: Duration = Duration::from_millis(2);

/// How long to wait for the rest of the standard error output after the process has ended.
const STDERR_DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// The result of waiting for a line from the process.
pub(super) enum ReadResult {
    /// A line and when it arrived, which is not after the deadline.
    Line(String, Instant),
    /// No line arrived before the deadline.
    TimedOut,
    /// The output is closed; no more lines will arrive.
    End,
}

/// Receives the lines of a process.
#[derive(Debug)]
struct LineReceiver {
    lines: Receiver<(String, Instant)>,
    /// A line that arrived after the previous deadline; the next call returns it.
    kept: Option<(String, Instant)>,
}

impl LineReceiver {
    fn read_line(&mut self, deadline: Instant) -> ReadResult {
        let wait = deadline.saturating_duration_since(Instant::now());
        let next = self.kept.take().map_or_else(|| self.lines.recv_timeout(wait), Ok);
        match next {
            Ok((line, at)) if at <= deadline => ReadResult::Line(line, at),
            Ok(late) => {
                self.kept = Some(late);
                ReadResult::TimedOut
            }
            Err(RecvTimeoutError::Timeout) => ReadResult::TimedOut,
            Err(RecvTimeoutError::Disconnected) => ReadResult::End,
        }
    }
}

#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    /// `None` once the process has been asked to end.
    input: Option<SyncSender<String>>,
    output: LineReceiver,
    stderr_tail: Arc<Mutex<Tail>>,
    stderr_thread: Option<JoinHandle<()>>,
    outcome: Option<ExitOutcome>,
    quit_timeout: Duration,
}

impl Process {
    pub(super) fn start(program: &Program, quit_timeout: Duration) -> Result<Process, DriverError> {
        let mut command = Command::new(&program.path);
        command.args(&program.args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = &program.folder {
            command.current_dir(folder);
        }
        use_own_group(&mut command);
        let failed = |source| DriverError::Start { program: program.to_string(), source };
        let mut child = command.spawn().map_err(failed)?;
        if let Err(error) = program.limits.apply(&child) {
            kill_group(&mut child);
            return Err(failed(error));
        }
        let stderr_tail = Arc::new(Mutex::new(Tail::new(STDERR_TAIL_BYTES)));
        let stderr_thread = child.stderr.take().map(|pipe| {
            let stderr_tail = Arc::clone(&stderr_tail);
            thread::spawn(move || read_stderr(pipe, &stderr_tail))
        });
        let input = child.stdin.take().map(|pipe| {
            let (input, lines) = sync_channel(QUEUED_LINES);
            thread::spawn(move || write_lines(pipe, &lines));
            input
        });
        let (lines, output) = sync_channel(QUEUED_LINES);
        if let Some(pipe) = child.stdout.take() {
            thread::spawn(move || read_lines(pipe, &lines));
        }
        let output = LineReceiver { lines: output, kept: None };
        Ok(Process {
            child,
            input,
            output,
            stderr_tail,
            stderr_thread,
            outcome: None,
            quit_timeout,
        })
    }

    /// Sends a line. If the engine is gone, the next read detects it.
    pub(super) fn send(&self, line: String) -> Result<(), DriverError> {
        match self.input.as_ref().map(|input| input.try_send(line)) {
            Some(Err(TrySendError::Full(_))) => Err(DriverError::NotReading),
            _ => Ok(()),
        }
    }

    /// Waits for the next line until the deadline.
    pub(super) fn read_line(&mut self, deadline: Instant) -> ReadResult {
        self.output.read_line(deadline)
    }

    pub(super) fn stderr_tail(&self) -> String {
        self.stderr_tail.lock().unwrap_or_else(PoisonError::into_inner).text()
    }

    pub(super) fn is_alive(&mut self) -> bool {
        self.outcome.is_none() && matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits for the process to end, and kills it after the quit timeout.
    pub(super) fn end(&mut self) -> ExitOutcome {
        self.end_within(self.quit_timeout)
    }

    /// Kills the process at once.
    pub(super) fn kill(&mut self) -> ExitOutcome {
        self.end_within(Duration::ZERO)
    }

    fn end_within(&mut self, timeout: Duration) -> ExitOutcome {
        if let Some(outcome) = self.outcome {
            return outcome;
        }
        // Closing the input makes even engines exit that ignore `quit`.
        self.input = None;
        let deadline = Instant::now() + timeout;
        let outcome = loop {
            match self.child.try_wait() {
                Ok(Some(status)) => break ExitOutcome::Ended(status),
                Ok(None) if Instant::now() < deadline => thread::sleep(POLL_INTERVAL),
                _ => break self.kill_now(),
            }
        };
        self.outcome = Some(outcome);
        self.drain_stderr();
        outcome
    }

    /// Waits briefly until everything has been read that the process wrote to its standard error
    /// before it ended. The wait is limited because a child of the process may keep the pipe
    /// open.
    fn drain_stderr(&self) {
        let deadline = Instant::now() + STDERR_DRAIN_TIMEOUT;
        let is_open = || self.stderr_thread.as_ref().is_some_and(|thread| !thread.is_finished());
        while is_open() && Instant::now() < deadline {
            thread::sleep(POLL_INTERVAL);
        }
    }

    fn kill_now(&mut self) -> ExitOutcome {
        if kill_group(&mut self.child) { ExitOutcome::Killed } else { ExitOutcome::Unknown }
    }
}

/// Kills a process and everything that it has started, because an engine may be a script that runs
/// another program. Returns `true` if it has ended.
fn kill_group(child: &mut Child) -> bool {
    #[cfg(unix)]
    {
        use rustix::process::{Pid, Signal, kill_process_group};
        // If there is no such group, the process itself is killed below.
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
    child.kill().and_then(|()| child.wait()).is_ok()
}

impl Drop for Process {
    fn drop(&mut self) {
        // Without an explicit quit, the process is killed.
        self.kill();
    }
}

/// Puts the engine in its own process group, so that an interrupt at our terminal does not reach
/// it and we can end its game in an orderly way.
fn use_own_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    #[cfg(not(unix))]
    let _ = command;
}

fn read_stderr(mut pipe: ChildStderr, stderr_tail: &Mutex<Tail>) {
    let mut buffer = [0; 1024];
    while let Ok(count) = pipe.read(&mut buffer) {
        if count == 0 {
            return;
        }
        stderr_tail.lock().unwrap_or_else(PoisonError::into_inner).write(&buffer[..count]);
    }
}

fn write_lines(mut pipe: ChildStdin, lines: &Receiver<String>) {
    while let Ok(mut line) = lines.recv() {
        line.push('\n');
        if pipe.write_all(line.as_bytes()).and_then(|()| pipe.flush()).is_err() {
            return;
        }
    }
}

fn read_lines(pipe: ChildStdout, lines: &SyncSender<(String, Instant)>) {
    let mut pipe = BufReader::new(pipe);
    while let Ok(Some(line)) = read_line(&mut pipe, MAX_LINE_BYTES) {
        if lines.send((line, Instant::now())).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_line_goes_to_the_next_reader() {
        let (lines, output) = sync_channel(4);
        let mut receiver = LineReceiver { lines: output, kept: None };
        let now = Instant::now();
        let hour = Duration::from_secs(3600);
        lines.send(("bestmove e2e4".to_owned(), now + hour)).unwrap();
        lines.send(("readyok".to_owned(), now + hour)).unwrap();
        drop(lines);
        assert!(matches!(receiver.read_line(now), ReadResult::TimedOut));
        assert!(matches!(receiver.read_line(now), ReadResult::TimedOut));
        let later = now + 2 * hour;
        assert!(
            matches!(receiver.read_line(later), ReadResult::Line(line, _) if line == "bestmove e2e4")
        );
        assert!(
            matches!(receiver.read_line(later), ReadResult::Line(line, _) if line == "readyok")
        );
        assert!(matches!(receiver.read_line(later), ReadResult::End));
    }
}
