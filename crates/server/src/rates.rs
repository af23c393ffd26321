//! How often something may be done, by an address, a player, a name or a socket.
//!
//! Memory is bounded whatever comes: a key is hashed, with a key of its own that nobody outside
//! knows, into one of a fixed number of slots, and each slot has its budget. Two keys that fall
//! into one slot share a budget; nobody can choose whose.

use core::hash::{BuildHasher, Hash};
use core::num::NonZeroU32;
use core::time::Duration;
use std::hash::RandomState;

use governor::middleware::NoOpMiddleware;
use governor::state::InMemoryState;
use governor::state::keyed::DashMapStateStore;
use governor::{NotUntil, Quota, RateLimiter};

use crate::clock::Clock;

/// So many at once, and then one more after each pause.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rate {
    /// How many at once; 0 counts as 1.
    pub burst: u32,
    /// The pause that earns one more.
    pub pause: Duration,
}

impl Rate {
    /// `burst` at once and as many again in each `period`.
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

/// What is limited.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Any request, by address.
    Request,
    /// Becoming a guest, by address.
    Guest,
    /// Opening an account, by address.
    Registration,
    /// Giving a password, by address.
    LoginByAddress,
    /// Giving a password, by the name it is for.
    LoginByName,
    /// Asking for many games at once, by address.
    Export,
    /// Opening a socket, by address.
    Socket,
    /// A line of chat, by player.
    Chat,
    /// Asking for a game in any way, by player.
    Seek,
}

/// The rates of all actions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RateConfig {
    /// [`Action::Request`].
    pub requests: Rate,
    /// [`Action::Guest`].
    pub guests: Rate,
    /// [`Action::Registration`].
    pub registrations: Rate,
    /// [`Action::LoginByAddress`].
    pub logins_by_address: Rate,
    /// [`Action::LoginByName`].
    pub logins_by_name: Rate,
    /// [`Action::Export`].
    pub exports: Rate,
    /// [`Action::Socket`].
    pub sockets: Rate,
    /// [`Action::Chat`].
    pub chat: Rate,
    /// [`Action::Seek`].
    pub seeks: Rate,
    /// Messages on one socket. Moves that are played cost nothing.
    pub messages: Rate,
    /// Messages beyond that rate that a socket may send, each answered with a warning, before it
    /// is closed.
    pub warnings: Rate,
}

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3600);

impl Default for RateConfig {
    /// Many people may share an address, as in a school; a name is one person.
    fn default() -> RateConfig {
        RateConfig {
            requests: Rate::per(600, MINUTE),
            guests: Rate::per(60, MINUTE),
            registrations: Rate::per(20, HOUR),
            logins_by_address: Rate::per(60, Duration::from_secs(600)),
            logins_by_name: Rate::per(10, Duration::from_secs(600)),
            exports: Rate::per(20, MINUTE),
            sockets: Rate::per(120, MINUTE),
            chat: Rate::per(10, Duration::from_secs(20)),
            seeks: Rate::per(30, MINUTE),
            messages: Rate::per(80, Duration::from_secs(8)),
            warnings: Rate::per(20, MINUTE),
        }
    }
}

/// It was done too often.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("too often; again in {} s", self.seconds())]
pub struct TooMany {
    /// When there will be room again.
    pub retry_after: Duration,
}

impl TooMany {
    /// Whole seconds to wait, at least one.
    pub fn seconds(self) -> u64 {
        self.retry_after.as_secs() + 1
    }
}

/// How many budgets there are for one action.
const SLOTS: u64 = 1 << 14;

type Keyed = RateLimiter<u64, DashMapStateStore<u64>, Clock, NoOpMiddleware<Duration>>;
type Single =
    RateLimiter<governor::state::NotKeyed, InMemoryState, Clock, NoOpMiddleware<Duration>>;

/// The budgets of everybody.
#[derive(Debug)]
pub struct RateLimits {
    clock: Clock,
    hasher: RandomState,
    messages: Rate,
    warnings: Rate,
    budgets: Vec<Keyed>,
}

impl RateLimits {
    /// Full budgets for all.
    pub fn new(config: &RateConfig, clock: &Clock) -> RateLimits {
        // In the order of `Action`.
        let rates = [
            config.requests,
            config.guests,
            config.registrations,
            config.logins_by_address,
            config.logins_by_name,
            config.exports,
            config.sockets,
            config.chat,
            config.seeks,
        ];
        let budget = |rate: Rate| {
            RateLimiter::new(rate.quota(), DashMapStateStore::default(), clock.clone())
        };
        RateLimits {
            clock: clock.clone(),
            hasher: RandomState::new(),
            messages: config.messages,
            warnings: config.warnings,
            budgets: rates.into_iter().map(budget).collect(),
        }
    }

    /// Takes one from the budget that `key` has for `action`.
    ///
    /// # Errors
    /// If nothing is left, with the time to wait; the attempt costs nothing then.
    pub fn check(&self, action: Action, key: impl Hash) -> Result<(), TooMany> {
        let slot = self.hasher.hash_one(key) % SLOTS;
        let checked = self.budgets[action as usize].check_key(&slot);
        checked.map_err(|until| too_many(&until, &self.clock))
    }

    /// A budget for the messages of one socket.
    pub fn socket(&self) -> SocketRate {
        let budget =
            |rate: Rate| Single::new(rate.quota(), InMemoryState::default(), self.clock.clone());
        SocketRate {
            clock: self.clock.clone(),
            messages: budget(self.messages),
            warnings: budget(self.warnings),
        }
    }
}

fn too_many(until: &NotUntil<Duration>, clock: &Clock) -> TooMany {
    TooMany { retry_after: until.wait_time_from(governor::clock::Clock::now(clock)) }
}

/// The budget of one socket.
#[derive(Debug)]
pub struct SocketRate {
    clock: Clock,
    messages: Single,
    warnings: Single,
}

/// What happens to a message beyond the budget.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Excess {
    /// It is dropped, and the client is told how long to wait.
    Warn(TooMany),
    /// The client was warned often enough and is disconnected.
    Close,
}

impl SocketRate {
    /// Takes one message from the budget.
    ///
    /// # Errors
    /// If nothing is left; the excess has a budget of its own.
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
    fn a_million_keys_take_no_more_memory_than_the_slots() {
        let (limits, _clock) = limits();
        for key in 0..100_000_u32 {
            let _ = limits.check(Action::Chat, key);
        }
        assert!(limits.budgets[Action::Chat as usize].len() <= SLOTS as usize);
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
