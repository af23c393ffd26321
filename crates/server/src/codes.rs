//! Codes that people write down and type in: for recovery, for a new password, for an invitation.
//!
//! A code has 80 random bits, which is too many to guess, in 16 letters and digits that are hard to
//! confuse. The store keeps only its digest. Typed codes are read without regard to case, spaces
//! and hyphens, and O, I and L count as the digits they look like.

use core::fmt;

use castellan_store::TokenDigest;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::random::{NoRandomness, Random};

/// The letters and digits of a code: no I, L, O and U.
const ALPHABET: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/// Random bytes of a code.
const BYTES: usize = 10;
/// Characters of a code, at 5 bits each.
const CHARACTERS: usize = 16;
/// Maximum length of what a user types, in bytes.
const MAX_TYPED_BYTES: usize = 64;

/// A code in plain text. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Code([u8; CHARACTERS]);

impl Code {
    /// Creates a random code.
    pub(crate) fn new() -> Result<Code, NoRandomness> {
        let bytes = Random::secret::<BYTES>()?;
        let mut padded = [0; 16];
        padded[6..].copy_from_slice(&bytes);
        let bits = u128::from_be_bytes(padded);
        let character = |index| ALPHABET[(bits >> (5 * index) & 31) as usize];
        Ok(Code(core::array::from_fn(character)))
    }

    /// Reads what a user typed. `None` if it is not a code.
    pub(crate) fn read(typed: &TypedCode) -> Option<Code> {
        if typed.0.len() > MAX_TYPED_BYTES {
            return None;
        }
        let typed = typed.0.bytes().filter(|byte| !matches!(byte, b' ' | b'-'));
        let plain = typed.map(|byte| match byte.to_ascii_uppercase() {
            b'O' => b'0',
            b'I' | b'L' => b'1',
            other => other,
        });
        let plain: Vec<u8> = plain.collect();
        let code = Code(plain.try_into().ok()?);
        code.0.iter().all(|byte| ALPHABET.contains(byte)).then_some(code)
    }

    /// Returns the digest, which is what the store has.
    pub(crate) fn digest(&self) -> TokenDigest {
        TokenDigest::of(&self.0)
    }

    /// Returns the text for its owner, in groups of four.
    pub(crate) fn reveal(&self) -> String {
        let groups = self.0.chunks(4).map(|group| String::from_utf8_lossy(group).into_owned());
        groups.collect::<Vec<_>>().join("-")
    }
}

impl fmt::Debug for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code(secret)")
    }
}

/// A code as a user typed it. `Debug` does not show it.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = String, example = "7QK2-M9XA-0FTD-V3HR")]
pub(crate) struct TypedCode(pub(crate) String);

impl fmt::Debug for TypedCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TypedCode(secret)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Option<Code> {
        Code::read(&TypedCode(text.to_owned()))
    }

    #[test]
    fn codes_are_read_as_people_type_them() {
        let code = Code::new().expect("a code");
        let text = code.reveal();
        assert_eq!(text.len(), 19);
        for typed in
            [text.clone(), text.to_lowercase(), text.replace('-', " "), text.replace('-', "")]
        {
            assert_eq!(read(&typed), Some(code.clone()), "{typed}");
        }
        let confused = text.replace('0', "o").replace('1', "l");
        assert_eq!(read(&confused), Some(code.clone()));
        assert_ne!(Code::new().expect("a code"), code);
    }

    #[test]
    fn nothing_else_is_a_code() {
        for typed in ["", "7QK2-M9XA-0FTD-V3H", "7QK2-M9XA-0FTD-V3HRR", "7QK2-M9XA-0FTD-V3HU", "é"]
        {
            assert_eq!(read(typed), None, "{typed}");
        }
        assert_eq!(read(&" ".repeat(100)), None);
    }

    #[test]
    fn a_code_does_not_show_itself() {
        let code = Code::new().expect("a code");
        let shown = format!("{code:?} {:?}", TypedCode(code.reveal()));
        assert!(!shown.contains(&code.reveal()[..4]), "{shown}");
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in any::<String>()) {
            if let Some(code) = read(&text) {
                prop_assert_eq!(read(&code.reveal()), Some(code));
            }
        }
    }
}
