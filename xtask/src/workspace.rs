//! The paths of the repository and its build folder.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use cargo_metadata::MetadataCommand;

/// The two folders that every command needs.
pub(crate) struct Workspace {
    root: PathBuf,
    target: PathBuf,
}

impl Workspace {
    /// Finds the workspace this program was started from.
    pub(crate) fn locate() -> Result<Workspace> {
        // Cargo sets the variable for the programs it runs. If this program was started by hand,
        // the value from compile time is used.
        let own_folder = env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = own_folder.parent().context("xtask is not inside a workspace")?.to_owned();
        let metadata = MetadataCommand::new()
            .current_dir(&root)
            .no_deps()
            .exec()
            .context("cannot read the workspace")?;
        Ok(Workspace { root, target: metadata.target_directory.into_std_path_buf() })
    }

    /// Returns the folder with the root manifest.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the folder that cargo builds into, which `CARGO_TARGET_DIR` may have changed.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }
}
