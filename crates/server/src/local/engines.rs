//! Adding and removing external engines.

use std::fs;
use std::path::{Path, PathBuf};

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::Deserialize;
use tokio::task::spawn_blocking;

use super::shelf::Engine;
use super::{EngineRefusal, Owner, local, stable};
use crate::error::ApiError;
use crate::extract::{JsonBody, Segment};
use crate::state::AppState;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Addition {
    path: String,
}

/// Adds the program at a path, if it is a UCI engine.
pub(super) async fn add(
    _: Owner,
    State(state): State<AppState>,
    JsonBody(addition): JsonBody<Addition>,
) -> Result<(StatusCode, Json<Engine>), ApiError> {
    let path = PathBuf::from(addition.path.trim());
    let local = local(&state)?;
    local.shelf.check(&path)?;
    check_file(&path)?;
    let place = local.stable.place().ok_or(ApiError::Busy)?;
    let tried = path.clone();
    let started = spawn_blocking(move || stable::start(&tried, place)).await;
    let runner = started
        .map_err(|_| ApiError::Internal)?
        .map_err(|error| EngineRefusal::NotUci(error.to_string()))?;
    let driver = &runner.driver;
    let elo = stable::elo_range(driver);
    let engine = local.shelf.add(&path, [driver.name(), driver.author()], elo)?;
    local.stable.put(engine.id, runner);
    Ok((StatusCode::CREATED, Json(engine)))
}

/// Removes an engine from the list. The program itself is not deleted.
pub(super) async fn remove(
    _: Owner,
    State(state): State<AppState>,
    Segment(id): Segment,
) -> Result<StatusCode, ApiError> {
    let id = id.parse().map_err(|_| EngineRefusal::Unknown)?;
    let local = local(&state)?;
    local.shelf.remove(id)?;
    local.stable.remove(id);
    Ok(StatusCode::NO_CONTENT)
}

/// Checks that there is a program at a path.
fn check_file(path: &Path) -> Result<(), EngineRefusal> {
    if !path.is_absolute() {
        return Err(EngineRefusal::NotAbsolute);
    }
    let about = fs::metadata(path).map_err(|_| EngineRefusal::NoFile)?;
    if !about.is_file() {
        return Err(EngineRefusal::NoFile);
    }
    if is_executable(&about) { Ok(()) } else { Err(EngineRefusal::NotExecutable) }
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
