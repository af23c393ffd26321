//! Passwords: Argon2id, a few at a time.
//!
//! A hash is made slow and large on purpose, so whoever can ask for hashes can stop a server.
//! Only so many are computed at once, only so many may wait, and the rest is told to come again.
//! A password for a name that does not exist is hashed like any other, so that the time an
//! answer takes does not tell which names exist.

use core::fmt;
use std::sync::Arc;

use argon2::password_hash::{PasswordHash, SaltString};
use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};
use metrics::Counter;
use serde::Deserialize;
use tokio::sync::Semaphore;
use utoipa::ToSchema;

use crate::config::PasswordCost;
use crate::random::{NoRandomness, Random};

/// The shortest password, in characters.
const MIN_CHARS: usize = 8;
/// The longest, in bytes: hashing reads all of it.
const MAX_BYTES: usize = 256;

/// A password as it was typed. It is not shown in logs.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = String, format = Password, example = "correct horse battery staple")]
pub(crate) struct Password(String);

/// Why a password is no good.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PasswordError {
    /// Too short.
    #[error("a password has at least {MIN_CHARS} characters")]
    Short,
    /// Too long.
    #[error("a password has at most {MAX_BYTES} bytes")]
    Long,
    /// The first guess of everybody.
    #[error("the password is the name")]
    Name,
}

impl Password {
    /// Whether the password protects anything.
    pub(crate) fn check(&self, name: &str) -> Result<(), PasswordError> {
        if self.0.len() > MAX_BYTES {
            Err(PasswordError::Long)
        } else if self.0.chars().count() < MIN_CHARS {
            Err(PasswordError::Short)
        } else if castellan_store::fold(&self.0) == castellan_store::fold(name) {
            Err(PasswordError::Name)
        } else {
            Ok(())
        }
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(secret)")
    }
}

/// Too many passwords are being checked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Busy;

/// Why a hash could not be made.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum HashError {
    Busy,
    Failed,
}

impl From<Busy> for HashError {
    fn from(_: Busy) -> HashError {
        HashError::Busy
    }
}

impl From<NoRandomness> for HashError {
    fn from(_: NoRandomness) -> HashError {
        HashError::Failed
    }
}

/// The pool in which hashes are computed.
#[derive(Debug)]
pub(crate) struct Passwords {
    argon2: Argon2<'static>,
    /// Whoever computes or waits has one of these.
    tickets: Semaphore,
    /// Whoever computes has one of these, too, for as long as the computation lasts: it cannot
    /// be stopped when the client goes away.
    turns: Arc<Semaphore>,
    hashes: Counter,
}

impl Passwords {
    pub(crate) fn new(cost: PasswordCost, hashes: Counter) -> Passwords {
        let at_once = cost.at_once.max(1);
        let params = Params::new(cost.memory_kib, cost.passes, 1, None).unwrap_or_default();
        Passwords {
            argon2: Argon2::new(Algorithm::Argon2id, Version::V0x13, params),
            tickets: Semaphore::new(at_once + cost.waiting),
            turns: Arc::new(Semaphore::new(at_once)),
            hashes,
        }
    }

    /// A salted hash in the PHC format.
    pub(crate) async fn hash(&self, password: Password) -> Result<String, HashError> {
        let salt =
            SaltString::encode_b64(&Random::secret::<16>()?).map_err(|_| HashError::Failed)?;
        let hash = self.compute(move |argon2| {
            argon2.hash_password(password.0.as_bytes(), &salt).map(|hash| hash.to_string())
        });
        hash.await?.ok_or(HashError::Failed)?.map_err(|_| HashError::Failed)
    }

    /// Whether the password is the one of the hash. Without a hash the answer is no, and takes
    /// as long.
    pub(crate) async fn verify(
        &self,
        password: Password,
        hash: Option<String>,
    ) -> Result<bool, Busy> {
        let verified = self.compute(move |argon2| match &hash {
            Some(hash) => PasswordHash::new(hash)
                .and_then(|hash| argon2.verify_password(password.0.as_bytes(), &hash))
                .is_ok(),
            None => {
                let mut out = [0; Params::DEFAULT_OUTPUT_LEN];
                // The work is the point; there is nothing to compare with.
                let _ = argon2.hash_password_into(password.0.as_bytes(), &[0; 16], &mut out);
                false
            }
        });
        Ok(verified.await?.unwrap_or(false))
    }

    /// Runs a computation when its turn comes; `None` if it panicked.
    async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Argon2<'static>) -> T + Send + 'static,
    ) -> Result<Option<T>, Busy> {
        let _ticket = self.tickets.try_acquire().map_err(|_| Busy)?;
        let turn = Arc::clone(&self.turns).acquire_owned().await.map_err(|_| Busy)?;
        self.hashes.increment(1);
        let argon2 = self.argon2.clone();
        let task = tokio::task::spawn_blocking(move || {
            let result = work(&argon2);
            drop(turn);
            result
        });
        Ok(task.await.ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHEAP: PasswordCost = PasswordCost { memory_kib: 64, passes: 1, at_once: 1, waiting: 1 };

    fn password(text: &str) -> Password {
        Password(text.to_owned())
    }

    #[tokio::test]
    async fn the_right_password_opens_and_others_do_not() {
        let pool = Passwords::new(CHEAP, Counter::noop());
        let hash = pool.hash(password("open sesame")).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=64,t=1,p=1$"), "{hash}");
        assert_eq!(pool.verify(password("open sesame"), Some(hash.clone())).await, Ok(true));
        assert_eq!(pool.verify(password("open sesamE"), Some(hash.clone())).await, Ok(false));
        assert_eq!(pool.verify(password("open sesame"), None).await, Ok(false));
        assert_eq!(pool.verify(password("x"), Some("garbage".into())).await, Ok(false));
        let again = pool.hash(password("open sesame")).await.unwrap();
        assert_ne!(hash, again, "each hash has its own salt");
    }

    #[tokio::test]
    async fn whoever_finds_no_place_to_wait_is_told_so() {
        let pool = Passwords::new(CHEAP, Counter::noop());
        let (go, gate) = std::sync::mpsc::channel::<()>();
        let first = pool.compute(move |_| gate.recv().is_ok());
        let second = pool.compute(|_| true);
        let third = async {
            // The first computes and the second waits by now: both were polled before.
            let refused = pool.compute(|_| true).await;
            go.send(()).unwrap();
            refused
        };
        let (first, second, third) = tokio::join!(first, second, third);
        assert_eq!((first, second, third), (Ok(Some(true)), Ok(Some(true)), Err(Busy)));
    }

    #[test]
    fn passwords_protect_something() {
        let check = |text: &str| password(text).check("Anna Blume");
        assert_eq!(check("correct horse"), Ok(()));
        assert_eq!(check("šestřiči"), Ok(()));
        assert_eq!(check("short"), Err(PasswordError::Short));
        assert_eq!(check(&"x".repeat(257)), Err(PasswordError::Long));
        assert_eq!(check("anna blume"), Err(PasswordError::Name));
    }

    #[test]
    fn a_password_does_not_show_itself() {
        assert_eq!(format!("{:?}", password("open sesame")), "Password(secret)");
    }
}
