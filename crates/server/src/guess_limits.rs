//! Limits on guessing passwords.
//!
//! A wrong password counts against the client that sent it: against its address, and against its
//! address together with the name. It counts against neither the owner of the name nor any other
//! client, so guessing cannot keep other people from signing in. When a user changes their
//! password, the limit applies to the session instead of the address.
//!
//! Memory is bounded. The tables hold exact keys, unlike those in `rates`, because there a client
//! with many addresses could use up the budgets of strangers. If a table is full, its older half is
//! forgotten, which allows some clients a few more guesses.

use core::hash::{BuildHasher, Hash};
use core::time::Duration;
use std::collections::HashMap;
use std::hash::RandomState;
use std::sync::{Mutex, MutexGuard, PoisonError};

use castellan_game::PlayerId;
use castellan_store::{TokenDigest, fold};

use crate::address::ClientAddress;
use crate::clock::Clock;
use crate::rates::{Rate, RateConfig, TooMany};

/// Budgets for submitting passwords.
#[derive(Debug)]
pub(crate) struct GuessLimits {
    clock: Clock,
    hasher: RandomState,
    /// Every password that an address submits, because checking one takes much work.
    attempts: Budgets,
    /// Wrong passwords.
    guesses: Budgets,
}

/// A submitted password that has been counted as a wrong one.
#[must_use = "a right password has to be refunded"]
#[derive(Debug)]
pub(crate) struct Guess<'a> {
    budgets: &'a Budgets,
    key: u64,
}

impl GuessLimits {
    /// Creates limits with full budgets.
    pub(crate) fn new(config: &RateConfig, clock: &Clock) -> GuessLimits {
        GuessLimits {
            clock: clock.clone(),
            hasher: RandomState::new(),
            attempts: Budgets::new(config.logins_by_address),
            guesses: Budgets::new(config.logins_by_name),
        }
    }

    /// Counts a password that an address submits to sign in.
    ///
    /// # Errors
    /// Fails if the address has submitted too many passwords, or too many wrong ones for the name.
    pub(crate) fn begin_login(
        &self,
        address: ClientAddress,
        name: &str,
    ) -> Result<Guess<'_>, TooMany> {
        let address = address.customer();
        self.attempts.take(self.hasher.hash_one(address), self.now())?;
        self.begin((address, fold(name)))
    }

    /// Counts a password that a user submits to change it.
    ///
    /// # Errors
    /// Fails if this session has submitted too many wrong passwords.
    pub(crate) fn begin_change(
        &self,
        player: PlayerId,
        session: Option<TokenDigest>,
    ) -> Result<Guess<'_>, TooMany> {
        self.begin((player, session))
    }

    /// Counts a code of a second factor. It counts against the account and not the address, because
    /// a client that gets here has the password, and six digits could be guessed from many
    /// addresses.
    ///
    /// # Errors
    /// Fails if too many wrong codes were submitted for this account.
    pub(crate) fn begin_code(&self, player: PlayerId) -> Result<Guess<'_>, TooMany> {
        self.begin((player, "code"))
    }

    fn begin(&self, key: impl Hash) -> Result<Guess<'_>, TooMany> {
        let key = self.hasher.hash_one(key);
        self.guesses.take(key, self.now())?;
        Ok(Guess { budgets: &self.guesses, key })
    }

    fn now(&self) -> Duration {
        governor::clock::Clock::now(&self.clock)
    }
}

impl Guess<'_> {
    /// Gives the guess back, because the password was right or was not checked.
    pub(crate) fn refund(self) {
        self.budgets.refund(self.key);
    }
}

/// Maximum number of keys in each of the two halves of a table.
const HALF: usize = 1 << 16;

/// The budgets of many keys. A key that is not in the table has its full budget.
#[derive(Debug)]
struct Budgets {
    rate: Rate,
    spent: Mutex<Spent>,
}

/// When the budget of each key is full again.
#[derive(Debug, Default)]
struct Spent {
    recent: HashMap<u64, Duration>,
    older: HashMap<u64, Duration>,
}

impl Budgets {
    fn new(rate: Rate) -> Budgets {
        let pause = rate.pause.max(Duration::from_nanos(1));
        let rate = Rate { burst: rate.burst.max(1), pause };
        Budgets { rate, spent: Mutex::default() }
    }

