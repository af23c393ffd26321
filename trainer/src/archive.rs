//! `pack` and `unpack`: games files at less than a third of their size, for keeping and moving.
//!
//! A move is coded as its place among the legal moves, likely ones first; a score as its difference
//! from what the scores before it let expect. The file is `CASTARCH`, u32 version 1, then chunks of
//! games that are coded independently of each other, each with u32 length, u32 number of games and
//! u32 FNV-1a hash of the games as a games file has them.

use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use clap::Args;

use crate::game::{Game, checksum};
use crate::game_model::Model;
use crate::games_file::header;
use crate::range_coder::{Decoder, Encoder};
use crate::rounds::{IncompleteGame, fold_games, map_in_order};

const MAGIC: &[u8; 8] = b"CASTARCH";
const VERSION: u32 = 1;
/// The most bytes that a chunk may claim.
const MAX_CHUNK_BYTES: u32 = 1 << 26;
/// The most bytes that the games of a chunk may have when they are unpacked.
const MAX_PLAIN_BYTES: usize = 1 << 28;
/// Bytes before the code of a chunk: its length, its number of games and its hash.
const CHUNK_HEAD_BYTES: usize = 12;
/// Chunks that are decoded at a time.
const CHUNKS_PER_ROUND: usize = 64;

/// Pack games files into an archive
#[derive(Args)]
pub(crate) struct PackArgs {
    /// Games files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Archive to write; an existing file is overwritten
    #[arg(long)]
    out: PathBuf,
    /// Write several archives of at most this many bytes instead, named OUT.0, OUT.1 and so on
    #[arg(long)]
    part_bytes: Option<u64>,
}

/// Unpack archives into one games file
#[derive(Args)]
pub(crate) struct UnpackArgs {
    /// Archives
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Games file to write; an existing file is overwritten
    #[arg(long)]
    out: PathBuf,
}

/// Runs `pack`.
pub(crate) fn pack(args: &PackArgs) -> anyhow::Result<()> {
    let mut parts = Parts { args, count: 0, out: None };
    let (mut plain, mut packed) = (0, 0);
    let work = |game: &Game, packer: &mut Packer| packer.add(game);
    fold_games(&args.files, IncompleteGame::Accepted, work, |packer: Packer| {
        plain += packer.plain.len();
        let chunk = packer.finish();
        packed += chunk.len();
        parts.write(&chunk)
    })?;
    parts.finish()?;
    println!("{plain} bytes of games, {packed} packed");
    Ok(())
}

/// The archives that `pack` writes, each of them complete.
struct Parts<'a> {
    args: &'a PackArgs,
    count: usize,
    /// The current archive and its length.
    out: Option<(BufWriter<File>, u64)>,
}

impl Parts<'_> {
    fn write(&mut self, chunk: &[u8]) -> anyhow::Result<()> {
        let length = chunk.len() as u64;
        let limit = self.args.part_bytes.unwrap_or(u64::MAX);
        if self.out.as_ref().is_some_and(|(_, written)| written + length > limit) {
            self.finish()?;
        }
        let (out, written) = match &mut self.out {
            Some(out) => out,
            None => self.out.insert(start_part(&self.args.out_path(self.count))?),
        };
        *written += length;
        out.write_all(chunk).context("cannot write the archive")
    }

    fn finish(&mut self) -> anyhow::Result<()> {
        if let Some((mut out, _)) = self.out.take() {
            out.flush().context("cannot write the archive")?;
            self.count += 1;
        }
        Ok(())
    }
}

impl PackArgs {
    fn out_path(&self, number: usize) -> PathBuf {
        match self.part_bytes {
            Some(_) => PathBuf::from(format!("{}.{number}", self.out.display())),
            None => self.out.clone(),
        }
    }
}

fn start_part(path: &Path) -> anyhow::Result<(BufWriter<File>, u64)> {
    let name = || format!("cannot write {}", path.display());
    let mut out = BufWriter::with_capacity(1 << 20, File::create(path).with_context(name)?);
    out.write_all(MAGIC).with_context(name)?;
    out.write_all(&VERSION.to_le_bytes()).with_context(name)?;
    Ok((out, 12))
}

/// Runs `unpack`.
pub(crate) fn unpack(args: &UnpackArgs) -> anyhow::Result<()> {
    let name = || format!("cannot write {}", args.out.display());
    let mut out = BufWriter::with_capacity(1 << 20, File::create(&args.out).with_context(name)?);
    out.write_all(&header("unpacked")).with_context(name)?;
    for path in &args.files {
        let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
        let mut input = BufReader::with_capacity(1 << 20, file);
        unpack_file(&mut input, &mut out).with_context(|| path.display().to_string())?;
    }
    out.flush().with_context(name)
}

