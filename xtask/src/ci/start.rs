//! Runs `cargo xtask play` as a user does: builds and starts it, fetches its page, and ends it.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};

use crate::process::prepare;
use crate::setup::Tools;
use crate::workspace::Workspace;

/// Maximum time to build and start the program.
const START_TIMEOUT: Duration = Duration::from_secs(45 * 60);
/// Maximum time for a response, and for the program to end.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(120);

/// Starts the program on a free port, fetches the page and the health report, and ends it.
pub(super) fn play(workspace: &Workspace, _: &Tools) -> Result<()> {
    let data = workspace.target().join("play-test");
    let _ = fs::remove_dir_all(&data);
    let mut child = start(workspace, &data)?;
    let result = visit(&mut child);
    // If the visit succeeded, the program is asked to end; otherwise it is killed.
    let ended = if result.is_ok() { end(&mut child) } else { Ok(()) };
    let _ = child.kill();
    let _ = child.wait();
    result.and(ended)?;
    println!("`cargo xtask play` served the page and exited");
    Ok(fs::remove_dir_all(&data)?)
}

fn start(workspace: &Workspace, data: &Path) -> Result<Child> {
    // Starts this program again, as `cargo xtask` would.
    let xtask = env::current_exe().context("cannot find the path of xtask")?;
    let mut command = Command::new(xtask);
    prepare(&mut command, workspace);
    command.args(["play", "--no-open", "--listen", "127.0.0.1:0", "--data"]).arg(data);
    command.stdin(Stdio::null()).stdout(Stdio::piped());
    command.spawn().context("cannot start `cargo xtask play`")
}

/// Waits for the address and fetches what a browser fetches first.
fn visit(child: &mut Child) -> Result<()> {
    let output = child.stdout.take().context("the program has no output")?;
    let address = address(output)?;
    let health = get(&address, "/healthz")?;
    ensure!(health.starts_with("HTTP/1.1 200"), "unexpected response for /healthz: {health}");
    let page = get(&address, "/")?;
    let is_page = page.starts_with("HTTP/1.1 200") && page.contains("<!doctype html>");
    ensure!(is_page, "unexpected response for the page: {page}");
    // The service worker lists every file that the page keeps for offline use.
    let worker = get(&address, "/sw.js")?;
    let mut files: Vec<&str> = files(&page).chain(files(&worker)).collect();
    files.sort_unstable();
    files.dedup();
    for end in [".js", ".css", ".wasm"] {
        ensure!(files.iter().any(|file| file.ends_with(end)), "the page has no {end}: {files:?}");
    }
    for file in files {
        let response = get(&address, file)?;
        ensure!(
            response.starts_with("HTTP/1.1 200"),
            "unexpected response for {file}: {response:.200}"
        );
    }
    Ok(())
}

/// Returns the paths of files that a text has in quotes.
fn files(text: &str) -> impl Iterator<Item = &str> {
    text.split('"')
        .filter(|part| part.starts_with('/') && part.contains('.') && !part.contains(' '))
}

/// Returns the host and port from the line that the program prints when it listens. The rest of its
/// output is forwarded.
fn address(output: impl Read + Send + 'static) -> Result<String> {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            println!("{line}");
            if let Some(address) = find_address(&line) {
                // The receiver is dropped after the first address, so later sends fail.
                let _ = sender.send(address.to_owned());
            }
        }
    });
    receiver
        .recv_timeout(START_TIMEOUT)
        .context("the program exited or hung before it printed its address")
}

fn find_address(line: &str) -> Option<&str> {
    let rest = &line[line.find("http://127.0.0.1:")? + "http://".len()..];
    let is_end = |c: char| !(c.is_ascii_digit() || c == '.' || c == ':');
    Some(&rest[..rest.find(is_end).unwrap_or(rest.len())])
}

/// Sends one request and returns the whole response.
fn get(address: &str, path: &str) -> Result<String> {
    let mut stream =
        TcpStream::connect(address).with_context(|| format!("cannot connect to {address}"))?;
    stream.set_read_timeout(Some(RESPONSE_TIMEOUT))?;
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
    let mut response = Vec::new();
    stream.read_to_end(&mut response).with_context(|| format!("no response for {path}"))?;
    Ok(String::from_utf8_lossy(&response).into_owned())
}

/// Asks the program to end, as Ctrl+C does, and expects it to succeed.
fn end(child: &mut Child) -> Result<()> {
    if !cfg!(unix) {
        return Ok(());
    }
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status()?;
    ensure!(interrupted.success(), "the program could not be interrupted");
    let step = Duration::from_millis(50);
    let mut waited = Duration::ZERO;
    while waited < RESPONSE_TIMEOUT {
        if let Some(status) = child.try_wait()? {
            ensure!(status.success(), "the program exited with {status}");
            return Ok(());
        }
        thread::sleep(step);
        waited += step;
    }
    bail!("the program did not exit when it was interrupted");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_found_in_a_sentence() {
        let line = "open in your browser: http://127.0.0.1:40123/#key=abc";
        assert_eq!(find_address(line), Some("127.0.0.1:40123"));
        assert_eq!(find_address("http://127.0.0.1:80"), Some("127.0.0.1:80"));
        assert_eq!(find_address("nothing"), None);
    }
}
