//! The key for the browser that the program opens.

use core::num::NonZeroU32;
use std::fmt;
use std::path::PathBuf;

use crate::random::{NoRandomness, Random};

/// Settings of a server for one person on this machine.
#[derive(Clone, Debug)]
pub struct LocalConfig {
    /// Key that the browser has to send.
    pub key: LocalKey,
    /// File with the list of external engines. It does not have to exist yet.
    pub engines: PathBuf,
    /// How the program is started as an engine, if it can be.
    pub own_engine: Option<OwnCommand>,
    /// How the browser gets the key; `None` if it gets the key without a one-time code.
    pub launch: Option<LaunchConfig>,
    /// Memory of each external engine in addition to its transposition table, in megabytes; `None`
    /// for no limit.
    pub engine_memory_mb: Option<NonZeroU32>,
}

/// The command that starts this program as an engine.
#[derive(Clone, Debug)]
pub struct OwnCommand {
    /// Path of the program.
    pub path: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
}

/// What a browser needs to get the key: a code that works once, and the right user.
#[derive(Clone, Debug)]
pub struct LaunchConfig {
    /// Code in the address that the browser is started with.
    pub code: LocalKey,
    /// User ID that a connection with the code has to belong to.
    pub user_id: u32,
}

/// A secret of 128 bits in hexadecimal. `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct LocalKey(String);

impl LocalKey {
    /// Creates a new key.
    ///
    /// # Errors
    /// Fails if the operating system has no randomness.
    pub fn new() -> Result<LocalKey, NoRandomness> {
        let bytes: [u8; 16] = Random::secret()?;
        Ok(LocalKey(hex::encode(bytes)))
    }

    /// Returns the key, for the URL that the browser opens.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns `true` if this is the key. The comparison takes constant time, so that it does not
    /// reveal how much of a guess is right.
    pub(super) fn is(&self, said: &[u8]) -> bool {
        let own = self.0.as_bytes();
        let differences = own.iter().zip(said).map(|(one, other)| one ^ other);
        own.len() == said.len() && differences.fold(0, |sum, bits| sum | bits) == 0
    }
}

impl fmt::Debug for LocalKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LocalKey(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_key_is_the_key() {
        let (key, other) = (LocalKey::new().unwrap(), LocalKey::new().unwrap());
        assert_eq!(key.as_str().len(), 32);
        assert!(key.is(key.as_str().as_bytes()));
        for said in [other.as_str(), &key.as_str()[..31], "", &format!("{}0", key.as_str())] {
            assert!(!key.is(said.as_bytes()), "{said}");
        }
        assert!(!format!("{key:?}").contains(key.as_str()));
    }
}
