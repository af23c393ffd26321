//! Searches for captures and promotions file by file. Two files are linked only by the pawns that
//! cross the border between them.
//!
//! Invariant: every node represents a history of the files passed so far in which their pawns end
//! up where the goal wants them. Nodes are compared in full, never by a hash alone, because
//! confusing two nodes could refute positions that can be reached.

use castellan_rules::Color;
use rustc_hash::FxHashSet;

use super::bound::Bounds;
use super::crossing::{Crossing, Crossings, Kind, last_rank};
use super::goal::CaptureGoal;
use super::guide::{Border, Guide};
use super::pawns::{Pawns, Unmoved};
use super::prices::CapturePrices;
use super::resources::Resources;
use crate::Budget;

/// The result of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Answer {
    /// There are captures and promotions that lead to the goal.
    Possible,
    /// There are no such captures and promotions.
    Impossible,
    /// The search was stopped or left something out.
    Unknown,
}

/// The most nodes of one file that are remembered, which takes some hundred megabytes.
const MAX_SEEN: usize = 1 << 20;

/// The state of a file in the middle of its history.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Node<P> {
    pawns: P,
    /// What still has to cross the border behind, where the search came from.
    pending: Crossings,
    /// What has crossed the border ahead.
    out: Crossings,
    resources: Resources,
}

/// The direction of a search and how it estimates what lies ahead.
pub(super) enum Lookahead<'a> {
    /// It goes from h to a and uses counting bounds.
    FromRight(&'a Bounds),
    /// It goes from a to h and has a guide for each border.
    FromLeft(&'a [Guide; 7]),
}

/// Limits of a search.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// The most captures.
    pub(super) captures: u32,
    /// How many histories of a file are enough. If there may be more, nothing is refuted.
    pub(super) width: usize,
}

/// The search for one goal.
pub(super) struct FileSearch<'a, P> {
    goal: &'a CaptureGoal,
    pawn_orders: &'a [P; 8],
    lookahead: Lookahead<'a>,
    prices: CapturePrices,
    file: usize,
    unmoved: Unmoved,
    seen: FxHashSet<Node<P>>,
    stack: Vec<Node<P>>,
    reached: Border,
    /// How many histories of a file are enough.
    width: usize,
    /// Whether the search left anything out, so that it cannot prove the goal impossible.
    is_cut: bool,
}

