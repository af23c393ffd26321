//! Numbers in blocks of one cache line.

/// The number of values in a block.
pub(crate) const BLOCK: usize = 32;

/// A block of 32 numbers, aligned so that no vector load crosses a cache line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(C, align(64))]
pub(crate) struct Block(pub(crate) [i16; BLOCK]);

impl Block {
    pub(crate) const ZERO: Block = Block([0; BLOCK]);
}
