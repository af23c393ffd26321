//! Password hashing with Argon2id, with a limit on concurrent work.
//!
//! Hashing is deliberately slow and needs a lot of memory, so a client that can request many hashes
//! can stop a server. The number of concurrent and of waiting computations is limited, and any
//! further request is told that the server is busy. The last places in the queue are reserved for
//! addresses that have no request in it. A password for an unknown name is hashed like any other,
//! so that the response time does not reveal which names exist.

use core::fmt;
use std::net::IpAddr;
use std::sync::Arc;

use argon2::password_hash::{PasswordHash, SaltString};
use argon2::{Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version};
use metrics::Counter;
use serde::Deserialize;
use tokio::sync::Semaphore;
use utoipa::ToSchema;

use crate::address_limit::{AddressLimit, fair_share};
use crate::common_passwords::is_common;
use crate::config::PasswordCost;
use crate::random::{NoRandomness, Random};

/// Minimum length of a password in characters.
const MIN_CHARS: usize = 8;
/// Maximum length of a password in bytes. It is limited because hashing reads all of them.
const MAX_BYTES: usize = 256;

/// A password in plain text. `Debug` does not show it.
#[derive(Clone, Deserialize, ToSchema)]
#[serde(transparent)]
#[schema(value_type = String, format = Password, example = "correct horse battery staple")]
pub(crate) struct Password(String);

/// Why a password is not accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum PasswordError {
    /// The password is too short.
    #[error("a password needs at least {MIN_CHARS} characters")]
    Short,
    /// The password is too long.
    #[error("a password can have at most {MAX_BYTES} bytes")]
    Long,
    /// The password is one of those that attackers try first.
    #[error("this password is too easy to guess")]
    Common,
    /// The password is the user's name, which is the first guess of any attacker.
    #[error("the password cannot be the same as the name")]
    Name,
}

impl Password {
    /// Checks that the password is strong enough for a user.
    pub(crate) fn check(&self, name: &str) -> Result<(), PasswordError> {
        if self.0.len() > MAX_BYTES {
            Err(PasswordError::Long)
        } else if self.0.chars().count() < MIN_CHARS {
            Err(PasswordError::Short)
        } else if castellan_store::fold(&self.0) == castellan_store::fold(name) {
            Err(PasswordError::Name)
        } else if is_common(&self.0) {
            Err(PasswordError::Common)
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

/// Too many passwords are being hashed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Busy;

/// Why a hash could not be computed.
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
    /// One permit for each computation that is running or waiting.
    tickets: Semaphore,
    /// Number of tickets.
    capacity: usize,
    /// The tickets of each address.
    by_address: Arc<AddressLimit>,
    /// One permit for each running computation, held until it ends, because it cannot be stopped
    /// when the client disconnects.
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
            capacity: at_once + cost.waiting,
            by_address: Arc::new(AddressLimit::new(usize::MAX)),
            turns: Arc::new(Semaphore::new(at_once)),
            hashes,
        }
    }

    /// Returns a salted hash in the PHC format, for a client at this address. `None` stands for a
    /// client without limits.
    pub(crate) async fn hash(
        &self,
        password: Password,
        address: Option<IpAddr>,
    ) -> Result<String, HashError> {
        let salt =
            SaltString::encode_b64(&Random::secret::<16>()?).map_err(|_| HashError::Failed)?;
        let hash = self.compute(address, move |argon2| {
            argon2.hash_password(password.0.as_bytes(), &salt).map(|hash| hash.to_string())
        });
        hash.await?.ok_or(HashError::Failed)?.map_err(|_| HashError::Failed)
    }

    /// Returns `true` if the password matches the hash. Without a hash the result is `false`, and
    /// takes as long to compute.
    pub(crate) async fn verify(
        &self,
        password: Password,
        hash: Option<String>,
        address: Option<IpAddr>,
    ) -> Result<bool, Busy> {
        let verified = self.compute(address, move |argon2| match &hash {
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

    /// Runs a computation when it is its turn. `None` if it panicked.
    async fn compute<T: Send + 'static>(
        &self,
        address: Option<IpAddr>,
        work: impl FnOnce(&Argon2<'static>) -> T + Send + 'static,
    ) -> Result<Option<T>, Busy> {
        let free = self.tickets.available_permits();
        // As long as there are many, an address may take them all: many people may share it.
        let most = if free > self.capacity / 4 { usize::MAX } else { fair_share(free) };
        let _guard = self.by_address.acquire_below(address, most).ok_or(Busy)?;
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
        let hash = pool.hash(password("open sesame"), None).await.unwrap();
        assert!(hash.starts_with("$argon2id$v=19$m=64,t=1,p=1$"), "{hash}");
        assert_eq!(pool.verify(password("open sesame"), Some(hash.clone()), None).await, Ok(true));
        assert_eq!(pool.verify(password("open sesamE"), Some(hash.clone()), None).await, Ok(false));
        assert_eq!(pool.verify(password("open sesame"), None, None).await, Ok(false));
        assert_eq!(pool.verify(password("x"), Some("garbage".into()), None).await, Ok(false));
        let again = pool.hash(password("open sesame"), None).await.unwrap();
        assert_ne!(hash, again, "each hash has its own salt");
    }

    #[tokio::test]
    async fn a_client_that_finds_the_queue_full_is_refused() {
        let pool = Passwords::new(CHEAP, Counter::noop());
        let (go, gate) = std::sync::mpsc::channel::<()>();
        let first = pool.compute(None, move |_| gate.recv().is_ok());
        let second = pool.compute(None, |_| true);
        let third = async {
            // By now the first is computing and the second is waiting: both were polled before.
            let refused = pool.compute(None, |_| true).await;
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
        assert_eq!(check("12345678"), Err(PasswordError::Common));
    }

    #[test]
    fn a_password_does_not_show_itself() {
        assert_eq!(format!("{:?}", password("open sesame")), "Password(secret)");
    }
}
