//! Claims of a draw (FIDE 9.2-9.5).
//!
//! Owns: what a claim leads to. A right claim ends the game. A wrong one without a move is
//! refused and costs nothing: it is answered at once and disturbs nobody, so the two minutes that
//! an arbiter gives the opponent (9.5.2) have no reason here. A wrong one with an announced move
//! leaves that move, which must then be made (9.5.2).

use core::time::Duration;

use castellan_rules::{Claims, UciMove};

use super::Game;
use super::decide::{Turn, millis};
use crate::{End, EndReason, Event, Refusal};

impl Game {
    pub(super) fn decide_claim(
        &self,
        turn: Turn,
        ply: u32,
        announced: Option<UciMove>,
        lag: Duration,
    ) -> Result<Vec<Event>, Refusal> {
        self.check_ply(ply)?;
        self.check_turn(turn.color)?;
        let Ok(charge) = self.state.timing.charge(turn.color, turn.now, millis(lag)) else {
            return Ok(vec![self.timeout()]);
        };
        if !self.state.touched.is_empty() {
            return Err(Refusal::TouchedBeforeClaim);
        }
        if let Some(end) = claimed(self.line.claims()) {
            return Ok(vec![Event::Ended(end)]);
        }
        let announced = announced.ok_or(Refusal::NothingToClaim)?;
        let mv = announced.resolve(self.line.position()).map_err(Refusal::Illegal)?;
        let mut events = self.moved(mv, charge);
        // An announced move that ends the game by itself does so: mate comes before a claim, as
        // it comes before the seventy-five-move rule (9.6.2). The move is made in any case, so
        // that the record shows the position that was claimed.
        if events.len() == 1 {
            events.extend(claimed(self.line.claims_after(mv)).map(Event::Ended));
        }
        Ok(events)
    }
}

fn claimed(claims: Claims) -> Option<End> {
    let reason = match claims {
        Claims { threefold_repetition: true, .. } => EndReason::ThreefoldRepetition,
        Claims { fifty_moves: true, .. } => EndReason::FiftyMoves,
        _ => return None,
    };
    Some(End::without_winner(reason))
}
