//! Rate limits per IP address, player, or connection. Those for passwords are in `guess_limits`.
//!
//! Memory use is bounded: a key is hashed with a secret random seed into one of a fixed number of
//! slots, and each slot has its own budget. Two keys in the same slot share a budget, but without
//! the seed a client cannot choose which keys collide.

use core::hash::{BuildHasher, Hash};
use core::num::NonZeroU32;
use core::time::Duration;
use std::hash::RandomState;

use governor::middleware::NoOpMiddleware;
use governor::state::InMemoryState;
use governor::state::keyed::DashMapStateStore;
use governor::{NotUntil, Quota, RateLimiter};

use crate::clock::Clock;

/// A rate limit: a burst of actions, and one more action after each pause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rate {
    /// Maximum number of actions at once; 0 counts as 1.
    pub burst: u32,
    /// Time after which one more action is allowed.
    pub pause: Duration,
}

impl Rate {
    /// Creates a limit that allows `burst` actions at once, and as many again in each `period`.
    pub const fn per(burst: u32, period: Duration) -> Rate {
        let burst = if burst == 0 { 1 } else { burst };
        Rate { burst, pause: Duration::from_nanos((period.as_nanos() / burst as u128) as u64) }
    }

    fn quota(self) -> Quota {
        let burst = NonZeroU32::new(self.burst).unwrap_or(NonZeroU32::MIN);
        let pause = self.pause.max(Duration::from_nanos(1));
        Quota::with_period(pause).unwrap_or(Quota::per_second(burst)).allow_burst(burst)
    }
}

/// Something that is rate limited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Any request, by address.
    Request,
    /// Becoming a guest, by address.
    Guest,
    /// Creating an account, by address.
    Registration,
    /// Exporting many games at once, by address.
    Export,
    /// Opening a WebSocket, by address.
    Socket,
    /// Asking for mail, by address.
    Mail,
    /// Sending mail, by recipient.
    MailTo,
    /// Sending a chat line, by player.
    Chat,
    /// Asking for a game in any way, by player.
    Seek,
    /// Asking for a game in any way, by address.
    AddressSeek,
}

/// The rate limits of all actions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateConfig {
    /// Limit for [`Action::Request`].
    pub requests: Rate,
    /// Limit for [`Action::Guest`].
    pub guests: Rate,
    /// Limit for [`Action::Registration`].
    pub registrations: Rate,
    /// Submitting passwords, by address.
    pub logins_by_address: Rate,
    /// Submitting wrong passwords, by address and name. To change a password, by session.
    pub logins_by_name: Rate,
    /// Limit for [`Action::Export`].
    pub exports: Rate,
    /// Limit for [`Action::Socket`].
    pub sockets: Rate,
    /// Limit for [`Action::Mail`].
    pub mails: Rate,
    /// Limit for [`Action::MailTo`].
    pub mails_to: Rate,
    /// Limit for [`Action::Chat`].
    pub chat: Rate,
    /// Limit for [`Action::Seek`].
    pub seeks: Rate,
    /// Limit for [`Action::AddressSeek`].
    pub seeks_by_address: Rate,
    /// Messages on one connection. Messages whose moves are played do not count.
    pub messages: Rate,
    /// Messages beyond that limit that a connection may send, each answered with a warning,
    /// before it is closed.
    pub warnings: Rate,
}

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

impl Default for RateConfig {
    /// Returns limits for which many people may share an address, as in a school, while a name
    /// belongs to one person.
    fn default() -> RateConfig {
        RateConfig {
            requests: Rate::per(600, MINUTE),
            guests: Rate::per(60, MINUTE),
            registrations: Rate::per(20, HOUR),
            logins_by_address: Rate::per(60, Duration::from_secs(600)),
            logins_by_name: Rate::per(10, Duration::from_secs(600)),
            exports: Rate::per(20, MINUTE),
            sockets: Rate::per(120, MINUTE),
            mails: Rate::per(20, HOUR),
            mails_to: Rate::per(6, HOUR),
            chat: Rate::per(10, Duration::from_secs(20)),
            seeks: Rate::per(30, MINUTE),
            seeks_by_address: Rate::per(240, MINUTE),
            messages: Rate::per(80, Duration::from_secs(8)),
            warnings: Rate::per(20, MINUTE),
        }
    }
}

/// A rate limit was exceeded.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("too many requests; try again in {} s", self.seconds())]
pub struct TooMany {
    /// Time until the next attempt can succeed.
    pub retry_after: Duration,
}

impl TooMany {
    /// Returns the whole seconds to wait, at least 1.
    pub fn seconds(self) -> u64 {
        self.retry_after.as_secs() + 1
    }
}

/// Number of budgets for one action.
const SLOTS: u64 = 1 << 14;

type KeyedLimiter = RateLimiter<u64, DashMapStateStore<u64>, Clock, NoOpMiddleware<Duration>>;
type SingleLimiter =
    RateLimiter<governor::state::NotKeyed, InMemoryState, Clock, NoOpMiddleware<Duration>>;

/// The budgets of all clients.
#[derive(Debug)]
pub struct RateLimits {
    clock: Clock,
    hasher: RandomState,
    config: RateConfig,
    requests: KeyedLimiter,
    guests: KeyedLimiter,
    registrations: KeyedLimiter,
    exports: KeyedLimiter,
    sockets: KeyedLimiter,
    mails: KeyedLimiter,
    mails_to: KeyedLimiter,
    chat: KeyedLimiter,
    seeks: KeyedLimiter,
    seeks_by_address: KeyedLimiter,
}

