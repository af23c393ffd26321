//! Points in time, as the caller's clock shows them.
//!
//! Owns: the type. Leaves reading a clock to the caller. Arithmetic never overflows and never
//! goes below zero, whatever the caller's clock does.

use serde::{Deserialize, Serialize};

/// Milliseconds on the server's wall clock since 1970.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Moment(u64);

impl Moment {
    /// The moment so many milliseconds after the beginning of 1970.
    pub const fn from_millis(millis: u64) -> Moment {
        Moment(millis)
    }

    /// The milliseconds since 1970.
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// The milliseconds from an earlier moment to this one; 0 if that one is the later.
    pub const fn since_ms(self, earlier: Moment) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// So many milliseconds later.
    #[must_use]
    pub const fn plus_ms(self, millis: u64) -> Moment {
        Moment(self.0.saturating_add(millis))
    }
}
