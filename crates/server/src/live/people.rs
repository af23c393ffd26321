//! The open connections and their users.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use castellan_game::PlayerId;
use castellan_store::TokenDigest;

use super::link::{Farewell, Link, LinkId};
use super::lock;
use crate::identity::Identity;

/// All open connections.
#[derive(Debug, Default)]
pub(crate) struct People {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    links: HashMap<LinkId, (Arc<Link>, Option<Arc<Identity>>)>,
    of_players: HashMap<PlayerId, Vec<LinkId>>,
}

impl People {
    /// Adds a connection whose user is not known yet.
    pub(crate) fn open(&self, link: &Arc<Link>) {
        lock(&self.inner).links.insert(link.id(), (Arc::clone(link), None));
    }

    /// Sets the user of a connection, replacing any previous one.
    pub(crate) fn introduce(&self, link: LinkId, who: &Arc<Identity>) {
        let mut inner = lock(&self.inner);
        let Some((_, owner)) = inner.links.get_mut(&link) else { return };
        let former = owner.replace(Arc::clone(who));
        if let Some(former) = former {
            inner.forget(former.player, link);
        }
        inner.of_players.entry(who.player).or_default().push(link);
    }

    /// Removes a connection.
    pub(crate) fn close(&self, link: LinkId) {
        let mut inner = lock(&self.inner);
        if let Some((_, Some(who))) = inner.links.remove(&link) {
            inner.forget(who.player, link);
        }
    }

    /// Returns the number of players with an open connection.
    pub(crate) fn count(&self) -> usize {
        lock(&self.inner).of_players.len()
    }

    /// Returns `true` if the player has an open connection.
    pub(crate) fn is_here(&self, player: PlayerId) -> bool {
        lock(&self.inner).of_players.contains_key(&player)
    }

    /// Returns a player's connections, each with the identity it uses.
    pub(crate) fn visitors_of(&self, player: PlayerId) -> Vec<(Arc<Link>, Arc<Identity>)> {
        let inner = lock(&self.inner);
        let ids = inner.of_players.get(&player).map(Vec::as_slice).unwrap_or_default();
        let visitor = |id| {
            let (link, who) = inner.links.get(id)?;
            Some((Arc::clone(link), Arc::clone(who.as_ref()?)))
        };
        ids.iter().filter_map(visitor).collect()
    }

    /// Returns all connections.
    pub(crate) fn links(&self) -> Vec<Arc<Link>> {
        lock(&self.inner).links.values().map(|(link, _)| Arc::clone(link)).collect()
    }

    /// Closes the connections that belong to a session.
    pub(crate) fn end_session(&self, session: TokenDigest) {
        for (link, who) in lock(&self.inner).links.values() {
            if who.as_ref().is_some_and(|who| who.session == Some(session)) {
                link.close(Farewell::SessionOver);
            }
        }
    }
}

impl Inner {
    fn forget(&mut self, player: PlayerId, link: LinkId) {
        if let Some(links) = self.of_players.get_mut(&player) {
            links.retain(|id| *id != link);
            if links.is_empty() {
                self.of_players.remove(&player);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::link::Dialect;
    use super::*;

    fn link(people: &People, number: u64) -> Arc<Link> {
        let link = Arc::new(Link::new(LinkId(number), Dialect::Full, None));
        people.open(&link);
        link
    }

    fn person(player: u64, session: Option<u8>) -> Arc<Identity> {
        let session = session.map(|byte| TokenDigest::from_bytes([byte; 32]));
        let (player, name) = (PlayerId(player), "anna".to_owned());
        Arc::new(Identity { player, name, is_account: false, session })
    }

    #[test]
    fn a_player_is_here_until_the_last_socket_is_closed() {
        let people = People::default();
        let (one, other) = (link(&people, 1), link(&people, 2));
        let anna = person(7, None);
        people.introduce(one.id(), &anna);
        people.introduce(other.id(), &anna);
        assert_eq!(people.visitors_of(PlayerId(7)).len(), 2);
        people.close(one.id());
        assert!(people.is_here(PlayerId(7)));
        people.introduce(other.id(), &person(8, None));
        assert!(!people.is_here(PlayerId(7)) && people.is_here(PlayerId(8)));
        people.close(other.id());
        assert!(!people.is_here(PlayerId(8)));
        assert!(people.links().is_empty());
    }

    #[test]
    fn a_session_that_ends_takes_its_sockets_along() {
        let people = People::default();
        let (one, other) = (link(&people, 1), link(&people, 2));
        people.introduce(one.id(), &person(7, Some(1)));
        people.introduce(other.id(), &person(7, Some(2)));
        people.end_session(TokenDigest::from_bytes([1; 32]));
        assert!(one.is_closing() && !other.is_closing());
    }
}
