//! Listing and ending the sessions of a player.

use axum::Json;
use axum::extract::State;
use castellan_game::PlayerId;
use castellan_store::{Session, TokenDigest};
use serde::Serialize;
use utoipa::ToSchema;

use super::signing::SessionsEnded;
use crate::error::{ApiError, ErrorBody};
use crate::extract::Segment;
use crate::identity::Identity;
use crate::state::AppState;
use crate::token::label;

/// A session.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct SessionRow {
    /// ID in this list. It grants no access.
    #[schema(example = "9f86d081884c7d65")]
    id: String,
    /// User agent of the browser. Untrusted text: escape it.
    device: String,
    /// Milliseconds since 1970.
    created: u64,
    /// Last use, accurate to the hour, in milliseconds since 1970.
    seen: u64,
    /// When the session expires unless it is used, in milliseconds since 1970.
    expires: u64,
    /// `true` for the session of this request.
    is_current: bool,
}

/// All sessions of a player.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct SessionList {
    sessions: Vec<SessionRow>,
}

/// List the sessions of the current user.
#[utoipa::path(
    get, path = "/api/sessions", tag = "people",
    responses(
        (status = 200, body = SessionList, description = "Most recently used first"),
        (status = 401, body = ErrorBody, description = "`not_signed_in`"),
    )
)]
pub(crate) async fn list_sessions(
    State(state): State<AppState>,
    who: Identity,
) -> Result<Json<SessionList>, ApiError> {
    let now = state.services.clock.now();
    let sessions = state.services.store.sessions_of(who.player).await?;
    let sessions = sessions.into_iter().filter(|session| session.expires > now);
    let row = |session: Session| SessionRow {
        id: label(&session.digest),
        device: session.device,
        created: session.created.as_millis(),
        seen: session.seen.as_millis(),
        expires: session.expires.as_millis(),
        is_current: Some(session.digest) == who.session,
    };
    Ok(Json(SessionList { sessions: sessions.map(row).collect() }))
}

/// End a session of the current user.
#[utoipa::path(
    delete, path = "/api/sessions/{id}", tag = "people",
    params(("id" = String, Path, description = "From the list of sessions")),
    responses(
        (status = 200, body = SessionsEnded, description = "Ended, and its connections are closed"),
        (status = 401, body = ErrorBody, description = "`not_signed_in`"),
        (status = 404, body = ErrorBody, description = "`unknown_session`"),
    )
)]
pub(crate) async fn end_session(
    State(state): State<AppState>,
    who: Identity,
    Segment(id): Segment,
) -> Result<Json<SessionsEnded>, ApiError> {
    // Searches only the user's own sessions, so the ID of another user's session is not found.
    let mut sessions = state.services.store.sessions_of(who.player).await?.into_iter();
    let session = sessions.find(|session| label(&session.digest) == id);
    let digest = session.ok_or(ApiError::UnknownSession)?.digest;
    let ended = u64::from(state.services.store.delete_session(digest).await?);
    state.hub.end_session(digest);
    Ok(Json(SessionsEnded { ended }))
}

/// End all other sessions of the current user.
#[utoipa::path(
    delete, path = "/api/sessions", tag = "people",
    responses(
        (status = 200, body = SessionsEnded, description = "Ended, and their connections are closed"),
        (status = 401, body = ErrorBody, description = "`not_signed_in`"),
    )
)]
pub(crate) async fn end_other_sessions(
    State(state): State<AppState>,
    who: Identity,
) -> Result<Json<SessionsEnded>, ApiError> {
    Ok(Json(SessionsEnded { ended: end_all(&state, who.player, who.session).await? }))
}

/// Ends a player's sessions, apart from `except`, and closes their connections.
pub(super) async fn end_all(
    state: &AppState,
    player: PlayerId,
    except: Option<TokenDigest>,
) -> Result<u64, ApiError> {
    let sessions = state.services.store.sessions_of(player).await?;
    let ended = state.services.store.delete_sessions_of(player, except).await?;
    for session in sessions.iter().filter(|session| Some(session.digest) != except) {
        state.hub.end_session(session.digest);
    }
    Ok(ended)
}