fn unpack_file(input: &mut impl Read, out: &mut impl Write) -> anyhow::Result<()> {
    let mut head = [0; 12];
    input.read_exact(&mut head).context("the archive has no complete header")?;
    ensure!(head[..8] == *MAGIC, "byte 0: the archive does not begin with CASTARCH");
    ensure!(head[8..] == VERSION.to_le_bytes(), "byte 8: the version is not supported");
    let mut offset = head.len() as u64;
    loop {
        let mut chunks = Vec::new();
        while chunks.len() < CHUNKS_PER_ROUND
            && let Some(chunk) = Chunk::read(input, offset).with_context(|| at_byte(offset))?
        {
            offset += CHUNK_HEAD_BYTES as u64 + chunk.code.len() as u64;
            chunks.push(chunk);
        }
        if chunks.is_empty() {
            return Ok(());
        }
        for games in map_in_order(&chunks, Chunk::unpack) {
            out.write_all(&games?)?;
        }
    }
}

fn at_byte(offset: u64) -> String {
    format!("the chunk at byte {offset}")
}

/// Games that are encoded together.
#[derive(Default)]
struct Packer {
    encoder: Encoder,
    model: Model,
    games: u32,
    /// The games as a games file stores them.
    plain: Vec<u8>,
}

impl Packer {
    fn add(&mut self, game: &Game) {
        game.encode(&mut self.plain);
        self.games += 1;
        let coded = self.model.code(&mut self.encoder, Some(game));
        debug_assert!(coded.is_ok(), "a game that was read has legal moves");
    }

    fn finish(self) -> Vec<u8> {
        let code = self.encoder.finish();
        let mut bytes = (code.len() as u32).to_le_bytes().to_vec();
        bytes.extend(self.games.to_le_bytes());
        bytes.extend(checksum(&self.plain).to_le_bytes());
        bytes.extend(code);
        bytes
    }
}

/// A chunk of an archive.
struct Chunk {
    /// Where the chunk begins in the archive.
    offset: u64,
    games: u32,
    hash: u32,
    code: Vec<u8>,
}

impl Chunk {
    /// Reads the chunk that begins at `offset`. Returns `None` at the end of the archive.
    fn read(input: &mut impl Read, offset: u64) -> anyhow::Result<Option<Chunk>> {
        let mut head = [0; CHUNK_HEAD_BYTES];
        match input.read_exact(&mut head[..1]) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        input.read_exact(&mut head[1..]).context("the archive ends inside a chunk")?;
        let number =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (length, games, hash) = (number(0), number(4), number(8));
        ensure!(length <= MAX_CHUNK_BYTES, "it claims {length} bytes, more than {MAX_CHUNK_BYTES}");
        let mut code = vec![0; length as usize];
        input.read_exact(&mut code).context("the archive ends inside a chunk")?;
        Ok(Some(Chunk { offset, games, hash, code }))
    }

    /// Returns the games as a games file stores them.
    fn unpack(&self) -> anyhow::Result<Vec<u8>> {
        self.decode().with_context(|| at_byte(self.offset))
    }

    fn decode(&self) -> anyhow::Result<Vec<u8>> {
        let (mut decoder, mut model) = (Decoder::new(&self.code), Model::default());
        let mut plain = Vec::new();
        for number in 0..self.games {
            let game = model.code(&mut decoder, None).with_context(|| format!("game {number}"))?;
            game.encode(&mut plain);
            // A damaged chunk could otherwise keep the decoder busy for a long time.
            ensure!(plain.len() <= MAX_PLAIN_BYTES, "its games exceed {MAX_PLAIN_BYTES} bytes");
        }
        ensure!(checksum(&plain) == self.hash, "its checksum is wrong");
        Ok(plain)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::games;

    fn packed(games: &[Game]) -> (Vec<u8>, Vec<u8>) {
        let mut packer = Packer::default();
        games.iter().for_each(|game| packer.add(game));
        let plain = packer.plain.clone();
        let head = [&MAGIC[..], &VERSION.to_le_bytes()].concat();
        ([head, packer.finish()].concat(), plain)
    }

    #[test]
    fn games_come_back_as_they_were() {
        let (archive, plain) = packed(&games(21, 200));
        let mut unpacked = Vec::new();
        unpack_file(&mut &archive[..], &mut unpacked).unwrap();
        assert!(unpacked == plain);
        // Random moves and scores cannot be predicted, but the archive is smaller nevertheless.
        assert!(archive.len() * 10 < plain.len() * 9, "{} of {}", archive.len(), plain.len());
    }

    #[test]
    fn damage_is_an_error() {
        use castellan_testkit::random::SplitMix64;
        let mut rng = SplitMix64::new(22);
        let (archive, plain) = packed(&games(23, 20));
        for _ in 0..300 {
            let mut damaged = archive.clone();
            let at = rng.below(damaged.len() - 4);
            damaged[at] ^= 1 + rng.below(255) as u8;
            let mut unpacked = Vec::new();
            let result = unpack_file(&mut &damaged[..], &mut unpacked);
            assert!(result.is_err() || unpacked == plain, "byte {at}");
        }
        for cut in [3, 13, 20, archive.len() - 1] {
            let error = unpack_file(&mut &archive[..cut], &mut Vec::new()).unwrap_err();
            let expected = if cut < 12 { "no complete header" } else { "the chunk at byte 12" };
            assert!(format!("{error:#}").contains(expected), "{cut} bytes: {error:#}");
        }
    }
}
