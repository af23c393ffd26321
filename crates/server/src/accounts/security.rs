//! Recovery codes and the second factor.
//!
//! A recovery code replaces a forgotten password or a lost second factor, once. Wrong codes count
//! like wrong passwords; wrong codes of the second factor count against the account, because six
//! digits could otherwise be guessed from many addresses.

use axum::Json;
use axum::extract::State;
use castellan_game::PlayerId;
use castellan_store::{Account, PasswordReset, SecondFactor, StoreError};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::signing::SessionsEnded;
use super::{PasswordAttempt, verify_password};
use crate::address::ClientAddress;
use crate::codes::{Code, TypedCode};
use crate::error::{ApiError, ErrorBody};
use crate::extract::JsonBody;
use crate::identity::Identity;
use crate::moderation::{Visitor, audit_entry};
use crate::passwords::Password;
use crate::random::Random;
use crate::state::{AppState, Services};
use crate::totp;

/// Number of recovery codes that an account gets.
const RECOVERY_CODES: usize = 10;

/// The password, and the code of the second factor if the account has one.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct OwnerProof {
    /// Current password.
    pub(super) password: Password,
    /// Code of the second factor, or a recovery code.
    #[serde(default)]
    pub(super) code: Option<TypedCode>,
}

/// What protects an account besides its password.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct Security {
    /// Number of recovery codes that are left.
    recovery_codes_left: u64,
    /// `true` if signing in needs a second factor.
    has_second_factor: bool,
    /// The confirmed e-mail address, if there is one.
    email: Option<String>,
    /// `true` if the server sends mail, so that an address can be added.
    sends_mail: bool,
}

/// Get what protects the account besides its password.
#[utoipa::path(
    get, path = "/api/security", tag = "people",
    responses(
        (status = 200, body = Security, description = "For the owner of the account"),
        (status = 401, body = ErrorBody, description = "`not_signed_in`"),
        (status = 403, body = ErrorBody, description = "`needs_account`"),
    )
)]
pub(crate) async fn security(
    State(state): State<AppState>,
    who: Identity,
) -> Result<Json<Security>, ApiError> {
    check_account(&who)?;
    let services = &*state.services;
    let moderation = services.store.moderation();
    Ok(Json(Security {
        recovery_codes_left: moderation.recovery_codes_left(who.player).await?,
        has_second_factor: moderation.second_factor(who.player).await?.is_some(),
        email: email_of(services, who.player).await?,
        sends_mail: services.mailer.is_some(),
    }))
}

/// Returns the confirmed e-mail address of a player.
pub(super) async fn email_of(
    services: &Services,
    player: PlayerId,
) -> Result<Option<String>, StoreError> {
    match services.store.emails() {
        Some(emails) => emails.email_of(player).await,
        None => Ok(None),
    }
}

/// Recovery codes.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct RecoveryCodes {
    /// The codes. They are shown only here; the server keeps their digests.
    codes: Vec<String>,
}

/// Create recovery codes. The codes before them stop working.
#[utoipa::path(
    post, path = "/api/recovery-codes", tag = "people", request_body = OwnerProof,
    responses(
        (status = 200, body = RecoveryCodes, description = "Ten codes; each works once"),
        (status = 401, body = ErrorBody, description = "`wrong_credentials`, `needs_code` or `bad_code`"),
        (status = 403, body = ErrorBody, description = "`needs_account`"),
        (status = 429, body = ErrorBody, description = "`rate_limited`"),
    )
)]
pub(crate) async fn create_recovery_codes(
    State(state): State<AppState>,
    address: ClientAddress,
    who: Identity,
    JsonBody(proof): JsonBody<OwnerProof>,
) -> Result<Json<RecoveryCodes>, ApiError> {
    let services = &*state.services;
    verify_owner(services, address, &who, proof).await?;
    let mut codes = Vec::with_capacity(RECOVERY_CODES);
    for _ in 0..RECOVERY_CODES {
        codes.push(Code::new()?);
    }
    let digests = codes.iter().map(Code::digest).collect();
    services.store.moderation().set_recovery_codes(who.player, digests).await?;
    Ok(Json(RecoveryCodes { codes: codes.iter().map(Code::reveal).collect() }))
}

