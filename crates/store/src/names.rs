//! Decides when two names look the same to a reader.
//!
//! This module defines the folded form in which names are compared and searched; the server
//! decides which names are allowed. Invariant: folding a folded name changes nothing, so a folded
//! name can be stored, read back and folded again.

use unicode_normalization::UnicodeNormalization;

/// Returns the form of a name in which case, accents, width and invisible characters do not
/// matter.
///
/// ```
/// use castellan_store::fold;
/// assert_eq!(fold("  José  RAÚL"), "jose raul");
/// assert_eq!(fold("Łukasz Müßig"), "lukasz mussig");
/// ```
#[must_use]
pub fn fold(name: &str) -> String {
    let mut folded = fold_once(name);
    // Some letters change case only after decomposition, and some decompose only after a case
    // change. Two rounds are enough for all of Unicode 16, and the bound guarantees termination.
    for _ in 0..4 {
        let again = fold_once(&folded);
        if again == folded {
            break;
        }
        folded = again;
    }
    folded
}

fn fold_once(name: &str) -> String {
    // Uppercase comes first: it merges letters with two lowercase forms, such as σ and ς, and
    // expands ß.
    let plain = name
        .nfkd()
        .filter(|&character| !is_accent(character) && !is_invisible(character))
        .flat_map(char::to_uppercase)
        .flat_map(char::to_lowercase)
        .filter(|&character| !is_accent(character))
        .flat_map(without_stroke)
        .nfc();
    let plain: String = plain.collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns whether this is an accent of Latin, Greek or Cyrillic. The combining marks of other
/// scripts are letters to their readers: without them, different Hindi or Thai names would become
/// equal.
fn is_accent(character: char) -> bool {
    matches!(character,
        '\u{300}'..='\u{36F}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}'
        | '\u{20D0}'..='\u{20FF}' | '\u{FE20}'..='\u{FE2F}')
}

/// Returns whether a character is invisible: joiners, direction marks, variation selectors, and
/// control characters other than whitespace.
fn is_invisible(character: char) -> bool {
    let is_format = matches!(character,
        '\u{AD}' | '\u{61C}' | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}'
        | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{FE00}'..='\u{FE0F}'
        | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E0FFF}');
    is_format || (character.is_control() && !character.is_whitespace())
}

/// Replaces letters with a stroke by plain ones. Unicode does not decompose them into a letter
/// and an accent, but readers see them that way.
fn without_stroke(character: char) -> impl Iterator<Item = char> {
    let (first, second) = match character {
        'ø' => ('o', None),
        'ł' => ('l', None),
        'đ' | 'ð' => ('d', None),
        'ħ' => ('h', None),
        'ŧ' => ('t', None),
        'ı' => ('i', None),
        'æ' => ('a', Some('e')),
        'œ' => ('o', Some('e')),
        'þ' => ('t', Some('h')),
        other => (other, None),
    };
    [Some(first), second].into_iter().flatten()
}

/// Returns the LIKE pattern, with `!` as its escape character, that finds the folded name
/// anywhere in a text.
pub(crate) fn pattern(name: &str) -> String {
    let mut pattern = String::from("%");
    for character in fold(name).chars() {
        if matches!(character, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

/// Returns a text that is greater than every text that begins with `start`, and smaller than every
/// other text that is greater than `start`.
pub(crate) fn end_of_range(start: &str) -> String {
    format!("{start}{}", char::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(name: &str, expected: &str) {
        assert_eq!(fold(name), expected);
    }

    #[test]
    fn case_does_not_matter() {
        check("MagnusTheGreat", "magnusthegreat");
        check("ΣΊΣΥΦΟΣ", "σισυφοσ");
        check("Σίσυφος", "σισυφοσ");
        check("ИВАН", "иван");
        check("İstanbul", "istanbul");
    }

    #[test]
    fn accents_do_not_matter() {
        check("Réti", "reti");
        check("Re\u{301}ti", "reti");
        check("Kovačević", "kovacevic");
        check("Øystein Æsop", "oystein aesop");
        check("Weiß", "weiss");
    }

    #[test]
    fn invisible_differences_do_not_matter() {
        check("a\u{202E}b\u{200B}c\u{FEFF}", "abc");
        check("\u{2067}שלום", "שלום");
        check("Ｆｕｌｌ　ｗｉｄｔｈ", "full width");
        check(" a \t b ", "a b");
    }

    #[test]
    fn marks_that_are_letters_stay() {
        assert_ne!(fold("किरण"), fold("करण"));
        assert_ne!(fold("ที่"), fold("ท"));
    }

    #[test]
    fn wildcards_are_escaped() {
        assert_eq!(pattern("50%_!"), "%50!%!_!!%");
        assert_eq!(pattern(""), "%%");
    }

    proptest! {
        #[test]
        fn folding_twice_changes_nothing(name in any::<String>()) {
            let folded = fold(&name);
            prop_assert_eq!(fold(&folded), folded);
        }
    }

    #[test]
    fn every_character_folds_to_a_fixed_point() {
        for character in '\0'..=char::MAX {
            let alone = character.to_string();
            // Most characters stay the same and need no second check.
            if fold_once(&alone) != alone {
                let folded = fold(&alone);
                assert_eq!(fold_once(&folded), folded, "U+{:04X}", u32::from(character));
            }
        }
    }
}
