//! Parsing of language codes.

use castellan_legality::Language;

use crate::desk::Failure;

pub(crate) fn parse_language(code: &str) -> Result<Language, Failure> {
    code.parse().map_err(|_| Failure::new("bad_language", format!("unknown language {code}")))
}
