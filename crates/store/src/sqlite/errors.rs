//! Translates SQLite's error codes for callers of the store.
//!
//! Invariant: an error after which SQLite cannot tell what it stored becomes
//! [`StoreError::Uncertain`], and no other error does.

use core::fmt;
use std::path::Path;

use rusqlite::{Error, ErrorCode};

use crate::error::{OpenError, StoreError};

/// Converts the error of a statement.
pub(super) fn store_error(error: &Error) -> StoreError {
    let why = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::DiskFull,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Damaged { what: why }
        }
        // An error without a code is a wrong number or type of arguments, not a database failure.
        Some(ErrorCode::ConstraintViolation) | None => StoreError::Refused { why },
        Some(_) => StoreError::Unavailable { why },
    }
}

/// Converts the error of a commit. If the disk is full, the last frame was never written and
/// nothing was stored; if the sync failed, everything may have been stored.
pub(super) fn commit_error(error: &Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::SystemIoFailure) => StoreError::Uncertain { why: error.to_string() },
        _ => store_error(error),
    }
}

/// Returns whether the error concerns a single write, so that the rest of its transaction may
/// continue.
pub(super) fn is_refusal(error: &Error) -> bool {
    matches!(store_error(error), StoreError::Refused { .. })
}

/// Converts the error of opening a database.
pub(super) fn open_error(path: &Path, error: &Error) -> OpenError {
    let place = path.display().to_string();
    let why = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt) => OpenError::Damaged { place, why },
        Some(ErrorCode::NotADatabase) => OpenError::NotOurDatabase { place, why },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            OpenError::InUse { place, holder: "another program".to_owned() }
        }
        _ => OpenError::Unusable { place, why },
    }
}

/// Creates the error for a file that cannot be used.
pub(super) fn unusable(path: &Path, why: &dyn fmt::Display) -> OpenError {
    OpenError::Unusable { place: path.display().to_string(), why: why.to_string() }
}
