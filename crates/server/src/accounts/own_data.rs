//! The export of the user's own data, and the deletion of their account.

use axum::Json;
use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, SET_COOKIE};
use axum::response::{IntoResponse, Response};
use castellan_game::GameId;
use castellan_store::{Cursor, FinishedGame, HistoryQuery};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::security::{OwnerProof, email_of, verify_owner};
use super::signing::SessionsEnded;
use crate::address::ClientAddress;
use crate::cookie;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{JsonBody, UrlQuery};
use crate::identity::Identity;
use crate::moderation::delete_account;
use crate::rates::Action;
use crate::reading::{RatingRow, pgn_of};
use crate::state::AppState;

/// Maximum number of games in one part of an export.
const GAMES_AT_ONCE: u32 = 50;
/// Maximum number of chat lines of a game in an export.
const CHAT_LINES: u32 = 500;

/// Where an export continues.
#[derive(Debug, Default, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExportQuery {
    /// `next` of the part before; empty for the first part.
    #[serde(default)]
    cursor: String,
}

/// Everything that the server stores about a user, in parts.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct UserExport {
    player: u64,
    name: String,
    is_account: bool,
    /// When the account was created, in milliseconds since 1970.
    created: Option<u64>,
    /// The confirmed e-mail address of the account.
    email: Option<String>,
    ratings: Vec<RatingRow>,
    sessions: Vec<OwnSession>,
    games: Vec<OwnGame>,
    /// Cursor of the next part; nothing if this is the last one.
    next: Option<String>,
}

/// A session in an export.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct OwnSession {
    device: String,
    created: u64,
    seen: u64,
}

/// A game in an export.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct OwnGame {
    #[schema(value_type = String)]
    id: GameId,
    /// The game as PGN; empty if the database cannot read it.
    pgn: String,
    /// What the user wrote in its chat.
    chat: Vec<OwnChatLine>,
}

/// A chat line in an export.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct OwnChatLine {
    at: u64,
    text: String,
}

/// Export the user's data, with up to 50 games in each part, newest first.
#[utoipa::path(
    get, path = "/api/me/export", tag = "people", params(ExportQuery),
    responses(
        (status = 200, body = UserExport, description = "One part"),
        (status = 400, body = ErrorBody, description = "`bad_query`"),
        (status = 401, body = ErrorBody, description = "`not_signed_in`"),
        (status = 429, body = ErrorBody, description = "`rate_limited`"),
    )
)]
pub(crate) async fn export_own_data(
    State(state): State<AppState>,
    address: ClientAddress,
    who: Identity,
    UrlQuery(query): UrlQuery<ExportQuery>,
) -> Result<Response, ApiError> {
    let services = &*state.services;
    services.check_address(Action::Export, address)?;
    let after: Option<Cursor> = match query.cursor.as_str() {
        "" => None,
        text => Some(text.parse().map_err(|_| ApiError::Query)?),
    };
    let store = &services.store;
    let history = HistoryQuery { name: who.name.clone(), limit: GAMES_AT_ONCE, after };
    let page = store.history(history).await?;
    let mut games = Vec::new();
    for game in page.games {
        if sat_in(&game, &who) {
            games.extend(own_game(&state, game.id, &who).await?);
        }
    }
    let account = store.account_of(who.player).await?;
    let sessions = store.sessions_of(who.player).await?.into_iter();
    let data = UserExport {
        player: who.player.0,
        is_account: who.is_account,
        created: account.map(|account| account.created.as_millis()),
        email: email_of(services, who.player).await?,
        ratings: store.ratings_of(who.player).await?.into_iter().map(RatingRow::from).collect(),
        sessions: sessions
            .map(|session| OwnSession {
                device: session.device,
                created: session.created.as_millis(),
                seen: session.seen.as_millis(),
            })
            .collect(),
        name: who.name,
        games,
        next: page.next.map(|cursor| cursor.to_string()),
    };
    let file = "attachment; filename=\"castellan.json\"";
    Ok(([(CONTENT_DISPOSITION, file)], Json(data)).into_response())
}

/// Returns whether the user played the game. The search by name finds namesakes, too.
fn sat_in(game: &FinishedGame, who: &Identity) -> bool {
    let is_own = |seat: &castellan_store::Seat| seat.player == who.player;
    game.white.iter().chain(&game.black).any(is_own)
}

async fn own_game(
    state: &AppState,
    id: GameId,
    who: &Identity,
) -> Result<Option<OwnGame>, ApiError> {
    let pgn = match pgn_of(state, id).await {
        Ok(Some(pgn)) => pgn,
        Ok(None) => return Ok(None),
        // The rest of the user's data is exported in any case.
        Err(ApiError::DamagedGame) => String::new(),
        Err(error) => return Err(error),
    };
    let lines = state.services.store.chat(id, CHAT_LINES).await?.into_iter();
    let own = lines.filter(|line| line.player == who.player);
    let chat = own.map(|line| OwnChatLine { at: line.at.as_millis(), text: line.text }).collect();
    Ok(Some(OwnGame { id, pgn, chat }))
}

/// Delete the account.
///
/// The player resigns their running games. The games that have ended stay, without the name.
#[utoipa::path(
    post, path = "/api/me/delete", tag = "people", request_body = OwnerProof,
    responses(
        (status = 200, body = SessionsEnded, description = "The account is gone"),
        (status = 401, body = ErrorBody, description = "`wrong_credentials`, `needs_code` or `bad_code`"),
        (status = 403, body = ErrorBody, description = "`needs_account`"),
        (status = 429, body = ErrorBody, description = "`rate_limited`"),
    )
)]
pub(crate) async fn delete_own_account(
    State(state): State<AppState>,
    address: ClientAddress,
    who: Identity,
    JsonBody(proof): JsonBody<OwnerProof>,
) -> Result<Response, ApiError> {
    let services = &*state.services;
    let account = verify_owner(services, address, &who, proof).await?;
    delete_account(services, Some(&state.hub), &account.name, &account).await?;
    let cookie = cookie::clear(services.config.is_https());
    Ok(([(SET_COOKIE, cookie)], Json(SessionsEnded { ended: 1 })).into_response())
}
