//! The quick way to see that a position of the past is impossible.
//!
//! Walking back through forced moves asks the same questions again and again: which captures
//! fit together depends on pawns and numbers, not on where a rook stands. So the answers are kept.

use std::collections::HashMap;

use crate::{Budget, Case, history, kernel};

/// The most work that one position of the past is worth.
const KERNEL_NODES: u64 = 2_000;

/// How many answers are kept.
const MAX_ANSWERS: usize = 10_000;

/// Answers whether a position of the past can be refuted without looking at its own past.
#[derive(Default)]
pub(crate) struct Refuter {
    answers: HashMap<kernel::Question, bool>,
}

impl Refuter {
    /// Whether no game reaches a case; false if that cannot be seen.
    pub(crate) fn refutes(&mut self, case: &Case) -> bool {
        history::is_refuted(case) || self.has_no_kernel(case)
    }

    fn has_no_kernel(&mut self, case: &Case) -> bool {
        let question = kernel::Question::of(case);
        if let Some(&answer) = self.answers.get(&question) {
            return answer;
        }
        let mut findings = Vec::new();
        kernel::examine_quickly(case, &mut findings);
        if findings.is_empty() {
            kernel::examine(case, &mut Budget::of_nodes(KERNEL_NODES), &mut findings);
        }
        let answer = !findings.is_empty();
        if self.answers.len() < MAX_ANSWERS {
            self.answers.insert(question, answer);
        }
        answer
    }
}
