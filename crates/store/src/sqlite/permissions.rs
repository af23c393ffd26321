//! Permissions of the database's files: only the user who runs the server may read them, because
//! they contain password hashes, session digests and chat.
//!
//! New files are created with these permissions, and SQLite gives the files of its log the
//! permissions of the database. Files of earlier versions, which other users could read, are
//! changed when the database is opened.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// Returns options that create a file for this user only.
pub(super) fn private_file() -> OpenOptions {
    let mut options = File::options();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Creates the database file if it does not exist.
pub(super) fn create(path: &Path) -> io::Result<()> {
    if path.exists() { Ok(()) } else { private_file().open(path).map(drop) }
}

/// Denies other users access to the files of a database. A failure is only logged, because the
/// files may belong to another user on purpose.
#[cfg(unix)]
pub(super) fn restrict(database: &Path) {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    for suffix in ["", "-wal", "-shm", ".lock"] {
        let mut path = database.as_os_str().to_owned();
        path.push(suffix);
        let Ok(metadata) = fs::metadata(&path) else { continue };
        let mode = metadata.permissions().mode();
        if mode & 0o077 == 0 {
            continue;
        }
        let place = Path::new(&path).display();
        match fs::set_permissions(&path, fs::Permissions::from_mode(mode & 0o700)) {
            Ok(()) => tracing::warn!("other users could access {place}; now they cannot"),
            Err(error) => tracing::warn!("other users can access {place}: {error}"),
        }
    }
}

/// Windows keeps the data of a user private by itself.
#[cfg(not(unix))]
pub(super) fn restrict(_: &Path) {}
