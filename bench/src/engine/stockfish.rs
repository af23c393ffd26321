//! Stockfish, measured by its own `bench` of the current position.

use std::env;
use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use castellan_rules::Position;

use crate::contest::Timing;

/// The environment variable with the folder of other engines, which `cargo xtask bench` sets.
const FOLDER_VARIABLE: &str = "CASTELLAN_ENGINES";

/// The evaluation that Stockfish uses. By default its bench uses the classical one for every other
/// position, beginning with the first, so a bench of a single position would never use the network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Evaluation {
    /// The hand-written evaluation.
    Classical,
    /// The network, which Stockfish uses in play.
    Network,
}

impl fmt::Display for Evaluation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Evaluation::Classical => "classical",
            Evaluation::Network => "NNUE",
        })
    }
}

/// Returns the program that the user named, or an installed one that can be started.
pub(super) fn find(asked: Option<&Path>) -> Result<PathBuf> {
    if let Some(program) = asked {
        return Ok(program.to_owned());
    }
    let folder = env::var_os(FOLDER_VARIABLE).map(PathBuf::from).unwrap_or_default();
    let program = folder.join("stockfish");
    match run_with_input(&program, "quit\n") {
        Ok(_) => Ok(program),
        Err(_) => bail!("Stockfish was not found; pass its path with `--stockfish PROGRAM`"),
    }
}

/// Runs a search of a position in Stockfish, with one thread.
pub(super) fn bench(
    program: &Path,
    position: &Position,
    hash_mb: usize,
    nodes: u64,
    evaluation: Evaluation,
) -> Result<Timing> {
    let fen = position.to_fen();
    let text = run_with_input(
        program,
        &format!(
            "setoption name UCI_Chess960 value true\n\
             position fen {fen}\n\
             bench {hash_mb} 1 {nodes} current nodes {evaluation}\n\
             quit\n"
        ),
    )?;
    parse(&text).with_context(|| format!("{}: no bench result for {fen}", program.display()))
}

/// Starts the program, sends it `input_text`, and returns what it wrote to standard error.
fn run_with_input(program: &Path, input_text: &str) -> Result<String> {
    let cannot_run = || format!("cannot run {}", program.display());
    let mut child = Command::new(program)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .with_context(cannot_run)?;
    if let Some(mut input) = child.stdin.take() {
        input.write_all(input_text.as_bytes()).with_context(cannot_run)?;
    }
    let output = child.wait_with_output().with_context(cannot_run)?;
    if !output.status.success() {
        bail!("{} failed ({})", program.display(), output.status);
    }
    Ok(String::from_utf8_lossy(&output.stderr).into_owned())
}

/// Parses the lines `Total time (ms) : N` and `Nodes searched  : N`.
fn parse(text: &str) -> Option<Timing> {
    let number = |name: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(name))?;
        line.rsplit(':').next()?.trim().parse::<u64>().ok()
    };
    let time = Duration::from_millis(number("Total time")?);
    Some(Timing { units: number("Nodes searched")?, time })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_and_nodes_are_read() {
        let text = "\nPosition: 1/1\n===========================\n\
            Total time (ms) : 280\nNodes searched  : 259759\nNodes/second    : 927710\n";
        let time = Duration::from_millis(280);
        assert_eq!(parse(text), Some(Timing { units: 259_759, time }));
        assert_eq!(parse("Total time (ms) : 280\n"), None);
        assert_eq!(parse("Total time (ms) : x\nNodes searched : 3\n"), None);
    }
}
