//! How long to think.
//!
//! This crate has no clock: effort is counted in nodes, one for each position or partial
//! assignment looked at, and whoever has a clock can say stop in between.

/// How much work an answer is worth.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Effort {
    /// Microseconds: for an editor that asks after every click.
    Quick,
    /// A tenth of a second at most.
    #[default]
    Normal,
    /// As long as the caller lets it.
    Deep,
}

/// Nodes left to spend, and somebody who may say stop.
pub struct Budget<'a> {
    left: u64,
    spent: u64,
    should_stop: &'a dyn Fn() -> bool,
}

/// How often the caller is asked whether to stop: often enough for milliseconds.
const NODES_BETWEEN_QUESTIONS: u64 = 256;

impl Budget<'static> {
    /// A number of nodes and nobody who interrupts.
    pub fn of_nodes(nodes: u64) -> Budget<'static> {
        Budget::new(nodes, &|| false)
    }
}

impl<'a> Budget<'a> {
    /// A number of nodes, and a question asked every few hundred of them.
    pub fn new(nodes: u64, should_stop: &'a dyn Fn() -> bool) -> Budget<'a> {
        Budget { left: nodes, spent: 0, should_stop }
    }

    /// Takes one node. False means that there is none left, now and from now on.
    #[inline]
    pub fn spend(&mut self) -> bool {
        if self.left == 0 {
            return false;
        }
        self.left -= 1;
        self.spent += 1;
        if self.spent.is_multiple_of(NODES_BETWEEN_QUESTIONS) && (self.should_stop)() {
            self.left = 0;
            return false;
        }
        true
    }

    /// The nodes taken so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Whether nothing is left.
    pub fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Runs part of the work with at most so many of the nodes that are left.
    pub fn with_part<T>(&mut self, nodes: u64, work: impl FnOnce(&mut Budget<'_>) -> T) -> T {
        let mut part =
            Budget { left: nodes.min(self.left), spent: 0, should_stop: self.should_stop };
        let answer = work(&mut part);
        self.left -= part.spent;
        self.spent += part.spent;
        answer
    }
}
