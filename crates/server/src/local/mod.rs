//! Features for the user who started the server on this machine: external engines, and quitting.
//!
//! This module is responsible for access control and for the routes below `/api/local`. They
//! exist only if the program was started for one person (`castellan play`).
//!
//! A client that can make the server run any program can do whatever the server's user may do. So
//! three things have to hold for every request: it comes over a loopback connection and not
//! through a proxy, it comes from our own page, and it carries the key, which is known only to
//! the browser that the program has opened. Other users of the machine can connect, but do not
//! know the key.

mod engine_list;
mod engine_pool;
mod engines;
mod error;
mod key;
mod search;

use std::sync::atomic::{AtomicBool, Ordering};

use axum::Json;
use axum::Router;
use axum::extract::{FromRequestParts, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::routing::{delete, get, post};
use serde::Serialize;
use tokio::sync::Notify;

use crate::address::{Peer, is_forwarded};
use crate::error::ApiError;
use crate::origin::SameOrigin;
use crate::state::AppState;
use engine_list::{EngineList, ExternalEngine};
use engine_pool::EnginePool;
pub use error::EngineError;
pub use key::{LocalConfig, LocalKey};

/// State of the features for the user who started the program.
#[derive(Debug)]
pub(crate) struct Local {
    key: LocalKey,
    engines: EngineList,
    pool: EnginePool,
    quit: Notify,
    is_quitting: AtomicBool,
}

impl Local {
    pub(crate) fn new(config: &LocalConfig) -> Local {
        Local {
            key: config.key.clone(),
            engines: EngineList::open(config.engines.clone()),
            pool: EnginePool::default(),
            quit: Notify::new(),
            is_quitting: AtomicBool::new(false),
        }
    }

    /// Waits until the user asks the program to quit.
    pub(crate) async fn asked_to_quit(&self) {
        while !self.is_quitting.load(Ordering::Acquire) {
            self.quit.notified().await;
        }
    }

    /// Ends engines that have been idle for a while.
    pub(crate) fn tidy(&self) {
        self.pool.tidy();
    }

    /// Ends all idle engines at once, and tells the searching ones to stop.
    pub(crate) fn close(&self) {
        self.pool.close();
    }
}

/// Returns the routes for the user who started the program.
pub(crate) fn routes() -> Router<AppState> {
    Router::new()
        .route("/api/local", get(describe))
        .route("/api/local/engines", post(engines::add))
        .route("/api/local/engines/{id}", delete(engines::remove))
        .route("/api/local/engines/{id}/think", post(search::start_search))
        .route("/api/local/quit", post(quit))
}

/// Name of the header with the key.
const KEY: &str = "x-castellan-key";

/// Extractor that lets a handler run only for the user who started the program.
pub(crate) struct Owner;

impl FromRequestParts<AppState> for Owner {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Owner, ApiError> {
        let local = local(state)?;
        let peer = parts.extensions.get::<Peer>();
        let is_near = peer.is_some_and(|peer| peer.0.ip().to_canonical().is_loopback());
        if !is_near || is_forwarded(&parts.headers) {
            return Err(ApiError::Forbidden);
        }
        SameOrigin::from_request_parts(parts, state).await?;
        let key = parts.headers.get(KEY).map(axum::http::HeaderValue::as_bytes);
        if key.is_some_and(|key| local.key.is(key)) { Ok(Owner) } else { Err(ApiError::Forbidden) }
    }
}

/// Returns the local features, or an error on a server for others.
fn local(state: &AppState) -> Result<&Local, ApiError> {
    state.services.local.as_ref().ok_or(ApiError::NotFound)
}

#[derive(Serialize)]
struct LocalFeatures {
    engines: Vec<ExternalEngine>,
}

async fn describe(
    _: Owner,
    State(state): State<AppState>,
) -> Result<Json<LocalFeatures>, ApiError> {
    Ok(Json(LocalFeatures { engines: local(&state)?.engines.list() }))
}

async fn quit(_: Owner, State(state): State<AppState>) -> Result<StatusCode, ApiError> {
    let local = local(&state)?;
    local.is_quitting.store(true, Ordering::Release);
    local.quit.notify_one();
    Ok(StatusCode::ACCEPTED)
}
