//! What the codes of PostgreSQL mean to a caller of the store.
//!
//! Owns: the translation. Leaves to `writer`: what a lost connection means, which depends on when
//! it was lost.

use sqlx::Error;
use sqlx::error::DatabaseError;

use crate::error::StoreError;

/// Why a statement failed.
pub(super) fn store_error(error: &Error) -> StoreError {
    let why = error.to_string();
    let code = error.as_database_error().and_then(DatabaseError::code);
    match code.as_deref() {
        // Constraints and values out of range concern one write.
        Some(code) if code.starts_with("23") || code.starts_with("22") => {
            StoreError::Refused { why }
        }
        Some("53100") => StoreError::DiskFull,
        Some("XX001" | "XX002") => StoreError::Damaged { what: why },
        Some(_) => StoreError::Unavailable { why },
        None => match error {
            Error::PoolClosed => StoreError::Closed,
            Error::ColumnDecode { .. } | Error::Decode(_) => StoreError::Damaged { what: why },
            _ => StoreError::Unavailable { why },
        },
    }
}

/// Whether the connection is of no more use: it broke, or the server ended it (class 57P0x).
pub(super) fn is_lost(error: &Error) -> bool {
    match error.as_database_error() {
        Some(error) => error.code().is_some_and(|code| code.starts_with("57P0")),
        None => matches!(error, Error::Io(_) | Error::Protocol(_) | Error::Tls(_)),
    }
}
