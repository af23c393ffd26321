//! Which names people may have here.
//!
//! What a name looks like is said by [`Name`], and when two names are the same by
//! [`castellan_store::fold`]. What is left is names that would be taken for the server itself.

use castellan_protocol::{Name, ParseNameError};

/// Folded.
const RESERVED: [&str; 9] = [
    "admin",
    "administrator",
    "anonymous",
    "castellan",
    "computer",
    "engine",
    "moderator",
    "server",
    "system",
];

/// Why somebody may not be called that.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NameError {
    /// It is no name.
    #[error(transparent)]
    Malformed(#[from] ParseNameError),
    /// It would be taken for the program.
    #[error("that name is kept for the server")]
    Reserved,
}

/// Reads a name that somebody wants to have.
///
/// # Errors
/// If it is no name, or would be taken for the server's.
///
/// ```
/// use castellan_server::{NameError, read_name};
/// assert_eq!(read_name("Jana Nováková").unwrap().as_str(), "Jana Nováková");
/// assert_eq!(read_name("Sérver"), Err(NameError::Reserved));
/// assert!(read_name("<b>").is_err());
/// ```
pub fn read_name(text: &str) -> Result<Name, NameError> {
    let name = text.parse()?;
    if is_reserved(&name) { Err(NameError::Reserved) } else { Ok(name) }
}

/// Whether the name would be taken for the server's, with or without a number: engines are called
/// `Castellan 1500`, and guests whose name has been registered `Guest 17`.
pub fn is_reserved(name: &Name) -> bool {
    let folded = castellan_store::fold(name.as_str());
    let word = folded.trim_end_matches(|c: char| c.is_numeric() || " -_.'".contains(c));
    RESERVED.contains(&word) || (word == "guest" && word != folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_called_like_the_program() {
        for name in ["Computer", "SERVER", "Castellán", "Castellan 1500", "Admin2", "Guest 17"] {
            assert_eq!(read_name(name), Err(NameError::Reserved), "{name}");
        }
        for name in ["Computers", "Guest", "Guest 17b", "17 admins"] {
            assert!(read_name(name).is_ok(), "{name}");
        }
    }

    #[test]
    fn markup_never_gets_in() {
        for name in ["<script>", "a&amp;b", "a\"b", "a\u{202e}b", "a\nb", "ab\\", "{@html x}"] {
            assert!(matches!(read_name(name), Err(NameError::Malformed(_))), "{name:?}");
        }
    }
}
