//! Current activity: connected players, and games that can be watched.

use axum::Json;
use axum::extract::State;
use castellan_game::{GameId, Player};
use serde::Serialize;
use utoipa::ToSchema;

use super::games::SeatRow;
use crate::state::AppState;

/// Maximum number of games in the response.
const LISTED: usize = 50;

/// A running game.
#[derive(Serialize, ToSchema)]
pub(crate) struct RunningRow {
    #[schema(value_type = String, example = "k3YzQ0aBcD12")]
    id: GameId,
    white: Option<SeatRow>,
    black: Option<SeatRow>,
}

/// Current activity on the server.
#[derive(Serialize, ToSchema)]
pub(crate) struct Now {
    /// Number of connected players.
    people: usize,
    /// Number of players waiting for an opponent.
    waiting: usize,
    /// Number of running games.
    playing: usize,
    /// The newest running games, up to 50.
    games: Vec<RunningRow>,
}

/// Get the current activity on the server.
#[utoipa::path(get, path = "/api/games/running", tag = "games",
    responses((status = 200, body = Now, description = "Newest first")))]
pub(crate) async fn running_games(State(state): State<AppState>) -> Json<Now> {
    let activity = state.hub.activity(LISTED);
    let seat = |player: &Option<Player>| player.as_ref().map(SeatRow::from);
    let row = |[white, black]: &[Option<Player>; 2], id| RunningRow {
        id,
        white: seat(white),
        black: seat(black),
    };
    Json(Now {
        people: activity.players,
        waiting: activity.waiting,
        playing: activity.playing,
        games: activity.games.iter().map(|game| row(&game.seats, game.id)).collect(),
    })
}
