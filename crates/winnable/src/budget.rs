//! Limits on how long to search.
//!
//! This crate has no clock. Effort is counted in nodes, one for each position or partial
//! assignment that is examined, and a caller that has a clock can stop the work in between.

/// The number of nodes left to spend, and a callback that can stop the work early.
pub struct Budget<'a> {
    left: u64,
    spent: u64,
    should_stop: &'a dyn Fn() -> bool,
}

/// How many nodes pass between two calls of `should_stop`: few enough to react within
/// milliseconds.
const NODES_BETWEEN_QUESTIONS: u64 = 256;

impl Budget<'static> {
    /// Creates a budget of a number of nodes that is never interrupted.
    pub fn of_nodes(nodes: u64) -> Budget<'static> {
        Budget::new(nodes, &|| false)
    }
}

impl<'a> Budget<'a> {
    /// Creates a budget of a number of nodes. `should_stop` is called every few hundred nodes.
    pub fn new(nodes: u64, should_stop: &'a dyn Fn() -> bool) -> Budget<'a> {
        Budget { left: nodes, spent: 0, should_stop }
    }

    /// Spends one node. Returns `false` if no node is left, and then on every later call as well.
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

    /// Returns the number of nodes spent so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// Returns whether no node is left.
    pub fn is_spent(&self) -> bool {
        self.left == 0
    }

    /// Runs a part of the work with at most `nodes` of the nodes that are left.
    pub fn with_part<T>(&mut self, nodes: u64, work: impl FnOnce(&mut Budget<'_>) -> T) -> T {
        let mut part =
            Budget { left: nodes.min(self.left), spent: 0, should_stop: self.should_stop };
        let answer = work(&mut part);
        self.left -= part.spent;
        self.spent += part.spent;
        answer
    }
}