impl RateLimits {
    /// Creates limits with full budgets.
    pub fn new(config: &RateConfig, clock: &Clock) -> RateLimits {
        let limiter = |rate: Rate| {
            RateLimiter::new(rate.quota(), DashMapStateStore::default(), clock.clone())
        };
        RateLimits {
            clock: clock.clone(),
            hasher: RandomState::new(),
            config: *config,
            requests: limiter(config.requests),
            guests: limiter(config.guests),
            registrations: limiter(config.registrations),
            exports: limiter(config.exports),
            sockets: limiter(config.sockets),
            mails: limiter(config.mails),
            mails_to: limiter(config.mails_to),
            chat: limiter(config.chat),
            seeks: limiter(config.seeks),
            seeks_by_address: limiter(config.seeks_by_address),
        }
    }

    fn limiter(&self, action: Action) -> &KeyedLimiter {
        match action {
            Action::Request => &self.requests,
            Action::Guest => &self.guests,
            Action::Registration => &self.registrations,
            Action::Export => &self.exports,
            Action::Socket => &self.sockets,
            Action::Mail => &self.mails,
            Action::MailTo => &self.mails_to,
            Action::Chat => &self.chat,
            Action::Seek => &self.seeks,
            Action::AddressSeek => &self.seeks_by_address,
        }
    }

    /// Counts one action against the budget of `key` for `action`.
    ///
    /// # Errors
    /// Fails if nothing is left, with the time to wait. A failed attempt costs nothing.
    pub fn check(&self, action: Action, key: impl Hash) -> Result<(), TooMany> {
        let slot = self.hasher.hash_one(key) % SLOTS;
        let checked = self.limiter(action).check_key(&slot);
        checked.map_err(|until| too_many(&until, &self.clock))
    }

    /// Creates the message budget for one connection.
    pub fn socket(&self) -> SocketRate {
        let budget = |rate: Rate| {
            SingleLimiter::new(rate.quota(), InMemoryState::default(), self.clock.clone())
        };
        SocketRate {
            clock: self.clock.clone(),
            messages: budget(self.config.messages),
            warnings: budget(self.config.warnings),
        }
    }
}

fn too_many(until: &NotUntil<Duration>, clock: &Clock) -> TooMany {
    TooMany { retry_after: until.wait_time_from(governor::clock::Clock::now(clock)) }
}

/// The message budget of one connection.
#[derive(Debug)]
pub struct SocketRate {
    clock: Clock,
    messages: SingleLimiter,
    warnings: SingleLimiter,
}

/// What happens to a message beyond the budget.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Excess {
    /// The message is dropped, and the client is told how long to wait.
    Warn(TooMany),
    /// The client was warned often enough and is disconnected.
    Close,
}

impl SocketRate {
    /// Takes one message from the budget.
    ///
    /// # Errors
    /// Fails if nothing is left. The excess messages have a budget of their own.
    pub fn check(&self) -> Result<(), Excess> {
        self.messages.check().map_err(|until| match self.warnings.check() {
            Ok(()) => Excess::Warn(too_many(&until, &self.clock)),
            Err(_) => Excess::Close,
        })
    }
}

#[cfg(test)]
mod tests {
    use castellan_game::Moment;

    use super::*;

    fn limits() -> (RateLimits, Clock) {
        let clock = Clock::manual(Moment::from_millis(0));
        let rate = Rate::per(3, Duration::from_secs(30));
        let warnings = Rate::per(2, Duration::from_secs(3600));
        let config = RateConfig { chat: rate, messages: rate, warnings, ..RateConfig::default() };
        (RateLimits::new(&config, &clock), clock)
    }

    #[test]
    fn a_budget_is_spent_and_grows_again() {
        let (limits, clock) = limits();
        for _ in 0..3 {
            assert_eq!(limits.check(Action::Chat, "anna"), Ok(()));
        }
        let refused = limits.check(Action::Chat, "anna").expect_err("three are spent");
        assert!(refused.retry_after <= Duration::from_secs(10), "{refused:?}");
        assert!(refused.seconds() >= 1);
        clock.advance(refused.retry_after);
        assert_eq!(limits.check(Action::Chat, "anna"), Ok(()));
        assert!(limits.check(Action::Chat, "anna").is_err());
    }

    #[test]
    fn others_and_other_actions_have_their_own() {
        let (limits, _clock) = limits();
        while limits.check(Action::Chat, "anna").is_ok() {}
        assert_eq!(limits.check(Action::Seek, "anna"), Ok(()));
        let others = (0..100).filter(|key| limits.check(Action::Chat, key).is_ok()).count();
        assert!(others >= 99, "a slot is rarely shared");
    }

    #[test]
    fn many_keys_take_no_more_memory_than_the_slots() {
        let (limits, _clock) = limits();
        for key in 0..100_000_u32 {
            let _ = limits.check(Action::Chat, key);
        }
        assert!(limits.limiter(Action::Chat).len() <= SLOTS as usize);
    }

    #[test]
    fn each_socket_has_a_budget() {
        let (limits, clock) = limits();
        let (one, other) = (limits.socket(), limits.socket());
        while one.check().is_ok() {}
        assert_eq!(other.check(), Ok(()));
        clock.advance(Duration::from_secs(10));
        assert_eq!(one.check(), Ok(()));
    }

    #[test]
    fn a_socket_is_warned_before_it_is_closed() {
        let (limits, clock) = limits();
        let socket = limits.socket();
        let excess: Vec<Excess> = (0..7).filter_map(|_| socket.check().err()).collect();
        assert!(matches!(
            excess[..],
            [Excess::Warn(wait), Excess::Warn(_), Excess::Close, Excess::Close]
                if wait.retry_after <= Duration::from_secs(10)
        ));
        clock.advance(Duration::from_secs(10));
        assert_eq!(socket.check(), Ok(()));
    }
}
