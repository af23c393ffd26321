//! The dependencies between packages, according to cargo.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Node, Package as CargoPackage};

use crate::workspace::Workspace;

/// The packages of this workspace, and all their direct and indirect dependencies.
pub(super) struct Dependencies {
    pub(super) members: Vec<Member>,
    /// All packages, by their cargo package id.
    pub(super) packages: BTreeMap<String, Package>,
}

/// A package of this workspace and its dependencies on other packages of the workspace.
pub(super) struct Member {
    pub(super) id: String,
    pub(super) name: String,
    /// The path of the manifest, from the root.
    pub(super) manifest: String,
    pub(super) uses: Vec<Use>,
}

/// One dependency on another package of this workspace.
pub(super) struct Use {
    pub(super) name: String,
    /// Whether only tests, examples and benchmarks use it.
    pub(super) only_dev: bool,
}

/// A resolved package, from this workspace or third-party.
pub(super) struct Package {
    pub(super) name: String,
    pub(super) version: String,
    pub(super) licence: Option<String>,
    /// The ids of its build and normal dependencies, without dev-dependencies.
    pub(super) needs: Vec<String>,
}

/// Reads the dependencies from `cargo metadata`, without building anything.
pub(super) fn read(workspace: &Workspace) -> Result<Dependencies> {
    let metadata = MetadataCommand::new()
        .current_dir(workspace.root())
        .exec()
        .context("cannot read the dependencies")?;
    let own = metadata.workspace_packages();
    let members = own.into_iter().map(|package| member(package, &metadata)).collect();
    let resolve = metadata.resolve.as_ref().context("cargo resolved no dependencies")?;
    let packages = metadata.packages.iter().map(|package| {
        let node = resolve.nodes.iter().find(|node| node.id == package.id);
        (package.id.repr.clone(), resolved(package, node))
    });
    Ok(Dependencies { members, packages: packages.collect() })
}

fn member(package: &CargoPackage, metadata: &Metadata) -> Member {
    let relative = package.manifest_path.strip_prefix(&metadata.workspace_root);
    let own = package.dependencies.iter().filter(|dependency| dependency.path.is_some());
    let uses = own.map(|dependency| Use {
        name: dependency.name.clone(),
        only_dev: dependency.kind == DependencyKind::Development,
    });
    Member {
        id: package.id.repr.clone(),
        name: package.name.to_string(),
        manifest: relative.unwrap_or(&package.manifest_path).as_str().replace('\\', "/"),
        uses: uses.collect(),
    }
}

fn resolved(package: &CargoPackage, node: Option<&Node>) -> Package {
    let all = node.map_or(&[][..], |node| &node.deps);
    let needs = all.iter().filter(|needed| {
        needed.dep_kinds.iter().any(|kind| kind.kind != DependencyKind::Development)
    });
    Package {
        name: package.name.to_string(),
        version: package.version.to_string(),
        licence: package.license.clone(),
        needs: needs.map(|needed| needed.pkg.repr.clone()).collect(),
    }
}
