//! Accounts, which protect a name with a password, and sessions, which identify users.
//!
//! Every change of a session's privileges replaces its token: becoming a guest, registering,
//! signing in, changing the password. The old token becomes invalid, and its connections are
//! closed.

mod email;
mod own_data;
mod password;
mod security;
mod session_list;
mod signing;

use axum::Json;
use axum::extract::State;
use axum::http::header::{SET_COOKIE, USER_AGENT};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use castellan_game::PlayerId;
use castellan_store::{Account, StoreError};
use serde::Serialize;
use utoipa::ToSchema;

use crate::address::ClientAddress;
use crate::cookie;
use crate::error::ApiError;
use crate::guess_limits::Guess;
use crate::identity::Identity;
use crate::moderation::Mode;
use crate::passwords::Password;
use crate::reading::RatingRow;
use crate::sessions::{self, NewSession};
use crate::state::{AppState, Services};

pub(crate) use email::{
    __path_confirm_email, __path_remove_email, __path_request_reset, __path_set_email,
    confirm_email, remove_email, request_reset, set_email,
};
pub(crate) use own_data::{
    __path_delete_own_account, __path_export_own_data, delete_own_account, export_own_data,
};
pub(crate) use password::{__path_change_password, change_password};
pub(crate) use security::{
    __path_create_recovery_codes, __path_create_secret, __path_recover,
    __path_remove_second_factor, __path_security, __path_set_second_factor, create_recovery_codes,
    create_secret, recover, remove_second_factor, security, set_second_factor,
};
pub(crate) use session_list::{
    __path_end_other_sessions, __path_end_session, __path_list_sessions, end_other_sessions,
    end_session, list_sessions,
};
pub(crate) use signing::{__path_login, __path_logout, __path_register, login, logout, register};

/// Visits the responses that the page reads.
#[cfg(test)]
pub(crate) fn visit_types(visitor: &mut impl ts_rs::TypeVisitor) {
    visitor.visit::<WhoAmI>();
    visitor.visit::<security::Security>();
    visitor.visit::<security::RecoveryCodes>();
    visitor.visit::<security::NewSecret>();
    visitor.visit::<own_data::UserExport>();
    visitor.visit::<session_list::SessionList>();
}

/// The user who sent the request.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Me {
    /// Permanent ID of the player.
    #[schema(value_type = u64, example = 17)]
    player: PlayerId,
    /// Name that others see.
    #[schema(example = "Anna")]
    name: String,
    /// `true` if the name belongs to an account.
    is_account: bool,
    /// `true` if the user is an admin.
    is_admin: bool,
    /// Ratings of an account that has played rated games.
    ratings: Vec<RatingRow>,
}

/// The current user.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct WhoAmI {
    /// Nothing, if the client has neither given a name nor signed in.
    me: Option<Me>,
    /// Who may create an account.
    registration: Mode,
    /// `true` if the server sends mail, such as codes for a new password.
    sends_mail: bool,
}

/// Get the current user.
#[utoipa::path(get, path = "/api/me", tag = "people",
    responses((status = 200, body = WhoAmI, description = "The current user, if there is one")))]
pub(crate) async fn who_am_i(
    State(state): State<AppState>,
    who: Option<Identity>,
) -> Result<Json<WhoAmI>, ApiError> {
    let me = match who {
        Some(who) => Some(Me::of(&state.services, who.player, who.name, who.is_account).await?),
        None => None,
    };
    let registration = state.services.policy.registration().into();
    let sends_mail = state.services.mailer.is_some();
    Ok(Json(WhoAmI { me, registration, sends_mail }))
}

impl Me {
    async fn of(
        services: &Services,
        player: PlayerId,
        name: String,
        is_account: bool,
    ) -> Result<Me, StoreError> {
        let ratings =
            if is_account { services.store.ratings_of(player).await? } else { Vec::new() };
        let ratings = ratings.into_iter().map(RatingRow::from).collect();
        let is_admin = is_account && services.store.moderation().is_admin(player).await?;
        Ok(Me { player, name, is_account, is_admin, ratings })
    }
}

/// Response that starts a session: the cookie and the user.
pub(crate) struct SessionStarted {
    cookie: HeaderValue,
    me: Me,
}

impl SessionStarted {
    /// Starts a session, in place of the one the request came with, if any.
    pub(crate) async fn begin(
        state: &AppState,
        new_session: NewSession,
        before: Option<Identity>,
    ) -> Result<SessionStarted, ApiError> {
        let services = &*state.services;
        let NewSession { player, name, is_account, .. } = new_session.clone();
        let (token, session) = sessions::create(services, new_session)?;
        sessions::replace(state, before.and_then(|before| before.session), session).await?;
        let cookie = cookie::set(&token, services.config.is_https());
        Ok(SessionStarted { cookie, me: Me::of(services, player, name, is_account).await? })
    }
}

impl IntoResponse for SessionStarted {
    fn into_response(self) -> Response {
        ([(SET_COOKIE, self.cookie)], Json(self.me)).into_response()
    }
}

/// An attempt to authenticate with a password.
struct PasswordAttempt<'a> {
    /// The guess to count if the password is wrong; `None` for a client without limits.
    guess: Option<Guess<'a>>,
    address: ClientAddress,
}

/// Checks the password of an account, and refunds the guess unless the password is wrong. An
/// unknown account and a wrong password have the same result and take equally long.
async fn verify_password(
    services: &Services,
    account: Result<Option<Account>, StoreError>,
    password: Password,
    PasswordAttempt { guess, address }: PasswordAttempt<'_>,
) -> Result<Account, ApiError> {
    let verify = async {
        let account = account?;
        let hash = account.as_ref().map(|account| account.password_hash.clone());
        let is_right = services.passwords.verify(password, hash, services.limited(address)).await?;
        account.filter(|_| is_right).ok_or(ApiError::WrongCredentials)
    };
    let verified = verify.await;
    if let Some(guess) = guess
        && !matches!(verified, Err(ApiError::WrongCredentials))
    {
        guess.refund();
    }
    verified
}

/// Returns the owner of an account, who has just signed in from the browser with these headers.
fn owner(account: Account, headers: &HeaderMap) -> NewSession {
    let Account { player, name, .. } = account;
    NewSession { player, name, is_account: true, device: device(headers) }
}

/// Maximum number of characters kept of a user agent.
const DEVICE_CHARS: usize = 120;

/// Returns the browser's user agent without control characters.
pub(crate) fn device(headers: &HeaderMap) -> String {
    let text = headers.get(USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    text.chars().filter(|c| !c.is_control()).take(DEVICE_CHARS).collect()
}
