//! Which characters never reach another player's screen.
//!
//! Owns: the sets of characters that are invisible, that reorder the text around them or that
//! pile up. Does not own: what a name or a line of chat is; those decide what they allow.

use unicode_normalization::char::is_combining_mark;

/// Characters that turn the direction of what follows, so that a text reads as another one.
fn is_bidi_control(character: char) -> bool {
    matches!(character,
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Characters that take no room: two texts that look alike would differ.
fn is_invisible(character: char) -> bool {
    matches!(character,
        '\u{AD}' | '\u{34F}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
        | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200D}' | '\u{2028}' | '\u{2029}'
        | '\u{2060}'..='\u{2065}' | '\u{206A}'..='\u{206F}' | '\u{2800}' | '\u{3164}'
        | '\u{FEFF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}')
}

/// The selectors that choose between a black and white and a coloured picture.
pub(crate) fn is_variation_selector(character: char) -> bool {
    matches!(character, '\u{FE00}'..='\u{FE0F}')
}

/// The two joiners, which emoji and some scripts need between visible characters.
pub(crate) fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200C}' | '\u{200D}')
}

/// A control character, one that reorders text, or one that cannot be seen.
pub(crate) fn is_hidden(character: char) -> bool {
    character.is_control() || is_bidi_control(character) || is_invisible(character)
}

/// A mark that stands on the character before it.
pub(crate) fn is_mark(character: char) -> bool {
    is_combining_mark(character)
}
