//! The bans and the mode of registration, in memory.
//!
//! A copy of the store's lists answers every question without waiting. It is read when the server
//! starts and after every change; in a cluster also with every heartbeat, because another node or
//! `castellan admin` may have changed them. Invariant: a ban that has ended has no effect.

use core::fmt;
use core::hash::Hash;
use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::{PoisonError, RwLock};

use castellan_game::{Moment, PlayerId};
use castellan_pgn::{pgn_date, pgn_time};
use castellan_store::{Ban, BanTarget, Network, RegistrationMode, Store, StoreError, fold};

/// The part of a ban that the banned person learns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BanNotice {
    /// The reason; empty if the admin gave none.
    pub reason: String,
    /// When the ban ends; `None` if it does not.
    pub until: Option<Moment>,
}

impl fmt::Display for BanNotice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("you are banned from this server")?;
        if let Some(until) = self.until {
            let seconds = until.as_millis().div_ceil(1000);
            let (date, time) = (pgn_date(seconds).replace('.', "-"), pgn_time(seconds));
            write!(f, " until {date} {time} UTC")?;
        }
        match self.reason.as_str() {
            "" => Ok(()),
            reason => write!(f, ": {reason}"),
        }
    }
}

/// A client that wants to do something.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Visitor<'a> {
    pub(crate) player: Option<PlayerId>,
    pub(crate) name: Option<&'a str>,
    pub(crate) address: Option<IpAddr>,
}

/// The current bans and the mode of registration.
#[derive(Debug, Default)]
pub(crate) struct Policy(RwLock<Lists>);

#[derive(Debug, Default)]
struct Lists {
    players: HashMap<PlayerId, BanNotice>,
    /// By folded name.
    names: HashMap<String, BanNotice>,
    networks: HashMap<Network, BanNotice>,
    /// The lengths of the prefixes of all networks, with IPv4 apart from IPv6. A lookup tries each.
    prefixes: BTreeSet<(bool, u8)>,
    registration: RegistrationMode,
}

impl Policy {
    /// Reads the lists from the store.
    pub(crate) async fn refresh(&self, store: &dyn Store, now: Moment) -> Result<(), StoreError> {
        let mut lists =
            Lists { registration: store.moderation().registration().await?, ..Lists::default() };
        for ban in store.moderation().bans(now).await? {
            lists.add(ban);
        }
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = lists;
        Ok(())
    }

    /// Returns who may create an account.
    pub(crate) fn registration(&self) -> RegistrationMode {
        self.0.read().unwrap_or_else(PoisonError::into_inner).registration
    }

    /// Returns the ban that keeps a client out, if there is one. Of several, the one that ends last
    /// counts.
    pub(crate) fn ban_of(&self, visitor: Visitor<'_>, now: Moment) -> Option<BanNotice> {
        let lists = self.0.read().unwrap_or_else(PoisonError::into_inner);
        if lists.players.is_empty() && lists.names.is_empty() && lists.networks.is_empty() {
            return None;
        }
        let by_player = visitor.player.and_then(|player| lists.players.get(&player));
        let by_name = visitor.name.and_then(|name| lists.names.get(&fold(name)));
        let by_address = visitor.address.into_iter().flat_map(|address| lists.networks_of(address));
        let bans = by_player.into_iter().chain(by_name).chain(by_address);
        bans.filter(|ban| is_in_force(ban, now)).max_by_key(|ban| ends(ban)).cloned()
    }
}

impl Lists {
    fn add(&mut self, Ban { ban, .. }: Ban) {
        let notice = BanNotice { reason: ban.reason, until: ban.until };
        match ban.target {
            BanTarget::Player(player) => keep_longer(&mut self.players, player, notice),
            BanTarget::Name(name) => keep_longer(&mut self.names, name, notice),
            BanTarget::Network(network) => {
                self.prefixes.insert((network.is_ipv4(), network.prefix()));
                keep_longer(&mut self.networks, network, notice);
            }
        }
    }

    fn networks_of(&self, address: IpAddr) -> impl Iterator<Item = &BanNotice> {
        let is_ipv4 = address.to_canonical().is_ipv4();
        let prefixes = self.prefixes.iter().filter(move |(v4, _)| *v4 == is_ipv4);
        prefixes.filter_map(move |(_, prefix)| self.networks.get(&Network::new(address, *prefix)?))
    }
}

