//! The ways in which a game between two players ends.

use std::fmt;

use castellan_rules::{Claims, Color, Outcome};

/// How a game ended, or that it has not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Ending {
    /// The rules of chess ended the game.
    Board(Outcome),
    /// This player resigned (FIDE 5.1.2).
    Resignation(Color),
    /// Both players agreed on a draw (FIDE 5.2.3).
    Agreement,
    /// This player claimed a draw correctly (FIDE 9.2, 9.3).
    Claim(Color, Claims),
    /// The game has not ended.
    Unfinished,
}

impl Ending {
    /// Returns the result in PGN notation.
    pub(super) fn score(self) -> &'static str {
        match self {
            Ending::Board(outcome) => outcome.score(),
            Ending::Resignation(loser) => loser.fold("0-1", "1-0"),
            Ending::Agreement | Ending::Claim(..) => "1/2-1/2",
            Ending::Unfinished => "*",
        }
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Ending::Board(outcome) => outcome.fmt(f),
            Ending::Resignation(loser) => write!(f, "{loser} resigns, {} wins", !*loser),
            Ending::Agreement => f.write_str("draw by agreement"),
            Ending::Claim(color, claims) => {
                write!(f, "draw by {}, claimed by {color}", claim_name(*claims))
            }
            Ending::Unfinished => f.write_str("the game is not finished"),
        }
    }
}

/// Returns the name of the claim; if both are possible, the repetition.
pub(super) fn claim_name(claims: Claims) -> &'static str {
    if claims.threefold_repetition { "threefold repetition" } else { "the fifty-move rule" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_winner_is_the_one_who_did_not_resign() {
        assert_eq!(Ending::Resignation(Color::White).score(), "0-1");
        assert_eq!(Ending::Resignation(Color::Black).to_string(), "Black resigns, White wins");
    }

    #[test]
    fn a_claim_names_its_ground() {
        let claims = Claims { threefold_repetition: false, fifty_moves: true };
        let ending = Ending::Claim(Color::Black, claims);
        assert_eq!(ending.to_string(), "draw by the fifty-move rule, claimed by Black");
        assert_eq!(ending.score(), "1/2-1/2");
    }
}
