//! A self-play game, and its encoding in a games file.
//!
//! This module encodes and decodes one game; `docs/NETWORK.md` describes the format. Decoding
//! plays every move by the rules, so a decoded game is legal. An error names the byte where the
//! game stops being legal.

use castellan_rules::{
    Bitboard, CastlingSide, Clocks, Color, Move, MoveKind, Piece, Pieces, Position, Promotion,
    Role, Setup, SetupProblems, Square,
};
use thiserror::Error;

/// A starting position, the moves from there, and the result.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Game {
    pub(crate) start: Position,
    /// `None` for a draw.
    pub(crate) winner: Option<Color>,
    pub(crate) plies: Vec<Ply>,
}

/// A move and the score of the search that chose it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Ply {
    pub(crate) mv: Move,
    /// Centipawns for the side to move, a mate as plus or minus (32,000 - plies); `None` for a
    /// random move of the opening.
    pub(crate) score: Option<i16>,
}

/// An error in the bytes of a game, with its location.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("byte {offset}: {kind}")]
pub(crate) struct GameError {
    /// The offset in bytes from the beginning of the file.
    pub(crate) offset: u64,
    pub(crate) kind: GameErrorKind,
}

/// The kind of an error in the bytes of a game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub(crate) enum GameErrorKind {
    #[error("the file ends inside a game")]
    IncompleteGame,
    #[error("the checksum is {found:08x}, but the bytes of the game give {computed:08x}")]
    Checksum { found: u32, computed: u32 },
    #[error("the position has {0} pieces, more than 32")]
    PieceCount(usize),
    #[error("{0} is not the code of a piece")]
    PieceCode(u8),
    #[error("a code follows the last piece")]
    UnusedPieceCode,
    #[error("{0} is not a color")]
    Turn(u8),
    #[error("{0} is not a square")]
    Square(u8),
    #[error("a castling rook stands on the wrong side of its king")]
    CastlingRook,
    #[error("the start position is not playable: {0}")]
    Unplayable(SetupProblems),
    #[error("{0} is not a result")]
    Result(u8),
    #[error("move {0:#06x} is not legal")]
    IllegalMove(u16),
    #[error("{0} is not a score")]
    Score(i16),
}

/// Bytes of the starting position, which includes the result.
const START_BYTES: usize = 32;
/// Bytes before the first ply: the starting position and the number of plies.
const HEAD_BYTES: usize = START_BYTES + 2;
const PLY_BYTES: usize = 4;
const CHECKSUM_BYTES: usize = 4;
/// The maximum number of plies of a game in a file.
pub(crate) const MAX_GAME_PLIES: usize = u16::MAX as usize;
/// The largest score, of a side that has mated.
pub(crate) const MATE_SCORE: i16 = 32_000;
/// Represents a missing score.
const NO_SCORE: i16 = i16::MIN;
/// Represents a missing square.
const NO_SQUARE: u8 = 64;

const TURN: usize = 24;
const EN_PASSANT: usize = 25;
const CASTLING: usize = 26;
const HALFMOVE_CLOCK: usize = 30;
const RESULT: usize = 31;

/// The order of castling rooks in a starting position.
const CASTLINGS: [(Color, CastlingSide); 4] = [
    (Color::White, CastlingSide::King),
    (Color::White, CastlingSide::Queen),
    (Color::Black, CastlingSide::King),
    (Color::Black, CastlingSide::Queen),
];

impl Game {
    /// Appends the encoded game to `out`. Plies beyond [`MAX_GAME_PLIES`] are left out.
    pub(crate) fn encode(&self, out: &mut Vec<u8>) {
        let from = out.len();
        let plies = &self.plies[..self.plies.len().min(MAX_GAME_PLIES)];
        out.extend(start_bytes(&self.start, self.winner));
        out.extend((plies.len() as u16).to_le_bytes());
        for ply in plies {
            out.extend(move_code(ply.mv, Color::White).to_le_bytes());
            out.extend(ply.score.unwrap_or(NO_SCORE).to_le_bytes());
        }
        let checksum = checksum(&out[from..]);
        out.extend(checksum.to_le_bytes());
    }

