//! What every part of the server shares.
//!
//! [`Services`] is everything that knows nothing of live games, so that the live games can be
//! started with it; [`AppState`] adds them.

use std::net::IpAddr;
use std::sync::Arc;

use castellan_store::Store;

use crate::address::ClientAddress;
use crate::bus::Bus;
use crate::clock::Clock;
use crate::config::Config;
use crate::guests::PlayerNumbers;
use crate::live::Hub;
use crate::local::Local;
use crate::metrics::Metrics;
use crate::passwords::Passwords;
use crate::random::Random;
use crate::rates::{Action, RateLimits, TooMany};

/// What is there before the first game.
#[derive(Debug)]
pub struct Services {
    /// How the server is set up.
    pub config: Config,
    /// What is kept.
    pub store: Arc<dyn Store>,
    /// What time it is.
    pub clock: Clock,
    /// Chance.
    pub random: Random,
    /// The way to other nodes that serve the same games.
    pub bus: Bus,
    /// How often things may be done.
    pub limits: RateLimits,
    /// What is counted.
    pub metrics: Metrics,
    pub(crate) passwords: Passwords,
    pub(crate) numbers: PlayerNumbers,
    /// What is only for whoever started the program; nothing if it serves others.
    pub(crate) local: Option<Local>,
}

impl Services {
    /// Puts them together for a clock and a source of chance.
    pub fn new(config: Config, store: Arc<dyn Store>, clock: Clock, random: Random) -> Services {
        let metrics = Metrics::new();
        Services {
            limits: RateLimits::new(&config.rates, &clock),
            passwords: Passwords::new(config.password_cost, metrics.password_hashes.clone()),
            metrics,
            numbers: PlayerNumbers::default(),
            local: config.local.as_ref().filter(|_| config.is_local).map(Local::new),
            config,
            store,
            clock,
            random,
            bus: Bus::alone(),
        }
    }

    /// The same as one of several nodes, all of which have the same store.
    #[must_use]
    pub fn joined(self, bus: Bus) -> Services {
        Services { bus, ..self }
    }

    /// Takes one from the budget of an address, unless the address has no limits.
    ///
    /// # Errors
    /// If nothing is left.
    pub fn check_address(&self, action: Action, address: ClientAddress) -> Result<(), TooMany> {
        if self.is_unlimited(address.0) {
            return Ok(());
        }
        self.limits.check(action, address.customer())
    }

    /// Whether limits by address do not apply.
    pub fn is_unlimited(&self, address: IpAddr) -> bool {
        self.config.unlimited.contains(&address.to_canonical())
    }
}

/// What a handler gets.
#[derive(Clone, Debug)]
pub struct AppState {
    /// Everything but the live games.
    pub services: Arc<Services>,
    /// The live games.
    pub hub: Hub,
}
