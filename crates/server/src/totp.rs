//! Codes of an authenticator app: time-based one-time passwords (RFC 6238).
//!
//! A code is six digits of an HMAC-SHA-1 of the number of half minutes since 1970, the variant that
//! every app supports. The previous and the next code are accepted, too, because clocks differ. The
//! caller makes sure that no code works twice.

use castellan_game::Moment;
use castellan_store::SECRET_BYTES;
use hmac::{Hmac, Mac};
use sha1::Sha1;
use subtle::ConstantTimeEq;

/// How long a code is shown, in milliseconds.
const STEP_MS: u64 = 30_000;
/// Number of digits of a code.
const DIGITS: usize = 6;
/// The letters of base 32 (RFC 4648), in which apps take a secret.
const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/// A secret that an app shares with the server.
pub(crate) type Secret = [u8; SECRET_BYTES];

/// Returns the time step whose code this is, if the code is valid now. All candidates are compared
/// completely, so the time it takes says nothing about them.
pub(crate) fn matching_step(secret: &Secret, code: &str, now: Moment) -> Option<u64> {
    let typed: Vec<u8> = code.bytes().filter(|byte| *byte != b' ').take(DIGITS + 1).collect();
    let typed: [u8; DIGITS] = typed.try_into().ok()?;
    let step = now.as_millis() / STEP_MS;
    let mut found = None;
    for candidate in step.saturating_sub(1)..=step + 1 {
        if bool::from(digits(secret, candidate).ct_eq(&typed)) {
            found = Some(candidate);
        }
    }
    found
}

/// Returns the six digits for a time step.
fn digits(secret: &Secret, step: u64) -> [u8; DIGITS] {
    let mut mac = Hmac::<Sha1>::new_from_slice(secret).expect("HMAC takes keys of any length");
    mac.update(&step.to_be_bytes());
    let hash = mac.finalize().into_bytes();
    let offset = usize::from(hash[hash.len() - 1] & 15);
    let word: [u8; 4] = core::array::from_fn(|index| hash[offset + index]);
    let mut number = u32::from_be_bytes(word) & 0x7FFF_FFFF;
    let mut digits = [0; DIGITS];
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (number % 10) as u8;
        number /= 10;
    }
    digits
}

/// Returns a secret in base 32, as apps take it. 20 bytes need no padding.
pub(crate) fn to_base32(secret: &Secret) -> String {
    let letter = |index: usize| {
        let bits = (0..5).fold(0, |bits, bit| {
            let at = 5 * index + bit;
            bits << 1 | usize::from(secret[at / 8] >> (7 - at % 8) & 1)
        });
        char::from(BASE32[bits])
    };
    (0..SECRET_BYTES * 8 / 5).map(letter).collect()
}

/// Reads a secret in base 32. `None` if it is not one.
pub(crate) fn from_base32(text: &str) -> Option<Secret> {
    if text.len() != SECRET_BYTES * 8 / 5 {
        return None;
    }
    let mut secret = [0; SECRET_BYTES];
    for (index, letter) in text.bytes().enumerate() {
        let value = BASE32.iter().position(|known| *known == letter)?;
        for bit in 0..5 {
            let at = 5 * index + bit;
            secret[at / 8] |= ((value >> (4 - bit) & 1) as u8) << (7 - at % 8);
        }
    }
    Some(secret)
}

/// Returns the address from which an authenticator app reads a secret, as a link or a QR code.
pub(crate) fn app_link(secret: &Secret, name: &str) -> String {
    let name = percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC);
    format!("otpauth://totp/Castellan:{name}?secret={}&issuer=Castellan", to_base32(secret))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SECRET: &Secret = b"12345678901234567890";

    fn at(seconds: u64) -> Moment {
        Moment::from_millis(seconds * 1000)
    }

    /// The table of RFC 6238, appendix B, for SHA-1, without the first two of its eight digits.
    #[test]
    fn the_codes_of_the_standard() {
        for (seconds, code) in [
            (59, "287082"),
            (1_111_111_109, "081804"),
            (1_111_111_111, "050471"),
            (1_234_567_890, "005924"),
            (2_000_000_000, "279037"),
            (20_000_000_000, "353130"),
        ] {
            assert_eq!(matching_step(SECRET, code, at(seconds)), Some(seconds / 30), "{seconds}");
        }
    }

    #[test]
    fn clocks_may_differ_by_half_a_minute() {
        let now: u64 = 1_234_567_890;
        for (now, is_valid) in
            [(now - 60, false), (now - 30, true), (now, true), (now + 30, true), (now + 60, false)]
        {
            assert_eq!(matching_step(SECRET, "005924", at(now)).is_some(), is_valid, "{now}");
        }
    }

    #[test]
    fn nothing_else_is_a_code() {
        for code in ["", "05924", "0005924", "00592a", "００５９２４"] {
            assert_eq!(matching_step(SECRET, code, at(1_234_567_890)), None, "{code}");
        }
        assert!(matching_step(SECRET, "005 924", at(1_234_567_890)).is_some(), "as apps show it");
    }

    #[test]
    fn a_secret_is_written_as_the_standard_says() {
        assert_eq!(to_base32(SECRET), "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
        assert_eq!(from_base32("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"), Some(*SECRET));
        for text in ["", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJ1", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQA"] {
            assert_eq!(from_base32(text), None, "{text}");
        }
        let link = app_link(SECRET, "Anna & Co");
        assert!(link.starts_with("otpauth://totp/Castellan:Anna%20%26%20Co?secret=GEZD"), "{link}");
    }

    proptest! {
        #[test]
        fn a_secret_reads_back(secret in any::<Secret>()) {
            prop_assert_eq!(from_base32(&to_base32(&secret)), Some(secret));
        }
    }
}
