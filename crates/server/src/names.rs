//! Reserved names.
//!
//! [`Name`] defines what a name looks like, and [`castellan_store::fold`] defines when two names
//! are the same. This module rejects names that could be mistaken for the server itself.

use castellan_protocol::{Name, ParseNameError};

/// Reserved names in normalized form.
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

/// Why a user may not have a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NameError {
    /// The text is not a valid name.
    #[error(transparent)]
    Malformed(#[from] ParseNameError),
    /// The name could be mistaken for the server.
    #[error("this name is reserved")]
    Reserved,
}

/// Parses a name that a user wants to have.
///
/// # Errors
/// Fails if the text is not a valid name, or if the name is reserved.
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

/// Returns `true` if the name could be mistaken for the server, with or without a number: engines
/// are called `Castellan 1500`, and guests whose name has been registered `Guest 17`.
pub fn is_reserved(name: &Name) -> bool {
    let folded = castellan_store::fold(name.as_str());
    let word = folded.trim_end_matches(|c: char| c.is_numeric() || " -_.'".contains(c));
    RESERVED.contains(&word) || (word == "guest" && word != folded)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_player_has_the_name_of_the_program() {
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
