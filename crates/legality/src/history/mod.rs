//! Where the pieces can have come from: arguments about a whole game that use only its final
//! position.
//!
//! This module is responsible for the pieces that never moved, the paths that were open, which
//! original piece each piece on the board may be, which pieces were captured where, and the
//! parity of the number of moves. It leaves the last moves to `retro` and the order of captures
//! to `pawn_captures`.
//!
//! The method is elimination. The module keeps a set of possibilities that contains the truth about
//! every game that leads to the position, and each argument only removes possibilities that no such
//! game has. If nothing is left, no game leads to the position. The arguments are repeated until
//! none of them removes anything more.
//!
//! Some words have a fixed meaning here:
//!
//! - An original piece is one of the sixteen pieces, pawns included, that a side starts with.
//! - An officer is a piece other than a pawn.
//! - An unmoved piece has never left its start square.
//! - A place is what became of an original piece: a square on the board, or having been captured.
//! - The capture squares of a piece are the squares where it can have been captured.
//! - The capture targets of a side's pawns are the squares where they can have captured something.
//! - The track of a pawn is the set of squares it can have stood on, in the order of its moves.

mod assignment;
mod cage;
mod demands;
mod findings;
mod obstacles;
mod pairs;
mod parity;
mod paths;
mod quick;
mod side;
#[cfg(test)]
mod tests;
mod track;
mod travel;
mod victims;

use castellan_rules::Color;

pub(crate) use self::cage::boxed_bishop;

use self::assignment::PIECES_PER_SIDE;
use self::obstacles::Obstacles;
use self::side::Side;
use self::track::Track;
use crate::{Case, Finding};

/// Maximum number of rounds; the arguments hardly ever find anything new in a third one.
const MAX_ROUNDS: usize = 5;

/// Adds a reason, found in the position itself, why no game leads to it.
pub(crate) fn examine(case: &Case, findings: &mut Vec<Finding>) {
    let known = findings.len();
    quick::examine(case, findings);
    if findings.len() > known || !case.is_standard {
        return;
    }
    let Some(finding) = History::contradiction(case) else { return };
    let rooks = case.setup.castling_rooks;
    let is_about_rights = rooks.any() && !is_refuted(&findings::without_rights(case, rooks));
    findings.push(if is_about_rights { findings::of_rights(case, finding) } else { finding });
}

/// Adds what the files of the pawns alone show, in a fraction of a microsecond.
pub(crate) fn examine_quickly(case: &Case, findings: &mut Vec<Finding>) {
    quick::examine(case, findings);
}

/// Returns whether `examine` would find a reason.
pub(crate) fn is_refuted(case: &Case) -> bool {
    let mut findings = Vec::new();
    quick::examine(case, &mut findings);
    !findings.is_empty() || case.is_standard && History::contradiction(case).is_some()
}

/// What is known about all games that lead to a position.
#[derive(Clone, Debug)]
struct History {
    obstacles: Obstacles,
    sides: [Side; 2],
}

impl History {
    /// Narrows what is known and returns the first contradiction, if there is one.
    fn contradiction(case: &Case) -> Option<Finding> {
        let before = &case.before_double_step();
        let obstacles = Obstacles::of(before);
        let sides = Color::ALL.map(|color| Side::of(before, color, &obstacles));
        let mut history = History { obstacles, sides };
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

    /// Applies each argument once, the expensive ones only if the cheap ones found nothing new.
    /// Returns `false` if none of them did.
    fn narrow_once(&mut self) -> Result<bool, Finding> {
        let mut changed = self.travel(&Track::trivial(), [u16::MAX; 2]);
        changed |= self.settle()?;
        let tracks: Vec<Track> = self.tracks().collect();
        changed |= self.travel_along(&tracks);
        changed |= self.settle()?;
        if !changed {
            changed = self.travel_along_pairs(&tracks) && self.settle()?;
        }
        Ok(changed)
    }

    fn check_captures(&self) -> Result<(), Finding> {
        for side in &self.sides {
            let captures = self.obstacles.captures[side.color.index()];
            let missing = PIECES_PER_SIDE - self.sides[(!side.color).index()].len;
            findings::check_captures(side, captures, missing)?;
        }
        Ok(())
    }

    /// Matches pieces with places and captures with victims. Returns whether that ruled anything
    /// out.
    fn settle(&mut self) -> Result<bool, Finding> {
        let mut changed = false;
        findings::check_places(self)?;
        for side in &mut self.sides {
            let captures = self.obstacles.captures[side.color.index()];
            changed |= side.assign(captures).ok_or_else(|| findings::of_assignment(side))?;
        }
        self.check_captures()?;
        changed |= self.narrow_victims();
        self.check_captures()?;
        for color in Color::ALL {
            changed |= self.satisfy_demands(color)?;
        }
        Ok(changed)
    }
}
