//! Sums by view, to start from when a king changes its bucket or its half of the board.
//!
//! After such a move every row is another one. Instead of adding up all pieces, the sums for the
//! new view are taken as they were when it was last used, and only the pieces that differ are
//! added and subtracted. The invariant: an entry's sums are those of its pieces.

use castellan_rules::{Bitboard, Color, Piece, Position, Role};

use crate::block::Block;
use crate::features::View;
use crate::kernels::{Best, adjust};
use crate::network::Network;

pub(crate) struct Cache {
    /// For each color and each number of a view.
    entries: Vec<Entry>,
}

#[derive(Clone)]
struct Entry {
    /// The pieces that have been added up, by color and role.
    pieces: [[Bitboard; 6]; 2],
    sums: Vec<Block>,
}

/// Starts of rows; no board has more pieces.
struct Rows {
    starts: [u32; 64],
    len: usize,
}

impl Rows {
    const EMPTY: Rows = Rows { starts: [0; 64], len: 0 };

    #[inline]
    fn push(&mut self, start: usize) {
        self.starts[self.len] = start as u32;
        self.len += 1;
    }

    fn as_slice(&self) -> &[u32] {
        &self.starts[..self.len]
    }
}

impl Cache {
    pub(crate) fn new(network: &Network) -> Cache {
        let empty = Entry { pieces: [[Bitboard::EMPTY; 6]; 2], sums: network.bias.clone() };
        Cache { entries: vec![empty; 2 * 2 * network.king_buckets()] }
    }

    /// Brings the entry of a view up to date and copies its sums.
    pub(crate) fn refresh(
        &mut self,
        network: &Network,
        view: View,
        color: Color,
        position: &Position,
        sums: &mut [Block],
    ) {
        let views = 2 * network.king_buckets();
        let entry = &mut self.entries[color.index() * views + view.number()];
        let (mut added, mut removed) = (Rows::EMPTY, Rows::EMPTY);
        for color in Color::ALL {
            for role in Role::ALL {
                let piece = Piece { color, role };
                let now = position.pieces().piece(piece);
                let before = &mut entry.pieces[color.index()][role.index()];
                for square in now & !*before {
                    added.push(network.start(view.row(piece, square)));
                }
                for square in *before & !now {
                    removed.push(network.start(view.row(piece, square)));
                }
                *before = now;
            }
        }
        let (added, removed) = (added.as_slice(), removed.as_slice());
        adjust::<Best>(&mut entry.sums, sums, &network.features, added, removed);
    }
}
