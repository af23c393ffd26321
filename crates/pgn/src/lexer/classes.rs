//! Classifies bytes by the token they can begin, and finds the ends of words.

/// The tokens that can begin with a certain byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// Whitespace and control characters.
    Space,
    /// A letter: nearly always a move.
    Letter,
    /// A move number, a result, or castling with zeros.
    Digit,
    /// The dot after a move number.
    Dot,
    /// `{`
    CommentStart,
    /// `}`
    CommentEnd,
    /// `(`
    VariationStart,
    /// `)`
    VariationEnd,
    /// `[`
    TagStart,
    /// `;`
    LineComment,
    /// `%`
    Escape,
    /// `$`
    Nag,
    /// `!` or `?`
    Glyph,
    /// `*`
    Star,
    /// Any other byte: a sign, a figurine, or garbage.
    Other,
}

/// One table lookup per token instead of a dozen comparisons.
static CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            0..=b' ' => Class::Space,
            b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            b'.' => Class::Dot,
            b'{' => Class::CommentStart,
            b'}' => Class::CommentEnd,
            b'(' => Class::VariationStart,
            b')' => Class::VariationEnd,
            b'[' => Class::TagStart,
            b';' => Class::LineComment,
            b'%' => Class::Escape,
            b'$' => Class::Nag,
            b'!' | b'?' => Class::Glyph,
            b'*' => Class::Star,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

/// Whether a byte can continue a word.
static IN_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = matches!(
            CLASSES[byte],
            Class::Letter | Class::Digit | Class::Dot | Class::Escape | Class::Other
        ) && byte as u8 != b']';
        byte += 1;
    }
    table
};

/// Whether a word that ends with this byte needs no further check, because it is a move or garbage
/// but neither a sign nor an abbreviation.
static ENDS_MOVE: [bool; 256] = {
    let mut table = [false; 256];
    let mut digit = b'0';
    while digit <= b'9' {
        table[digit as usize] = true;
        digit += 1;
    }
    table[b'+' as usize] = true;
    table
};

/// Returns the class of a byte.
#[inline(always)]
pub(crate) fn class_of(byte: u8) -> Class {
    CLASSES[usize::from(byte)]
}

/// Returns where the word at `at` ends. A word has at least one byte.
pub(crate) fn word_end(source: &[u8], at: usize) -> usize {
    let rest = source.get(at + 1..).unwrap_or_default();
    at + 1 + rest.iter().take_while(|&&byte| IN_WORD[usize::from(byte)]).count()
}

/// Returns where the digits starting at `at` end.
pub(crate) fn digits_end(source: &[u8], at: usize) -> usize {
    let rest = source.get(at..).unwrap_or_default();
    at + rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

/// Returns where the move at `at` ends if it is short, plain and followed by a blank, as nine out
/// of ten moves are. It looks at eight bytes at once, because a branch predictor cannot learn the
/// lengths of moves.
#[inline(always)]
pub(crate) fn plain_move_end(source: &[u8], at: usize) -> Option<usize> {
    let chunk = source.get(at..)?.first_chunk::<8>()?;
    let stops = stops(u64::from_le_bytes(*chunk));
    if stops == 0 {
        return None;
    }
    let length = (stops.trailing_zeros() / 8) as usize;
    let [before_last, last] = [2, 1].map(|back| chunk[length.wrapping_sub(back) & 7]);
    // The `+` at the end of `-+` and `-/+` is not a check mark.
    let is_sign = last == b'+' && matches!(before_last, b'-' | b'/');
    let is_plain = chunk[length & 7] <= b' ' && ENDS_MOVE[usize::from(last)] && !is_sign;
    is_plain.then_some(at + length)
}

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGHS: u64 = 0x80 * ONES;

/// Sets the high bit of each byte that cannot be part of a plain move: below `+`, from `:` to
/// `@`, from `[` to the backquote, and above `z`.
#[inline(always)]
fn stops(chunk: u64) -> u64 {
    let raised = chunk | HIGHS;
    let from_plus = raised - u64::from(b'+') * ONES;
    let from_colon = raised - u64::from(b':') * ONES;
    let from_letters = raised - u64::from(b'A') * ONES;
    let from_bracket = raised - u64::from(b'[') * ONES;
    let from_small = raised - u64::from(b'a') * ONES;
    let between = (from_colon & !from_letters) | (from_bracket & !from_small);
    let above_z = (chunk & !HIGHS) + u64::from(0x7f - b'z') * ONES;
    (!from_plus | between | above_z | chunk) & HIGHS
}

#[cfg(test)]
mod tests {
    use super::{plain_move_end, stops, word_end};

    #[test]
    fn stops_are_found_whatever_the_neighbors() {
        for byte in 0..=255_u8 {
            let is_stop = !matches!(byte, b'+'..=b'9' | b'A'..=b'Z' | b'a'..=b'z');
            for neighbors in [0x00, b'a', b'+', 0x7f, 0xff] {
                for place in 0..8 {
                    let mut chunk = [neighbors; 8];
                    chunk[place] = byte;
                    let mark = stops(u64::from_le_bytes(chunk)) >> (8 * place + 7) & 1;
                    assert_eq!(mark == 1, is_stop, "{byte:#x} among {neighbors:#x} at {place}");
                }
            }
        }
    }

    #[test]
    fn only_plain_moves_take_the_short_way() {
        let check = |text: &[u8], end| assert_eq!(plain_move_end(text, 0), end, "{text:?}");
        check(b"e4 e5 2. Nf3", Some(2));
        check(b"Nbxd7+\nNf3", Some(6));
        check(b"Nf3!? e5", None);
        check(b"e8=Q  e5", None);
        check(b"Nf3-+ e5 ", None);
        check(b"e4-/+ e5 ", None);
        check(b"O-O-+\n\n[E", None);
        check(b"O-O+ Kf8 ", Some(4));
        check(b"ep e4 e5", None);
        check(b"e4(d4) e5", None);
        check(b"e4;1 2 3 4", None);
        check(b"Qa1xb2xc3 ", None);
        check(b"e4 e5", None);
    }

    #[test]
    fn words_end_before_what_can_follow_them() {
        for stop in [" ", "\n", "{", "}", "(", ")", "[", "]", ";", "$", "!", "?", "*"] {
            assert_eq!(word_end(format!("Nf3{stop}").as_bytes(), 0), 3, "{stop:?}");
        }
        assert_eq!(word_end("♘f3+ ".as_bytes(), 0), 6);
    }
}
