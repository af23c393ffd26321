//! From what an engine thinks of the positions of a game to what the moves were worth.
//!
//! Owns: how scores become winning chances, and which loss of them is called what. A score is
//! White's. Chances are in thousandths of a point for White.

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::desk::{Answer, Failure, told};

/// How many positions are judged at once.
const MAX_SCORES: usize = 20_001;
/// A lead of so many centipawns makes the odds ten to one, by the old rule of thumb that four
/// pawns do.
const TENFOLD_ODDS_CP: f64 = 400.0;
/// From these losses of chances on, in thousandths, a move has a name. Chosen by eye: a pawn in an
/// even position is a mistake, a piece is a blunder, and half a pawn is worth a word.
const INACCURACY: i32 = 70;
const MISTAKE: i32 = 130;
const BLUNDER: i32 = 240;

/// The scores of a line of positions, and the moves between them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scores {
    /// One more than moves; those not known yet are left out.
    scores: Vec<Option<Score>>,
    /// What was played, in UCI.
    played: Vec<Option<String>>,
    /// What would have been best, where it is known.
    best: Vec<Option<String>>,
    starts_white: bool,
}

/// What a position is worth to White.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Score {
    /// In centipawns.
    Cp(i32),
    /// Mate in so many moves; below zero for Black.
    Mate(i32),
    /// The game is over: 1 if White has won, -1 if Black has, 0 for a draw.
    Over(i32),
}

/// What a move was worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Verdict {
    Fine,
    Inaccuracy,
    Mistake,
    Blunder,
}

impl Score {
    fn chance(self) -> i32 {
        match self {
            Score::Cp(cp) => {
                let odds = 10_f64.powf(f64::from(cp) / TENFOLD_ODDS_CP);
                // Only a mate is certain.
                (1000.0 * odds / (1.0 + odds)).round().clamp(1.0, 999.0) as i32
            }
            Score::Mate(moves) => {
                if moves > 0 {
                    1000
                } else {
                    0
                }
            }
            Score::Over(point) => 500 + 500 * point.signum(),
        }
    }
}

impl Verdict {
    fn of(loss: i32) -> Verdict {
        match loss {
            BLUNDER.. => Verdict::Blunder,
            MISTAKE.. => Verdict::Mistake,
            INACCURACY.. => Verdict::Inaccuracy,
            _ => Verdict::Fine,
        }
    }
}

pub(crate) fn judge(asked: &Scores) -> Answer {
    let Scores { scores, played, best, starts_white } = asked;
    if scores.len() > MAX_SCORES || scores.len() != played.len() + 1 || best.len() != played.len() {
        return Err(Failure::new("bad_scores", "there is one score more than moves"));
    }
    let chances: Vec<Option<i32>> = scores.iter().map(|score| score.map(Score::chance)).collect();
    let verdict = |ply: usize| {
        let lost = chances[ply].zip(chances[ply + 1]).map(|(before, after)| before - after)?;
        let is_white = ply.is_multiple_of(2) == *starts_white;
        let is_best = played[ply].is_some() && played[ply] == best[ply];
        // The same move can look worse one ply later; it was the best one all the same.
        let loss = if is_best { 0 } else { if is_white { lost } else { -lost }.max(0) };
        Some(json!({ "loss": loss, "verdict": Verdict::of(loss) }))
    };
    let verdicts: Vec<_> = (0..played.len()).map(verdict).collect();
    told(json!({ "chances": chances, "verdicts": verdicts }))
}
