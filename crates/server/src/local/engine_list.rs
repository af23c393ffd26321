//! The list of external engines, saved in a file of its own.

use core::num::{NonZeroU8, NonZeroU16};
use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde::{Deserialize, Serialize};

use super::{EngineError, OwnCommand};

/// Maximum number of engines.
const MAX_ENGINES: usize = 16;
/// Maximum number of bytes read from the file. The server never writes a larger one.
const MAX_FILE_BYTES: u64 = 256 * 1024;
/// Maximum length of a name in bytes; the rest is cut off.
const MAX_NAME_BYTES: usize = 100;

/// An engine in the list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct ExternalEngine {
    /// Unique as long as the program runs, so that a search never returns its process to another
    /// engine.
    pub(super) id: u32,
    pub(super) name: String,
    pub(super) author: String,
    #[serde(flatten)]
    pub(super) setup: EngineSetup,
    /// Range of playing strengths, if the engine can limit its strength.
    #[serde(default)]
    pub(super) elo: Option<EloRange>,
}

/// ID of the program's own engine, which is not in the list. The IDs of the list begin with 1.
const OWN_ID: u32 = 0;

impl ExternalEngine {
    /// Returns the engine of this program, which is started by a command line.
    pub(super) fn own(command: OwnCommand) -> ExternalEngine {
        let OwnCommand { path, args } = command;
        let setup = EngineSetup { path, args, hash_mb: None, threads: None };
        let (name, author) = ("Castellan".to_owned(), String::new());
        ExternalEngine { id: OWN_ID, name, author, setup, elo: None }
    }
}

/// How an external engine is started, and how much of the machine it may use.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct EngineSetup {
    pub(super) path: PathBuf,
    #[serde(default)]
    pub(super) args: Vec<String>,
    /// Size of the transposition table in megabytes; `None` for a small one.
    #[serde(default)]
    pub(super) hash_mb: Option<NonZeroU16>,
    /// Number of threads; `None` for some of the processor's.
    #[serde(default)]
    pub(super) threads: Option<NonZeroU8>,
}

impl EngineSetup {
    /// Returns `true` if both start the same engine, whatever they let it use.
    fn is_same_engine(&self, other: &EngineSetup) -> bool {
        self.path == other.path && self.args == other.args
    }
}

/// A range of Elo ratings.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct EloRange {
    pub(super) min: i64,
    pub(super) max: i64,
}

/// The list of engines.
#[derive(Debug)]
pub(super) struct EngineList {
    file: PathBuf,
    engines: Mutex<Vec<ExternalEngine>>,
    /// The last ID assigned. It never decreases, even if that engine is removed.
    last_id: AtomicU32,
}

impl EngineList {
    /// Reads the list. A missing or damaged file counts as an empty list.
    pub(super) fn open(file: PathBuf) -> EngineList {
        let engines = read(&file).unwrap_or_else(|error| {
            if error.kind() != io::ErrorKind::NotFound {
                tracing::warn!("the list of engines could not be loaded: {error}");
            }
            Vec::new()
        });
        let last_id = engines.iter().map(|engine| engine.id).max().unwrap_or(0);
        EngineList { file, engines: Mutex::new(engines), last_id: AtomicU32::new(last_id) }
    }

    pub(super) fn list(&self) -> Vec<ExternalEngine> {
        self.lock().clone()
    }

    pub(super) fn get(&self, id: u32) -> Option<ExternalEngine> {
        self.lock().iter().find(|engine| engine.id == id).cloned()
    }

    /// Checks that the engine is not in the list and that the list is not full.
    pub(super) fn check(&self, setup: &EngineSetup) -> Result<(), EngineError> {
        check(&self.lock(), setup)
    }

    /// Adds an engine, unless it is already in the list or the list is full.
    pub(super) fn add(
        &self,
        setup: EngineSetup,
        [name, author]: [&str; 2],
        elo: Option<EloRange>,
    ) -> Result<ExternalEngine, EngineError> {
        let mut engines = self.lock();
        // Another request may have added an engine while this one was being tried.
        check(&engines, &setup)?;
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let cut = |text: &str| text[..text.floor_char_boundary(MAX_NAME_BYTES)].to_owned();
        let (name, author) = (cut(name), cut(author));
        let engine = ExternalEngine { id, name, author, setup, elo };
        let mut changed = engines.clone();
        changed.push(engine.clone());
        self.save(&changed)?;
        *engines = changed;
        Ok(engine)
    }

