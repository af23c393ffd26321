//! Points in time, as read from the caller's clock.
//!
//! This module defines the type and leaves reading a clock to the caller. Arithmetic saturates:
//! it never overflows and never goes below zero, whatever the caller's clock does.

use serde::{Deserialize, Serialize};

/// A point on the server's wall clock, in milliseconds since 1970.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
#[serde(transparent)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Moment(u64);

impl Moment {
    /// Creates a moment from milliseconds since the beginning of 1970.
    pub const fn from_millis(millis: u64) -> Moment {
        Moment(millis)
    }

    /// Returns the milliseconds since 1970.
    pub const fn as_millis(self) -> u64 {
        self.0
    }

    /// Returns the milliseconds from `earlier` to this moment, or 0 if `earlier` is later.
    pub const fn since_ms(self, earlier: Moment) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Returns the moment `millis` milliseconds later.
    #[must_use]
    pub const fn plus_ms(self, millis: u64) -> Moment {
        Moment(self.0.saturating_add(millis))
    }
}
