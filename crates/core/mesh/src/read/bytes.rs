//! The bytes of a file that is not too large.

use std::fs;
use std::path::Path;

use crate::triangles::ReadError;

/// The largest file that is looked at, bytes: six times the largest mesh as STL.
const MAX_BYTES: u64 = 64 << 20;
/// Reads a whole file.
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
