//! What goes on right now: who is here, and which games can be watched.

use axum::Json;
use axum::extract::State;
use castellan_game::{GameId, Player};
use serde::Serialize;
use utoipa::ToSchema;

use super::games::SeatRow;
use crate::state::AppState;

/// The most games that are told of.
const LISTED: usize = 50;

/// A game that is being played.
#[derive(Serialize, ToSchema)]
pub(crate) struct RunningRow {
    #[schema(value_type = String, example = "k3YzQ0aBcD12")]
    id: GameId,
    white: Option<SeatRow>,
    black: Option<SeatRow>,
}

/// What goes on right now.
#[derive(Serialize, ToSchema)]
pub(crate) struct Now {
    /// Players who are connected.
    people: usize,
    /// Players who wait for an opponent.
    waiting: usize,
    /// Games that are being played.
    playing: usize,
    /// The newest of them, up to 50.
    games: Vec<RunningRow>,
}

/// What goes on right now.
#[utoipa::path(get, path = "/api/games/running", tag = "games",
    responses((status = 200, body = Now, description = "The newest games first")))]
pub(crate) async fn running_games(State(state): State<AppState>) -> Json<Now> {
    let activity = state.hub.activity(LISTED);
    let seat = |player: &Option<Player>| player.as_ref().map(SeatRow::from);
    let row = |[white, black]: &[Option<Player>; 2], id| RunningRow {
        id,
        white: seat(white),
        black: seat(black),
    };
    Json(Now {
        people: activity.people,
        waiting: activity.waiting,
        playing: activity.playing,
        games: activity.games.iter().map(|game| row(&game.seats, game.id)).collect(),
    })
}
