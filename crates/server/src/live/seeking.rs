//! The path from a seek to a game: the checks before the lobby, and the choice of colors after
//! it.

use std::sync::Arc;

use castellan_game::Settings;
use castellan_protocol::{Nothing, Queued, ServerCode, ServerMessage, Terms};

use super::begin::{Plan, SeatPlan, begin};
use super::hub::Shared;
use super::link::{Dialect, Link};
use super::lobby::{Answer, Seeker, Wish};
use super::lock;
use super::pairing;
use super::reply::{Asked, encode};
use super::room::Visitor;
use crate::identity::Identity;
use crate::rates::Action;

/// Whether rate limits apply to the client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    pub(crate) is_unlimited: bool,
}

/// Returns `true` if the player may start another game; otherwise sends the reason.
pub(crate) fn may_play(shared: &Shared, visitor: &Visitor, asked: Asked, limits: Limits) -> bool {
    let (link, player) = (&visitor.link, visitor.player());
    let services = &shared.services;
    if shared.is_closing() {
        asked.refuse(link, ServerCode::ShuttingDown);
        return false;
    }
    if let Some(pause) = lock(&shared.conduct).pause(player, services.clock.now()) {
        let seconds = pause.as_secs() + 1;
        let words = format!("you have left too many games; try again in {seconds} s");
        asked.refuse_in_words(link, ServerCode::RateLimited, words);
        return false;
    }
    if !limits.is_unlimited
        && let Err(too_many) = services.limits.check(Action::Seek, player)
    {
        services.metrics.limited.increment(1);
        asked.refuse_in_words(link, ServerCode::RateLimited, too_many.to_string());
        return false;
    }
    if shared.rooms.games_of(player).len() >= services.config.live.max_games_per_player {
        asked.refuse(link, ServerCode::TooMany);
        return false;
    }
    if !shared.owners.has_room(link.address()) {
        services.metrics.limited.increment(1);
        asked.refuse(link, ServerCode::TooMany);
        return false;
    }
    true
}

/// Pairs the player with an opponent, or lets them wait.
pub(crate) fn seek(
    shared: &Arc<Shared>,
    visitor: Visitor,
    asked: Asked,
    wish: Wish,
    limits: Limits,
) {
    if wish.is_rated && !visitor.who.is_account {
        return asked.refuse(&visitor.link, ServerCode::NeedsAccount);
    }
    if !may_play(shared, &visitor, asked, limits) {
        return;
    }
    let terms = Terms { is_rated: wish.is_rated, ..Terms::new(wish.time_control) };
    let Ok(settings) = terms.settings() else {
        return asked.refuse(&visitor.link, ServerCode::BadTerms);
    };
    let seeker = Seeker { who: visitor.who, link: Arc::clone(&visitor.link), asked };
    if shared.services.bus.is_joined() {
        return pairing::seek(shared, seeker, wish);
    }
    let answer = lock(&shared.lobby).seek(seeker.clone(), wish);
    match answer {
        Ok(Answer::Paired(other)) => pair(shared, [other, seeker], settings),
        Ok(Answer::Waiting(count)) => {
            if visitor.link.dialect() == Dialect::Full {
                visitor.link.say(encode(&ServerMessage::Queued(Queued {
                    time_control: wish.time_control,
                    is_rated: wish.is_rated,
                    waiting: u32::try_from(count).unwrap_or(u32::MAX),
                })));
            }
        }
        Err(crowded) => {
            asked.refuse_in_words(&visitor.link, ServerCode::Busy, crowded.to_string());
        }
    }
}

/// Chooses colors and starts the game.
fn pair(shared: &Arc<Shared>, pair: [Seeker; 2], settings: Settings) {
    for seeker in &pair {
        if seeker.link.dialect() == Dialect::Full {
            seeker.link.say(encode(&ServerMessage::SeekEnded(Nothing {})));
        }
    }
    let seats = pair.each_ref().map(|seeker| person(&seeker.who, &seeker.link));
    let tellers = pair.map(|seeker| (seeker.link, seeker.asked));
    start(shared, seats, settings, tellers.into());
}

/// Returns a seat for a player with one connection.
pub(crate) fn person(who: &Arc<Identity>, link: &Arc<Link>) -> SeatPlan {
    SeatPlan::Person { who: Arc::clone(who), links: vec![Arc::clone(link)] }
}

/// Starts a game with random colors in a separate task. If it cannot start, the clients that
/// asked for it receive an error.
pub(crate) fn start(
    shared: &Arc<Shared>,
    seats: [SeatPlan; 2],
    settings: Settings,
    askers: Vec<(Arc<Link>, Asked)>,
) {
    let [one, other] = seats;
    let seats = match shared.services.random.number() {
        Ok(number) if number & 1 == 0 => [one, other],
        Ok(_) => [other, one],
        Err(_) => return refuse_all(&askers, ServerCode::Internal),
    };
    start_as(shared, Plan { settings, seats, rematch_of: None }, askers);
}

/// Starts a game with the colors given in the plan.
pub(crate) fn start_as(shared: &Arc<Shared>, plan: Plan, askers: Vec<(Arc<Link>, Asked)>) {
    let Some(tag) = shared.tasks.tag() else {
        return refuse_all(&askers, ServerCode::ShuttingDown);
    };
    let shared = Arc::clone(shared);
    tokio::spawn(async move {
        if let Err(code) = begin(&shared, plan).await {
            refuse_all(&askers, code);
        }
        drop(tag);
    });
}

fn refuse_all(askers: &[(Arc<Link>, Asked)], code: ServerCode) {
    for (link, asked) in askers {
        asked.refuse(link, code);
    }
}
