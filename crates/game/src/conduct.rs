//! When an engine that plays like a person resigns or offers a draw.
//!
//! Beginners play on until they are mated. From club level on, players resign a lost game and offer a
//! draw when nothing happens any more. The caller runs the searches and passes the scores in; this
//! module remembers the last ones and says when it is time.

/// Weakest level that resigns and offers draws.
const POLITE_LEVEL: u16 = 1400;
/// Level that counts as full strength here.
const HIGHEST_LEVEL: u16 = 2800;
/// Number of scores in a row after which a game counts as lost or as drawn.
const IN_A_ROW: usize = 3;
/// Number of plies before which no engine resigns.
const EARLY_PLIES: u32 = 20;
/// Number of plies before which no engine offers a draw.
const DRAWISH_PLIES: u32 = 60;
/// Number of plies without a capture or a pawn move that make a game look drawn.
const IDLE_PLIES: u32 = 12;
/// Number of plies between two thoughts of a draw.
const DRAW_PAUSE_PLIES: u32 = 30;
/// Scores closer to zero than this mean that neither side is better, in centipawns.
const EVEN_CP: i32 = 30;
/// A mate in this many moves is shown on the board.
const SHOWN_MATE: u32 = 2;
/// What a mate counts, in centipawns.
const MATE_CP: i32 = 10_000;

/// An engine's score of a position for its own side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OwnScore {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// Mate in so many moves; negative if the opponent mates.
    Mate(i32),
}

impl OwnScore {
    fn centipawns(self) -> i32 {
        match self {
            OwnScore::Centipawns(value) => value.clamp(-MATE_CP, MATE_CP),
            OwnScore::Mate(moves) => moves.signum() * MATE_CP,
        }
    }
}

/// What an engine remembers of its game to behave like a person.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Conduct {
    /// The scores before the engine's last moves in a row, at most [`IN_A_ROW`], each with its ply,
    /// the newest last.
    scores: Vec<(u32, OwnScore)>,
    /// The ply at which the engine last thought of a draw.
    draw_at: Option<u32>,
}

impl Conduct {
    /// Adds the score before the engine's move at a ply. Returns how much it has changed since the
    /// engine's move before, in centipawns. Scores that a takeback has made void are forgotten.
    pub fn add_score(&mut self, ply: u32, score: OwnScore) -> i32 {
        self.scores.retain(|(at, _)| *at < ply);
        if self.scores.last().is_some_and(|(at, _)| ply - at != 2) {
            self.scores.clear();
        }
        let before = self.scores.last().map_or(score, |(_, before)| *before);
        if self.scores.len() == IN_A_ROW {
            self.scores.remove(0);
        }
        self.scores.push((ply, score));
        score.centipawns() - before.centipawns()
    }

    /// Returns `true` if the engine resigns instead of moving, at a level in Elo points or at full
    /// strength (`None`). It lets the opponent show a short mate.
    pub fn resigns(&self, level: Option<u16>) -> bool {
        let Some(&(ply, score)) = self.scores.last() else { return false };
        let is_shown = matches!(score, OwnScore::Mate(moves) if moves.unsigned_abs() <= SHOWN_MATE);
        is_polite(level)
            && ply >= EARLY_PLIES
            && !is_shown
            && self.all_recent(|value| value <= hopeless_cp(level))
    }

    /// Returns `true` if the engine thinks of offering a draw with its move: late in a game in which
    /// nothing happens any more and neither side is better. The caller then asks the engine whether it
    /// would accept one. After that it does not think of a draw for a while.
    pub fn considers_draw(&mut self, level: Option<u16>, halfmove_clock: u32) -> bool {
        let Some(&(ply, _)) = self.scores.last() else { return false };
        let is_recent = self.draw_at.is_some_and(|at| ply.abs_diff(at) < DRAW_PAUSE_PLIES);
        let considers = is_polite(level)
            && ply >= DRAWISH_PLIES
            && halfmove_clock >= IDLE_PLIES
            && !is_recent
            && self.all_recent(|value| value.abs() < EVEN_CP);
        if considers {
            self.draw_at = Some(ply);
        }
        considers
    }

    /// Returns `true` if there are enough scores in a row and all of them pass.
    fn all_recent(&self, pass: impl Fn(i32) -> bool) -> bool {
        self.scores.len() == IN_A_ROW
            && self.scores.iter().all(|(_, score)| pass(score.centipawns()))
    }
}

