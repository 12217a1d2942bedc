//! Reads a file's bytes, up to a size limit, and decodes text.

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use encoding_rs::UTF_8;

use crate::triangles::{ReadError, Result, truncated};

/// Largest accepted file, bytes: six times the largest mesh as STL.
const MAX_BYTES: u64 = 64 << 20;

/// Reads a file unless it is larger than 64 MB.
///
/// # Errors
///
/// [`ReadError`] if it cannot be read, or is larger.
pub fn file_bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    let size = fs::metadata(path)?.len();
    if size > MAX_BYTES {
        return Err(ReadError::TooLarge {
            mb: size >> 20,
            most_mb: MAX_BYTES >> 20,
        });
    }
    Ok(fs::read(path)?)
}

/// Splits the header from a binary file.
pub(super) fn header(bytes: &[u8], length: usize) -> Result<(&[u8], &[u8])> {
    bytes.split_at_checked(length).ok_or_else(|| {
        let n = bytes.len();
        truncated(format_args!(
            "it has {n} bytes, fewer than the {length} bytes of its header"
        ))
    })
}

/// Decodes a text file: as UTF-16 if its byte order mark says so, as in files of some editors and
/// shells, otherwise as UTF-8. The mark is removed, and invalid bytes are replaced.
pub(super) fn text(bytes: &[u8]) -> Cow<'_, str> {
    UTF_8.decode(bytes).0
}

/// Returns true if the file begins with a byte order mark of UTF-16.
pub(super) fn is_utf_16(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff")
}
