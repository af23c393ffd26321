//! Tests an archive on a machine without Rust and Node: unpacks it into an empty folder and runs
//! the program with a `PATH` that contains no other program.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use std::{env, process};

use anyhow::{Context, Result, ensure};
use flate2::read::GzDecoder;
use tar::Archive;

use crate::process::succeeds;

/// A position of a game, so that the doctor has nothing to say against it.
const POSITION: &str = "rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2";

/// The program that emulates another processor.
const EMULATOR: &str = "qemu-x86_64";

/// Maximum time for a response of the server.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(60);

/// A temporary folder, removed on drop.
struct Folder(PathBuf);

/// A child process, killed on drop.
struct Running(Child);

/// Unpacks the archive and tests the program in it.
pub(super) fn run(archive: &Path, name: &str, program: &str) -> Result<()> {
    println!("testing {name}");
    let folder = Folder(env::temp_dir().join(format!("castellan-trial-{}", process::id())));
    fs::create_dir(&folder.0).with_context(|| format!("cannot create {}", folder.0.display()))?;
    let file = File::open(archive).with_context(|| format!("cannot read {}", archive.display()))?;
    Archive::new(GzDecoder::new(file)).unpack(&folder.0).context("cannot unpack the archive")?;
    let program = folder.0.join(name).join(program);
    let castellan = |args: &[&str]| {
        let mut command = Command::new(&program);
        command.args(args).env_clear().env("PATH", &folder.0).current_dir(&folder.0);
        command
    };
    let version = text_of(castellan(&["--version"]))?;
    ensure!(version.contains(env!("CARGO_PKG_VERSION")), "--version printed {version:?}");
    let doctor = text_of(castellan(&["fen", POSITION]))?;
    ensure!(doctor.contains("White"), "fen printed {doctor:?}");
    play(castellan(&["uci"])).context("the engine does not play")?;
    serve(castellan(&["serve", "--listen", "127.0.0.1:0", "--data", "data"]))
        .context("the server does not respond")
}

/// Starts the program on an emulated processor that is too old for it, and expects `message`. Does
/// nothing if QEMU is not installed.
pub(super) fn check_old_cpu_message(program: &Path, processor: &str, message: &str) -> Result<()> {
    if !succeeds(Command::new(EMULATOR).arg("--version")) {
        println!("not tested on an older processor: {EMULATOR} is not installed");
        return Ok(());
    }
    let mut command = Command::new(EMULATOR);
    command.args(["-cpu", processor]).arg(program).arg("--version").stdin(Stdio::null());
    let output = command.output().context("cannot start the emulator")?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    let is_clear = stderr.lines().any(|line| line.contains(message));
    let status = output.status;
    ensure!(
        status.code() == Some(2) && is_clear,
        "on the processor {processor} the program exited with {status} and printed {stderr:?}"
    );
    Ok(())
}

/// Returns what a command prints, or an error unless it succeeds.
fn text_of(mut command: Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().context("cannot start the program")?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?} failed ({}): {stderr}", output.status);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Asks the engine for a move.
fn play(mut command: Command) -> Result<()> {
    let mut engine = Running(command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?);
    let mut input = engine.0.stdin.take().context("the engine has no input")?;
    let output = engine.0.stdout.take().context("the engine has no output")?;
    writeln!(input, "uci\nposition startpos moves e2e4\ngo nodes 10000")?;
    for line in BufReader::new(output).lines() {
        if line?.starts_with("bestmove ") {
            return Ok(());
        }
    }
    anyhow::bail!("the engine exited without a move")
}

/// Starts the server and fetches its health, the page and a script of the page.
fn serve(mut command: Command) -> Result<()> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut server = Running(command.spawn()?);
    let mut lines =
        BufReader::new(server.0.stdout.take().context("the server has no output")?).lines();
    let line = lines.next().context("the server exited at once")??;
    let address = line.strip_prefix("listening on http://");
    let address = address.with_context(|| format!("the server printed {line:?}"))?;
    fetch(address, "/healthz")?;
    let page = fetch(address, "/")?;
    let script = page.split('"').find(|text| text.starts_with("/assets/") && text.ends_with(".js"));
    fetch(address, script.context("the binary contains no page")?)?;
    Ok(())
}

/// Returns the body of a response, or an error unless its status is 200.
fn fetch(address: &str, path: &str) -> Result<String> {
    let mut stream = TcpStream::connect(address).context("cannot connect")?;
    stream.set_read_timeout(Some(RESPONSE_TIMEOUT))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).with_context(|| format!("no response for {path}"))?;
    let text = String::from_utf8_lossy(&bytes);
    let (head, body) =
        text.split_once("\r\n\r\n").context("the response headers are incomplete")?;
    let status = head.lines().next().unwrap_or_default();
    ensure!(status.contains(" 200 "), "{path}: {status}");
    Ok(body.to_owned())
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that cannot be removed stays in the system's temporary folder.
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
