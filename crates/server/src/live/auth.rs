//! Authentication of WebSocket clients: by session token, or as a guest.

use castellan_protocol::{Name, ServerCode, SessionToken};
use castellan_store::StoreError;

use crate::address::ClientAddress;
use crate::error::ApiError;
use crate::guests::{create_guest, create_guest_with_session};
use crate::identity::Identity;
use crate::moderation::Visitor;
use crate::rates::Action;
use crate::state::Services;

/// Device name that the session list shows for a session created over a WebSocket.
const DEVICE: &str = "API client";

/// Why authentication failed.
#[derive(Debug)]
pub(crate) struct AuthError {
    pub(crate) code: ServerCode,
    pub(crate) message: String,
}

impl From<ServerCode> for AuthError {
    fn from(code: ServerCode) -> AuthError {
        AuthError { code, message: code.message().to_owned() }
    }
}

impl From<ApiError> for AuthError {
    fn from(error: ApiError) -> AuthError {
        AuthError { code: error.code(), message: error.to_string() }
    }
}

/// Creates a guest without a session. The guest is gone when the connection closes.
pub(crate) async fn guest(
    services: &Services,
    address: ClientAddress,
    name: &Name,
) -> Result<Identity, AuthError> {
    services.check_address(Action::Guest, address).map_err(ApiError::from)?;
    check_banned(services, address, name)?;
    Ok(create_guest(services, name).await?)
}

/// Creates a guest with a session token, which lets the client return.
pub(crate) async fn guest_with_session(
    services: &Services,
    address: ClientAddress,
    name: &Name,
) -> Result<(Identity, SessionToken), AuthError> {
    services.check_address(Action::Guest, address).map_err(ApiError::from)?;
    check_banned(services, address, name)?;
    Ok(create_guest_with_session(services, name, DEVICE).await?)
}

/// Returns the user that a session belongs to.
pub(crate) async fn by_session(
    services: &Services,
    token: &SessionToken,
) -> Result<Identity, AuthError> {
    let found = Identity::of_session(token, services).await.map_err(|error| failed(&error))?;
    Ok(found.ok_or(ServerCode::SessionOver)?)
}

fn check_banned(services: &Services, address: ClientAddress, name: &Name) -> Result<(), ApiError> {
    let (name, address) = (Some(name.as_str()), Some(address.0));
    services.check_banned(Visitor { name, address, player: None })
}

fn failed(error: &StoreError) -> AuthError {
    tracing::warn!("a session could not be looked up: {error}");
    ServerCode::Busy.into()
}
