//! `pack` and `unpack`: games files at less than a third of their size, for keeping and moving.
//!
//! A move is coded as its place among the legal moves, likely ones first; a score as its difference
//! from what the scores before it let expect. The file is `CASTARCH`, u32 version 1, then chunks of
//! games that are coded independently of each other, each with u32 length, u32 number of games and
//! u32 FNV-1a hash of the games as a games file has them.

use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use castellan_rules::{Color, Move, MoveKind, Position, Promotion, Role, Square};
use clap::Args;

use crate::game::{Game, MATE_SCORE, Ply, checksum, read_start, start_bytes};
use crate::games_file::header;
use crate::range_coder::{Chance, Coder, Decoder, Encoder};
use crate::rounds::{CutOff, fold_games, map_in_order};

const MAGIC: &[u8; 8] = b"CASTARCH";
const VERSION: u32 = 1;
/// The most bytes that a chunk may claim.
const MAX_CHUNK_BYTES: u32 = 1 << 26;
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
    fold_games(&args.files, CutOff::Accepted, work, |packer: Packer| {
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
    loop {
        let mut chunks = Vec::new();
        while chunks.len() < CHUNKS_PER_ROUND
            && let Some(chunk) = Chunk::read(input)?
        {
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

/// Games that are coded together.
#[derive(Default)]
struct Packer {
    encoder: Encoder,
    model: Model,
    games: u32,
    /// The games as a games file has them.
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
    games: u32,
    hash: u32,
    code: Vec<u8>,
}

impl Chunk {
    /// Reads the next chunk; `None` at the end of the archive.
    fn read(input: &mut impl Read) -> anyhow::Result<Option<Chunk>> {
        let mut head = [0; 12];
        match input.read_exact(&mut head[..1]) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        input.read_exact(&mut head[1..]).context("the archive ends inside a chunk")?;
        let number =
            |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (length, games, hash) = (number(0), number(4), number(8));
        ensure!(length <= MAX_CHUNK_BYTES, "a chunk is too long: {length} bytes");
        let mut code = vec![0; length as usize];
        input.read_exact(&mut code).context("the archive ends inside a chunk")?;
        Ok(Some(Chunk { games, hash, code }))
    }

    /// Returns the games as a games file has them.
    fn unpack(&self) -> anyhow::Result<Vec<u8>> {
        let (mut decoder, mut model) = (Decoder::new(&self.code), Model::default());
        let mut plain = Vec::new();
        for _ in 0..self.games {
            model.code(&mut decoder, None)?.encode(&mut plain);
            // A damaged chunk could otherwise go on for a long time.
            ensure!(plain.len() <= 1 << 28, "a chunk has too many games");
        }
        ensure!(checksum(&plain) == self.hash, "the checksum of a chunk is wrong");
        Ok(plain)
    }
}

/// Places up to this one have probabilities of their own.
const PLACES: usize = 16;
/// Classes of how likely a move looks.
const CLASSES: usize = 24;
/// Classes of the size of a number: its length in bits.
const SIZES: usize = 18;

/// What the coder has learned about moves and scores.
struct Model {
    is_standard: Chance,
    result: [Chance; 2],
    has_score: [Chance; 2],
    is_move: [[Chance; CLASSES]; PLACES],
    size: [[Chance; SIZES]; SIZES],
    sign: [Chance; 3],
    second_bit: [Chance; SIZES],
    /// How often a piece went to a square, by color and role.
    history: [[i32; 64]; 12],
}

impl Default for Model {
    fn default() -> Model {
        let chance = Chance::default();
        Model {
            is_standard: chance,
            result: [chance; 2],
            has_score: [chance; 2],
            is_move: [[chance; CLASSES]; PLACES],
            size: [[chance; SIZES]; SIZES],
            sign: [chance; 3],
            second_bit: [chance; SIZES],
            history: [[0; 64]; 12],
        }
    }
}

/// The scores before a ply, as far as they let its score be expected.
#[derive(Default)]
struct Scores {
    last: i32,
    one_before: i32,
    /// The size of the last error.
    error_size: usize,
    had_score: bool,
    last_sign: usize,
}

impl Model {
    /// Codes a game: an encoder is given it, a decoder returns it.
    fn code(&mut self, coder: &mut impl Coder, game: Option<&Game>) -> anyhow::Result<Game> {
        let (start, winner) = self.code_start(coder, game)?;
        let count = game.map_or(0, |game| game.plies.len() as u32);
        let count = coder.plain_bits(16, count) as usize;
        let (mut position, mut scores, mut last_to) = (start, Scores::default(), None);
        let mut plies = Vec::new();
        for index in 0..count {
            let ply = game.map(|game| game.plies[index]);
            let mv = self.code_move(coder, &position, last_to, ply.map(|ply| ply.mv))?;
            let score = self.code_score(coder, &mut scores, ply.and_then(|ply| ply.score));
            ensure!(score.is_none_or(|it| it.abs() <= MATE_SCORE), "a score is out of range");
            plies.push(Ply { mv, score });
            last_to = Some(mv.to());
            position = position.play_unchecked(mv);
        }
        Ok(Game { start, winner, plies })
    }

    fn code_start(
        &mut self,
        coder: &mut impl Coder,
        game: Option<&Game>,
    ) -> anyhow::Result<(Position, Option<Color>)> {
        let standard = start_bytes(&Position::default(), None);
        let mut bytes = game.map_or(standard, |game| start_bytes(&game.start, game.winner));
        let (body, result) = bytes.split_at_mut(31);
        if !coder.bit(&mut self.is_standard, body[..] == standard[..31]) {
            for byte in body {
                *byte = coder.plain_bits(8, u32::from(*byte)) as u8;
            }
        }
        let is_draw = coder.bit(&mut self.result[0], result[0] == 1);
        let is_white = !is_draw && coder.bit(&mut self.result[1], result[0] == 2);
        result[0] = if is_draw { 1 } else { u8::from(is_white) * 2 };
        match read_start(&bytes) {
            Ok(start) => Ok(start),
            Err((_, fault)) => bail!("a start position is damaged: {fault}"),
        }
    }

    fn code_move(
        &mut self,
        coder: &mut impl Coder,
        position: &Position,
        last_to: Option<Square>,
        played: Option<Move>,
    ) -> anyhow::Result<Move> {
        let mut moves: Vec<(i32, Move)> = position
            .legal_moves()
            .iter()
            .map(|&mv| (self.likelihood(position, mv, last_to), mv))
            .collect();
        moves.sort_by_key(|&(likelihood, _)| -likelihood);
        let Some(last) = moves.len().checked_sub(1) else {
            bail!("a game continues after its end")
        };
        let mut place = 0;
        while place < last {
            let (likelihood, mv) = moves[place];
            let class = ((likelihood + 4000) / 700).clamp(0, CLASSES as i32 - 1) as usize;
            if coder.bit(&mut self.is_move[place.min(PLACES - 1)][class], played == Some(mv)) {
                break;
            }
            place += 1;
        }
        for &(_, passed) in &moves[..place] {
            let history = self.history_of(position, passed);
            *history -= *history / 32;
        }
        let mv = moves[place].1;
        let history = self.history_of(position, mv);
        *history += (4096 - *history) / 16;
        Ok(mv)
    }

    /// Returns how likely a move looks; only the order and a rough size count.
    fn likelihood(&mut self, position: &Position, mv: Move, last_to: Option<Square>) -> i32 {
        let turn = position.turn();
        let role = |square| position.piece_at(square).map_or(Role::Pawn, |piece| piece.role);
        let mover = role(mv.from());
        let occupied = position.occupied();
        let threatens = |square| {
            let attackers = position.pieces().attackers(!turn, square, occupied);
            let by_pawn = !(attackers & position.pieces().role(Role::Pawn)).is_empty();
            (!attackers.is_empty(), by_pawn && mover != Role::Pawn)
        };
        let mut likelihood = *self.history_of(position, mv);
        let is_capture = position.color(!turn).contains(mv.to());
        if is_capture || mv.kind() == MoveKind::EnPassant {
            let victim = if is_capture { role(mv.to()) } else { Role::Pawn };
            likelihood += 2500 + 900 * victim as i32 - 150 * mover as i32;
            likelihood += if last_to == Some(mv.to()) { 3500 } else { 0 };
        }
        match mv.promotion() {
            Some(Promotion::Queen) => likelihood += 5000,
            Some(_) => likelihood -= 3000,
            None => {}
        }
        let (from_attacked, from_by_pawn) = threatens(mv.from());
        let (to_attacked, to_by_pawn) = threatens(mv.to());
        likelihood += 1800 * i32::from(from_by_pawn) - 2500 * i32::from(to_by_pawn);
        if matches!(mover, Role::Queen | Role::Rook) {
            likelihood += 700 * i32::from(from_attacked);
            likelihood -= 1500 * i32::from(to_attacked && !is_capture);
        }
        likelihood
    }

    fn history_of(&mut self, position: &Position, mv: Move) -> &mut i32 {
        let piece = position.piece_at(mv.from());
        let row = piece.map_or(0, |piece| piece.role as usize + piece.color.fold(0, 6));
        &mut self.history[row][mv.to().index()]
    }

    fn code_score(
        &mut self,
        coder: &mut impl Coder,
        scores: &mut Scores,
        score: Option<i16>,
    ) -> Option<i16> {
        let chance = &mut self.has_score[usize::from(scores.had_score)];
        scores.had_score = coder.bit(chance, score.is_some());
        if !scores.had_score {
            return None;
        }
        // The opponent's score before this one, and the own one before that.
        let expected = (scores.one_before - 2 * scores.last) / 3;
        let error = self.code_error(coder, scores, i32::from(score.unwrap_or(0)) - expected);
        let score = (expected + error).clamp(i32::from(i16::MIN) + 1, i32::from(i16::MAX));
        scores.one_before = scores.last;
        scores.last = score;
        Some(score as i16)
    }

    fn code_error(&mut self, coder: &mut impl Coder, scores: &mut Scores, error: i32) -> i32 {
        let magnitude = error.unsigned_abs();
        let known = (u32::BITS - magnitude.leading_zeros()) as usize;
        let row = &mut self.size[scores.error_size];
        let mut size = 0;
        while size < SIZES - 1 && !coder.bit(&mut row[size], size == known) {
            size += 1;
        }
        scores.error_size = size;
        if size == 0 {
            scores.last_sign = 0;
            return 0;
        }
        let is_negative = coder.bit(&mut self.sign[scores.last_sign], error < 0);
        scores.last_sign = 1 + usize::from(is_negative);
        let mut read = 1;
        if size >= 2 {
            let second = magnitude >> (size - 2) & 1 == 1;
            read = 2 | u32::from(coder.bit(&mut self.second_bit[size], second));
        }
        if size >= 3 {
            let rest = size as u32 - 2;
            let low = magnitude & ((1 << rest) - 1);
            read = read << rest | coder.plain_bits(rest, low);
        }
        if is_negative { -(read as i32) } else { read as i32 }
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
        // Random moves and random scores have no order to be found, and it is smaller all the same.
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
            assert!(unpack_file(&mut &archive[..cut], &mut Vec::new()).is_err(), "{cut} bytes");
        }
    }
}