    /// Decodes one whole game, as delimited by [`encoded_len`]. `offset` is its position in the
    /// file.
    pub(crate) fn decode(bytes: &[u8], offset: u64) -> Result<Game, GameError> {
        let fail = |at: usize, kind| GameError { offset: offset + at as u64, kind };
        let Some((body, found)) = bytes.split_last_chunk::<CHECKSUM_BYTES>() else {
            return Err(fail(bytes.len(), GameErrorKind::IncompleteGame));
        };
        if encoded_len(bytes) != Some(bytes.len()) {
            return Err(fail(bytes.len(), GameErrorKind::IncompleteGame));
        }
        let (found, computed) = (u32::from_le_bytes(*found), checksum(body));
        if found != computed {
            return Err(fail(body.len(), GameErrorKind::Checksum { found, computed }));
        }
        let (start, winner) = read_start(body).map_err(|(at, kind)| fail(at, kind))?;
        let mut position = start;
        let mut plies = Vec::with_capacity(body.len() / PLY_BYTES);
        let rows = body[HEAD_BYTES..].chunks_exact(PLY_BYTES);
        for (row, at) in rows.zip((HEAD_BYTES..).step_by(PLY_BYTES)) {
            let code = u16::from_le_bytes([row[0], row[1]]);
            let score = i16::from_le_bytes([row[2], row[3]]);
            let Some(mv) = read_move(&position, code) else {
                return Err(fail(at, GameErrorKind::IllegalMove(code)));
            };
            if score != NO_SCORE && score.unsigned_abs() > MATE_SCORE.unsigned_abs() {
                return Err(fail(at + 2, GameErrorKind::Score(score)));
            }
            plies.push(Ply { mv, score: (score != NO_SCORE).then_some(score) });
            position = position.play_unchecked(mv);
        }
        Ok(Game { start, winner, plies })
    }

    /// Iterates over the positions in which the plies were played, the start first.
    pub(crate) fn positions(&self) -> impl Iterator<Item = (Position, Ply)> + '_ {
        let mut position = self.start;
        self.plies.iter().map(move |&ply| {
            let before = position;
            position = before.play_unchecked(ply.mv);
            (before, ply)
        })
    }
}

/// Returns the length of the game that begins with these bytes, which need not contain all of it,
/// or `None` if there are too few bytes to tell.
pub(crate) fn encoded_len(bytes: &[u8]) -> Option<usize> {
    let plies = bytes.get(START_BYTES..HEAD_BYTES)?;
    let plies = usize::from(u16::from_le_bytes([plies[0], plies[1]]));
    Some(HEAD_BYTES + plies * PLY_BYTES + CHECKSUM_BYTES)
}

/// The number of bytes that [`encoded_len`] needs.
pub(crate) const LENGTH_KNOWN_AFTER: usize = HEAD_BYTES;

/// Computes the 32-bit FNV-1a hash.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    bytes.iter().fold(0x811c_9dc5, |hash, &byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

pub(crate) fn start_bytes(start: &Position, winner: Option<Color>) -> [u8; START_BYTES] {
    let mut bytes = [0; START_BYTES];
    bytes[..24].copy_from_slice(&piece_bytes(start.pieces(), Color::White));
    bytes[TURN] = start.turn().fold(0, 1);
    bytes[EN_PASSANT] = start.passed_square().map_or(NO_SQUARE, |square| square as u8);
    for ((color, castling_side), slot) in CASTLINGS.into_iter().zip(&mut bytes[CASTLING..]) {
        let rook = castling_rooks(start, color, castling_side).first();
        *slot = rook.map_or(NO_SQUARE, |rook| rook as u8);
    }
    bytes[HALFMOVE_CLOCK] = start.halfmove_clock().min(255) as u8;
    bytes[RESULT] = match winner {
        None => 1,
        Some(Color::White) => 2,
        Some(Color::Black) => 0,
    };
    bytes
}

/// Packs pieces into the set of their squares, followed by four bits for each piece in the order of
/// squares, the low half of a byte first. Bit 3 is set for the pieces of the opponent of
/// `viewpoint`, and for Black's viewpoint the board is flipped. A position has at most 32 pieces;
/// more are left out.
pub(crate) fn piece_bytes(pieces: &Pieces, viewpoint: Color) -> [u8; 24] {
    let oriented = |set: Bitboard| viewpoint.fold(set.0, set.0.swap_bytes());
    let [_, knights, bishops, rooks, queens, kings] = Role::ALL.map(|role| pieces.role(role));
    let planes = [
        oriented(knights | rooks | kings),
        oriented(bishops | rooks),
        oriented(queens | kings),
        oriented(pieces.color(!viewpoint)),
    ];
    let occupied = oriented(pieces.occupied());
    let mut codes: u128 = 0;
    for (index, square) in Bitboard(occupied).into_iter().take(32).enumerate() {
        let bit = |plane: usize| planes[plane] >> square.index() & 1;
        let code = bit(0) | bit(1) << 1 | bit(2) << 2 | bit(3) << 3;
        codes |= u128::from(code) << (4 * index);
    }
    let mut bytes = [0; 24];
    bytes[..8].copy_from_slice(&occupied.to_le_bytes());
    bytes[8..].copy_from_slice(&codes.to_le_bytes());
    bytes
}

