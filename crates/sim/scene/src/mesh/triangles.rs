//! Triangles as files hold them, and how large a file may be.

use std::fs;
use std::path::Path;

/// More than any object needs; keeps a wrong file from taking minutes.
pub(crate) const MAX_TRIANGLES: usize = 200_000;
/// The largest file that is looked at, bytes: six times the largest mesh as STL.
pub(super) const MAX_BYTES: u64 = 64 << 20;

/// Triangles as they stand in a file, in the file's own units and axes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Mesh {
    pub(crate) vertices: Vec<[f64; 3]>,
    pub(crate) triangles: Vec<[u32; 3]>,
}

/// The bytes of a file that is not too large.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    let size = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if size > MAX_BYTES {
        return Err(format!(
            "it has {} MB, more than {} MB",
            size >> 20,
            MAX_BYTES >> 20
        ));
    }
    fs::read(path).map_err(|error| error.to_string())
}
