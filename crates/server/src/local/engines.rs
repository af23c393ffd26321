//! Adding and removing external engines.

use core::num::{NonZeroU8, NonZeroU16};
use std::fs;
use std::path::{Path, PathBuf};

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;

use super::engine_list::{EngineSetup, ExternalEngine};
use super::{EngineError, Owner, engine_pool, local};
use crate::error::{ApiError, ErrorBody};
use crate::extract::{JsonBody, Segment};
use crate::state::AppState;

/// A program to add to the list of external engines.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) struct AddEngineRequest {
    /// Absolute path of the program.
    path: String,
    /// Arguments for the program, as in a command line.
    #[serde(default)]
    args: String,
    /// Size of the transposition table in megabytes; `null` for a small one.
    #[serde(default)]
    hash_mb: Option<NonZeroU16>,
    /// Number of threads; `null` for some of the processor's.
    #[serde(default)]
    threads: Option<NonZeroU8>,
}

/// Maximum length of the arguments in bytes.
const MAX_ARGS_BYTES: usize = 1000;

impl AddEngineRequest {
    fn setup(self) -> Result<EngineSetup, EngineError> {
        if self.args.len() > MAX_ARGS_BYTES {
            let why = format!("they are longer than {MAX_ARGS_BYTES} bytes");
            return Err(EngineError::BadArguments(why));
        }
        let args = castellan_uci::parse_args(&self.args)
            .map_err(|error| EngineError::BadArguments(error.to_string()))?;
        let path = PathBuf::from(self.path.trim());
        Ok(EngineSetup { path, args, hash_mb: self.hash_mb, threads: self.threads })
    }
}

/// The response to a request to add an engine.
#[derive(Serialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub(super) enum AddEngineReply {
    Added(ExternalEngine),
    Refused { refused: ErrorBody },
}

/// Adds the program at a path, if it is a UCI engine. A mistyped path does not make the request
/// fail, because a browser would report that in its console. The reason is part of the response
/// instead.
pub(super) async fn add(
    _: Owner,
    State(state): State<AppState>,
    JsonBody(request): JsonBody<AddEngineRequest>,
) -> Result<(StatusCode, Json<AddEngineReply>), ApiError> {
    let added = match request.setup() {
        Ok(setup) => add_engine(&state, setup).await,
        Err(error) => Err(error.into()),
    };
    match added {
        Ok(engine) => Ok((StatusCode::CREATED, Json(AddEngineReply::Added(engine)))),
        Err(error @ ApiError::Engine(_)) => {
            Ok((StatusCode::OK, Json(AddEngineReply::Refused { refused: error.body() })))
        }
        Err(error) => Err(error),
    }
}

async fn add_engine(state: &AppState, setup: EngineSetup) -> Result<ExternalEngine, ApiError> {
    let local = local(state)?;
    local.engines.check(&setup)?;
    check_file(&setup.path)?;
    let permit = local.pool.permit().ok_or(ApiError::Busy)?;
    let tried = setup.clone();
    let started = spawn_blocking(move || engine_pool::start(&tried, permit)).await;
    let running = started
        .map_err(|_| ApiError::Internal)?
        .map_err(|error| EngineError::NotUci(error.to_string()))?;
    let driver = &running.driver;
    let elo = engine_pool::elo_range(driver);
    let engine = local.engines.add(setup, [driver.name(), driver.author()], elo)?;
    local.pool.put(engine.id, running);
    Ok(engine)
}

/// Removes an engine from the list. The program itself is not deleted.
pub(super) async fn remove(
    _: Owner,
    State(state): State<AppState>,
    Segment(id): Segment,
) -> Result<StatusCode, ApiError> {
    let id = id.parse().map_err(|_| EngineError::Unknown)?;
    let local = local(&state)?;
    local.engines.remove(id)?;
    local.pool.remove(id);
    Ok(StatusCode::NO_CONTENT)
}

/// Checks that there is a program at a path.
fn check_file(path: &Path) -> Result<(), EngineError> {
    if !path.is_absolute() {
        return Err(EngineError::NotAbsolute);
    }
    let about = fs::metadata(path).map_err(|_| EngineError::NoFile)?;
    if !about.is_file() {
        return Err(EngineError::NoFile);
    }
    if is_executable(&about) { Ok(()) } else { Err(EngineError::NotExecutable) }
}

#[cfg(unix)]
fn is_executable(about: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    about.permissions().mode() & 0o111 != 0
}

/// On other systems, starting a file that is not a program fails anyway.
#[cfg(not(unix))]
fn is_executable(_: &fs::Metadata) -> bool {
    true
}
