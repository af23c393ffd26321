//! Accumulators by view, a starting point for when a king changes its bucket or its half of the
//! board.
//!
//! After such a move every input uses a different row. Instead of adding up all pieces, the cache
//! starts from the accumulator as it was when the new view was last used, and adds and subtracts
//! only the pieces that differ. Invariant: the accumulator of an entry is the one of its pieces.
//! The technique is also known as a "Finny table".

use castellan_rules::{Bitboard, Color, Piece, Position, Role};

use crate::block::Block;
use crate::features::View;
use crate::kernels::{Best, adjust};
use crate::network::Network;

/// The accumulators that were last used for each view.
pub(crate) struct Cache {
    /// One entry for each color and view number.
    entries: Vec<Entry>,
}

#[derive(Clone)]
struct Entry {
    /// The pieces included in `sums`, by color and role.
    pieces: [[Bitboard; 6]; 2],
    sums: Vec<Block>,
}

/// The starts of rows. There is room for a full board.
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

    /// Updates the entry of a view for a position and copies its accumulator to `sums`.
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