fn castling_rooks(position: &Position, color: Color, castling_side: CastlingSide) -> Bitboard {
    let king = position.king(color);
    let left = Bitboard((1 << king.index()) - 1);
    let side = if castling_side == CastlingSide::King { !left } else { left };
    position.castling_rooks() & position.color(color) & side
}

/// Decodes the starting position and the result. An error contains the offset within the game.
pub(crate) fn read_start(
    bytes: &[u8],
) -> Result<(Position, Option<Color>), (usize, GameErrorKind)> {
    let mut setup = Setup::empty();
    read_pieces(bytes, &mut setup)?;
    setup.turn = match bytes[TURN] {
        0 => Color::White,
        1 => Color::Black,
        turn => return Err((TURN, GameErrorKind::Turn(turn))),
    };
    setup.en_passant = read_square(bytes, EN_PASSANT)?;
    for at in CASTLING..CASTLING + CASTLINGS.len() {
        if let Some(rook) = read_square(bytes, at)? {
            setup.castling_rooks = setup.castling_rooks.with(rook);
        }
    }
    let halfmove_clock = u16::from(bytes[HALFMOVE_CLOCK]);
    setup.clocks = Some(Clocks { halfmove_clock, fullmove_number: 1 });
    let winner = match bytes[RESULT] {
        0 => Some(Color::Black),
        1 => None,
        2 => Some(Color::White),
        result => return Err((RESULT, GameErrorKind::Result(result))),
    };
    let start = setup.position().map_err(|reasons| (0, GameErrorKind::Unplayable(reasons)))?;
    for ((color, castling_side), at) in CASTLINGS.into_iter().zip(CASTLING..) {
        if castling_rooks(&start, color, castling_side).first() != read_square(bytes, at)? {
            return Err((at, GameErrorKind::CastlingRook));
        }
    }
    Ok((start, winner))
}

fn read_pieces(bytes: &[u8], setup: &mut Setup) -> Result<(), (usize, GameErrorKind)> {
    let occupied =
        bytes[..8].iter().rev().fold(0, |occupied, &byte| occupied << 8 | u64::from(byte));
    let count = Bitboard(occupied).count();
    if count > 32 {
        return Err((0, GameErrorKind::PieceCount(count)));
    }
    for (index, square) in Bitboard(occupied).into_iter().enumerate() {
        let at = 8 + index / 2;
        let code = bytes[at] >> (index % 2 * 4) & 15;
        let Some(&role) = Role::ALL.get(usize::from(code & 7)) else {
            return Err((at, GameErrorKind::PieceCode(code)));
        };
        let color = if code & 8 == 0 { Color::White } else { Color::Black };
        setup.pieces.put(Piece { color, role }, square);
    }
    let is_used = |index: usize| bytes[8 + index / 2] >> (index % 2 * 4) & 15 != 0;
    match (count..32).find(|&index| is_used(index)) {
        Some(index) => Err((8 + index / 2, GameErrorKind::UnusedPieceCode)),
        None => Ok(()),
    }
}

fn read_square(bytes: &[u8], at: usize) -> Result<Option<Square>, (usize, GameErrorKind)> {
    match bytes[at] {
        NO_SQUARE => Ok(None),
        index => match Square::from_index(usize::from(index)) {
            Some(square) => Ok(Some(square)),
            None => Err((at, GameErrorKind::Square(index))),
        },
    }
}

/// Packs a move into the bits of a square each for where it begins and ends, and its promotion. For
/// Black's viewpoint the board is flipped.
pub(crate) fn move_code(mv: Move, viewpoint: Color) -> u16 {
    let oriented = |square: Square| viewpoint.fold(square, square.flip()) as u16;
    let promotion = mv.promotion().map_or(0, |promotion| promotion as u16 + 1);
    oriented(mv.from()) | oriented(mv.to()) << 6 | promotion << 12
}

fn read_move(position: &Position, code: u16) -> Option<Move> {
    let from = Square::ALL[usize::from(code & 63)];
    let to = Square::ALL[usize::from(code >> 6 & 63)];
    let promotion = match code >> 12 {
        0 => None,
        number => Some(*Promotion::ALL.get(usize::from(number) - 1)?),
    };
    // Only a castling move ends on a piece of the same color.
    if promotion.is_none() && position.color(position.turn()).contains(to) {
        let castling_side = if to > from { CastlingSide::King } else { CastlingSide::Queen };
        let mv = position.legal_castling(castling_side)?;
        return (mv.from() == from && mv.to() == to).then_some(mv);
    }
    position.legal_move(from, to, promotion)
}

/// Returns whether a move captures or promotes, which means that the position before it is not
/// quiet.
pub(crate) fn is_noisy(position: &Position, mv: Move) -> bool {
    let is_capture = position.color(!position.turn()).contains(mv.to());
    is_capture || matches!(mv.kind(), MoveKind::EnPassant | MoveKind::Promotion(_))
}
