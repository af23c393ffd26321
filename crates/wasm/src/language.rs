//! Parsing of language codes.

use castellan_legality::Language;

use crate::error::{ApiError, ErrorCode};

pub(crate) fn parse_language(code: &str) -> Result<Language, ApiError> {
    code.parse()
        .map_err(|_| ApiError::new(ErrorCode::BadLanguage, format!("unknown language {code}")))
}
