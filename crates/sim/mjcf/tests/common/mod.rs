//! Files for tests: written here, or LIBERO's where they are.

#![expect(clippy::print_stderr, reason = "what was not compared is told")]

use std::path::PathBuf;

/// LIBERO's folder: `REGRASP_LIBERO`, or `shared/libero` beside the repository; `None` if there
/// is none.
pub(crate) fn libero() -> Option<PathBuf> {
    let beside = || regrasp_assets::workspace_root().join("../shared/libero");
    let folder = std::env::var_os("REGRASP_LIBERO").map_or_else(beside, PathBuf::from);
    let assets = folder.join("assets");
    if assets.is_dir() {
        return Some(assets);
    }
    // Told, so that nobody takes a test that compared nothing for one that did.
    eprintln!(
        "there are no files of LIBERO at {}: not compared",
        folder.display()
    );
    None
}