    pub(super) fn remove(&self, id: u32) -> Result<(), EngineError> {
        let mut engines = self.lock();
        let mut changed = engines.clone();
        changed.retain(|engine| engine.id != id);
        if changed.len() == engines.len() {
            return Err(EngineError::Unknown);
        }
        self.save(&changed)?;
        *engines = changed;
        Ok(())
    }

    /// Writes the list to a temporary file, which then replaces the old one.
    fn save(&self, engines: &[ExternalEngine]) -> Result<(), EngineError> {
        let beside = self.file.with_extension("new");
        let written =
            serde_json::to_vec_pretty(engines).map_err(io::Error::other).and_then(|text| {
                let mut file = fs::File::create(&beside)?;
                file.write_all(&text)?;
                file.sync_all()?;
                fs::rename(&beside, &self.file)
            });
        written.map_err(|error| {
            tracing::warn!("the list of engines could not be saved: {error}");
            EngineError::NotSaved
        })
    }

    fn lock(&self) -> MutexGuard<'_, Vec<ExternalEngine>> {
        self.engines.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn check(engines: &[ExternalEngine], setup: &EngineSetup) -> Result<(), EngineError> {
    if engines.iter().any(|engine| engine.setup.is_same_engine(setup)) {
        return Err(EngineError::Known);
    }
    if engines.len() >= MAX_ENGINES { Err(EngineError::TooMany(MAX_ENGINES)) } else { Ok(()) }
}

fn read(file: &Path) -> io::Result<Vec<ExternalEngine>> {
    let mut text = Vec::new();
    fs::File::open(file)?.take(MAX_FILE_BYTES).read_to_end(&mut text)?;
    let mut engines: Vec<ExternalEngine> =
        serde_json::from_slice(&text).map_err(io::Error::other)?;
    engines.truncate(MAX_ENGINES);
    Ok(engines)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(path: &str) -> EngineSetup {
        EngineSetup { path: path.into(), args: Vec::new(), hash_mb: None, threads: None }
    }

    #[test]
    fn the_list_is_kept_and_has_an_end() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("engines.json");
        let engine_list = EngineList::open(file.clone());
        let elo = Some(EloRange { min: 1000, max: 2000 });
        for number in 1..=MAX_ENGINES {
            let hash_mb = NonZeroU16::new(256);
            let one = EngineSetup { hash_mb, ..setup(&format!("/engine/{number}")) };
            assert_eq!(engine_list.add(one, ["a", "b"], elo).unwrap().id as usize, number);
        }
        let add = |one| engine_list.add(one, ["a", "b"], None);
        assert_eq!(add(setup("/engine/more")), Err(EngineError::TooMany(MAX_ENGINES)));
        assert_eq!(add(setup("/engine/1")), Err(EngineError::Known));
        engine_list.remove(1).unwrap();
        // The same program with other arguments is another engine.
        let args = vec!["--net".to_owned()];
        assert!(add(EngineSetup { args, ..setup("/engine/2") }).is_ok());
        engine_list.remove(2).unwrap();
        assert_eq!(engine_list.remove(1), Err(EngineError::Unknown));
        assert_eq!(EngineList::open(file).list(), engine_list.list());
    }

    #[test]
    fn the_id_of_a_removed_engine_is_not_assigned_again() {
        let folder = tempfile::tempdir().unwrap();
        let engine_list = EngineList::open(folder.path().join("engines.json"));
        let add = |path| engine_list.add(setup(path), ["a", "b"], None).unwrap().id;
        let (first, last) = (add("/first"), add("/last"));
        engine_list.remove(last).unwrap();
        let next = add("/next");
        assert!(next != first && next != last, "{first} {last} {next}");
        assert_eq!(engine_list.get(last), None);
    }

    #[test]
    fn a_list_from_before_there_were_strengths_and_arguments_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("engines.json");
        fs::write(&file, r#"[{"id": 3, "name": "a", "author": "b", "path": "/a"}]"#).unwrap();
        let (name, author) = ("a".to_owned(), "b".to_owned());
        let engine = ExternalEngine { id: 3, name, author, setup: setup("/a"), elo: None };
        assert_eq!(EngineList::open(file).list(), [engine]);
    }

    #[test]
    fn a_damaged_list_is_an_empty_one() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("engines.json");
        for text in ["", "{", "[{\"id\": 1}]", "null"] {
            fs::write(&file, text).unwrap();
            assert_eq!(EngineList::open(file.clone()).list(), [], "{text}");
        }
    }
}
