//! Registering, signing in, signing out.
//!
//! Signing in fails in the same way and takes equally long whether or not the name exists.
//! Registering reveals whether a name is taken, as on every site where names are public.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::SET_COOKIE;
use axum::response::{IntoResponse, Response};
use castellan_store::{Account, RegistrationMode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::security::verify_second_factor;
use super::{Me, PasswordAttempt, SessionStarted, owner, verify_password};
use crate::address::ClientAddress;
use crate::codes::{Code, TypedCode};
use crate::cookie;
use crate::error::{ApiError, ErrorBody};
use crate::extract::JsonBody;
use crate::identity::Identity;
use crate::moderation::Visitor;
use crate::names::read_name;
use crate::passwords::Password;
use crate::rates::Action;
use crate::state::{AppState, Services};

/// A name and its password.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Credentials {
    /// Name of 2 to 20 letters, digits and signs.
    #[schema(example = "Anna", min_length = 2, max_length = 20)]
    name: String,
    /// Password of at least 8 characters.
    password: Password,
    /// To register: a code from the operator, if registration is by invitation. To sign in: a code of
    /// the second factor or a recovery code, if the account has a second factor.
    #[serde(default)]
    code: Option<TypedCode>,
}

/// Create an account.
///
/// A guest who registers stays the same player and keeps their running games.
#[utoipa::path(
    post, path = "/api/register", tag = "people", request_body = Credentials,
    responses(
        (status = 200, body = Me, description = "Signed in; a cookie is set"),
        (status = 401, body = ErrorBody, description = "`bad_code`"),
        (status = 403, body = ErrorBody, description = "`banned` or `registration_closed`"),
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
    JsonBody(Credentials { name, password, code }): JsonBody<Credentials>,
) -> Result<SessionStarted, ApiError> {
    let services = &*state.services;
    services.check_address(Action::Registration, address)?;
    if who.as_ref().is_some_and(|who| who.is_account) {
        return Err(ApiError::SignedIn);
    }
    let name = read_name(&name)?.to_string();
    services.check_banned(Visitor {
        player: who.as_ref().map(|who| who.player),
        name: Some(&name),
        address: Some(address.0),
    })?;
    let code = registration_code(services, code)?;
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
    match code {
        None => services.store.create_account(account.clone()).await?,
        Some(code) => {
            let moderation = services.store.moderation();
            moderation.create_account_with_code(account.clone(), code.digest()).await?;
        }
    }
    SessionStarted::begin(&state, owner(account, &headers), who).await
}

/// Returns the code that a registration uses up, if it needs one.
fn registration_code(
    services: &Services,
    code: Option<TypedCode>,
) -> Result<Option<Code>, ApiError> {
    let code = code.filter(|code| !code.0.trim().is_empty());
    match (services.policy.registration(), code) {
        (RegistrationMode::Open, _) => Ok(None),
        (RegistrationMode::Invitation, Some(code)) => {
            Ok(Some(Code::read(&code).ok_or(ApiError::BadCode)?))
        }
        (RegistrationMode::Invitation, None) | (RegistrationMode::Closed, _) => {
            Err(ApiError::RegistrationClosed)
        }
    }
}

/// Sign in.
#[utoipa::path(
    post, path = "/api/login", tag = "people", request_body = Credentials,
    responses(
        (status = 200, body = Me, description = "Signed in; a cookie is set"),
        (status = 401, body = ErrorBody,
            description = "`wrong_credentials`, `needs_code` or `bad_code`"),
        (status = 403, body = ErrorBody, description = "`banned`"),
        (status = 429, body = ErrorBody, description = "`rate_limited`"),
        (status = 503, body = ErrorBody, description = "`busy`"),
    )
)]
pub(crate) async fn login(
    State(state): State<AppState>,
    address: ClientAddress,
    who: Option<Identity>,
    headers: HeaderMap,
    JsonBody(Credentials { name, password, code }): JsonBody<Credentials>,
) -> Result<SessionStarted, ApiError> {
    let services = &*state.services;
    services.check_banned(Visitor { address: Some(address.0), ..Visitor::default() })?;
    let guess = match services.is_unlimited(address.0) {
        true => None,
        false => Some(services.guess_limits.begin_login(address, &name)?),
    };
    let account = services.store.account_by_name(&name).await;
    let attempt = PasswordAttempt { guess, address };
    let account = verify_password(services, account, password, attempt).await?;
    // Only the owner learns that the account is banned.
    let (player, name) = (Some(account.player), Some(account.name.as_str()));
    services.check_banned(Visitor { player, name, address: Some(address.0) })?;
    verify_second_factor(services, account.player, code).await?;
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
