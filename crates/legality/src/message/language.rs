//! The supported languages, and what differs between them besides words.

use std::fmt;
use std::str::FromStr;

use castellan_rules::Role;

/// A language in which every message is available.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Language {
    /// English.
    #[default]
    English,
    /// Slovak (slovenčina).
    Slovak,
    /// Czech (čeština).
    Czech,
    /// Polish (polski).
    Polish,
    /// Finnish (suomi).
    Finnish,
}

impl Language {
    /// All supported languages.
    pub const ALL: [Language; 5] =
        [Language::English, Language::Slovak, Language::Czech, Language::Polish, Language::Finnish];

    /// Returns the two-letter ISO 639-1 code.
    pub const fn code(self) -> &'static str {
        match self {
            Language::English => "en",
            Language::Slovak => "sk",
            Language::Czech => "cs",
            Language::Polish => "pl",
            Language::Finnish => "fi",
        }
    }

    /// Returns the language's own name for itself.
    pub const fn name(self) -> &'static str {
        match self {
            Language::English => "English",
            Language::Slovak => "slovenčina",
            Language::Czech => "čeština",
            Language::Polish => "polski",
            Language::Finnish => "suomi",
        }
    }

    /// Returns the language of a locale such as `sk_SK.UTF-8` or `pl-PL`, or `None` if it is not
    /// supported.
    pub fn of_locale(locale: &str) -> Option<Language> {
        let end = locale.find(['_', '-', '.', '@']).unwrap_or(locale.len());
        locale[..end].to_ascii_lowercase().parse().ok()
    }

    /// Returns the letter of a piece in move notation.
    pub const fn letter(self, role: Role) -> char {
        let letters = match self {
            Language::English => b"PNBRQK",
            Language::Slovak | Language::Czech => b"PJSVDK",
            Language::Polish => b"PSGWHK",
            Language::Finnish => b"SRLTDK",
        };
        letters[role.index()] as char
    }

    /// Translates move notation to the piece letters of the language: `1. Nf3` becomes `1. Jf3`
    /// in Slovak.
    pub fn notation(self, moves: &str) -> String {
        let local = |c| Role::from_letter(c).map_or(c, |role| self.letter(role));
        moves.chars().map(local).collect()
    }

    /// Returns how many plural forms a noun has.
    #[cfg(test)]
    pub(super) const fn plural_forms(self) -> usize {
        match self {
            Language::English | Language::Finnish => 2,
            Language::Slovak | Language::Czech | Language::Polish => 3,
        }
    }

    /// Returns the index of the plural form for a number: `1 pešiak`, `2 pešiaci`, `5 pešiakov`.
    /// In Polish the last digits decide (`22 piony`); in Slovak and Czech the whole number does.
    pub(super) const fn plural(self, number: u64) -> usize {
        match (self, number) {
            (_, 1) => 0,
            (Language::English | Language::Finnish, _)
            | (Language::Slovak | Language::Czech, 2..=4) => 1,
            (Language::Slovak | Language::Czech, _) => 2,
            (Language::Polish, _) => match (number % 10, number % 100) {
                (_, 12..=14) => 2,
                (2..=4, _) => 1,
                _ => 2,
            },
        }
    }

    /// Returns the separator between groups of three digits.
    pub(super) const fn digit_separator(self) -> char {
        match self {
            Language::English => ',',
            _ => '\u{a0}',
        }
    }
}

/// The error for a language code that is not supported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownLanguage;

impl fmt::Display for UnknownLanguage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let codes = Language::ALL.map(Language::code).join(", ");
        write!(f, "expected one of the languages {codes}")
    }
}

impl std::error::Error for UnknownLanguage {}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(code: &str) -> Result<Language, UnknownLanguage> {
        Language::ALL.into_iter().find(|language| language.code() == code).ok_or(UnknownLanguage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_read_back_from_its_code() {
        for language in Language::ALL {
            assert_eq!(language.code().parse(), Ok(language));
        }
        for text in ["", "EN", "de", "sk_SK"] {
            assert_eq!(text.parse::<Language>(), Err(UnknownLanguage), "{text}");
        }
    }

    #[test]
    fn a_locale_begins_with_its_language() {
        let check = |locale: &str, expected| {
            assert_eq!(Language::of_locale(locale), expected, "{locale}");
        };
        check("sk_SK.UTF-8", Some(Language::Slovak));
        check("cs", Some(Language::Czech));
        check("PL-pl", Some(Language::Polish));
        check("fi@euro", Some(Language::Finnish));
        check("en.UTF-8", Some(Language::English));
        for locale in ["", "C", "POSIX", "C.UTF-8", "de_AT.UTF-8", "skr_PK", "_", "ü"] {
            check(locale, None);
        }
    }

    #[test]
    fn moves_are_written_in_local_letters() {
        let moves = "1. b4 Nf6 2. Bb2 exd8=Q+ 3. O-O-O Rxa1 4. Kd2 Qb6#";
        let check = |language: Language, expected| assert_eq!(language.notation(moves), expected);
        check(Language::English, moves);
        check(Language::Slovak, "1. b4 Jf6 2. Sb2 exd8=D+ 3. O-O-O Vxa1 4. Kd2 Db6#");
        check(Language::Polish, "1. b4 Sf6 2. Gb2 exd8=H+ 3. O-O-O Wxa1 4. Kd2 Hb6#");
        check(Language::Finnish, "1. b4 Rf6 2. Lb2 exd8=D+ 3. O-O-O Txa1 4. Kd2 Db6#");
    }

    #[test]
    fn words_are_counted_as_the_language_counts_them() {
        let check = |language: Language, expected: &str| {
            let numbers = [0, 1, 2, 4, 5, 11, 12, 14, 21, 22, 25, 101, 102, 112, 1_000_002];
            let forms: String =
                numbers.iter().map(|&number| language.plural(number).to_string()).collect();
            assert_eq!(forms, expected, "{language:?}");
            assert!(numbers.iter().all(|&n| language.plural(n) < language.plural_forms()));
        };
        check(Language::English, "101111111111111");
        check(Language::Finnish, "101111111111111");
        check(Language::Slovak, "201122222222222");
        check(Language::Czech, "201122222222222");
        check(Language::Polish, "201122222122121");
    }
}
