//! Games as PGN.
//!
//! Names and other text chosen by users appear only as tag values, which the writer escapes.

use axum::extract::State;
use axum::http::HeaderName;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use castellan_game::{Game, GameId, Moment};
use castellan_pgn::{pgn_date, pgn_time};
use castellan_protocol::Level;
use castellan_rules::Color;
use castellan_store::StoredGame;

use super::games::GamesQuery;
use super::record::{find, load};
use crate::address::ClientAddress;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{Segment, UrlQuery};
use crate::rates::Action;
use crate::state::AppState;

/// Maximum number of games in one export. A game has a maximum number of plies, so this bounds
/// the size, too.
const EXPORT_LIMIT: u32 = 50;

const PGN: &str = "application/x-chess-pgn; charset=utf-8";
const NEXT_CURSOR: HeaderName = HeaderName::from_static("x-next-cursor");

/// Get a game as PGN.
#[utoipa::path(
    get, path = "/api/games/{id}/pgn", tag = "games",
    params(("id" = String, Path, description = "Twelve letters and digits")),
    responses(
        (status = 200, body = String, content_type = "application/x-chess-pgn",
            description = "PGN in export format, with clock times"),
        (status = 404, body = ErrorBody, description = "`unknown_game`"),
        (status = 500, body = ErrorBody, description = "`damaged_game`"),
    )
)]
pub(crate) async fn game_pgn(
    State(state): State<AppState>,
    Segment(id): Segment,
) -> Result<Response, ApiError> {
    pgn_response(&state, &id).await
}

/// Returns the response for a game as PGN.
pub(super) async fn pgn_response(state: &AppState, id: &str) -> Result<Response, ApiError> {
    let (stored, game) = load(state, id).await?;
    let text = to_pgn(&stored, &game, state.services.clock.now()).to_string();
    let file = format!("attachment; filename=\"castellan-{}.pgn\"", stored.id);
    Ok(([(CONTENT_TYPE, PGN.to_owned()), (CONTENT_DISPOSITION, file)], text).into_response())
}

/// Returns a stored game as PGN, or `None` if it does not exist.
pub(crate) async fn pgn_of(state: &AppState, id: GameId) -> Result<Option<String>, ApiError> {
    let found = find(state, id).await?;
    let now = state.services.clock.now();
    Ok(found.map(|(stored, game)| to_pgn(&stored, &game, now).to_string()))
}

/// Export finished games as PGN, newest first.
///
/// Returns up to 50 games at a time. The header `x-next-cursor` says where to continue.
#[utoipa::path(
    get, path = "/api/games/pgn", tag = "games", params(GamesQuery),
    responses(
        (status = 200, body = String, content_type = "application/x-chess-pgn",
            description = "PGN in export format, with clock times"),
        (status = 400, body = ErrorBody, description = "`bad_query`"),
        (status = 429, body = ErrorBody, description = "`rate_limited`"),
    )
)]
pub(crate) async fn export_games(
    State(state): State<AppState>,
    address: ClientAddress,
    UrlQuery(query): UrlQuery<GamesQuery>,
) -> Result<Response, ApiError> {
    state.services.check_address(Action::Export, address)?;
    let page = query.ask(&state, EXPORT_LIMIT).await?;
    let now = state.services.clock.now();
    let mut text = String::new();
    for game in page.games {
        match find(&state, game.id).await {
            Ok(Some((stored, game))) => text.push_str(&to_pgn(&stored, &game, now).to_string()),
            // The others are exported in any case.
            Ok(None) | Err(ApiError::DamagedGame) => {}
            Err(error) => return Err(error),
        }
    }
    let mut response = ([(CONTENT_TYPE, PGN)], text).into_response();
    if let Some(cursor) = page.next.and_then(|cursor| cursor.to_string().parse().ok()) {
        response.headers_mut().insert(NEXT_CURSOR, cursor);
    }
    Ok(response)
}

/// Converts a game to PGN with all its data. `Date` is the day on which the game was created;
/// `UTCDate` and `UTCTime` say when the first move was made. `now` is for the clocks of a running
/// game.
pub(super) fn to_pgn(stored: &StoredGame, game: &Game, now: Moment) -> castellan_pgn::Game {
    let mut pgn = game.to_pgn(Some(now));
    let mut set = |name: &str, value: &str| pgn.tags.set(name, value);
    set("Event", if game.settings().is_rated { "Rated online game" } else { "Online game" });
    set("Date", &pgn_date(stored.created.as_millis() / 1000));
    set("Round", "-");
    set("GameId", &stored.id.to_string());
    for color in Color::ALL {
        set_player(&mut set, game, color);
    }
    if let Some(first) = game.played().first() {
        set("UTCDate", &pgn_date(first.at.as_millis() / 1000));
        set("UTCTime", &pgn_time(first.at.as_millis() / 1000));
    }
    pgn
}

/// Sets the tags of a player. An engine is marked with PGN's `program` type and has its level in
/// place of a rating.
fn set_player(set: &mut impl FnMut(&str, &str), game: &Game, color: Color) {
    let Some(player) = game.seats().get(color) else { return };
    let level = Level::of_player(player.id);
    let name = if level.is_some() { "Computer" } else { &player.name };
    set(color.fold("White", "Black"), name);
    set(color.fold("WhiteType", "BlackType"), if level.is_some() { "program" } else { "human" });
    if let Some(rating) = level.and_then(Level::elo).or(player.rating) {
        set(color.fold("WhiteElo", "BlackElo"), &rating.to_string());
    }
}
