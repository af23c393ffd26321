//! Characters that must never reach another player's screen.
//!
//! This module defines the sets of characters that are invisible, that reorder the text around
//! them, or that pile up. What a name or a chat line allows is decided elsewhere.

use unicode_normalization::char::is_combining_mark;

/// Returns `true` for characters that change the direction of the text that follows, so that it
/// reads as a different text.
fn is_bidi_control(character: char) -> bool {
    matches!(character,
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Returns `true` for characters that take up no space, with which two texts that look alike
/// would differ.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{AD}' | '\u{34F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200D}' | '\u{2028}' | '\u{2029}'
        | '\u{2060}'..='\u{2065}' | '\u{206A}'..='\u{206F}' | '\u{2800}' | '\u{3164}'
        | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// Returns `true` for the selectors that choose between a monochrome and a colored glyph.
pub(crate) fn is_variation_selector(character: char) -> bool {
    matches!(character, '\u{FE00}'..='\u{FE0F}')
}

/// Returns `true` for the two joiners, which emoji and some scripts need between visible
/// characters.
pub(crate) fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200C}' | '\u{200D}')
}

/// Returns `true` for control characters and for characters that reorder text or are invisible.
pub(crate) fn is_hidden(character: char) -> bool {
    character.is_control() || is_bidi_control(character) || is_invisible(character)
}

/// Returns `true` for marks that are placed on the preceding character.
pub(crate) fn is_mark(character: char) -> bool {
    is_combining_mark(character)
}
