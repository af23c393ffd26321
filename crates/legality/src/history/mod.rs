//! What men can have come from where: arguments about a whole game from one look at its end.
//!
//! Owns: the men that never moved, the ways that were open, who of the start each man may be, who
//! was captured where, and the parity of the number of moves.
//! Does not own: the last moves and the order of captures.
//!
//! Knowledge is a set of possibilities that holds the truth of every game that leads to the
//! position; each argument only takes away what no such game has. So if nothing is left there is
//! no such game. The arguments are repeated until none of them has news.

mod assignment;
mod cage;
mod demands;
mod ground;
mod pairs;
mod parity;
mod quick;
mod reasons;
mod side;
#[cfg(test)]
mod tests;
mod track;
mod travel;
mod victims;
mod ways;

use castellan_rules::Color;

pub(crate) use self::cage::boxed_bishop;

use self::assignment::MEN;
use self::ground::Ground;
use self::side::Side;
use self::track::Track;
use crate::{Case, Finding};

/// How often all arguments are repeated at most; they hardly ever have news a third time.
const MAX_ROUNDS: usize = 5;

/// Finds the reasons in a position itself why no game leads to it.
pub(crate) fn examine(case: &Case, findings: &mut Vec<Finding>) {
    let known = findings.len();
    quick::examine(case, findings);
    if findings.len() > known || !case.is_standard {
        return;
    }
    let Some(finding) = History::contradiction(case) else { return };
    let rooks = case.setup.castling_rooks;
    let is_about_rights = rooks.any() && !is_refuted(&reasons::without_rights(case, rooks));
    findings.push(if is_about_rights { reasons::of_rights(case, finding) } else { finding });
}

/// Finds what the files of the pawns alone tell, in a fraction of a microsecond.
pub(crate) fn examine_quickly(case: &Case, findings: &mut Vec<Finding>) {
    quick::examine(case, findings);
}

/// Whether there is such a reason.
pub(crate) fn is_refuted(case: &Case) -> bool {
    let mut findings = Vec::new();
    quick::examine(case, &mut findings);
    !findings.is_empty() || case.is_standard && History::contradiction(case).is_some()
}

/// What is known about the games that lead to a position.
#[derive(Clone, Debug)]
struct History {
    ground: Ground,
    sides: [Side; 2],
}

impl History {
    /// Narrows what is known until it contradicts itself, if it ever does.
    fn contradiction(case: &Case) -> Option<Finding> {
        let before = &case.before_double_step();
        let ground = Ground::of(before);
        let sides = Color::ALL.map(|color| Side::of(before, color, &ground));
        let mut history = History { ground, sides };
        let finding = history
            .narrow()
            .or_else(|| pairs::contradiction(&history))
            .or_else(|| parity::contradiction(&history, case.setup.turn, before.setup.turn))?;
        Some(case.after_double_step(finding))
    }

    fn narrow(&mut self) -> Option<Finding> {
        for _ in 0..MAX_ROUNDS {
            match self.narrow_once() {
                Ok(true) => (),
                Ok(false) => return None,
                Err(finding) => return Some(finding),
            }
        }
        None
    }

    /// Uses each argument, the dear ones only if the cheap ones have no news. False if none has.
    fn narrow_once(&mut self) -> Result<bool, Finding> {
        let mut is_news = self.travel(&Track::trivial(), [u16::MAX; 2]);
        is_news |= self.settle()?;
        let tracks: Vec<Track> = self.tracks().collect();
        is_news |= self.travel_along(&tracks);
        is_news |= self.settle()?;
        if !is_news {
            is_news = self.travel_along_pairs(&tracks) && self.settle()?;
        }
        Ok(is_news)
    }

    fn check_captures(&self) -> Result<(), Finding> {
        for side in &self.sides {
            let captures = self.ground.captures[side.color.index()];
            let missing = MEN - self.sides[(!side.color).index()].len;
            reasons::check_captures(side, captures, missing)?;
        }
        Ok(())
    }

    /// Assigns men and captures to each other. True if that is news.
    fn settle(&mut self) -> Result<bool, Finding> {
        let mut is_news = false;
        reasons::check_places(self)?;
        for side in &mut self.sides {
            let captures = self.ground.captures[side.color.index()];
            is_news |= side.assign(captures).ok_or_else(|| reasons::of_assignment(side))?;
        }
        self.check_captures()?;
        is_news |= self.narrow_victims();
        self.check_captures()?;
        for color in Color::ALL {
            is_news |= self.satisfy_demands(color)?;
        }
        Ok(is_news)
    }
}
