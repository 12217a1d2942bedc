//! Test files: written here, or LIBERO's if available.

use std::path::PathBuf;

/// LIBERO's assets: below `REGRASP_LIBERO`, or `shared/libero` beside the repository.
pub(crate) fn libero() -> PathBuf {
    let beside = || regrasp_assets::workspace_root().join("../shared/libero");
    let folder = std::env::var_os("REGRASP_LIBERO").map_or_else(beside, PathBuf::from);
    let assets = folder.join("assets");
    assert!(assets.is_dir(), "there is no folder {}", assets.display());
    assets
}
