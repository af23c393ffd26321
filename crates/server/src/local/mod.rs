//! Features for the user who started the server on this machine: external engines, and quitting.
//!
//! This module is responsible for access control and for the routes below `/api/local`. They
//! exist only if the program was started for one person (`castellan play`).
//!
//! A client that can make the server run any program can do whatever the server's user may do. So
//! three things have to hold for every request: it comes over a loopback connection and not
//! through a proxy, it comes from our own page, and it carries the key, which is known only to
//! the browser that the program has opened. Other users of the machine can connect, but do not
//! know the key; [`launch`] says how the browser gets it without showing it to them.

mod engine_list;
mod engine_pool;
mod engines;
mod error;
mod key;
mod launch;
mod search;

use core::num::NonZeroU8;
use std::sync::atomic::{AtomicBool, Ordering};

use axum::Extension;
use axum::Json;
use axum::Router;
use axum::extract::{FromRequestParts, State};
use axum::http::HeaderMap;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Redirect;
use axum::routing::{delete, get, post};
use serde::{Deserialize, Serialize};
use tokio::sync::Notify;

use crate::address::{Peer, is_forwarded};
use crate::error::ApiError;
use crate::extract::UrlQuery;
use crate::origin::SameOrigin;
use crate::state::AppState;
use engine_list::{EngineList, ExternalEngine};
use engine_pool::EnginePool;
pub use error::EngineError;
pub use key::{LaunchConfig, LocalConfig, LocalKey, OwnCommand};
use launch::Launch;

/// State of the features for the user who started the program.
#[derive(Debug)]
pub(crate) struct Local {
    key: LocalKey,
    launch: Option<Launch>,
    engines: EngineList,
    /// The program itself as an engine, if it is one.
    own: Option<ExternalEngine>,
    pool: EnginePool,
    quit: Notify,
    is_quitting: AtomicBool,
}

impl Local {
    pub(crate) fn new(config: &LocalConfig) -> Local {
        Local {
            key: config.key.clone(),
            launch: config.launch.as_ref().map(Launch::new),
            engines: EngineList::open(config.engines.clone()),
            own: config.own_engine.clone().map(ExternalEngine::own),
            pool: EnginePool::new(config.engine_memory_mb),
            quit: Notify::new(),
            is_quitting: AtomicBool::new(false),
        }
    }

    /// Returns an engine of the list, or the program's own one.
    fn engine(&self, id: u32) -> Option<ExternalEngine> {
        let own = self.own.as_ref().filter(|own| own.id == id);
        own.cloned().or_else(|| self.engines.get(id))
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
        .route("/api/local/open", get(open))
        .route("/api/local/engines", post(engines::add))
        .route("/api/local/engines/{id}", delete(engines::remove))
        .route("/api/local/engines/{id}/search", post(search::start_search))
        .route("/api/local/quit", post(quit))
}

/// Visits the requests and responses of the page.
#[cfg(test)]
pub(crate) fn visit_types(visitor: &mut impl ts_rs::TypeVisitor) {
    visitor.visit::<LocalFeatures>();
    visitor.visit::<engines::AddEngineRequest>();
    visitor.visit::<engines::AddEngineReply>();
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
        if !peer.is_some_and(|peer| is_near(*peer, &parts.headers)) {
            return Err(ApiError::Forbidden);
        }
        SameOrigin::from_request_parts(parts, state).await?;
        let key = parts.headers.get(KEY).map(axum::http::HeaderValue::as_bytes);
        if key.is_some_and(|key| local.key.is(key)) { Ok(Owner) } else { Err(ApiError::Forbidden) }
    }
}

/// Returns `true` if a request comes from this machine, and not through a proxy.
fn is_near(peer: Peer, headers: &HeaderMap) -> bool {
    peer.remote.ip().to_canonical().is_loopback() && !is_forwarded(headers)
}

/// Returns the local features, or an error on a server for others.
fn local(state: &AppState) -> Result<&Local, ApiError> {
    state.services.local.as_ref().ok_or(ApiError::NotFound)
}

/// What the program offers to the user who started it.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct LocalFeatures {
    engines: Vec<ExternalEngine>,
    /// The engine of the page as a program, which can use several threads.
    own: Option<OwnEngine>,
}

/// The engine of the page as a program on this machine.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct OwnEngine {
    /// The number with which it is asked.
    id: u32,
    /// The number of threads that the processor runs at once.
    processors: NonZeroU8,
}

async fn describe(
    _: Owner,
    State(state): State<AppState>,
) -> Result<Json<LocalFeatures>, ApiError> {
    let local = local(&state)?;
    let own = local.own.as_ref();
    let own = own.map(|own| OwnEngine { id: own.id, processors: engine_pool::processors() });
    Ok(Json(LocalFeatures { engines: local.engines.list(), own }))
}

#[derive(Deserialize)]
struct LaunchQuery {
    /// The code that works once.
    code: String,
}

/// Sends the browser that the program has opened to the page with the key, and every other browser
/// to the page without it. The part after the hash never leaves the browser.
async fn open(
    _: SameOrigin,
    State(state): State<AppState>,
    peer: Option<Extension<Peer>>,
    headers: HeaderMap,
    UrlQuery(query): UrlQuery<LaunchQuery>,
) -> Result<Redirect, ApiError> {
    let local = local(&state)?;
    let peer = peer.map(|Extension(peer)| peer).filter(|peer| is_near(*peer, &headers));
    let is_accepted = match (&local.launch, peer) {
        (Some(launch), Some(peer)) => launch.accept(&query.code, peer),
        _ => false,
    };
    let hash = if is_accepted { format!("#key={}", local.key.as_str()) } else { String::new() };
    Ok(Redirect::to(&format!("/{hash}")))
}

async fn quit(_: Owner, State(state): State<AppState>) -> Result<StatusCode, ApiError> {
    let local = local(&state)?;
    local.is_quitting.store(true, Ordering::Release);
    local.quit.notify_one();
    Ok(StatusCode::ACCEPTED)
}
