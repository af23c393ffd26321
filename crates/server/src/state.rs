//! State that every part of the server shares.
//!
//! [`Services`] is everything that does not depend on live games, so that they can be started
//! with it. [`AppState`] adds the live games.

use std::net::IpAddr;
use std::sync::Arc;

use castellan_store::Store;

use crate::address::ClientAddress;
use crate::bus::Bus;
use crate::clock::Clock;
use crate::config::Config;
use crate::error::ApiError;
use crate::guess_limits::GuessLimits;
use crate::guests::PlayerIds;
use crate::health::StoreProbe;
use crate::live::Hub;
use crate::local::Local;
use crate::mail::Mailer;
use crate::metrics::Metrics;
use crate::moderation::{Policy, Visitor};
use crate::passwords::Passwords;
use crate::random::Random;
use crate::rates::{Action, RateLimits, TooMany};

/// Everything that exists before the first game starts.
#[derive(Debug)]
pub struct Services {
    /// Settings of the server.
    pub config: Config,
    /// Storage for games, accounts, and sessions.
    pub store: Arc<dyn Store>,
    /// Source of the current time.
    pub clock: Clock,
    /// Source of random numbers, for choosing colors.
    pub random: Random,
    /// Connection to other nodes that serve the same games.
    pub bus: Bus,
    /// Rate limits by address, player, and connection.
    pub limits: RateLimits,
    /// Counters and gauges for Prometheus.
    pub metrics: Metrics,
    pub(crate) guess_limits: GuessLimits,
    /// The queue of mail; `None` if the server sends none.
    pub(crate) mailer: Option<Mailer>,
    pub(crate) passwords: Passwords,
    pub(crate) player_ids: PlayerIds,
    pub(crate) policy: Policy,
    pub(crate) store_probe: StoreProbe,
    /// Features for the user who started the program; `None` if it serves others.
    pub(crate) local: Option<Local>,
}

impl Services {
    /// Creates the services of a standalone server with this clock and source of random numbers.
    pub fn new(config: Config, store: Arc<dyn Store>, clock: Clock, random: Random) -> Services {
        let metrics = Metrics::new();
        Services {
            limits: RateLimits::new(&config.rates, &clock),
            guess_limits: GuessLimits::new(&config.rates, &clock),
            passwords: Passwords::new(config.password_cost, metrics.password_hashes.clone()),
            metrics,
            mailer: config.mail.clone().filter(|_| store.emails().is_some()).map(Mailer::new),
            player_ids: PlayerIds::default(),
            policy: Policy::default(),
            store_probe: StoreProbe::default(),
            local: config.local.as_ref().filter(|_| config.is_local).map(Local::new),
            config,
            store,
            clock,
            random,
            bus: Bus::alone(),
        }
    }

    /// Connects the services to a bus, so that this server is one of several nodes, all of which
    /// use the same store.
    #[must_use]
    pub fn joined(self, bus: Bus) -> Services {
        Services { bus, ..self }
    }

    /// Counts an action against the rate limit of an address, unless the address has no limits.
    ///
    /// # Errors
    /// Fails if the limit has been reached.
    pub fn check_address(&self, action: Action, address: ClientAddress) -> Result<(), TooMany> {
        if self.is_unlimited(address.0) {
            return Ok(());
        }
        self.limits.check(action, address.customer())
    }

    /// Checks that a client is not banned.
    pub(crate) fn check_banned(&self, visitor: Visitor<'_>) -> Result<(), ApiError> {
        match self.policy.ban_of(visitor, self.clock.now()) {
            Some(ban) => Err(ApiError::Banned(ban)),
            None => Ok(()),
        }
    }

    /// Returns the part of an address to which limits apply, or `None` if it has none.
    pub(crate) fn limited(&self, address: ClientAddress) -> Option<IpAddr> {
        (!self.is_unlimited(address.0)).then(|| address.customer())
    }

    /// Returns `true` if no limits apply to this address.
    pub fn is_unlimited(&self, address: IpAddr) -> bool {
        self.config.unlimited.contains(&address.to_canonical())
    }
}

/// State that every handler receives.
#[derive(Clone, Debug)]
pub struct AppState {
    /// Everything but the live games.
    pub services: Arc<Services>,
    /// The live games.
    pub hub: Hub,
}
