//! Normalizes text for searching: without capitals and diacritics.

use castellan_pgn::tag_value;

/// Maximum length of a name that is kept.
const MAX_NAME_BYTES: usize = 120;

/// Letters that are treated as the first letter of their row.
const ALIKE: [&str; 21] = [
    "aáàâãäåāăą",
    "cçćĉċč",
    "dďđ",
    "eéèêëēĕėęě",
    "gĝğġģ",
    "hĥħ",
    "iíìîïĩīĭįı",
    "jĵ",
    "kķ",
    "lĺļľŀł",
    "nñńņňŉ",
    "oóòôõöøōŏő",
    "rŕŗř",
    "sśŝşšș",
    "tţťŧț",
    "uúùûüũūŭůűų",
    "wŵ",
    "yýÿŷ",
    "zźżž",
    "её",
    "ий",
];

/// Windows-1252 characters for the bytes from 0x80 on, which are control characters in Latin-1.
const WINDOWS: &str = "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8d}Ž\u{8f}\u{90}‘’“”•–—˜™š›œ\u{9d}žŸ";

/// Returns the value of a tag for the list: one line of text, empty for a question mark.
pub(super) fn clean(value: &[u8]) -> String {
    let text = tag_value(value);
    let text = text.trim();
    if text == "?" {
        return String::new();
    }
    text.chars().map(readable).collect()
}

fn readable(letter: char) -> char {
    match letter {
        '\u{80}'..='\u{9f}' => {
            WINDOWS.chars().nth(letter as usize - 0x80).filter(|it| !it.is_control()).unwrap_or('?')
        }
        _ if letter.is_control() => ' ',
        _ => letter,
    }
}

/// Returns the beginning of a name, cut at a character boundary.
pub(super) fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_NAME_BYTES)]
}

/// Returns an address without its path, which is different in every game; any other text is
/// unchanged.
pub(super) fn without_path(text: &str) -> &str {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    rest.map_or(text, |rest| rest.split('/').next().unwrap_or(rest))
}

/// Returns a text in its normalized form.
pub(super) fn fold(text: &str) -> String {
    let mut folded = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_ascii() {
            folded.push(letter.to_ascii_lowercase());
        } else {
            letter.to_lowercase().for_each(|letter| push_plain(&mut folded, letter));
        }
    }
    folded
}

fn push_plain(folded: &mut String, letter: char) {
    match letter {
        'ß' => folded.push_str("ss"),
        'æ' => folded.push_str("ae"),
        'œ' => folded.push_str("oe"),
        'þ' => folded.push_str("th"),
        // Combining diacritics, which follow their letter.
        '\u{300}'..='\u{36f}' => {}
        _ => {
            let row = ALIKE.iter().find(|row| row.contains(letter));
            folded.push(row.and_then(|row| row.chars().next()).unwrap_or(letter));
        }
    }
}

/// Returns the words of a search text.
pub(super) fn words(text: &str) -> Vec<String> {
    let folded = fold(text);
    let words = folded.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}
