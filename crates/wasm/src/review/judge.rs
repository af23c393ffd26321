//! Rates the moves of a game from an engine's scores of its positions.
//!
//! This module defines how scores become winning chances, how large a loss of winning chances
//! makes an inaccuracy, a mistake or a blunder, and how accurate a player was. Scores are from
//! White's point of view. Chances are White's, in thousandths of a point.

use serde::{Deserialize, Serialize};

use super::phase::Phase;
use crate::error::{ApiError, ErrorCode};

/// Maximum number of scores in one request.
const MAX_SCORES: usize = 20_001;
/// The lead in centipawns that makes the odds ten to one: four pawns, by an old rule of thumb.
const TENFOLD_ODDS_CP: f64 = 400.0;
/// Losses of winning chances, in thousandths, from which a move counts as an inaccuracy, a
/// mistake or a blunder. The values were chosen by judgment: losing half a pawn in an even
/// position is an inaccuracy, a pawn a mistake, and a piece a blunder.
const INACCURACY: i32 = 70;
const MISTAKE: i32 = 130;
const BLUNDER: i32 = 240;
/// The loss of winning chances, in thousandths, that halves the accuracy of a move. So an inaccuracy
/// has at most 62 %, a mistake 41 % and a blunder 19 %.
const HALF_ACCURACY: f64 = 100.0;
/// Maximum number of moves that count as having decided a game.
const MAX_MOMENTS: usize = 3;
/// Largest advantage that counts for the average loss: beyond it, the game is won anyway.
const MAX_CP: i32 = 1000;

/// The scores of consecutive positions, and the moves between them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Scores {
    /// One more than there are moves; `None` where the score is not known yet.
    scores: Vec<Option<Score>>,
    /// The moves that were played, in UCI.
    played: Vec<Option<String>>,
    /// The best moves, where they are known.
    best: Vec<Option<String>>,
    starts_white: bool,
    /// The phase in which each move was played; empty if that does not matter.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(optional, as = "Option<Vec<Phase>>"))]
    phases: Vec<Phase>,
}

/// The score of a position from White's point of view.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[cfg_attr(feature = "typescript", ts(rename = "PositionScore"))]
pub(super) enum Score {
    /// An advantage in centipawns.
    Cp(i32),
    /// Mate in this many moves; negative if Black mates.
    Mate(i32),
    /// The game is over: 1 if White has won, -1 if Black has, 0 for a draw.
    Over(i32),
}

/// The rating of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
enum Verdict {
    Fine,
    Inaccuracy,
    Mistake,
    Blunder,
}

/// The ratings of the moves of a line; `null` where scores are missing.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub(crate) struct Judgment {
    /// White's winning chances in thousandths, for each position.
    chances: Vec<Option<i32>>,
    verdicts: Vec<Option<MoveJudgment>>,
    /// How well each player played; `null` until all of the player's moves are rated.
    white: Option<Quality>,
    black: Option<Quality>,
    /// The same for each phase that the game has.
    phases: Vec<PhaseQuality>,
    /// Indices of the moves that decided the game, in its order: the three that lost the most
    /// winning chances, if they are mistakes or blunders.
    moments: Vec<usize>,
}

/// How well the players played in a phase; `null` for a player without a move in it.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct PhaseQuality {
    phase: Phase,
    white: Option<Quality>,
    black: Option<Quality>,
}

/// How well a player played.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct Quality {
    /// Average accuracy of the moves in percent: 100 for a move that loses nothing, half of that for
    /// one that loses 10 percentage points of winning chances, a quarter for 20, and so on.
    accuracy: f64,
    /// Average loss in centipawns; an advantage of more than ten pawns counts as ten.
    loss_cp: f64,
}

/// The rating of a move, and the winning chances it lost, in thousandths.
#[derive(Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
struct MoveJudgment {
    loss: i32,
    verdict: Verdict,
}

impl Score {
    /// Returns White's winning chances, in thousandths.
    fn chance(self) -> i32 {
        match self {
            Score::Cp(cp) => {
                let odds = 10_f64.powf(f64::from(cp) / TENFOLD_ODDS_CP);
                // Only a mate is certain.
                (1000.0 * odds / (1.0 + odds)).round().clamp(1.0, 999.0) as i32
            }
            Score::Mate(moves) => 500 + 500 * winner(moves),
            Score::Over(point) => 500 + 500 * point.signum(),
        }
    }

