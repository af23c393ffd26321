//! Ends games early when both engines agree on the result.

use std::str::FromStr;

use anyhow::{Context, ensure};
use castellan_rules::Color;
use castellan_uci::{Score, ScoreValue};

/// When games are ended early; by default never.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Adjudication {
    pub(super) resign: Option<Resign>,
    pub(super) draw: Option<Draw>,
}

/// Ends a game as won when both engines have agreed on the winner for several consecutive moves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Resign {
    /// Number of consecutive moves of each side.
    pub(super) moves: u32,
    /// Minimum advantage, in hundredths of a pawn.
    pub(super) centipawns: i32,
}

/// Ends a game as drawn when both engines have agreed on that for several consecutive moves, late
/// enough in the game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Draw {
    /// The first move number at which a game may be ended.
    pub(super) from_move: u32,
    /// Number of consecutive moves of each side.
    pub(super) moves: u32,
    /// Maximum distance of the score from zero, in hundredths of a pawn.
    pub(super) centipawns: i32,
}

/// The adjudicated result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Adjudicated {
    Win(Color),
    Draw,
}

/// The runs of similar scores in one game so far.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ScoreRuns {
    /// Number of consecutive plies with a score that says White wins, Black wins, or the game is
    /// level.
    white_wins: u32,
    black_wins: u32,
    level: u32,
}

impl ScoreRuns {
    /// Records the mover's score after its move, from its own point of view. A missing score ends
    /// a run just as a different opinion does.
    pub(super) fn note(&mut self, rules: &Adjudication, mover: Color, score: Option<Score>) {
        let white = score.map(|score| mover.fold(value(score), -value(score)));
        let count = |run: u32, is_longer: bool| if is_longer { run + 1 } else { 0 };
        if let Some(resign) = rules.resign {
            self.white_wins = count(self.white_wins, white.is_some_and(|s| s >= resign.centipawns));
            self.black_wins =
                count(self.black_wins, white.is_some_and(|s| -s >= resign.centipawns));
        }
        if let Some(draw) = rules.draw {
            self.level = count(self.level, white.is_some_and(|s| s.abs() <= draw.centipawns));
        }
    }

    /// Returns the result, once both engines agree on it.
    pub(super) fn call(&self, rules: &Adjudication, fullmove_number: u32) -> Option<Adjudicated> {
        let is_won = |run: u32| rules.resign.is_some_and(|resign| run >= 2 * resign.moves);
        let is_level =
            |draw: Draw| self.level >= 2 * draw.moves && fullmove_number >= draw.from_move;
        if is_won(self.white_wins) {
            Some(Adjudicated::Win(Color::White))
        } else if is_won(self.black_wins) {
            Some(Adjudicated::Win(Color::Black))
        } else {
            rules.draw.is_some_and(is_level).then_some(Adjudicated::Draw)
        }
    }
}

/// Converts a score to a number; a mate is worth more than any material.
fn value(score: Score) -> i32 {
    const MATE: i32 = 1_000_000;
    match score.value {
        ScoreValue::Centipawns(centipawns) => centipawns.clamp(-MATE, MATE),
        ScoreValue::Mate(moves) if moves > 0 => MATE,
        ScoreValue::Mate(_) => -MATE,
    }
}

/// Parses `MOVES,CENTIPAWNS`.
impl FromStr for Resign {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Resign> {
        let [moves, centipawns] = numbers(text).context("expected MOVES,CP, as in 4,600")?;
        ensure!(moves > 0, "MOVES must be at least 1");
        Ok(Resign { moves, centipawns: centipawns.cast_signed() })
    }
}

/// Parses `FROM,MOVES,CENTIPAWNS`.
impl FromStr for Draw {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Draw> {
        let [from_move, moves, centipawns] =
            numbers(text).context("expected FROM,MOVES,CP, as in 40,8,10")?;
        ensure!(moves > 0, "MOVES must be at least 1");
        Ok(Draw { from_move, moves, centipawns: centipawns.cast_signed() })
    }
}

/// Parses small numbers separated by commas.
fn numbers<const COUNT: usize>(text: &str) -> anyhow::Result<[u32; COUNT]> {
    const MOST: u32 = 100_000;
    let mut numbers = [0; COUNT];
    let mut words = text.split(',');
    for number in &mut numbers {
        let word = words.next().context("a number is missing")?.trim();
        *number = word.parse().with_context(|| format!("{word:?} is not a whole number"))?;
        ensure!(*number <= MOST, "{number} is more than {MOST}");
    }
    ensure!(words.next().is_none(), "there are more than {COUNT} numbers");
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Adjudication = Adjudication {
        resign: Some(Resign { moves: 2, centipawns: 600 }),
        draw: Some(Draw { from_move: 30, moves: 2, centipawns: 10 }),
    };

    /// Checks the adjudication after scores of White and Black in turn, each from its own point
    /// of view.
    #[track_caller]
    fn check(scores: &[Option<i32>], at_move: u32, expected: Option<Adjudicated>) {
        let mut runs = ScoreRuns::default();
        for (ply, score) in scores.iter().enumerate() {
            let mover = if ply % 2 == 0 { Color::White } else { Color::Black };
            runs.note(&RULES, mover, score.map(Score::centipawns));
        }
        assert_eq!(runs.call(&RULES, at_move), expected, "{scores:?}");
    }

    #[test]
    fn a_win_needs_both_to_agree_for_long_enough() {
        let (up, down) = (Some(600), Some(-600));
        check(&[up, down, up, down], 9, Some(Adjudicated::Win(Color::White)));
        check(&[down, up, down, up], 9, Some(Adjudicated::Win(Color::Black)));
        check(&[up, down, up], 9, None);
        check(&[up, down, Some(599), down], 9, None);
        check(&[up, down, None, down, up], 9, None);
        check(&[up, up, up, up], 9, None);
    }

    #[test]
    fn a_draw_needs_both_to_agree_late_enough() {
        let level = [Some(10), Some(-10), Some(0), Some(3)];
        check(&level, 30, Some(Adjudicated::Draw));
        check(&level, 29, None);
        check(&[Some(10), Some(-11), Some(0), Some(3)], 30, None);
        check(&level[..3], 30, None);
    }

    #[test]
    fn mates_are_worth_more_than_material() {
        assert!(value(Score::mate(3)) > value(Score::centipawns(99_999)));
        assert!(value(Score::mate(-3)) < value(Score::centipawns(-99_999)));
        assert!(value(Score::mate(0)) < 0, "the side to move is mated");
    }

    #[test]
    fn without_rules_nothing_is_called() {
        let mut runs = ScoreRuns::default();
        for _ in 0..100 {
            runs.note(&Adjudication::default(), Color::White, Some(Score::centipawns(0)));
        }
        assert_eq!(runs.call(&Adjudication::default(), 500), None);
    }

    #[test]
    fn rules_are_read() {
        assert_eq!("4,600".parse::<Resign>().expect("it is fine").centipawns, 600);
        assert_eq!("40, 8, 10".parse::<Draw>().expect("it is fine").moves, 8);
        for bad in ["", "4", "0,5", "4,x", "4,-5", "4,5,6", "4,5000000000"] {
            assert!(bad.parse::<Resign>().is_err(), "{bad:?}");
        }
    }
}
