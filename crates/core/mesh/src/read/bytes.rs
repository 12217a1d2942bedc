//! Reads a file's bytes, up to a size limit.

use std::fs;
use std::path::Path;

use crate::triangles::ReadError;

/// Largest accepted file, bytes: six times the largest mesh as STL.
const MAX_BYTES: u64 = 64 << 20;
pub(super) fn of_file(path: &Path) -> Result<Vec<u8>, ReadError> {
    let size = fs::metadata(path)?.len();
    if size > MAX_BYTES {
        return Err(ReadError::TooLarge {
            mb: size >> 20,
            most_mb: MAX_BYTES >> 20,
        });
    }
    Ok(fs::read(path)?)
}
