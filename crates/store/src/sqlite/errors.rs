//! What SQLite's codes mean to a caller of the store.
//!
//! Owns: the translation. Invariant: an error after which SQLite cannot say what it kept becomes
//! [`StoreError::Uncertain`] and nothing else does.

use core::fmt;
use std::path::Path;

use rusqlite::{Error, ErrorCode};

use crate::error::{OpenError, StoreError};

/// Why a statement failed.
pub(super) fn store_error(error: &Error) -> StoreError {
    let why = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::DiskFull,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            StoreError::Damaged { what: why }
        }
        // Without a code it is the wrong number or type of arguments, and no fault of the database.
        Some(ErrorCode::ConstraintViolation) | None => StoreError::Refused { why },
        Some(_) => StoreError::Unavailable { why },
    }
}

/// Why a commit failed. A disk that is full never took the last frame, so nothing was kept; a
/// sync that failed may have kept everything.
pub(super) fn commit_error(error: &Error) -> StoreError {
    match error.sqlite_error_code() {
        Some(ErrorCode::SystemIoFailure) => StoreError::Uncertain { why: error.to_string() },
        _ => store_error(error),
    }
}

/// Whether only one write is to blame, and the others of its transaction may go on.
pub(super) fn is_refusal(error: &Error) -> bool {
    matches!(store_error(error), StoreError::Refused { .. })
}

/// Why a database could not be opened.
pub(super) fn open_error(path: &Path, error: &Error) -> OpenError {
    let place = path.display().to_string();
    let why = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseCorrupt) => OpenError::Damaged { place, why },
        Some(ErrorCode::NotADatabase) => OpenError::Foreign { place, why },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            OpenError::InUse { place, holder: "another program".to_owned() }
        }
        _ => OpenError::Unusable { place, why },
    }
}

/// That something about the file could not be used.
pub(super) fn unusable(path: &Path, why: &dyn fmt::Display) -> OpenError {
    OpenError::Unusable { place: path.display().to_string(), why: why.to_string() }
}
