//! The open connections and their users.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use castellan_game::PlayerId;
use castellan_store::TokenDigest;

use super::connection::{CloseReason, Connection, ConnectionId, Protocol};
use super::lock;
use crate::identity::Identity;

/// All open connections.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    inner: Mutex<ConnectionsInner>,
}

#[derive(Debug, Default)]
struct ConnectionsInner {
    connections: BTreeMap<ConnectionId, (Arc<Connection>, Option<Arc<Identity>>)>,
    of_players: BTreeMap<PlayerId, Vec<ConnectionId>>,
}

impl Connections {
    /// Adds a connection whose user is not known yet.
    pub(crate) fn open(&self, connection: &Arc<Connection>) {
        lock(&self.inner).connections.insert(connection.id(), (Arc::clone(connection), None));
    }

    /// Sets the user of a connection, replacing any previous one.
    pub(crate) fn set_user(&self, connection: ConnectionId, who: &Arc<Identity>) {
        let mut inner = lock(&self.inner);
        let Some((_, owner)) = inner.connections.get_mut(&connection) else { return };
        let former = owner.replace(Arc::clone(who));
        if let Some(former) = former {
            inner.forget(former.player, connection);
        }
        inner.of_players.entry(who.player).or_default().push(connection);
    }

    /// Removes a connection.
    pub(crate) fn close(&self, connection: ConnectionId) {
        let mut inner = lock(&self.inner);
        if let Some((_, Some(who))) = inner.connections.remove(&connection) {
            inner.forget(who.player, connection);
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
    pub(crate) fn of_player(&self, player: PlayerId) -> Vec<(Arc<Connection>, Arc<Identity>)> {
        let inner = lock(&self.inner);
        let ids = inner.of_players.get(&player).map(Vec::as_slice).unwrap_or_default();
        let subscriber = |id| {
            let (connection, who) = inner.connections.get(id)?;
            Some((Arc::clone(connection), Arc::clone(who.as_ref()?)))
        };
        ids.iter().filter_map(subscriber).collect()
    }

    /// Returns a player's connections that use the full protocol.
    pub(crate) fn full_of_player(&self, player: PlayerId) -> Vec<(Arc<Connection>, Arc<Identity>)> {
        let all = self.of_player(player).into_iter();
        all.filter(|(connection, _)| connection.protocol() == Protocol::Full).collect()
    }

    /// Returns all connections.
    pub(crate) fn all(&self) -> Vec<Arc<Connection>> {
        lock(&self.inner)
            .connections
            .values()
            .map(|(connection, _)| Arc::clone(connection))
            .collect()
    }

    /// Returns all connections whose user is known.
    pub(crate) fn identified(&self) -> Vec<(Arc<Connection>, Arc<Identity>)> {
        let inner = lock(&self.inner);
        let known = inner.connections.values();
        known.filter_map(|(it, who)| Some((Arc::clone(it), Arc::clone(who.as_ref()?)))).collect()
    }

    /// Closes the connections that belong to a session.
    pub(crate) fn end_session(&self, session: TokenDigest) {
        for (connection, who) in lock(&self.inner).connections.values() {
            if who.as_ref().is_some_and(|who| who.session == Some(session)) {
                connection.close(CloseReason::SessionOver);
            }
        }
    }
}

impl ConnectionsInner {
    fn forget(&mut self, player: PlayerId, connection: ConnectionId) {
        if let Some(connections) = self.of_players.get_mut(&player) {
            connections.retain(|id| *id != connection);
            if connections.is_empty() {
                self.of_players.remove(&player);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::connection::Protocol;
    use super::*;

    fn connection(connections: &Connections, number: u64) -> Arc<Connection> {
        let connection = Arc::new(Connection::new(ConnectionId(number), Protocol::Full, None));
        connections.open(&connection);
        connection
    }

    fn person(player: u64, session: Option<u8>) -> Arc<Identity> {
        let session = session.map(|byte| TokenDigest::from_bytes([byte; 32]));
        let (player, name) = (PlayerId(player), "anna".to_owned());
        Arc::new(Identity { player, name, is_account: false, session })
    }

    #[test]
    fn a_player_is_here_until_the_last_socket_is_closed() {
        let connections = Connections::default();
        let (one, other) = (connection(&connections, 1), connection(&connections, 2));
        let anna = person(7, None);
        connections.set_user(one.id(), &anna);
        connections.set_user(other.id(), &anna);
        assert_eq!(connections.of_player(PlayerId(7)).len(), 2);
        connections.close(one.id());
        assert!(connections.is_here(PlayerId(7)));
        connections.set_user(other.id(), &person(8, None));
        assert!(!connections.is_here(PlayerId(7)) && connections.is_here(PlayerId(8)));
        connections.close(other.id());
        assert!(!connections.is_here(PlayerId(8)));
        assert!(connections.all().is_empty());
    }

    #[test]
    fn a_session_that_ends_takes_its_sockets_along() {
        let connections = Connections::default();
        let (one, other) = (connection(&connections, 1), connection(&connections, 2));
        connections.set_user(one.id(), &person(7, Some(1)));
        connections.set_user(other.id(), &person(7, Some(2)));
        connections.end_session(TokenDigest::from_bytes([1; 32]));
        assert!(one.is_closing() && !other.is_closing());
    }
}