    /// Returns the advantage of White in centipawns, up to the limit.
    fn capped_cp(self) -> i32 {
        match self {
            Score::Cp(cp) => cp.clamp(-MAX_CP, MAX_CP),
            Score::Mate(moves) => MAX_CP * winner(moves),
            Score::Over(point) => MAX_CP * point.signum(),
        }
    }
}

/// Returns 1 if White mates in this many moves, and -1 if Black does or White is already mated.
fn winner(moves: i32) -> i32 {
    if moves > 0 { 1 } else { -1 }
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

pub(crate) fn judge(asked: &Scores) -> Result<Judgment, ApiError> {
    let Scores { scores, played, best, starts_white, phases } = asked;
    let has_phases = phases.is_empty() || phases.len() == played.len();
    let is_whole = scores.len() == played.len() + 1 && best.len() == played.len() && has_phases;
    if scores.len() > MAX_SCORES || !is_whole {
        return Err(ApiError::new(ErrorCode::BadScores, "expected one more score than moves"));
    }
    let chances: Vec<Option<i32>> = scores.iter().map(|score| score.map(Score::chance)).collect();
    let verdict = |ply: usize| {
        let lost = chances[ply].zip(chances[ply + 1]).map(|(before, after)| before - after)?;
        let is_white = ply.is_multiple_of(2) == *starts_white;
        let is_best = played[ply].is_some() && played[ply] == best[ply];
        // The engine's best move can get a worse score one ply later, but it still was the best
        // move.
        let loss = if is_best { 0 } else { if is_white { lost } else { -lost }.max(0) };
        Some(MoveJudgment { loss, verdict: Verdict::of(loss) })
    };
    let verdicts: Vec<_> = (0..played.len()).map(verdict).collect();
    let of_color = |is_white: bool, phase: Option<Phase>| {
        let first = usize::from(is_white != *starts_white);
        let is_counted = |ply: &usize| phase.is_none_or(|phase| phases.get(*ply) == Some(&phase));
        let plies = (first..played.len()).step_by(2).filter(is_counted);
        quality(scores, &verdicts, plies, is_white)
    };
    let [white, black] = [true, false].map(|is_white| of_color(is_white, None));
    let in_phase = |phase| {
        let [white, black] = [true, false].map(|is_white| of_color(is_white, Some(phase)));
        PhaseQuality { phase, white, black }
    };
    let is_rated = white.is_some() && black.is_some();
    let of_phases = Phase::ALL.into_iter().filter(|phase| is_rated && phases.contains(phase));
    let of_phases = of_phases.map(in_phase).collect();
    let moments = if is_rated { moments(&verdicts) } else { Vec::new() };
    Ok(Judgment { chances, verdicts, white, black, phases: of_phases, moments })
}

/// Returns the worst moves, in the order of the game.
fn moments(verdicts: &[Option<MoveJudgment>]) -> Vec<usize> {
    let loss = |ply: usize| verdicts[ply].as_ref().map_or(0, |judgment| judgment.loss);
    let mut worst: Vec<usize> = (0..verdicts.len()).filter(|&ply| loss(ply) >= MISTAKE).collect();
    // The sort is stable, so the earlier of two equal moves comes first.
    worst.sort_by_key(|&ply| -loss(ply));
    worst.truncate(MAX_MOMENTS);
    worst.sort_unstable();
    worst
}

/// Returns how well a player played in the given moves; `None` if there are none, or if one of
/// them is not rated.
fn quality(
    scores: &[Option<Score>],
    verdicts: &[Option<MoveJudgment>],
    plies: impl Iterator<Item = usize>,
    is_white: bool,
) -> Option<Quality> {
    let mut count = 0.0;
    let (mut accuracy, mut lost_cp) = (0.0, 0.0);
    for ply in plies {
        let loss = verdicts[ply].as_ref()?.loss;
        let change = scores[ply]?.capped_cp() - scores[ply + 1]?.capped_cp();
        let cp = if loss == 0 { 0 } else { if is_white { change } else { -change }.max(0) };
        count += 1.0;
        accuracy += 100.0 * (-f64::from(loss) / HALF_ACCURACY).exp2();
        lost_cp += f64::from(cp);
    }
    (count > 0.0).then(|| Quality { accuracy: accuracy / count, loss_cp: lost_cp / count })
}
