//! The moves of a game with all variations, in one arena.
//!
//! This module stores how moves follow each other and the notes on each move. Positions are not
//! kept here; see [`Game`](crate::Game), which ensures that every move is legal. Nothing here is
//! recursive, so there is no limit on the depth of a tree.

mod edit;

use crate::{Comment, Played};

/// A node of a [`Tree`]: the start of the game, or a move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(u32);

impl NodeId {
    /// The start of the game, before any move.
    pub const ROOT: NodeId = NodeId(0);

    fn index(self) -> usize {
        self.0 as usize
    }
}

/// The annotations of a move.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Notes {
    /// Numeric annotation glyphs, in the order they were read.
    pub nags: Vec<u8>,
    /// Comments before the move. Only a move that begins a variation has any; before other moves
    /// they are comments after the previous move.
    pub before: Vec<Comment>,
    /// Comments after the move; at the root, those before the first move.
    pub after: Vec<Comment>,
}

impl Notes {
    /// The notes of a move without annotations.
    pub const NONE: &'static Notes =
        &Notes { nags: Vec::new(), before: Vec::new(), after: Vec::new() };

    /// Returns `true` if there are no annotations.
    pub fn is_empty(&self) -> bool {
        self.nags.is_empty() && self.before.is_empty() && self.after.is_empty()
    }
}

/// A node of the tree. Notes are rare and stored separately, which keeps most nodes small.
#[derive(Clone, Debug)]
struct Node {
    parent: NodeId,
    /// The root is never a child, so its number stands for "none".
    first_child: NodeId,
    last_child: NodeId,
    next_sibling: NodeId,
    played: Option<Played>,
    nesting: u8,
    notes: Option<Box<Notes>>,
}

const _: () = assert!(crate::MAX_NESTING < u8::MAX as usize && size_of::<Node>() <= 40);

/// The moves of a game with all variations.
///
/// Two trees are equal if they have the same moves with the same notes in the same order, however
/// they were built.
#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    /// Creates a tree without moves.
    pub(crate) fn new() -> Tree {
        Tree { nodes: vec![Node::new(NodeId::ROOT, None, 0)] }
    }

    /// Returns the number of moves, all variations included.
    pub fn move_count(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Returns the move that leads to this node; `None` at the root.
    ///
    /// This method and all following ones panic if the node belongs to another, larger tree.
    pub fn played(&self, at: NodeId) -> Option<Played> {
        self.node(at).played
    }

    /// Returns the node before the move; `None` at the root.
    pub fn parent(&self, at: NodeId) -> Option<NodeId> {
        (at != NodeId::ROOT).then(|| self.node(at).parent)
    }

    /// Returns how many variations enclose the move; 0 in the main line.
    pub fn nesting(&self, at: NodeId) -> usize {
        self.node(at).nesting.into()
    }

    /// Returns the main continuation; `None` at the end of a line.
    pub fn next(&self, at: NodeId) -> Option<NodeId> {
        some(self.node(at).first_child)
    }

    /// Returns the next alternative to a move; `None` after the last one.
    pub fn sibling(&self, at: NodeId) -> Option<NodeId> {
        some(self.node(at).next_sibling)
    }

    /// Returns all continuations, the main one first.
    pub fn children(&self, at: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.next(at), |child| self.sibling(*child))
    }

    /// Returns the main continuation move by move.
    pub fn line_from(&self, at: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(self.next(at), |mv| self.next(*mv))
    }

    /// Returns the moves from the start up to and including this one.
    pub fn path(&self, at: NodeId) -> Vec<NodeId> {
        let up = std::iter::successors(Some(at), |at| self.parent(*at));
        let mut path: Vec<NodeId> = up.take_while(|at| *at != NodeId::ROOT).collect();
        path.reverse();
        path
    }

    /// Returns the notes on a move.
    pub fn notes(&self, at: NodeId) -> &Notes {
        self.node(at).notes.as_deref().unwrap_or(Notes::NONE)
    }

    /// Returns the notes for editing. Comments before a move that does not begin a variation are
    /// written, but read back as comments after the previous move.
    pub fn notes_mut(&mut self, at: NodeId) -> &mut Notes {
        self.nodes[at.index()].notes.get_or_insert_default()
    }

    /// Returns how many variations would enclose a new move played from here.
    pub(crate) fn nesting_after(&self, at: NodeId) -> usize {
        let node = self.node(at);
        usize::from(node.nesting) + usize::from(some(node.first_child).is_some())
    }

    /// Adds a move as the last alternative. The caller has checked the limits.
    pub(crate) fn add(&mut self, at: NodeId, played: Played) -> NodeId {
        let nesting = u8::try_from(self.nesting_after(at)).unwrap_or(u8::MAX);
        let number = u32::try_from(self.nodes.len()).expect("the limit on moves is far below");
        let added = NodeId(number);
        self.nodes.push(Node::new(at, Some(played), nesting));
        let last = std::mem::replace(&mut self.nodes[at.index()].last_child, added);
        match some(last) {
            Some(last) => self.nodes[last.index()].next_sibling = added,
            None => self.nodes[at.index()].first_child = added,
        }
        added
    }

    fn node(&self, at: NodeId) -> &Node {
        &self.nodes[at.index()]
    }

    /// Returns `true` if two nodes have the same move and notes, regardless of what follows.
    fn is_same_node(&self, at: NodeId, other: &Tree, there: NodeId) -> bool {
        let notes = (self.notes(at), other.notes(there));
        self.played(at) == other.played(there) && notes.0 == notes.1
    }
}

impl PartialEq for Tree {
    fn eq(&self, other: &Tree) -> bool {
        let mut open = vec![(NodeId::ROOT, NodeId::ROOT)];
        while let Some((at, there)) = open.pop() {
            if !self.is_same_node(at, other, there) {
                return false;
            }
            let (mut ours, mut theirs) = (self.next(at), other.next(there));
            while let (Some(child), Some(twin)) = (ours, theirs) {
                open.push((child, twin));
                (ours, theirs) = (self.sibling(child), other.sibling(twin));
            }
            if ours.is_some() || theirs.is_some() {
                return false;
            }
        }
        true
    }
}

impl Eq for Tree {}

impl Node {
    fn new(parent: NodeId, played: Option<Played>, nesting: u8) -> Node {
        Node {
            parent,
            first_child: NodeId::ROOT,
            last_child: NodeId::ROOT,
            next_sibling: NodeId::ROOT,
            played,
            nesting,
            notes: None,
        }
    }
}

fn some(id: NodeId) -> Option<NodeId> {
    (id != NodeId::ROOT).then_some(id)
}
