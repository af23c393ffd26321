//! How somebody at a socket becomes somebody: by a cookie, by a session, or as a guest.

use castellan_protocol::{Name, ServerCode, SessionToken};
use castellan_store::StoreError;

use crate::address::ClientAddress;
use crate::error::ApiError;
use crate::guests::{welcome_guest, welcome_guest_with_session};
use crate::identity::Identity;
use crate::rates::Action;
use crate::state::Services;

/// What the list of sessions says of one that was begun by a socket.
const DEVICE: &str = "a program";

/// Why somebody stays nobody.
#[derive(Debug)]
pub(crate) struct Unknown {
    pub(crate) code: ServerCode,
    pub(crate) words: String,
}

impl From<ServerCode> for Unknown {
    fn from(code: ServerCode) -> Unknown {
        Unknown { code, words: code.words().to_owned() }
    }
}

impl From<ApiError> for Unknown {
    fn from(error: ApiError) -> Unknown {
        let code = match error {
            ApiError::Name(_) => ServerCode::NeedsName,
            ApiError::NameTaken => ServerCode::NameTaken,
            ApiError::TooMany(_) => ServerCode::RateLimited,
            ApiError::Internal => ServerCode::Internal,
            _ => ServerCode::Busy,
        };
        Unknown { code, words: error.to_string() }
    }
}

/// A guest by name, without a session: gone when the socket is.
pub(crate) async fn guest(
    services: &Services,
    address: ClientAddress,
    name: &Name,
) -> Result<Identity, Unknown> {
    services.check_address(Action::Guest, address).map_err(ApiError::from)?;
    Ok(welcome_guest(services, name).await?)
}

/// A guest by name, with a session to come back with.
pub(crate) async fn guest_with_session(
    services: &Services,
    address: ClientAddress,
    name: &Name,
) -> Result<(Identity, SessionToken), Unknown> {
    services.check_address(Action::Guest, address).map_err(ApiError::from)?;
    Ok(welcome_guest_with_session(services, name, DEVICE).await?)
}

/// Whoever has a session.
pub(crate) async fn by_session(
    services: &Services,
    token: &SessionToken,
) -> Result<Identity, Unknown> {
    let found = Identity::of_session(token, services).await.map_err(|error| failed(&error))?;
    Ok(found.ok_or(ServerCode::SessionOver)?)
}

fn failed(error: &StoreError) -> Unknown {
    tracing::warn!("somebody could not be introduced: {error}");
    ServerCode::Busy.into()
}
