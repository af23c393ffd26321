//! The e-mail address of an account, which is confirmed before it is used, and new passwords by
//! e-mail.
//!
//! No response says whether an account or an address exists.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use castellan_store::EmailStore;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::security::{OwnerProof, Security, check_account, security, verify_owner};
use crate::address::ClientAddress;
use crate::codes::{Code, TypedCode};
use crate::error::{ApiError, ErrorBody};
use crate::extract::JsonBody;
use crate::identity::Identity;
use crate::mail::{EmailAddress, Language, MailKind, NotAnAddress, VALID_MINUTES};
use crate::moderation::Visitor;
use crate::passwords::Password;
use crate::rates::Action;
use crate::state::{AppState, Services};

/// A message will be sent, if the account or the address exists.
#[derive(Serialize, ToSchema)]
pub(crate) struct MailQueued {
    /// How long the code in the message is valid, in minutes.
    #[schema(example = 30)]
    valid_minutes: u64,
}

const QUEUED: (StatusCode, Json<MailQueued>) =
    (StatusCode::ACCEPTED, Json(MailQueued { valid_minutes: VALID_MINUTES }));

/// A new address for the account.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewEmail {
    /// The e-mail address to add.
    #[schema(example = "anna@example.org")]
    email: String,
    /// Current password.
    password: Password,
    /// Code of the second factor, or a recovery code, if the account has a second factor.
    #[serde(default)]
    code: Option<TypedCode>,
    /// Language of the message.
    #[serde(default)]
    language: Language,
}

/// Ask for a code that confirms an e-mail address. The address counts once the code is entered.
#[utoipa::path(
    post, path = "/api/email", tag = "people", request_body = NewEmail,
    responses(
        (status = 202, body = MailQueued, description = "A code is sent to the address"),
        (status = 401, body = ErrorBody, description = "`wrong_credentials`, `needs_code` or `bad_code`"),
        (status = 403, body = ErrorBody, description = "`needs_account`"),
        (status = 404, body = ErrorBody, description = "`not_found`: the server sends no mail"),
        (status = 422, body = ErrorBody, description = "`bad_email`"),
        (status = 429, body = ErrorBody, description = "`rate_limited`"),
        (status = 503, body = ErrorBody, description = "`busy`"),
    )
)]
pub(crate) async fn set_email(
    State(state): State<AppState>,
    address: ClientAddress,
    who: Identity,
    JsonBody(NewEmail { email, password, code, language }): JsonBody<NewEmail>,
) -> Result<(StatusCode, Json<MailQueued>), ApiError> {
    let services = &*state.services;
    check_mail(services)?;
    let email: EmailAddress = email.parse().map_err(|NotAnAddress| ApiError::BadEmail)?;
    let account = verify_owner(services, address, &who, OwnerProof { password, code }).await?;
    services.check_address(Action::Mail, address)?;
    let (player, name) = (account.player, account.name);
    services.request_mail(MailKind::Confirm { player, name, address: email }, language)?;
    Ok(QUEUED)
}

/// A code from a message.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EmailConfirmation {
    /// The code.
    code: TypedCode,
}

/// Confirm the e-mail address with the code that was sent to it.
#[utoipa::path(
    post, path = "/api/email/confirm", tag = "people", request_body = EmailConfirmation,
    responses(
        (status = 200, body = Security, description = "The account has the address"),
        (status = 401, body = ErrorBody, description = "`not_signed_in` or `bad_code`"),
        (status = 403, body = ErrorBody, description = "`needs_account`"),
        (status = 404, body = ErrorBody, description = "`not_found`: the server sends no mail"),
        (status = 429, body = ErrorBody, description = "`rate_limited`"),
    )
)]
pub(crate) async fn confirm_email(
    State(state): State<AppState>,
    who: Identity,
    JsonBody(EmailConfirmation { code }): JsonBody<EmailConfirmation>,
) -> Result<Json<Security>, ApiError> {
    let services = &*state.services;
    let emails = check_mail(services)?;
    check_account(&who)?;
    let guess = services.guess_limits.begin_change(who.player, who.session)?;
    let code = Code::read(&code).ok_or(ApiError::BadCode)?;
    emails.confirm_email(who.player, code.digest(), services.clock.now()).await?;
    guess.refund();
    security(State(state), who).await
}

/// Remove the e-mail address from the account.
#[utoipa::path(
    post, path = "/api/email/remove", tag = "people", request_body = OwnerProof,
    responses(
        (status = 200, body = Security, description = "The account has no address"),
        (status = 401, body = ErrorBody, description = "`wrong_credentials`, `needs_code` or `bad_code`"),
        (status = 403, body = ErrorBody, description = "`needs_account`"),
        (status = 404, body = ErrorBody, description = "`not_found`: the server has no addresses"),
        (status = 429, body = ErrorBody, description = "`rate_limited`"),
    )
)]
pub(crate) async fn remove_email(
    State(state): State<AppState>,
    address: ClientAddress,
    who: Identity,
    JsonBody(proof): JsonBody<OwnerProof>,
) -> Result<Json<Security>, ApiError> {
    // An address can be removed even if the server no longer sends mail.
    let emails = state.services.store.emails().ok_or(ApiError::NotFound)?;
    verify_owner(&state.services, address, &who, proof).await?;
    emails.remove_email(who.player).await?;
    security(State(state), who).await
}

/// An account whose owner has forgotten the password.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ResetRequest {
    /// Name of the account, or its e-mail address.
    #[schema(example = "Anna")]
    account: String,
    /// Language of the message.
    #[serde(default)]
    language: Language,
}

/// Maximum length of a name or an address that is looked up, in bytes.
const MAX_TYPED_BYTES: usize = 256;

/// Ask for a code for a new password by e-mail. The response is the same whether or not there is
/// such an account. The code is used with `/api/recover`.
#[utoipa::path(
    post, path = "/api/recover/mail", tag = "people", request_body = ResetRequest,
    responses(
        (status = 202, body = MailQueued, description = "A code is sent to the confirmed address"),
        (status = 403, body = ErrorBody, description = "`banned`"),
        (status = 404, body = ErrorBody, description = "`not_found`: the server sends no mail"),
        (status = 429, body = ErrorBody, description = "`rate_limited`"),
        (status = 503, body = ErrorBody, description = "`busy`"),
    )
)]
pub(crate) async fn request_reset(
    State(state): State<AppState>,
    address: ClientAddress,
    JsonBody(ResetRequest { account, language }): JsonBody<ResetRequest>,
) -> Result<(StatusCode, Json<MailQueued>), ApiError> {
    let services = &*state.services;
    check_mail(services)?;
    services.check_banned(Visitor { address: Some(address.0), ..Visitor::default() })?;
    services.check_address(Action::Mail, address)?;
    let account = account.trim().to_owned();
    if account.len() <= MAX_TYPED_BYTES {
        services.request_mail(MailKind::Reset { account }, language)?;
    }
    Ok(QUEUED)
}

/// Checks that the server sends mail.
fn check_mail(services: &Services) -> Result<&dyn EmailStore, ApiError> {
    let emails = services.store.emails().filter(|_| services.mailer.is_some());
    emails.ok_or(ApiError::NotFound)
}
