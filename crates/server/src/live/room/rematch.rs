//! Rematches: how a finished game begins the next one.

use std::sync::Arc;

use castellan_game::{GameId, Player};
use castellan_protocol::{Level, ServerCode};
use castellan_rules::Color;

use super::super::begin::{self, GamePlan, SeatPlan};
use super::super::reply::RequestRef;
use super::{Call, Room};
use crate::identity::Identity;

impl Room {
    /// Starts a game with the same settings and reversed colors.
    pub(super) fn begin_rematch(&mut self) {
        let seat = |color: Color| {
            let player = self.game.seats().get(color)?;
            if let Some(level) = Level::of_player(player.id) {
                return Some(SeatPlan::Engine(level));
            }
            let subscribers = self.audience.subscribers().iter();
            let mut own =
                subscribers.filter(|subscriber| subscriber.player() == player.id).peekable();
            let who = match own.peek() {
                Some(subscriber) => Arc::clone(&subscriber.who),
                None => self.remote_player(player)?,
            };
            let connections = own.map(|subscriber| Arc::clone(&subscriber.connection)).collect();
            Some(SeatPlan::Person { who, connections })
        };
        let (shared, sender) = (Arc::clone(&self.shared), self.sender.clone());
        let (Some(white), Some(black)) = (seat(Color::Black), seat(Color::White)) else {
            // A player agreed and disconnected at the same moment.
            return self.rematched(Err(ServerCode::UnknownGame));
        };
        let settings = self.game.settings().clone();
        let plan = GamePlan { settings, seats: [white, black], rematch_of: Some(self.id) };
        self.shared.tasks.spawn(async move {
            let started = begin::start_game(&shared, plan).await;
            // If the room has closed in the meantime, there is no audience left to notify.
            let _ = sender.send(Call::RematchStarted(started)).await;
        });
    }

    /// Returns the identity of a player who has just agreed to a rematch and is not connected
    /// here, and so must be connected to another node.
    fn remote_player(&self, player: &Player) -> Option<Arc<Identity>> {
        if !self.shared.services.bus.is_joined() {
            return None;
        }
        // Only account holders have a rating in their seat.
        let (name, is_account) = (player.name.clone(), player.rating.is_some());
        Some(Arc::new(Identity { player: player.id, name, is_account, session: None }))
    }

    pub(super) fn rematched(&mut self, result: Result<GameId, ServerCode>) {
        match result {
            Ok(game) => {
                self.rematch = Some(game);
                self.send_snapshot_to_watchers();
            }
            Err(code) => {
                let players = self.audience.subscribers().iter();
                for subscriber in players.filter(|it| self.game.seats().is_seated(it.player())) {
                    RequestRef::default().refuse(&subscriber.connection, code);
                }
            }
        }
    }
}
