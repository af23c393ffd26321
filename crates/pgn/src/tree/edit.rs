//! Reorders lines and deletes moves.
//!
//! This module keeps the tree consistent: every move has one parent and the right nesting depth,
//! and only the first move of a variation has comments before it.

use super::{Node, NodeId, Tree, some};
use crate::{MAX_NESTING, PlayError};

impl NodeId {
    /// Returns the number of the node, 0 for the root. It is valid until a move is deleted.
    pub fn number(self) -> u32 {
        self.0
    }
}

impl Tree {
    /// Returns the node with a number; `None` if there is none.
    pub fn at(&self, number: u32) -> Option<NodeId> {
        ((number as usize) < self.nodes.len()).then_some(NodeId(number))
    }

    /// Returns all nodes, the root first and every move after its parent.
    pub fn nodes(&self) -> impl Iterator<Item = NodeId> + use<> {
        let count = u32::try_from(self.nodes.len()).expect("the limit on moves is far below");
        (0..count).map(NodeId)
    }

    /// Returns the first move of the variation that contains a move; `None` in the main line.
    pub fn variation_head(&self, at: NodeId) -> Option<NodeId> {
        let is_head = |at: &NodeId| self.parent(*at).is_some_and(|up| self.next(up) != Some(*at));
        std::iter::successors(Some(at), |at| self.parent(*at)).find(is_head)
    }

    /// Swaps the variation that contains a move with the line it is an alternative to.
    pub(crate) fn promote(&mut self, at: NodeId) -> Result<(), PlayError> {
        let Some(head) = self.variation_head(at) else { return Ok(()) };
        let parent = self.node(head).parent;
        let before: Vec<NodeId> = self.children(parent).collect();
        let mut after = vec![head];
        after.extend(before.iter().filter(|child| **child != head));
        self.link(parent, &after);
        if self.settle_nesting(parent) > MAX_NESTING {
            self.link(parent, &before);
            self.settle_nesting(parent);
            return Err(PlayError::TooDeep);
        }
        self.pass_on_comments(parent);
        Ok(())
    }

    /// Deletes a move and everything that follows it. Returns the node it was played from.
    pub(crate) fn delete(&mut self, at: NodeId) -> NodeId {
        let Some(parent) = self.parent(at) else { return at };
        let rest: Vec<NodeId> = self.children(parent).filter(|child| *child != at).collect();
        self.link(parent, &rest);
        self.settle_nesting(parent);
        self.pass_on_comments(parent);
        let moved = self.compact(at);
        moved[parent.index()]
    }

    /// Makes these moves, in this order, the children of a node.
    fn link(&mut self, parent: NodeId, children: &[NodeId]) {
        let ends = (children.first(), children.last());
        let node = &mut self.nodes[parent.index()];
        node.first_child = ends.0.copied().unwrap_or(NodeId::ROOT);
        node.last_child = ends.1.copied().unwrap_or(NodeId::ROOT);
        for (place, child) in children.iter().enumerate() {
            let next = children.get(place + 1).copied().unwrap_or(NodeId::ROOT);
            self.nodes[child.index()].next_sibling = next;
        }
    }

    /// Recomputes the nesting depth of everything below a node. Returns the maximum.
    fn settle_nesting(&mut self, at: NodeId) -> usize {
        let mut deepest = 0;
        let mut open = vec![at];
        while let Some(at) = open.pop() {
            let around = self.node(at).nesting;
            let children: Vec<NodeId> = self.children(at).collect();
            for (place, child) in children.iter().enumerate() {
                let nesting = around.saturating_add(u8::from(place > 0));
                self.nodes[child.index()].nesting = nesting;
                deepest = deepest.max(usize::from(nesting));
            }
            open.extend(children);
        }
        deepest
    }

    /// Moves the comments before a move that no longer begins a variation to the end of the
    /// previous move's comments.
    fn pass_on_comments(&mut self, parent: NodeId) {
        let Some(first) = self.next(parent) else { return };
        if self.notes(first).before.is_empty() {
            return;
        }
        let comments = std::mem::take(&mut self.notes_mut(first).before);
        self.notes_mut(parent).after.extend(comments);
    }

    /// Removes the nodes from `gone` on down, which are no longer linked. Returns the new number
    /// of every node.
    fn compact(&mut self, gone: NodeId) -> Vec<NodeId> {
        let mut is_gone = vec![false; self.nodes.len()];
        let mut open = vec![gone];
        while let Some(at) = open.pop() {
            is_gone[at.index()] = true;
            open.extend(self.children(at));
        }
        let mut moved = vec![NodeId::ROOT; self.nodes.len()];
        let mut next = 0;
        for (place, is_gone) in is_gone.iter().enumerate() {
            moved[place] = NodeId(next);
            next += u32::from(!is_gone);
        }
        let mut place = 0;
        self.nodes.retain(|_| {
            place += 1;
            !is_gone[place - 1]
        });
        self.nodes.iter_mut().for_each(|node| node.renumber(&moved));
        moved
    }
}

impl Node {
    fn renumber(&mut self, moved: &[NodeId]) {
        self.parent = moved[self.parent.index()];
        for link in [&mut self.first_child, &mut self.last_child, &mut self.next_sibling] {
            *link = some(*link).map_or(NodeId::ROOT, |link| moved[link.index()]);
        }
    }
}
