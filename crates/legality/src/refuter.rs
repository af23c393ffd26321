//! Quick refutation of earlier positions.
//!
//! Walking back through forced moves asks the same questions again and again: which captures fit
//! together depends on the pawns and the piece counts, not on where a rook stands. The answers
//! are therefore cached.

use std::collections::HashMap;

use crate::{Budget, Case, history, pawn_captures};

/// Maximum number of nodes spent on one earlier position.
const CAPTURE_NODES: u64 = 2_000;

/// Maximum number of cached answers.
const MAX_ANSWERS: usize = 10_000;

/// A cached test of whether an earlier position can be refuted without looking at its own past.
#[derive(Default)]
pub(crate) struct Refuter {
    answers: HashMap<pawn_captures::CaptureKey, bool>,
}

impl Refuter {
    /// Returns whether no game reaches a case, or `false` if no quick argument shows it.
    pub(crate) fn refutes(&mut self, case: &Case) -> bool {
        history::is_refuted(case) || self.has_no_captures(case)
    }

    fn has_no_captures(&mut self, case: &Case) -> bool {
        let key = pawn_captures::CaptureKey::of(case);
        if let Some(&answer) = self.answers.get(&key) {
            return answer;
        }
        let mut findings = Vec::new();
        pawn_captures::examine_quickly(case, &mut findings);
        if findings.is_empty() {
            pawn_captures::examine(case, &mut Budget::of_nodes(CAPTURE_NODES), &mut findings);
        }
        let answer = !findings.is_empty();
        if self.answers.len() < MAX_ANSWERS {
            self.answers.insert(key, answer);
        }
        answer
    }
}
