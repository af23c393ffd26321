//! Games files: a header, then games until the file ends.
//!
//! This module reads and writes the header, finds where games begin and end, and appends to a file
//! even if its last game is incomplete.

use std::fs::{File, OpenOptions};
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

use anyhow::{Context, bail, ensure};

use crate::game::{Game, GameError, GameErrorKind, LENGTH_KNOWN_AFTER, encoded_len};

const MAGIC: &[u8; 8] = b"CASTGAME";
const VERSION: u32 = 1;

/// A reader that returns games one after another, without playing their moves.
pub(crate) struct GamesReader<R> {
    input: R,
    offset: u64,
    description: String,
}

/// Some whole games of a file, still encoded.
pub(crate) struct Batch {
    /// The position of the first game in the file.
    offset: u64,
    bytes: Vec<u8>,
}

impl Batch {
    /// Decodes the games.
    pub(crate) fn games(&self) -> impl Iterator<Item = Result<Game, GameError>> + '_ {
        let mut at = 0;
        std::iter::from_fn(move || {
            let rest = &self.bytes[at..];
            let len = encoded_len(rest)?;
            let offset = self.offset + at as u64;
            at += len;
            Some(Game::decode(&rest[..len], offset))
        })
    }
}

impl GamesReader<BufReader<File>> {
    /// Opens a file and reads its header.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        let cannot_read = || format!("cannot read {}", path.display());
        let file = File::open(path).with_context(cannot_read)?;
        GamesReader::new(BufReader::with_capacity(1 << 20, file)).with_context(cannot_read)
    }
}

impl<R: Read> GamesReader<R> {
    /// Reads the header.
    pub(crate) fn new(mut input: R) -> anyhow::Result<GamesReader<R>> {
        let mut fixed = [0; 14];
        input.read_exact(&mut fixed).context("the file has no complete header")?;
        ensure!(fixed[..8] == *MAGIC, "byte 0: the file does not begin with CASTGAME");
        let version = u32::from_le_bytes([fixed[8], fixed[9], fixed[10], fixed[11]]);
        ensure!(version == VERSION, "byte 8: version {version} is not supported, only {VERSION}");
        let length = u16::from_le_bytes([fixed[12], fixed[13]]);
        let mut text = vec![0; usize::from(length)];
        input.read_exact(&mut text).context("the file has no complete header")?;
        let description =
            String::from_utf8(text).context("byte 14: the description is not valid UTF-8")?;
        Ok(GamesReader { input, offset: 14 + u64::from(length), description })
    }

    /// Returns the description of the file: which engine played, with which settings.
    pub(crate) fn description(&self) -> &str {
        &self.description
    }

    /// Returns the position of the next game in the file.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// Appends the bytes of the next game to `bytes`, and returns `false` at the end of the file.
    /// Nothing is appended if the game is incomplete.
    pub(crate) fn read_game(&mut self, bytes: &mut Vec<u8>) -> anyhow::Result<bool> {
        let from = bytes.len();
        let read = self.read_up_to(LENGTH_KNOWN_AFTER, bytes)?;
        if read == 0 {
            return Ok(false);
        }
        if let Some(len) = encoded_len(&bytes[from..]) {
            self.read_up_to(len - LENGTH_KNOWN_AFTER, bytes)?;
            if bytes.len() - from == len {
                self.offset += len as u64;
                return Ok(true);
            }
        }
        bytes.truncate(from);
        bail!(GameError { offset: self.offset, kind: GameErrorKind::IncompleteGame })
    }

    /// Reads whole games until they fill about `size` bytes. Returns them, and either whether the
    /// file has ended or the error that came after them.
    pub(crate) fn read_batch(&mut self, size: usize) -> (Option<Batch>, anyhow::Result<bool>) {
        let mut batch = Batch { offset: self.offset, bytes: Vec::with_capacity(size + (1 << 12)) };
        let mut end = Ok(false);
        while batch.bytes.len() < size && matches!(end, Ok(false)) {
            end = self.read_game(&mut batch.bytes).map(|is_game| !is_game);
        }
        ((!batch.bytes.is_empty()).then_some(batch), end)
    }

    /// Appends the next `count` bytes to `bytes`, or fewer at the end of the file.
    fn read_up_to(&mut self, count: usize, bytes: &mut Vec<u8>) -> anyhow::Result<usize> {
        Ok(self.input.by_ref().take(count as u64).read_to_end(bytes)?)
    }
}

/// Opens a file for appending games, and writes the header if the file is new. An incomplete game
/// at the end is removed. Returns the file and its length.
pub(crate) fn open_for_append(path: &Path, description: &str) -> anyhow::Result<(File, u64)> {
    let cannot_append = || format!("cannot append to {}", path.display());
    let mut file = match File::open(path) {
        Ok(_) => {
            OpenOptions::new().read(true).write(true).open(path).with_context(cannot_append)?
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let mut file = File::create_new(path).with_context(cannot_append)?;
            file.write_all(&header(description)).with_context(cannot_append)?;
            file
        }
        Err(error) => return Err(error).with_context(cannot_append),
    };
    let length = whole_length(path).with_context(cannot_append)?;
    file.set_len(length).with_context(cannot_append)?;
    file.seek(SeekFrom::Start(length)).with_context(cannot_append)?;
    Ok((file, length))
}

/// Returns the length of a file up to the end of its last whole game.
fn whole_length(path: &Path) -> anyhow::Result<u64> {
    let mut reader = GamesReader::open(path)?;
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        match reader.read_game(&mut bytes) {
            Ok(true) => {}
            Ok(false) => return Ok(reader.offset()),
            Err(error) if is_incomplete(&error) => return Ok(reader.offset()),
            Err(error) => return Err(error),
        }
    }
}

/// Returns whether the error means that the file ends inside a game.
pub(crate) fn is_incomplete(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<GameError>()
        .is_some_and(|error| error.kind == GameErrorKind::IncompleteGame)
}

/// Returns the header of a file. A description that is too long is truncated.
pub(crate) fn header(description: &str) -> Vec<u8> {
    let mut description = description.to_owned();
    description.truncate(description.floor_char_boundary(usize::from(u16::MAX)));
    let mut bytes = MAGIC.to_vec();
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((description.len() as u16).to_le_bytes());
    bytes.extend(description.as_bytes());
    bytes
}
