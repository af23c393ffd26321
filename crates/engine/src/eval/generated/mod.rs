//! Files that the tuner writes.

pub(crate) mod weights;
