//! Registering, signing in, signing out.
//!
//! Signing in fails in the same way and takes as long whether or not the name exists. Registering
//! reveals whether a name is taken, as on every site where names are public.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::SET_COOKIE;
use axum::response::{IntoResponse, Response};
use castellan_store::Account;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Me, PasswordAttempt, SessionStarted, owner, verify_password};
use crate::address::ClientAddress;
use crate::cookie;
use crate::error::{ApiError, ErrorBody};
use crate::extract::JsonBody;
use crate::identity::Identity;
use crate::names::read_name;
use crate::passwords::Password;
use crate::rates::Action;
use crate::state::AppState;

/// A name and its password.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Credentials {
    /// Name of 2 to 20 letters, digits and signs.
    #[schema(example = "Anna", min_length = 2, max_length = 20)]
    name: String,
    /// Password of at least 8 characters.
    password: Password,
}

/// Create an account.
///
/// A guest who registers stays the same player and keeps their running games.
#[utoipa::path(
    post, path = "/api/register", tag = "people", request_body = Credentials,
    responses(
        (status = 200, body = Me, description = "Signed in; a cookie is set"),
        (status = 409, body = ErrorBody, description = "`name_taken` or `signed_in`"),
        (status = 422, body = ErrorBody, description = "`bad_name` or `bad_password`"),
        (status = 429, body = ErrorBody, description = "`rate_limited`"),
        (status = 503, body = ErrorBody, description = "`busy`"),
    )
)]
pub(crate) async fn register(
    State(state): State<AppState>,
    address: ClientAddress,
    who: Option<Identity>,
    headers: HeaderMap,
    JsonBody(Credentials { name, password }): JsonBody<Credentials>,
) -> Result<SessionStarted, ApiError> {
    let services = &*state.services;
    services.check_address(Action::Registration, address)?;
    if who.as_ref().is_some_and(|who| who.is_account) {
        return Err(ApiError::SignedIn);
    }
    let name = read_name(&name)?.to_string();
    password.check(&name)?;
    if services.store.account_by_name(&name).await?.is_some() {
        return Err(ApiError::NameTaken);
    }
    let password_hash = services.passwords.hash(password, services.limited(address)).await?;
    let player = match &who {
        Some(who) => who.player,
        None => services.player_ids.next(&*services.store).await?,
    };
    let created = services.clock.now();
    let account = Account { player, name, password_hash, created };
    services.store.create_account(account.clone()).await?;
    SessionStarted::begin(&state, owner(account, &headers), who).await
}

/// Sign in.
#[utoipa::path(
    post, path = "/api/login", tag = "people", request_body = Credentials,
    responses(
        (status = 200, body = Me, description = "Signed in; a cookie is set"),
        (status = 401, body = ErrorBody, description = "`wrong_credentials`"),
        (status = 429, body = ErrorBody, description = "`rate_limited`"),
        (status = 503, body = ErrorBody, description = "`busy`"),
    )
)]
pub(crate) async fn login(
    State(state): State<AppState>,
    address: ClientAddress,
    who: Option<Identity>,
    headers: HeaderMap,
    JsonBody(Credentials { name, password }): JsonBody<Credentials>,
) -> Result<SessionStarted, ApiError> {
    let services = &*state.services;
    let guess = match services.is_unlimited(address.0) {
        true => None,
        false => Some(services.guess_limits.begin_login(address, &name)?),
    };
    let account = services.store.account_by_name(&name).await;
    let attempt = PasswordAttempt { guess, address };
    let account = verify_password(services, account, password, attempt).await?;
    SessionStarted::begin(&state, owner(account, &headers), who).await
}

/// Response of a request that ends sessions.
#[derive(Serialize, ToSchema)]
pub(crate) struct SessionsEnded {
    /// Number of sessions that ended.
    pub(crate) ended: u64,
}

/// Sign out.
#[utoipa::path(
    post, path = "/api/logout", tag = "people",
    responses((status = 200, body = SessionsEnded, description = "The session has ended, if there was one"))
)]
pub(crate) async fn logout(
    State(state): State<AppState>,
    who: Option<Identity>,
) -> Result<Response, ApiError> {
    let mut ended = 0;
    if let Some(session) = who.and_then(|who| who.session) {
        ended = u64::from(state.services.store.delete_session(session).await?);
        state.hub.end_session(session);
    }
    let cookie = cookie::clear(state.services.config.is_https());
    Ok(([(SET_COOKIE, cookie)], Json(SessionsEnded { ended })).into_response())
}
