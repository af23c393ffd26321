//! The checks before a player may look for a game, and the start of games whose players are known.

use std::sync::Arc;

use castellan_game::Settings;
use castellan_protocol::{ServerCode, Terms};

use super::begin::{GamePlan, SeatPlan, start_game};
use super::connection::Connection;
use super::hub::Shared;
use super::lobby::{SeekTerms, Seeker};
use super::lock;
use super::moderation::ban_of;
use super::pairing;
use super::reply::RequestRef;
use super::room::Subscriber;
use crate::identity::Identity;
use crate::rates::Action;

/// Whether rate limits apply to the client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) is_unlimited: bool,
}

/// Returns `true` if the player may start another game; otherwise sends the reason.
pub(crate) fn may_play(
    shared: &Shared,
    subscriber: &Subscriber,
    request: RequestRef,
    limits: Limits,
) -> bool {
    let (connection, player) = (&subscriber.connection, subscriber.player());
    let services = &shared.services;
    if shared.is_closing() {
        request.refuse(connection, ServerCode::ShuttingDown);
        return false;
    }
    if let Some(ban) = ban_of(shared, &subscriber.who, connection) {
        request.refuse_with_message(connection, ServerCode::Banned, ban.to_string());
        return false;
    }
    if let Some(pause) = lock(&shared.leaves).pause(player, services.clock.now()) {
        let seconds = pause.as_secs() + 1;
        let message = format!("you have left too many games; try again in {seconds} s");
        request.refuse_with_message(connection, ServerCode::RateLimited, message);
        return false;
    }
    // Guests are easily made, so a player's own limit is not enough.
    let by_player = || services.limits.check(Action::Seek, player);
    let by_address = || services.limits.check(Action::AddressSeek, connection.address());
    if !limits.is_unlimited
        && let Err(too_many) = by_player().and_then(|()| by_address())
    {
        services.metrics.limited.increment(1);
        request.refuse_with_message(connection, ServerCode::RateLimited, too_many.to_string());
        return false;
    }
    if shared.rooms.games_of(player).len() >= services.config.live.max_games_per_player {
        request.refuse(connection, ServerCode::TooMany);
        return false;
    }
    if !shared.game_limit.has_capacity(connection.address()) {
        services.metrics.limited.increment(1);
        request.refuse(connection, ServerCode::TooMany);
        return false;
    }
    true
}

/// Pairs the player with an opponent, or lets them wait.
pub(crate) fn seek(
    shared: &Arc<Shared>,
    subscriber: Subscriber,
    request: RequestRef,
    terms: SeekTerms,
    limits: Limits,
) {
    if terms.is_rated && !subscriber.who.is_account {
        return request.refuse(&subscriber.connection, ServerCode::NeedsAccount);
    }
    if !may_play(shared, &subscriber, request, limits) {
        return;
    }
    let all_terms = Terms { is_rated: terms.is_rated, ..Terms::new(terms.time_control) };
    if all_terms.settings().is_err() {
        return request.refuse(&subscriber.connection, ServerCode::BadTerms);
    }
    let Subscriber { who, connection } = subscriber;
    pairing::seek(shared, Seeker { who, connection, request }, terms);
}

/// Returns a seat for a player with one connection.
pub(crate) fn person(who: &Arc<Identity>, connection: &Arc<Connection>) -> SeatPlan {
    SeatPlan::Person { who: Arc::clone(who), connections: vec![Arc::clone(connection)] }
}

/// Starts a game with random colors in a separate task. If it cannot start, the clients that
/// asked for it receive an error.
pub(crate) fn start(
    shared: &Arc<Shared>,
    seats: [SeatPlan; 2],
    settings: Settings,
    requesters: Vec<(Arc<Connection>, RequestRef)>,
) {
    let [one, other] = seats;
    let seats = match shared.services.random.number() {
        Ok(number) if number & 1 == 0 => [one, other],
        Ok(_) => [other, one],
        Err(_) => return refuse_all(&requesters, ServerCode::Internal),
    };
    start_as(shared, GamePlan { settings, seats, rematch_of: None }, requesters);
}

/// Starts a game with the colors given in the plan.
pub(crate) fn start_as(
    shared: &Arc<Shared>,
    plan: GamePlan,
    requesters: Vec<(Arc<Connection>, RequestRef)>,
) {
    let Some(guard) = shared.tasks.guard() else {
        return refuse_all(&requesters, ServerCode::ShuttingDown);
    };
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        if let Err(code) = start_game(&shared, plan).await {
            refuse_all(&requesters, code);
        }
        drop(guard);
    });
}

fn refuse_all(requesters: &[(Arc<Connection>, RequestRef)], code: ServerCode) {
    for (connection, request) in requesters {
        request.refuse(connection, code);
    }
}