    /// Takes one from the budget of a key.
    fn take(&self, key: u64, now: Duration) -> Result<(), TooMany> {
        let Rate { burst, pause } = self.rate;
        let mut spent = self.lock();
        let full_at = spent.get(key).unwrap_or_default().max(now) + pause;
        let earliest = full_at.saturating_sub(pause * burst);
        if earliest > now {
            return Err(TooMany { retry_after: earliest - now });
        }
        spent.set(key, full_at);
        Ok(())
    }

    fn refund(&self, key: u64) {
        let mut spent = self.lock();
        if let Some(full_at) = spent.get(key) {
            spent.set(key, full_at.saturating_sub(self.rate.pause));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Spent> {
        self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Spent {
    fn get(&self, key: u64) -> Option<Duration> {
        self.recent.get(&key).or_else(|| self.older.get(&key)).copied()
    }

    fn set(&mut self, key: u64, full_at: Duration) {
        if self.recent.len() >= HALF && !self.recent.contains_key(&key) {
            self.older = core::mem::take(&mut self.recent);
        }
        self.recent.insert(key, full_at);
    }
}

#[cfg(test)]
mod tests {
    use castellan_game::Moment;

    use super::*;

    fn address(last: u32) -> ClientAddress {
        ClientAddress(core::net::Ipv4Addr::from_bits(0x0A00_0000 + last).into())
    }

    fn limits() -> (GuessLimits, Clock) {
        let clock = Clock::manual(Moment::from_millis(0));
        let rates = RateConfig {
            logins_by_address: Rate::per(20, Duration::from_secs(200)),
            logins_by_name: Rate::per(3, Duration::from_secs(30)),
            ..RateConfig::default()
        };
        (GuessLimits::new(&rates, &clock), clock)
    }

    /// Submits wrong passwords until one is refused. Returns how many were accepted.
    fn guess(limits: &GuessLimits, from: u32, name: &str) -> usize {
        (0..100).take_while(|_| limits.begin_login(address(from), name).is_ok()).count()
    }

    #[test]
    fn a_wrong_guess_costs_only_the_client_that_guesses() {
        let (limits, clock) = limits();
        assert_eq!(guess(&limits, 1, "Anna"), 3);
        assert_eq!(guess(&limits, 1, "ANNA"), 0, "it is the same name");
        assert_eq!(guess(&limits, 2, "Anna"), 3, "from another address");
        assert_eq!(guess(&limits, 1, "Boris"), 3);
        let refused = limits.begin_login(address(1), "Anna").expect_err("three were wrong");
        assert_eq!(refused.retry_after, Duration::from_secs(10));
        clock.advance(refused.retry_after);
        assert_eq!(guess(&limits, 1, "Anna"), 1);
    }

    #[test]
    fn a_right_password_costs_only_the_work() {
        let (limits, _clock) = limits();
        let logins = (0..100).take_while(|_| {
            let begun = limits.begin_login(address(1), "Anna");
            begun.is_ok_and(|guess| {
                guess.refund();
                true
            })
        });
        assert_eq!(logins.count(), 20, "one address may not keep the server busy");
        assert_eq!(guess(&limits, 2, "Anna"), 3);
    }

    #[test]
    fn an_address_cannot_try_every_name() {
        let (limits, _clock) = limits();
        let names =
            (0..100).take_while(|at| limits.begin_login(address(1), &at.to_string()).is_ok());
        assert_eq!(names.count(), 20);
    }

    #[test]
    fn changing_a_password_depends_on_the_session_alone() {
        let (limits, _clock) = limits();
        let (own, stolen) = (Some(TokenDigest::of(b"own")), Some(TokenDigest::of(b"stolen")));
        assert_eq!(guess(&limits, 1, "Anna"), 3);
        while limits.begin_change(PlayerId(7), stolen).is_ok() {}
        let changes = (0..100).take_while(|_| limits.begin_change(PlayerId(7), own).is_ok());
        assert_eq!(changes.count(), 3);
    }

    #[test]
    fn a_flood_from_many_addresses_locks_no_user_out_and_takes_bounded_memory() {
        let (limits, _clock) = limits();
        for key in 0..3 * HALF as u64 {
            for _ in 0..3 {
                let _ = limits.guesses.take(key, limits.now());
                let _ = limits.attempts.take(key, limits.now());
            }
        }
        assert_eq!(guess(&limits, 1, "Anna"), 3);
        let spent = limits.guesses.lock();
        assert!(spent.recent.len() <= HALF && spent.older.len() <= HALF);
    }
}
