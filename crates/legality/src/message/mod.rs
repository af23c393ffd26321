//! The messages, in five languages.
//!
//! This module is responsible for the message files in `messages/`, how they are read, and what
//! differs between the languages. Every message exists in every language, takes the same values
//! in each, and produces sensible text for any values; tests verify this.

mod catalog;
mod language;
mod phrase;
pub mod report_text;
mod template;
#[cfg(test)]
mod tests;

pub use language::{Language, UnknownLanguage};
pub use phrase::Phrase;

use crate::{Finding, Severity, Value};

/// Returns the message of a finding, in lower case and without a final period.
///
/// ```
/// use castellan_legality::message::{Language, sentence};
/// use castellan_legality::{Code, Finding};
/// use castellan_rules::Bitboard;
///
/// let finding = Finding::new(Code::NoWhiteKing, Bitboard::EMPTY);
/// assert_eq!(sentence(&finding, Language::English), "White has no king");
/// assert_eq!(sentence(&finding, Language::Slovak), "biely nemá kráľa");
/// ```
pub fn sentence(finding: &Finding, language: Language) -> String {
    let template = catalog::template(finding.code.name(), language);
    template::fill(template, &finding.values, language)
}

/// Returns a phrase of a report, filled with its values.
pub fn phrase(phrase: Phrase, values: &[Value], language: Language) -> String {
    template::fill(catalog::template(phrase.name(), language), values, language)
}

/// Returns the word for `error`, `warning` or `note`.
pub fn severity(severity: Severity, language: Language) -> String {
    let word = match severity {
        Severity::Error => Phrase::Error,
        Severity::Warning => Phrase::Warning,
        Severity::Note => Phrase::Note,
    };
    phrase(word, &[], language)
}
