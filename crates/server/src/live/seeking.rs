//! The path from a seek to a game: the checks before the lobby, and the choice of colors after
//! it.

use std::sync::Arc;

use castellan_game::Settings;
use castellan_protocol::{Nothing, Queued, ServerCode, ServerMessage, Terms};

use super::begin::{GamePlan, SeatPlan, begin};
use super::connection::{Connection, Protocol};
use super::hub::Shared;
use super::lobby::{SeekResult, SeekTerms, Seeker};
use super::lock;
use super::pairing;
use super::reply::{RequestRef, encode};
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
    if let Some(pause) = lock(&shared.leaves).pause(player, services.clock.now()) {
        let seconds = pause.as_secs() + 1;
        let words = format!("you have left too many games; try again in {seconds} s");
        request.refuse_with_message(connection, ServerCode::RateLimited, words);
        return false;
    }
    if !limits.is_unlimited
        && let Err(too_many) = services.limits.check(Action::Seek, player)
    {
        services.metrics.limited.increment(1);
        request.refuse_with_message(connection, ServerCode::RateLimited, too_many.to_string());
        return false;
    }
    if shared.rooms.games_of(player).len() >= services.config.live.max_games_per_player {
        request.refuse(connection, ServerCode::TooMany);
        return false;
    }
    if !shared.quota.has_capacity(connection.address()) {
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
    let Ok(settings) = all_terms.settings() else {
        return request.refuse(&subscriber.connection, ServerCode::BadTerms);
    };
    let seeker =
        Seeker { who: subscriber.who, connection: Arc::clone(&subscriber.connection), request };
    if shared.services.bus.is_joined() {
        return pairing::seek(shared, seeker, terms);
    }
    let answer = lock(&shared.lobby).seek(seeker.clone(), terms);
    match answer {
        Ok(SeekResult::Paired(other)) => pair(shared, [other, seeker], settings),
        Ok(SeekResult::Waiting(count)) => {
            if subscriber.connection.protocol() == Protocol::Full {
                subscriber.connection.send(encode(&ServerMessage::Queued(Queued {
                    time_control: terms.time_control,
                    is_rated: terms.is_rated,
                    waiting: u32::try_from(count).unwrap_or(u32::MAX),
                })));
            }
        }
        Err(full) => {
            request.refuse_with_message(&subscriber.connection, ServerCode::Busy, full.to_string());
        }
    }
}

/// Chooses colors and starts the game.
fn pair(shared: &Arc<Shared>, pair: [Seeker; 2], settings: Settings) {
    for seeker in &pair {
        if seeker.connection.protocol() == Protocol::Full {
            seeker.connection.send(encode(&ServerMessage::SeekEnded(Nothing {})));
        }
    }
    let seats = pair.each_ref().map(|seeker| person(&seeker.who, &seeker.connection));
    let requesters = pair.map(|seeker| (seeker.connection, seeker.request));
    start(shared, seats, settings, requesters.into());
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
    let Some(tag) = shared.tasks.tag() else {
        return refuse_all(&requesters, ServerCode::ShuttingDown);
    };
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        if let Err(code) = begin(&shared, plan).await {
            refuse_all(&requesters, code);
        }
        drop(tag);
    });
}

fn refuse_all(requesters: &[(Arc<Connection>, RequestRef)], code: ServerCode) {
    for (connection, request) in requesters {
        request.refuse(connection, code);
    }
}
