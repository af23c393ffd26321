//! A visitor that accepts everything and does nothing with it.

use crate::Visitor;

/// Used to read to the end of a game that the real visitor skips.
pub(super) struct NullVisitor;

impl Visitor for NullVisitor {}
