//! The accumulators of the first layer for every position of a line, updated lazily.
//!
//! A move only records its changes. When a position is evaluated, each color's accumulator is
//! computed from the last position whose accumulator is known, through all positions in between.
//! If the color's king has changed its bucket or its half of the board since then, the
//! accumulator comes from a [`Cache`] instead. Invariant: an accumulator that is marked as known
//! belongs to its position.

use std::sync::Arc;

use castellan_rules::{Color, Position, Role};

use crate::block::Block;
use crate::cache::Cache;
use crate::changes::Changes;
use crate::features::View;
use crate::kernels::{Best, update};
use crate::network::Network;

/// Follows a line of moves and evaluates its last position.
pub struct Accumulators {
    network: Arc<Network>,
    /// The positions of the line; never empty.
    plies: Vec<Ply>,
    /// The two accumulators of each position that has been evaluated or passed through, White's
    /// first. The vector grows as needed and never shrinks.
    sums: Vec<Block>,
    cache: Cache,
}

#[derive(Clone, Copy)]
struct Ply {
    /// The changes since the previous position.
    changes: Changes,
    views: [View; 2],
    is_known: [bool; 2],
}

impl Accumulators {
    /// Creates accumulators for a line that starts at a position.
    pub fn new(network: Arc<Network>, position: &Position) -> Accumulators {
        let cache = Cache::new(&network);
        let first = first_ply(&network, position);
        Accumulators { network, plies: vec![first], sums: Vec::new(), cache }
    }

    /// Returns the network that evaluates the positions.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// Starts a new line at a position.
    pub fn reset(&mut self, position: &Position) {
        self.plies.clear();
        self.plies.push(first_ply(&self.network, position));
    }

    /// Extends the line by a move with these changes, or by a null move.
    #[inline]
    pub fn push(&mut self, changes: Changes) {
        let mut views = self.last().views;
        for &(piece, square) in changes.placed() {
            if piece.role == Role::King {
                views[piece.color.index()] = self.network.view(piece.color, square);
            }
        }
        self.plies.push(Ply { changes, views, is_known: [false; 2] });
    }

    /// Takes back the last move or null move. The first position always stays.
    #[inline]
    pub fn pop(&mut self) {
        if self.plies.len() > 1 {
            self.plies.pop();
        }
    }

    /// Returns the evaluation of the last position in centipawns for the side to move.
    ///
    /// `position` must be the position that the moves of the line lead to.
    pub fn evaluate(&mut self, position: &Position) -> i32 {
        let needed = 2 * self.network.row_blocks * self.plies.len();
        if self.sums.len() < needed {
            self.sums.resize(needed, Block::ZERO);
        }
        for color in Color::ALL {
            self.bring_up_to_date(color, position);
        }
        let turn = position.turn();
        let last = self.plies.len() - 1;
        let views = [turn, !turn].map(|color| self.view_sums(last, color));
        self.network.value(position, views)
    }

    #[inline]
    fn last(&self) -> &Ply {
        self.plies.last().expect("the first position is never taken back")
    }

    fn view_sums(&self, ply: usize, color: Color) -> &[Block] {
        let len = self.network.row_blocks;
        &self.sums[(2 * ply + color.index()) * len..][..len]
    }

    /// Updates a color's accumulator for the last position.
    fn bring_up_to_date(&mut self, color: Color, position: &Position) {
        let last = self.plies.len() - 1;
        let view = self.plies[last].views[color.index()];
        let mut known = last;
        while !self.plies[known].is_known[color.index()] {
            let has_earlier = known > 0 && self.plies[known - 1].views[color.index()] == view;
            if !has_earlier {
                return self.refresh(color, view, position);
            }
            known -= 1;
        }
        for ply in known + 1..=last {
            self.step(ply, color, view);
        }
    }

    /// Computes a color's accumulator for the last position from the cache.
    fn refresh(&mut self, color: Color, view: View, position: &Position) {
        let len = self.network.row_blocks;
        let last = self.plies.len() - 1;
        let sums = &mut self.sums[(2 * last + color.index()) * len..][..len];
        self.cache.refresh(&self.network, view, color, position, sums);
        self.plies[last].is_known[color.index()] = true;
    }

    /// Computes a color's accumulator at a ply from the one at the previous ply.
    #[inline]
    fn step(&mut self, ply: usize, color: Color, view: View) {
        let network = &*self.network;
        let len = network.row_blocks;
        let (before, after) = self.sums.split_at_mut(2 * ply * len);
        let from = &before[(2 * (ply - 1) + color.index()) * len..][..len];
        let to = &mut after[color.index() * len..][..len];
        let changes = &self.plies[ply].changes;
        let row = |&(piece, square)| network.row(view.row(piece, square));
        match (changes.placed(), changes.removed()) {
            ([a], [r]) => update::<Best, 1, 1>(from, to, [row(a)], [row(r)]),
            ([a], [r, s]) => update::<Best, 1, 2>(from, to, [row(a)], [row(r), row(s)]),
            ([a, b], [r, s]) => {
                update::<Best, 2, 2>(from, to, [row(a), row(b)], [row(r), row(s)]);
            }
            // A null move: every real move places a piece.
            _ => to.copy_from_slice(from),
        }
        self.plies[ply].is_known[color.index()] = true;
    }
}

fn first_ply(network: &Network, position: &Position) -> Ply {
    let views = Color::ALL.map(|color| network.view(color, position.king(color)));
    Ply { changes: Changes::NONE, views, is_known: [false; 2] }
}
