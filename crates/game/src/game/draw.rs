//! Draw claims (FIDE 9.2-9.5).
//!
//! This module decides what a claim leads to. A correct claim ends the game. An incorrect claim
//! without a move is refused at no cost: the reply is immediate and does not disturb the
//! opponent, so there is no reason for the two extra minutes that an arbiter would give them
//! (9.5.2). After an incorrect claim with an announced move, that move is played, as 9.5.2
//! requires.

use core::time::Duration;

use castellan_rules::{Claims, UciMove};

use super::Game;
use super::decide::{ActingPlayer, millis};
use crate::{End, EndReason, Event, Refusal};

impl Game {
    pub(super) fn decide_claim(
        &self,
        acting: ActingPlayer,
        ply: u32,
        announced: Option<UciMove>,
        lag: Duration,
    ) -> Result<Vec<Event>, Refusal> {
        self.check_ply(ply)?;
        self.check_turn(acting.color)?;
        let Ok(charge) = self.state.timing.charge(acting.color, acting.now, millis(lag)) else {
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
        // An announced move that ends the game by itself takes precedence: checkmate comes before
        // a claim, just as it comes before the seventy-five-move rule (9.6.2). The move is played
        // in any case, so that the record shows the claimed position.
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
