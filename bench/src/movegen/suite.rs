//! The positions whose trees are walked, and the number of leaves of each tree.
//!
//! Invariant: `leaves[n]` is the number of leaves at depth `n + 1`. All correct generators agree on
//! these totals, so a contestant with a different count ends the run instead of being timed.

use std::ops::RangeInclusive;

/// The offsets that a user may choose. The total of every entry is known for all of them, and for
/// one half-move less.
pub(crate) const OFFSETS: RangeInclusive<i64> = -3..=1;

/// The root of a tree.
pub(crate) struct Entry {
    /// A short name for tables and errors.
    pub(crate) name: &'static str,
    /// The position as a FEN with six fields.
    pub(crate) fen: &'static str,
    /// The depth at which each contestant takes about a second or less.
    usual_depth: u32,
    leaves: &'static [u64],
}

/// A tree to walk: an entry at a depth whose total is known.
#[derive(Clone, Copy)]
pub(crate) struct Tree {
    /// The root of the tree.
    pub(crate) entry: &'static Entry,
    /// The depth in half-moves.
    pub(crate) depth: u32,
    /// The number of leaves.
    pub(crate) leaves: u64,
}

/// Returns the trees of the suite, each `offset` half-moves deeper than usual. An entry whose total
/// is not known at that depth would be left out; [`OFFSETS`] prevents that.
pub(crate) fn trees(offset: i32) -> Vec<Tree> {
    SUITE.iter().filter_map(|entry| entry.tree(offset)).collect()
}

impl Entry {
    fn tree(&'static self, offset: i32) -> Option<Tree> {
        let depth = self.usual_depth.checked_add_signed(offset)?;
        let index = usize::try_from(depth.checked_sub(1)?).ok()?;
        Some(Tree { entry: self, depth, leaves: *self.leaves.get(index)? })
    }
}

const SUITE: &[Entry] = &[
    Entry {
        name: "start",
        fen: "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        usual_depth: 6,
        leaves: &[20, 400, 8_902, 197_281, 4_865_609, 119_060_324, 3_195_901_860],
    },
    Entry {
        name: "kiwipete",
        fen: "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        usual_depth: 5,
        leaves: &[48, 2_039, 97_862, 4_085_603, 193_690_690, 8_031_647_685],
    },
    Entry {
        name: "rook ending",
        fen: "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        usual_depth: 7,
        leaves: &[14, 191, 2_812, 43_238, 674_624, 11_030_083, 178_633_661, 3_009_794_393],
    },
    Entry {
        name: "promotions",
        fen: "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        usual_depth: 5,
        leaves: &[6, 264, 9_467, 422_333, 15_833_292, 706_045_033],
    },
    Entry {
        name: "pawn on d7",
        fen: "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
        usual_depth: 5,
        leaves: &[44, 1_486, 62_379, 2_103_487, 89_941_194, 3_048_196_529],
    },
    Entry {
        name: "middlegame",
        fen: "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
        usual_depth: 5,
        leaves: &[46, 2_079, 89_890, 3_894_594, 164_075_551, 6_923_051_137],
    },
];