impl<'a, P: Pawns> FileSearch<'a, P> {
    /// Creates a search for these pawns.
    pub(super) fn new(
        goal: &'a CaptureGoal,
        pawn_orders: &'a [P; 8],
        lookahead: Lookahead<'a>,
        limits: Limits,
    ) -> FileSearch<'a, P> {
        FileSearch {
            goal,
            pawn_orders,
            lookahead,
            prices: CapturePrices::of(goal, limits.captures, P::KNOWS_RANKS),
            file: 0,
            unmoved: goal.unmoved(0),
            seen: FxHashSet::default(),
            stack: Vec::new(),
            reached: Vec::new(),
            width: limits.width,
            is_cut: false,
        }
    }

    /// Searches for captures that lead to the goal, and records the borders in the order they are
    /// passed.
    pub(super) fn run(&mut self, borders: &mut Vec<Border>, budget: &mut Budget<'_>) -> Answer {
        let mut border = vec![(Crossings::NONE, self.prices.resources)];
        for step in 0..8 {
            self.file = if self.is_rightward() { step } else { 7 - step };
            self.unmoved = self.goal.unmoved(self.file);
            if !self.search_file(&border, budget) {
                return Answer::Unknown;
            }
            border = without_dominated(&mut self.reached);
            borders.push(border.clone());
        }
        let is_enough =
            |&(_, resources): &(Crossings, Resources)| resources.covers(self.prices.wanted);
        match (border.iter().any(is_enough), self.is_cut) {
            (true, _) => Answer::Possible,
            (false, true) => Answer::Unknown,
            (false, false) => Answer::Impossible,
        }
    }

    /// Returns whether nothing was left out.
    pub(super) fn is_complete(&self) -> bool {
        !self.is_cut
    }

    /// Returns the prices the search uses.
    pub(super) fn prices(&self) -> &CapturePrices {
        &self.prices
    }

    fn is_rightward(&self) -> bool {
        matches!(self.lookahead, Lookahead::FromLeft(_))
    }

    /// Returns the file that comes next.
    fn next_file(&self) -> Option<usize> {
        if self.is_rightward() {
            Some(self.file + 1).filter(|&file| file < 8)
        } else {
            self.file.checked_sub(1)
        }
    }

    /// Explores everything that can happen on a file. Returns `false` if the budget or memory
    /// runs out.
    fn search_file(&mut self, border: &Border, budget: &mut Budget<'_>) -> bool {
        self.seen.clear();
        self.stack.clear();
        self.reached.clear();
        for &(pending, resources) in border {
            self.begin(pending, resources);
        }
        while let Some(node) = self.stack.pop() {
            if self.seen.len() > MAX_SEEN || !budget.spend() {
                return false;
            }
            self.expand(node);
            if self.reached.len() >= self.width {
                self.is_cut = true;
                break;
            }
        }
        true
    }

    /// Adds the pawns a file may begin with; those captured by other pieces go first.
    ///
    /// A pawn that another piece captures later may as well have been captured before its first
    /// move: then it is in no other pawn's way, and another piece captures what it captured.
    fn begin(&mut self, pending: Crossings, resources: Resources) {
        for (has_white, has_black) in [(true, true), (false, true), (true, false), (false, false)] {
            if !has_white && self.unmoved.white || !has_black && self.unmoved.black {
                continue;
            }
            let mut left = Some(resources);
            for (by, is_kept) in [(Color::Black, has_white), (Color::White, has_black)] {
                if !is_kept {
                    left = left.and_then(|resources| resources.spend(self.prices.pawn(by)));
                }
            }
            if let Some(resources) = left {
                let pawns = P::start(has_white, has_black);
                self.visit(Node { pawns, pending, out: Crossings::NONE, resources });
            }
        }
    }

    /// Pushes a node unless it is known or hopeless.
    fn visit(&mut self, node: Node<P>) {
        if self.is_hopeful(node.out, node.resources) && self.seen.insert(node) {
            self.stack.push(node);
        }
    }

    /// Returns whether the files ahead may still get what they need.
    fn is_hopeful(&self, out: Crossings, resources: Resources) -> bool {
        match self.lookahead {
            Lookahead::FromRight(bounds) => {
                bounds.captures(self.file, out.len()) <= resources.captures()
            }
            Lookahead::FromLeft(guides) => {
                guides.get(self.file).is_none_or(|guide| guide.allows_beginning(out, resources))
            }
        }
    }

    /// Returns whether a crossing is affordable and hopeful on some rank.
    fn may_begin(&self, node: Node<P>, crossing: Crossing) -> bool {
        let resources = node.resources.spend(self.prices.cheapest(crossing));
        // If the sequence is full, `pay_and_cross` records that something is left out.
        let out = node.out.then(crossing).unwrap_or(node.out);
        resources.is_some_and(|resources| self.is_hopeful(out, resources))
    }

    /// Records that a file can end like this.
    fn reach(&mut self, node: Node<P>) {
        let is_hopeful = match self.lookahead {
            Lookahead::FromRight(_) => true,
            Lookahead::FromLeft(guides) => {
                let guide = guides.get(self.file);
                guide.is_none_or(|guide| guide.allows(node.out, node.resources))
            }
        };
        if is_hopeful {
            self.reached.push((node.out, node.resources));
        }
    }

    /// Explores everything that may happen next on the file.
    fn expand(&mut self, node: Node<P>) {
        if node.pending == Crossings::NONE && node.pawns.can_become(self.pawn_orders[self.file]) {
            self.reach(node);
        }
        for color in Color::ALL {
            self.promote(node, color);
        }
        if let Some((crossing, pending)) = node.pending.split_first() {
            let is_arrival = crossing.is_rightward == self.is_rightward();
            self.cross(Node { pending, ..node }, crossing, is_arrival);
        }
        if let Some(next) = self.next_file().filter(|_| node.resources.captures() > 0) {
            for color in Color::ALL {
                self.cross_onward(node, color, (self.file, next));
                self.cross_onward(node, color, (next, self.file));
            }
        }
    }

    /// Lets the front pawn advance and promote.
    fn promote(&mut self, node: Node<P>, color: Color) {
        if !self.may_promote_straight(color, self.file) {
            return;
        }
        if let Some(pawns) = node.pawns.without_front(color, self.unmoved) {
            let resources = self.credit(node.resources, color);
            self.visit(Node { pawns, resources, ..node });
        }
    }

    /// Records a promotion on this file.
    fn credit(&self, resources: Resources, color: Color) -> Resources {
        let is_useful = self.goal.useful[color.index()] >> self.file & 1 != 0;
        if is_useful { self.prices.credit(resources, color, self.file) } else { resources }
    }

    /// Lets pawns cross the border ahead from one file to the other.
    fn cross_onward(&mut self, node: Node<P>, color: Color, (from, to): (usize, usize)) {
        let is_rightward = from < to;
        let may_promote_by_capture = self.may_promote_by_capture(color, from, to);
        let may_promote_straight = self.may_promote_straight(color, to);
        for kind in [Kind::TakesPawn, Kind::TakesPiece] {
            let on_some_rank = Crossing { color, is_rightward, kind, landing: 0 };
            if !self.may_begin(node, on_some_rank) {
                continue;
            }
            for landing in P::landings(color) {
                let crossing = Crossing { landing, ..on_some_rank };
                let may_promote =
                    kind == Kind::TakesPiece && may_promote_by_capture && may_promote_straight;
                if may_promote || !crossing.is_promotion() {
                    self.pay_and_cross(node, crossing, to);
                }
            }
        }
        if may_promote_by_capture && !may_promote_straight {
            let landing = if P::KNOWS_RANKS { last_rank(color) } else { 0 };
            let kind = Kind::Promotes;
            self.pay_and_cross(node, Crossing { color, is_rightward, kind, landing }, to);
        }
    }

    fn pay_and_cross(&mut self, node: Node<P>, crossing: Crossing, to: usize) {
        let cost = self.prices.crossing(crossing, to);
        let Some(resources) = node.resources.spend(cost) else { return };
        match node.out.then(crossing) {
            Some(out) => self.cross(Node { out, resources, ..node }, crossing, to == self.file),
            None => self.is_cut = true,
        }
    }

    /// Returns whether a pawn may capture onto a file and promote at once.
    fn may_promote_by_capture(&self, color: Color, from: usize, to: usize) -> bool {
        let side = color.index();
        self.goal.leaving[side] >> from & self.goal.entering[side] >> to & 1 != 0
    }

    /// Returns whether pawns may promote by advancing. Without ranks, capturing onto such a file
    /// and promoting at once is the same as arriving on top and advancing.
    fn may_promote_straight(&self, color: Color, file: usize) -> bool {
        let may_promote_straight = self.goal.straight[color.index()] >> file & 1 != 0;
        may_promote_straight && !self.goal.is_unmoved(!color, file)
    }

    /// Applies the effect of a crossing on this file.
    fn cross(&mut self, node: Node<P>, crossing: Crossing, is_arrival: bool) {
        let Crossing { color, kind, landing, .. } = crossing;
        let (pawns, unmoved) = (node.pawns, self.unmoved);
        match (is_arrival, crossing.is_promotion()) {
            (true, true) => {
                let resources = self.credit(node.resources, color);
                self.visit(Node { resources, ..node });
            }
            (true, false) if kind == Kind::TakesPawn => {
                self.visit_all(node, pawns.taking(color, landing, unmoved));
            }
            (true, false) => self.visit_all(node, pawns.joining(color, landing, unmoved)),
            (false, true) => {
                self.visit_all(node, pawns.without_front(color, unmoved).into_iter());
            }
            (false, false) => self.visit_all(node, pawns.leaving(color, landing, unmoved)),
        }
    }

    fn visit_all(&mut self, node: Node<P>, all: impl Iterator<Item = P>) {
        for pawns in all {
            self.visit(Node { pawns, ..node });
        }
    }
}

/// Returns, for each sequence of crossings, the resources that no other entry exceeds in every
/// counter.
fn without_dominated(reached: &mut Border) -> Border {
    reached.sort_unstable_by(|a, b| b.cmp(a));
    reached.dedup();
    let mut kept = Border::new();
    let mut first = 0;
    for &(out, resources) in reached.iter() {
        if kept.get(first).is_none_or(|other| other.0 != out) {
            first = kept.len();
        }
        if kept[first..].iter().all(|other| !other.1.covers(resources)) {
            kept.push((out, resources));
        }
    }
    kept
}
