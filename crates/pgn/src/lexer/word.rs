//! Classifies words of the movetext that are not plain moves.

use castellan_rules::Color;

use crate::GameResult;

/// The kind of a word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Word {
    /// A move, possibly with something attached to it, which may correspond to a numeric
    /// annotation glyph.
    Move {
        /// Length of the move in bytes.
        length: usize,
        /// The attached glyph, if it has a number.
        nag: Option<u8>,
    },
    /// A result.
    Result {
        /// The result that the word denotes.
        result: GameResult,
        /// Whether it is written in the standard form.
        is_standard: bool,
    },
    /// A sign that stands for a numeric annotation glyph.
    Sign(u8),
    /// A word that adds nothing to the moves, such as `e.p.`.
    Filler,
    /// None of these.
    Unknown,
}

/// Evaluation signs used in chess books, with the corresponding glyphs. Longer signs come first,
/// so that the longest match at the end of a word is found.
const SIGNS: &[(&str, u8)] = &[
    ("+/-", 16),
    ("-/+", 17),
    ("+/=", 14),
    ("=/+", 15),
    ("+-", 18),
    ("-+", 19),
    ("+=", 14),
    ("=+", 15),
    ("=", 10),
    ("±", 16),
    ("∓", 17),
    ("⩲", 14),
    ("⩱", 15),
    ("∞", 13),
    ("□", 7),
    ("⨀", 22),
    ("⟳", 32),
    ("→", 36),
    ("↑", 40),
    ("⇆", 132),
];

/// Words that only repeat what the moves already say.
const FILLERS: &[&str] =
    &["e.p.", "e.p", "ep", "ep.", "ch", "ch.", "dis.ch.", "mate", "+", "++", "#", "-", "…", "x"];

/// Letters that mark novelties and diagrams.
const LETTER_SIGNS: &[(&str, u8)] = &[("N", 146), ("TN", 146), ("D", 220)];

/// Classifies a word, which must not be empty.
pub(crate) fn classify(word: &[u8]) -> Word {
    if let Some(result) = GameResult::from_bytes(word) {
        return Word::Result { result, is_standard: true };
    }
    if let Some(result) = odd_result(word) {
        return Word::Result { result, is_standard: false };
    }
    if let Some(&(_, nag)) =
        SIGNS.iter().chain(LETTER_SIGNS).find(|(sign, _)| sign.as_bytes() == word)
    {
        return Word::Sign(nag);
    }
    if FILLERS.iter().any(|filler| filler.as_bytes() == word) {
        return Word::Filler;
    }
    if !begins_move(word) {
        return Word::Unknown;
    }
    for &(sign, nag) in SIGNS {
        if let Some(mv) = word.strip_suffix(sign.as_bytes()) {
            return Word::Move { length: mv.len(), nag: Some(nag) };
        }
    }
    let length = ["e.p.", "ep", "."]
        .iter()
        .find_map(|filler| word.strip_suffix(filler.as_bytes()))
        .map_or(word.len(), <[u8]>::len);
    Word::Move { length, nag: None }
}

/// Returns `true` if a word can be a move: it begins with a letter, a figurine or castling zeros,
/// or it is a null move.
fn begins_move(word: &[u8]) -> bool {
    word[0].is_ascii_alphabetic()
        || word[0] >= 0x80
        || word.starts_with(b"0-0")
        || word.starts_with(b"--")
        || word == b"@@@@"
}

/// Recognizes nonstandard results that occur in files. A one-half sign is a single byte in
/// Latin-1, and the dash may be a long one.
fn odd_result(word: &[u8]) -> Option<GameResult> {
    const WHITE: &[&[u8]] = &["1–0".as_bytes(), "1—0".as_bytes(), b"1:0", b"+:-", b"1-0."];
    const BLACK: &[&[u8]] = &["0–1".as_bytes(), "0—1".as_bytes(), b"0:1", b"-:+", b"0-1."];
    const DRAW: &[&[u8]] = &[
        "½-½".as_bytes(),
        "½–½".as_bytes(),
        "1/2–1/2".as_bytes(),
        "½".as_bytes(),
        "½:½".as_bytes(),
        b"\xbd-\xbd",
        b"\xbd",
        b"1/2",
        b"1/2:1/2",
    ];
    if WHITE.contains(&word) {
        Some(GameResult::Win(Color::White))
    } else if BLACK.contains(&word) {
        Some(GameResult::Win(Color::Black))
    } else {
        DRAW.contains(&word).then_some(GameResult::Draw)
    }
}

/// Returns where the exclamation and question marks starting at `at` end.
pub(crate) fn glyphs_end(source: &[u8], at: usize) -> usize {
    at + source[at..].iter().take_while(|byte| matches!(byte, b'!' | b'?')).count()
}

/// Returns the glyph number for a run of exclamation and question marks, and whether the run is
/// one of the six standard ones.
pub(crate) fn glyph(marks: &[u8]) -> (u8, bool) {
    let nag = match marks {
        [b'!'] => 1,
        [b'?'] => 2,
        [b'!', b'!', ..] => 3,
        [b'?', b'?', ..] => 4,
        [b'!', ..] => 5,
        _ => 6,
    };
    (nag, marks.len() <= 2)
}

#[cfg(test)]
mod tests {
    use super::{GameResult, Word, classify, glyph};

    #[track_caller]
    fn check(word: &str, expected: Word) {
        assert_eq!(classify(word.as_bytes()), expected, "{word}");
    }

    const fn mv(length: usize) -> Word {
        Word::Move { length, nag: None }
    }

    #[test]
    fn moves_and_what_hangs_on_them() {
        for text in ["e4", "O-O-O", "0-0", "--", "Z0", "null", "@@@@", "ed", "exd8=Q#"] {
            check(text, mv(text.len()));
        }
        check("♘f3", mv(5));
        check("exd6e.p.", mv(4));
        check("Nf3+-", Word::Move { length: 3, nag: Some(18) });
        check("Nf3+", mv(4));
        check("e4=", Word::Move { length: 2, nag: Some(10) });
        check("e4⩲", Word::Move { length: 2, nag: Some(14) });
    }

    #[test]
    fn results() {
        check("1/2-1/2", Word::Result { result: GameResult::Draw, is_standard: true });
        check("½-½", Word::Result { result: GameResult::Draw, is_standard: false });
        assert_eq!(
            classify(b"\xbd-\xbd"),
            Word::Result { result: GameResult::Draw, is_standard: false }
        );
    }

    #[test]
    fn signs_fillers_and_nonsense() {
        check("N", Word::Sign(146));
        check("+/-", Word::Sign(16));
        check("e.p.", Word::Filler);
        check("<x>", Word::Unknown);
        check("-e5", Word::Unknown);
    }

    #[test]
    fn glyphs() {
        for (nag, marks) in (1..).zip(["!", "?", "!!", "??", "!?", "?!"]) {
            assert_eq!(glyph(marks.as_bytes()), (nag, true));
        }
        assert_eq!(glyph(b"!!!"), (3, false));
    }
}
