//! The result token.

use std::fmt;

use castellan_rules::Color;

/// The result token at the end of a game.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum GameResult {
    /// `1-0` or `0-1`.
    Win(Color),
    /// `1/2-1/2`.
    Draw,
    /// `*`: unfinished or unknown.
    #[default]
    Open,
}

impl GameResult {
    /// Returns the result for a token in exactly the standard form; `None` for any other text.
    pub fn from_bytes(text: &[u8]) -> Option<GameResult> {
        match text {
            b"1-0" => Some(GameResult::Win(Color::White)),
            b"0-1" => Some(GameResult::Win(Color::Black)),
            b"1/2-1/2" => Some(GameResult::Draw),
            b"*" => Some(GameResult::Open),
            _ => None,
        }
    }

    /// Returns the result token.
    pub const fn as_str(self) -> &'static str {
        match self {
            GameResult::Win(Color::White) => "1-0",
            GameResult::Win(Color::Black) => "0-1",
            GameResult::Draw => "1/2-1/2",
            GameResult::Open => "*",
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