/// A new password for an account whose owner has a recovery code.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Recovery {
    /// Name of the account.
    name: String,
    /// A recovery code, or a code from the operator or from an e-mail.
    code: TypedCode,
    /// The new password.
    new: Password,
}

/// Choose a new password with a code. All sessions end; sign in again afterward.
#[utoipa::path(
    post, path = "/api/recover", tag = "people", request_body = Recovery,
    responses(
        (status = 200, body = SessionsEnded, description = "The password was changed"),
        (status = 401, body = ErrorBody, description = "`bad_code`: the name or the code is wrong"),
        (status = 403, body = ErrorBody, description = "`banned`"),
        (status = 422, body = ErrorBody, description = "`bad_password`"),
        (status = 429, body = ErrorBody, description = "`rate_limited`"),
        (status = 503, body = ErrorBody, description = "`busy`"),
    )
)]
pub(crate) async fn recover(
    State(state): State<AppState>,
    address: ClientAddress,
    JsonBody(Recovery { name, code, new }): JsonBody<Recovery>,
) -> Result<Json<SessionsEnded>, ApiError> {
    let services = &*state.services;
    services.check_banned(Visitor { address: Some(address.0), ..Visitor::default() })?;
    new.check(&name)?;
    let guess = match services.is_unlimited(address.0) {
        true => None,
        false => Some(services.guess_limits.begin_login(address, &name)?),
    };
    // The hash is computed whether or not the name exists, so that the time says nothing about it.
    let hash = services.passwords.hash(new, services.limited(address)).await?;
    let account = services.store.account_by_name(&name).await?;
    let (account, code) = account.zip(Code::read(&code)).ok_or(ApiError::BadCode)?;
    let sessions = services.store.sessions_of(account.player).await?;
    use_code_for_password(services, &account, &code, hash).await?;
    if let Some(guess) = guess {
        guess.refund();
    }
    sessions.iter().for_each(|session| state.hub.end_session(session.digest));
    Ok(Json(SessionsEnded { ended: sessions.len() as u64 }))
}

/// Sets a new password with a recovery code, or else with a code that was sent by e-mail.
async fn use_code_for_password(
    services: &Services,
    account: &Account,
    code: &Code,
    password_hash: String,
) -> Result<(), StoreError> {
    let (player, digest, now) = (account.player, code.digest(), services.clock.now());
    let (moderation, hash) = (services.store.moderation(), password_hash.clone());
    let used = moderation.use_recovery_code(player, digest, now, Some(hash)).await;
    let (Err(StoreError::CodeRefused), Some(emails)) = (&used, services.store.emails()) else {
        return used;
    };
    let details = "with a code sent by e-mail";
    let entry = audit_entry(services, &account.name, "recover", &account.name, details);
    emails.reset_password(PasswordReset { player, digest, password_hash, entry }).await
}

/// A secret for an authenticator app. It has no effect until a code of it is confirmed.
#[derive(Serialize, ToSchema)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(crate) struct NewSecret {
    /// The secret in base 32, to type in.
    #[schema(example = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ")]
    secret: String,
    /// The same as a link for the app.
    link: String,
}

/// Get a secret for a second factor.
#[utoipa::path(
    post, path = "/api/second-factor/secret", tag = "people",
    responses(
        (status = 200, body = NewSecret, description = "Enter it in an app, then confirm a code"),
        (status = 403, body = ErrorBody, description = "`needs_account`"),
    )
)]
pub(crate) async fn create_secret(who: Identity) -> Result<Json<NewSecret>, ApiError> {
    check_account(&who)?;
    let secret = Random::secret()?;
    let link = totp::app_link(&secret, &who.name);
    Ok(Json(NewSecret { secret: totp::to_base32(&secret), link }))
}

/// A second factor that the owner has set up in an app.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FactorSetup {
    /// Current password.
    password: Password,
    /// The secret from `/api/second-factor/secret`.
    secret: String,
    /// A code that the app shows.
    code: TypedCode,
}