/// Adds a ban. Of several bans of one target, the one that ends last stays.
fn keep_longer<K: Eq + Hash>(bans: &mut HashMap<K, BanNotice>, target: K, notice: BanNotice) {
    match bans.entry(target) {
        Entry::Occupied(mut kept) if ends(&notice) > ends(kept.get()) => {
            kept.insert(notice);
        }
        Entry::Occupied(_) => {}
        Entry::Vacant(free) => {
            free.insert(notice);
        }
    }
}

fn ends(ban: &BanNotice) -> u64 {
    ban.until.map_or(u64::MAX, Moment::as_millis)
}

fn is_in_force(ban: &BanNotice, now: Moment) -> bool {
    ban.until.is_none_or(|until| until > now)
}

#[cfg(test)]
mod tests {
    use castellan_store::NewBan;

    use super::*;

    fn at(ms: u64) -> Moment {
        Moment::from_millis(ms)
    }

    fn policy(bans: &[(BanTarget, &str, Option<u64>)]) -> Policy {
        let mut lists = Lists::default();
        for (target, reason, until) in bans {
            let (target, reason) = (target.clone(), (*reason).to_owned());
            let ban = NewBan { target, label: String::new(), reason, until: until.map(at) };
            lists.add(Ban { number: 1, ban, by: "admin".to_owned(), since: at(0) });
        }
        Policy(RwLock::new(lists))
    }

    #[track_caller]
    fn check(policy: &Policy, visitor: Visitor<'_>, now: u64, reason: Option<&str>) {
        let found = policy.ban_of(visitor, at(now));
        assert_eq!(found.map(|ban| ban.reason).as_deref(), reason, "{visitor:?} at {now}");
    }

    fn from(address: &str) -> Visitor<'static> {
        Visitor { address: Some(address.parse().expect("an address")), ..Visitor::default() }
    }

    #[test]
    fn a_ban_keeps_out_its_target_until_it_ends() {
        let network = |text: &str| BanTarget::Network(text.parse().expect("a network"));
        let policy = policy(&[
            (BanTarget::Player(PlayerId(7)), "player", Some(100)),
            (BanTarget::Name("anna".to_owned()), "name", None),
            (network("192.0.2.0/24"), "wide", Some(50)),
            (network("192.0.2.9"), "narrow", Some(200)),
            (network("2001:db8::/32"), "six", None),
        ]);
        let player = |number| Visitor { player: Some(PlayerId(number)), ..Visitor::default() };
        check(&policy, player(7), 99, Some("player"));
        check(&policy, player(7), 100, None);
        check(&policy, player(8), 0, None);
        let named = |name| Visitor { name: Some(name), ..Visitor::default() };
        check(&policy, named("ÁNNA"), 0, Some("name"));
        check(&policy, named("Hanna"), 0, None);
        check(&policy, from("192.0.2.1"), 49, Some("wide"));
        check(&policy, from("192.0.2.1"), 50, None);
        check(&policy, from("192.0.2.9"), 49, Some("narrow"));
        check(&policy, from("::ffff:192.0.2.9"), 199, Some("narrow"));
        check(&policy, from("192.0.3.1"), 0, None);
        check(&policy, from("2001:db8:1::1"), 0, Some("six"));
        check(&policy, from("2001:db9::1"), 0, None);
        check(&policy, Visitor::default(), 0, None);
    }

    #[test]
    fn of_several_bans_the_longest_counts() {
        let player = BanTarget::Player(PlayerId(7));
        let visitor = Visitor { player: Some(PlayerId(7)), ..Visitor::default() };
        for order in [[Some(10), None, Some(20)], [None, Some(20), Some(10)]] {
            let bans = order.map(|until| {
                (player.clone(), if until.is_none() { "forever" } else { "for a while" }, until)
            });
            check(&policy(&bans), visitor, 30, Some("forever"));
        }
    }

    #[test]
    fn a_notice_says_why_and_until_when() {
        let notice = |reason: &str, until| BanNotice { reason: reason.to_owned(), until };
        assert_eq!(notice("", None).to_string(), "you are banned from this server");
        assert_eq!(notice("spam", None).to_string(), "you are banned from this server: spam");
        let until = Some(at(1_793_836_800_000));
        assert_eq!(
            notice("spam", until).to_string(),
            "you are banned from this server until 2026-11-05 00:00:00 UTC: spam"
        );
    }
}
