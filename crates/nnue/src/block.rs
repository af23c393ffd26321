//! Numbers in portions of one cache line.

/// How many numbers a block has.
pub(crate) const BLOCK: usize = 32;

/// 32 numbers, aligned so that every vector register loads them without crossing a cache line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub(crate) struct Block(pub(crate) [i16; BLOCK]);

impl Block {
    pub(crate) const ZERO: Block = Block([0; BLOCK]);
}