/// Turn on the second factor. From then on, signing in needs a code.
#[utoipa::path(
    post, path = "/api/second-factor", tag = "people", request_body = FactorSetup,
    responses(
        (status = 200, body = Security, description = "The second factor is on"),
        (status = 401, body = ErrorBody, description = "`wrong_credentials` or `bad_code`"),
        (status = 403, body = ErrorBody, description = "`needs_account`"),
        (status = 409, body = ErrorBody, description = "`signed_in`: there is one already"),
        (status = 429, body = ErrorBody, description = "`rate_limited`"),
    )
)]
pub(crate) async fn set_second_factor(
    State(state): State<AppState>,
    address: ClientAddress,
    who: Identity,
    JsonBody(FactorSetup { password, secret, code }): JsonBody<FactorSetup>,
) -> Result<Json<Security>, ApiError> {
    let services = &*state.services;
    // A factor that exists has to be removed first, which needs one of its codes.
    verify_password_of(services, address, &who, password).await?;
    let moderation = services.store.moderation();
    if moderation.second_factor(who.player).await?.is_some() {
        return Err(ApiError::NeedsCode);
    }
    let secret = totp::from_base32(&secret).ok_or(ApiError::BadCode)?;
    let step = totp::matching_step(&secret, &code.0, services.clock.now());
    let last_step = step.ok_or(ApiError::BadCode)?;
    let factor = SecondFactor { secret, last_step };
    moderation.set_second_factor(who.player, Some(factor)).await?;
    security(State(state), who).await
}

/// Turn off the second factor.
#[utoipa::path(
    post, path = "/api/second-factor/remove", tag = "people", request_body = OwnerProof,
    responses(
        (status = 200, body = Security, description = "The second factor is off"),
        (status = 401, body = ErrorBody, description = "`wrong_credentials`, `needs_code` or `bad_code`"),
        (status = 403, body = ErrorBody, description = "`needs_account`"),
        (status = 429, body = ErrorBody, description = "`rate_limited`"),
    )
)]
pub(crate) async fn remove_second_factor(
    State(state): State<AppState>,
    address: ClientAddress,
    who: Identity,
    JsonBody(proof): JsonBody<OwnerProof>,
) -> Result<Json<Security>, ApiError> {
    verify_owner(&state.services, address, &who, proof).await?;
    state.services.store.moderation().set_second_factor(who.player, None).await?;
    security(State(state), who).await
}

pub(super) fn check_account(who: &Identity) -> Result<(), ApiError> {
    if who.is_account { Ok(()) } else { Err(ApiError::NeedsAccount) }
}

/// Checks that a request comes from the owner of the account and not only from their browser.
pub(super) async fn verify_owner(
    services: &Services,
    address: ClientAddress,
    who: &Identity,
    OwnerProof { password, code }: OwnerProof,
) -> Result<Account, ApiError> {
    let account = verify_password_of(services, address, who, password).await?;
    verify_second_factor(services, who.player, code).await?;
    Ok(account)
}

async fn verify_password_of(
    services: &Services,
    address: ClientAddress,
    who: &Identity,
    password: Password,
) -> Result<Account, ApiError> {
    check_account(who)?;
    let guess = services.guess_limits.begin_change(who.player, who.session)?;
    let account = services.store.account_of(who.player).await;
    let attempt = PasswordAttempt { guess: Some(guess), address };
    verify_password(services, account, password, attempt).await
}

/// Checks the code of the second factor, or a recovery code in its place. An account without a second
/// factor needs no code.
pub(super) async fn verify_second_factor(
    services: &Services,
    player: PlayerId,
    code: Option<TypedCode>,
) -> Result<(), ApiError> {
    let moderation = services.store.moderation();
    let Some(factor) = moderation.second_factor(player).await? else { return Ok(()) };
    let code = code.filter(|code| !code.0.trim().is_empty()).ok_or(ApiError::NeedsCode)?;
    let guess = services.guess_limits.begin_code(player)?;
    let now = services.clock.now();
    let is_right = match totp::matching_step(&factor.secret, &code.0, now) {
        // An attacker who saw the owner enter a code cannot use it again.
        Some(step) => moderation.use_step(player, step).await?,
        None => match Code::read(&code) {
            Some(code) => use_code(services, player, &code).await?,
            None => false,
        },
    };
    if !is_right {
        return Err(ApiError::BadCode);
    }
    guess.refund();
    Ok(())
}

async fn use_code(services: &Services, player: PlayerId, code: &Code) -> Result<bool, StoreError> {
    let (digest, now) = (code.digest(), services.clock.now());
    match services.store.moderation().use_recovery_code(player, digest, now, None).await {
        Ok(()) => Ok(true),
        Err(StoreError::CodeRefused) => Ok(false),
        Err(error) => Err(error),
    }
}
