//! Finds and creates the folder for a user's data.

use std::env;
use std::fs::DirBuilder;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::bail;

/// Returns the requested folder, or the system's default for application data.
pub(crate) fn data_folder(asked_for: Option<PathBuf>) -> anyhow::Result<PathBuf> {
    let variable = |name: &str| env::var_os(name).filter(|value| !value.is_empty());
    let found = asked_for.or_else(|| default_folder(|name| variable(name).map(PathBuf::from)));
    match found {
        Some(folder) => Ok(folder),
        None => bail!("no data folder found; specify one with --data"),
    }
}

/// Creates the folder, for this user only. Warns if it exists and other users can look into it; it
/// may be a folder that is not ours alone, so its permissions stay as they are.
pub(super) fn create(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    #[cfg(unix)]
    if std::os::unix::fs::PermissionsExt::mode(&folder.metadata()?.permissions()) & 0o077 != 0 {
        let folder = folder.display();
        tracing::warn!(
            "other users can look into {folder}; if only castellan uses it, run: chmod 700 {folder}"
        );
    }
    Ok(())
}

fn default_folder(variable: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let folder = if cfg!(windows) {
        variable("APPDATA")?
    } else if cfg!(target_os = "macos") {
        variable("HOME")?.join("Library/Application Support")
    } else {
        // The XDG specification says to ignore relative paths.
        let xdg = variable("XDG_DATA_HOME").filter(|folder| folder.is_absolute());
        xdg.or_else(|| Some(variable("HOME")?.join(".local/share")))?
    };
    Some(folder.join("castellan"))
}

#[cfg(all(test, not(windows), not(target_os = "macos")))]
mod tests {
    use super::*;

    #[track_caller]
    fn check(variables: &[(&str, &str)], expected: Option<&str>) {
        let find = |name: &str| {
            let found = variables.iter().find(|(key, _)| *key == name);
            found.map(|(_, value)| PathBuf::from(value))
        };
        assert_eq!(default_folder(find), expected.map(PathBuf::from));
    }

    #[test]
    fn the_folder_is_where_the_system_has_it() {
        check(&[("HOME", "/home/a")], Some("/home/a/.local/share/castellan"));
        check(&[("HOME", "/home/a"), ("XDG_DATA_HOME", "/data")], Some("/data/castellan"));
        check(&[("XDG_DATA_HOME", "data")], None);
        check(&[], None);
    }

    #[test]
    fn a_given_folder_is_used() {
        assert_eq!(data_folder(Some("x".into())).unwrap(), PathBuf::from("x"));
    }
}
