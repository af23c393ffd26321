//! Tries a migration on a copy of the database.
//!
//! Invariant: the database itself is only read. A server may be using it.

use std::path::{Path, PathBuf};

use crate::error::BackupError;
use crate::migrations::{DryRun, MigrationPlan};
use crate::sqlite::backup::{backup, remove, with_suffix};
use crate::sqlite::schema;

/// Returns the migrations that a database still needs.
///
/// # Errors
///
/// Fails if there is no database, or if it cannot be read, is not a Castellan database, or has a
/// newer schema.
pub fn migration_plan(database: &Path) -> Result<MigrationPlan, BackupError> {
    if !database.exists() {
        return Err(BackupError::NoDatabase { place: database.into() });
    }
    Ok(MigrationPlan::from(schema::version_of(database)?))
}

/// Migrates a copy of a database, which is then deleted. The folder needs space for the copy.
///
/// # Errors
///
/// Fails as [`migration_plan`] does, if the copy cannot be written, or if the migration itself fails.
pub fn dry_run_migration(database: &Path) -> Result<DryRun, BackupError> {
    let plan = migration_plan(database)?;
    if plan.steps.is_empty() {
        return Ok(DryRun { plan, was_tried: false });
    }
    let copy = Copy(with_suffix(database, ".dry-run"));
    copy.delete()?;
    backup(database, &copy.0)?;
    schema::migrate_file(&copy.0)?;
    Ok(DryRun { plan, was_tried: true })
}

/// A copy that is deleted with this value.
struct Copy(PathBuf);

impl Copy {
    fn delete(&self) -> Result<(), BackupError> {
        ["", "-journal", "-wal", "-shm"]
            .iter()
            .try_for_each(|suffix| remove(&with_suffix(&self.0, suffix)))
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        // A copy that stays is only a waste of space, and the next dry run replaces it.
        let _ = self.delete();
    }
}