fn is_polite(level: Option<u16>) -> bool {
    level.is_none_or(|level| level >= POLITE_LEVEL)
}

/// Returns the score at which a level gives a game up. Stronger players see sooner that it is lost.
fn hopeless_cp(level: Option<u16>) -> i32 {
    let above = level.unwrap_or(HIGHEST_LEVEL).clamp(POLITE_LEVEL, HIGHEST_LEVEL) - POLITE_LEVEL;
    -1200 + i32::from(above) / 3
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the memory after some scores, the last of which was found at a ply.
    fn after(scores: &[OwnScore], ply: u32) -> Conduct {
        let mut conduct = Conduct::default();
        for (back, score) in (0..).zip(scores.iter().rev()).collect::<Vec<_>>().into_iter().rev() {
            conduct.add_score(ply - 2 * back, *score);
        }
        conduct
    }

    fn scores<const N: usize>(values: [i32; N]) -> [OwnScore; N] {
        values.map(OwnScore::Centipawns)
    }

    #[test]
    fn a_club_player_resigns_a_lost_game_and_a_beginner_plays_on() {
        let lost = after(&scores([-1500; 3]), 40);
        assert!(lost.resigns(Some(2000)) && lost.resigns(Some(1400)) && lost.resigns(None));
        assert!(!lost.resigns(Some(1000)) && !lost.resigns(Some(1399)));
        // Not at once, not early, and not while there is hope.
        assert!(!after(&scores([-1500; 2]), 40).resigns(None));
        assert!(!after(&scores([-1500; 3]), 10).resigns(None));
        assert!(!after(&scores([-1500, -100, -1500]), 40).resigns(None));
        assert!(!after(&scores([-1100; 3]), 40).resigns(Some(1400)));
        assert!(after(&scores([-1100; 3]), 40).resigns(Some(2800)));
    }

    #[test]
    fn a_short_mate_is_shown_on_the_board() {
        let mated = |moves| {
            let [one, two] = scores([-1500; 2]);
            after(&[one, two, OwnScore::Mate(moves)], 40)
        };
        assert!(!mated(-1).resigns(None) && !mated(-2).resigns(None));
        assert!(mated(-7).resigns(None));
        assert!(!mated(7).resigns(None), "the engine mates");
    }

    #[test]
    fn a_draw_is_considered_late_when_nothing_happens_and_then_not_for_a_while() {
        let even = || after(&scores([10, -5, 0]), 80);
        assert!(even().considers_draw(Some(1800), 20) && even().considers_draw(None, 12));
        assert!(!even().considers_draw(Some(1000), 20), "a beginner");
        assert!(!even().considers_draw(Some(1800), 2), "a pawn has just moved");
        assert!(!after(&scores([0; 3]), 30).considers_draw(None, 20), "early");
        assert!(!after(&scores([10, 60, 0]), 80).considers_draw(None, 20), "somebody is better");
        assert!(!after(&scores([0; 2]), 80).considers_draw(None, 20));
        let mut conduct = even();
        let mut considered = Vec::new();
        for ply in (82..=150).step_by(2) {
            conduct.add_score(ply, OwnScore::Centipawns(0));
            if conduct.considers_draw(None, 20) {
                considered.push(ply);
            }
        }
        assert_eq!(considered, [82, 112, 142]);
    }

    #[test]
    fn the_change_of_the_score_is_the_surprise() {
        let mut conduct = Conduct::default();
        assert_eq!(conduct.add_score(10, OwnScore::Centipawns(50)), 0);
        assert_eq!(conduct.add_score(12, OwnScore::Centipawns(-150)), -200);
        assert_eq!(conduct.add_score(14, OwnScore::Mate(-3)), -9_850);
        assert_eq!(conduct.add_score(16, OwnScore::Centipawns(i32::MIN)), 0);
    }

    #[test]
    fn a_takeback_makes_scores_void() {
        let mut conduct = after(&scores([-1500; 3]), 44);
        // The move at ply 44 is taken back and found again: still three in a row.
        conduct.add_score(44, OwnScore::Centipawns(-1500));
        assert!(conduct.resigns(None));
        // From ply 40 on, the game went another way.
        conduct.add_score(40, OwnScore::Centipawns(-1500));
        assert!(!conduct.resigns(None));
        conduct.add_score(50, OwnScore::Centipawns(-1500));
        assert_eq!(conduct.scores, [(50, OwnScore::Centipawns(-1500))]);
    }
}
