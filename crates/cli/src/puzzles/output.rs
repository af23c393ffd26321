//! Writes the puzzles, and records the progress of a run so that it can be continued.
//!
//! Next to an output file is a second one whose name ends in `.state`. It has the settings of the
//! run, the number of games that are done, and the length of the output with their puzzles, and is
//! replaced after every game. A run that continues first truncates the output to that length.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use castellan_puzzles::Puzzle;
use serde::{Deserialize, Serialize};

use super::End;
use super::games::SourceGame;
use super::record::PuzzleFormat;
use crate::limits;

/// The settings that must stay the same when a run is continued.
pub(super) struct RunSettings {
    format: PuzzleFormat,
    text: String,
}

impl RunSettings {
    /// Describes a run. Files count with their size, because games must not have moved.
    pub(super) fn new(files: &[String], format: PuzzleFormat, nodes: u64) -> RunSettings {
        let size = |file: &String| {
            let bytes = fs::metadata(file).map_or(0, |metadata| metadata.len());
            format!("{file} ({bytes} bytes)")
        };
        let files: Vec<_> = files.iter().map(size).collect();
        let text = format!("{}, {nodes} nodes, {}", format.name(), files.join(", "));
        RunSettings { format, text }
    }
}

/// How much has been done, earlier runs included.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub(super) struct RunCounts {
    pub(super) games: u64,
    pub(super) puzzles: u64,
    pub(super) duplicates: u64,
}

/// The content of the state file.
#[derive(Serialize, Deserialize)]
struct RunState {
    settings: String,
    #[serde(flatten)]
    counts: RunCounts,
    /// The length of the output.
    bytes: u64,
}

/// The output of a run.
pub(super) struct PuzzleOutput {
    settings: RunSettings,
    counts: RunCounts,
    /// The positions of all puzzles.
    keys: HashSet<u64>,
    target: Target,
}

enum Target {
    Stdout,
    File { file: File, path: PathBuf, bytes: u64 },
}

impl PuzzleOutput {
    /// Writes to standard output.
    pub(super) fn stdout(settings: RunSettings) -> PuzzleOutput {
        let (counts, keys) = (RunCounts::default(), HashSet::new());
        PuzzleOutput { settings, counts, keys, target: Target::Stdout }
    }

    /// Creates a file, or continues the run that it belongs to. Fails without changing anything if
    /// it is not from an unfinished run with the same settings.
    pub(super) fn file(path: &Path, settings: RunSettings) -> anyhow::Result<PuzzleOutput> {
        let state = read_state(path)?;
        let Some(state) = state else {
            let mut options = OpenOptions::new();
            let file = options.write(true).create_new(true).open(path);
            let file = file.with_context(|| format!("cannot create {}", path.display()))?;
            let target = Target::File { file, path: path.to_owned(), bytes: 0 };
            let (counts, keys) = (RunCounts::default(), HashSet::new());
            return Ok(PuzzleOutput { settings, counts, keys, target });
        };
        let name = || format!("cannot continue {}", path.display());
        ensure!(
            state.settings == settings.text,
            "{}: it was begun with other settings: {}",
            name(),
            state.settings
        );
        let file = OpenOptions::new().read(true).write(true).open(path).with_context(name)?;
        let mut text = Vec::new();
        (&file).take(state.bytes).read_to_end(&mut text).with_context(name)?;
        ensure!(text.len() as u64 == state.bytes, "{}: it has become shorter", name());
        file.set_len(state.bytes).with_context(name)?;
        let keys = settings.format.keys(&text).into_iter().collect();
        let target = Target::File { file, path: path.to_owned(), bytes: state.bytes };
        let _ = writeln!(io::stderr(), "continuing after {} games", state.counts.games);
        Ok(PuzzleOutput { settings, counts: state.counts, keys, target })
    }

    /// Returns how much has been done.
    pub(super) fn counts(&self) -> RunCounts {
        self.counts
    }

    /// Writes the puzzles of the next game, up to a total of `most`. Returns whether there was room
    /// for all of them; if not, the game counts as not done.
    pub(super) fn write(
        &mut self,
        game: &SourceGame,
        puzzles: &[Puzzle],
        most: u64,
    ) -> anyhow::Result<bool> {
        let mut text = String::new();
        let mut is_whole = true;
        let mut duplicates = 0;
        for puzzle in puzzles {
            if self.keys.contains(&puzzle.key()) {
                duplicates += 1;
            } else if self.counts.puzzles >= most {
                is_whole = false;
            } else {
                self.keys.insert(puzzle.key());
                self.counts.puzzles += 1;
                text += &self.settings.format.write(puzzle, game);
            }
        }
        if is_whole {
            self.counts.games += 1;
            self.counts.duplicates += duplicates;
        }
        self.append(text.as_bytes())?;
        Ok(is_whole)
    }

    fn append(&mut self, text: &[u8]) -> anyhow::Result<()> {
        match &mut self.target {
            Target::Stdout => {
                let mut out = io::stdout().lock();
                out.write_all(text)?;
                out.flush()?;
            }
            Target::File { file, path, bytes } => {
                file.write_all(text).with_context(|| format!("cannot write {}", path.display()))?;
                *bytes += text.len() as u64;
                let (settings, counts) = (self.settings.text.clone(), self.counts);
                write_state(path, &RunState { settings, counts, bytes: *bytes })?;
            }
        }
        Ok(())
    }

    /// Prints the counts, and removes the state of a run that is complete.
    pub(super) fn finish(&self, end: End) -> anyhow::Result<()> {
        let RunCounts { games, puzzles, duplicates } = self.counts;
        let summary = format!("games {games} puzzles {puzzles} duplicates {duplicates}");
        match &self.target {
            // Standard output has the puzzles.
            Target::Stdout => {
                let _ = writeln!(io::stderr(), "{summary}");
            }
            Target::File { path, .. } => {
                if end == End::Complete {
                    remove_state(path)?;
                }
                writeln!(io::stdout(), "{summary}")?;
            }
        }
        Ok(())
    }
}

fn state_path(path: &Path, ending: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(ending);
    PathBuf::from(name)
}

fn read_state(path: &Path) -> anyhow::Result<Option<RunState>> {
    let state = state_path(path, ".state");
    let name = || format!("cannot read {}", state.display());
    let file = match File::open(&state) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(name),
    };
    let mut text = Vec::new();
    file.take(limits::PUZZLE_STATE_BYTES).read_to_end(&mut text).with_context(name)?;
    match serde_json::from_slice(&text) {
        Ok(read) => Ok(Some(read)),
        Err(error) => bail!("{}: {error}; remove it and the output to begin again", name()),
    }
}

/// Replaces the state in one step, so that it is whole whenever the program ends.
fn write_state(path: &Path, state: &RunState) -> anyhow::Result<()> {
    let (target, draft) = (state_path(path, ".state"), state_path(path, ".state.new"));
    let text = serde_json::to_string(state)? + "\n";
    fs::write(&draft, text)
        .and_then(|()| fs::rename(&draft, &target))
        .with_context(|| format!("cannot write {}", target.display()))
}

fn remove_state(path: &Path) -> anyhow::Result<()> {
    let state = state_path(path, ".state");
    match fs::remove_file(&state) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(error).with_context(|| format!("cannot remove {}", state.display()))
        }
        _ => Ok(()),
    }
}
