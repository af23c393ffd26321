//! The server processes to measure.

use std::net::IpAddr;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use castellan_testkit::online::Process;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use tempfile::TempDir;

/// The program to run, and how.
pub(super) struct ServerConfig {
    pub(super) program: PathBuf,
    /// Folder for its data.
    pub(super) data: PathBuf,
    /// Maximum number of clients.
    pub(super) max_sockets: usize,
    /// Addresses from which clients connect, besides 127.0.0.1.
    pub(super) sources: Vec<IpAddr>,
}

/// A running server and its data folder, which is removed with it.
pub(super) struct RunningServer {
    process: Process,
    _data: TempDir,
}

impl ServerConfig {
    /// Starts a server with an empty data folder.
    pub(super) fn start(&self) -> Result<RunningServer> {
        ensure!(
            self.program.exists(),
            "{} does not exist; build it with cargo build --release",
            self.program.display()
        );
        let data = tempfile::Builder::new()
            .prefix("bench-server-")
            .tempdir_in(&self.data)
            .with_context(|| format!("cannot create a data folder in {}", self.data.display()))?;
        let mut command = Command::new(&self.program);
        command.args(["serve", "--listen", "127.0.0.1:0", "--unlimited", "127.0.0.1"]);
        for source in &self.sources {
            command.arg("--unlimited").arg(source.to_string());
        }
        command.arg("--max-sockets").arg(self.max_sockets.to_string());
        let process = Process::start(command.arg("--data").arg(data.path()))?;
        Ok(RunningServer { process, _data: data })
    }
}

impl std::ops::Deref for RunningServer {
    type Target = Process;

    fn deref(&self) -> &Process {
        &self.process
    }
}

/// Starts this program again as the echo server.
pub(super) fn start_echo() -> Result<Process> {
    let program = std::env::current_exe().context("cannot find the path of this program")?;
    Ok(Process::start(Command::new(program).args(["server", "--echo"]))?)
}

/// Raises the limit of open files to the maximum for this user; the servers inherit it.
pub(super) fn allow_many_sockets() -> Result<()> {
    let limit = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum })
        .context("cannot raise the limit on open files")
}
