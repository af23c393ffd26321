//! Searches for a position or for a material balance in the moves of a game.

use std::hash::{DefaultHasher, Hash, Hasher};

use castellan_rules::{Color, Piece, Position, Role};

use super::moves::StoredMoves;
use super::replay::{Material, Replay, code};
use crate::error::{ApiError, ErrorCode};

/// Maximum number of pieces of one side in a balance.
const MAX_SIDE: usize = 16;

/// A position to search for.
pub(super) struct PositionSearch {
    pub(super) position: Position,
    board: Replay,
    /// The ply at which each game reaches the position first, or `NEVER`.
    reached: Vec<u16>,
}

const NEVER: u16 = u16::MAX;

impl PositionSearch {
    pub(super) fn parse(fen: &str) -> Result<PositionSearch, ApiError> {
        let position =
            Position::from_fen(fen).map_err(|error| ApiError::new(ErrorCode::BadFen, error))?;
        Ok(PositionSearch { board: Replay::new(&position), position, reached: Vec::new() })
    }

    /// Searches the game with the number `row` and returns whether it reaches the position.
    pub(super) fn visit(&mut self, row: usize, game: Option<StoredMoves<'_>>) -> bool {
        let found = game.and_then(|game| self.find(game));
        self.reached.resize(row, NEVER);
        self.reached.push(found.unwrap_or(NEVER));
        found.is_some()
    }

    /// Returns the ply at which the game with the number `row` reaches the position first.
    pub(super) fn ply(&self, row: usize) -> Option<u16> {
        self.reached.get(row).copied().filter(|&ply| ply != NEVER)
    }

    fn find(&self, (start, moves): StoredMoves<'_>) -> Option<u16> {
        let mut board = *start;
        if board.is_same(&self.board) {
            return Some(0);
        }
        for (mv, ply) in moves.iter().zip(1..NEVER) {
            // Pieces never come back.
            if board.count < self.board.count {
                return None;
            }
            board.play(*mv);
            if board.is_same(&self.board) {
                return Some(ply);
            }
        }
        None
    }
}

/// A material balance to search for, with either color.
pub(super) struct MaterialSearch {
    balances: [Material; 2],
    count: u8,
}

impl MaterialSearch {
    /// Parses a balance such as `KRP-KR`: the letters of both sides, each beginning with the king.
    /// Other characters between the letters are ignored.
    pub(super) fn parse(text: &str) -> Result<MaterialSearch, ApiError> {
        let wrong = |text: &str| ApiError::new(ErrorCode::BadMaterial, text);
        let mut material = Material::default();
        let mut sides = [0; 2];
        let mut side = None;
        for letter in text.chars().filter(|letter| letter.is_alphanumeric()) {
            // A "v" stands between the sides in some programs.
            if letter.eq_ignore_ascii_case(&'v') {
                continue;
            }
            let role = Role::from_letter(letter.to_ascii_uppercase());
            let role = role.ok_or_else(|| wrong("a letter is not that of a piece"))?;
            if role == Role::King {
                side = Some(side.map_or(0, |side: usize| side + 1));
            }
            let side = side.ok_or_else(|| wrong("a side begins with its king"))?;
            let count =
                sides.get_mut(side).ok_or_else(|| wrong("there are more than two kings"))?;
            *count += 1;
            if *count > MAX_SIDE {
                return Err(wrong("a side has too many pieces"));
            }
            let color = if side == 0 { Color::White } else { Color::Black };
            material.add(code(Piece { color, role }));
        }
        if side != Some(1) {
            return Err(wrong("both sides need a king"));
        }
        let count = u8::try_from(sides[0] + sides[1]).unwrap_or(u8::MAX);
        Ok(MaterialSearch { balances: [material, material.exchanged()], count })
    }

    /// Returns `true` if a game has this balance for at least two plies, or when it ends. A balance
    /// between a capture and the recapture is not one that was played.
    pub(super) fn occurs(&self, (start, moves): StoredMoves<'_>) -> bool {
        let mut board = *start;
        let is_balance = |board: &Replay| self.balances.contains(&board.material);
        let mut was = is_balance(&board);
        for mv in moves {
            if board.count < self.count {
                return false;
            }
            board.play(*mv);
            let is = is_balance(&board);
            if was && is {
                return true;
            }
            was = is;
        }
        was
    }
}

/// Returns a number that is the same for two games with the same start and moves.
pub(super) fn fingerprint((start, moves): StoredMoves<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    start.hash().hash(&mut hasher);
    moves.hash(&mut hasher);
    hasher.finish()
}
