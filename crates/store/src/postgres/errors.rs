//! Translates PostgreSQL's error codes for callers of the store.
//!
//! The meaning of a lost connection is left to `writer`, because it depends on when the
//! connection was lost.

use sqlx::Error;
use sqlx::error::DatabaseError;

use crate::error::StoreError;

/// Converts the error of a statement.
pub(super) fn store_error(error: &Error) -> StoreError {
    let why = error.to_string();
    let code = error.as_database_error().and_then(DatabaseError::code);
    match code.as_deref() {
        // Constraint violations and values out of range concern a single write.
        Some(code) if code.starts_with("23") || code.starts_with("22") => {
            StoreError::Refused { why }
        }
        Some("53100") => StoreError::DiskFull,
        // Only searches have a statement timeout.
        Some("57014") => StoreError::SearchTimeout,
        Some("XX001" | "XX002") => StoreError::Damaged { what: why },
        Some(_) => StoreError::Unavailable { why },
        None => match error {
            Error::PoolClosed => StoreError::Closed,
            Error::ColumnDecode { .. } | Error::Decode(_) => StoreError::Damaged { what: why },
            _ => StoreError::Unavailable { why },
        },
    }
}

/// Returns whether the connection is unusable: it broke, or the server ended it (class 57P0x).
pub(super) fn is_lost(error: &Error) -> bool {
    match error.as_database_error() {
        Some(error) => error.code().is_some_and(|code| code.starts_with("57P0")),
        None => matches!(error, Error::Io(_) | Error::Protocol(_) | Error::Tls(_)),
    }
}
