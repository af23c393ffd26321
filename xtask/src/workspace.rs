//! Where the repository and its build folder are.

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
        // Cargo sets the variable for what it runs; the value known to the
        // compiler serves when the program is started by hand.
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

    /// The folder with the root manifest.
    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The folder cargo builds into; `CARGO_TARGET_DIR` may have moved it.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }
}
