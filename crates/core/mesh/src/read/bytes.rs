//! Reads a file's bytes, up to a size limit, and decodes text.

use std::borrow::Cow;
use std::fs::File;
use std::io::{Error, ErrorKind, Read, Result as IoResult};
use std::path::Path;

use encoding_rs::UTF_8;

use crate::triangles::{Result, truncated};

/// Largest accepted file, bytes: six times the largest mesh as STL.
const MAX_BYTES: u64 = 64 << 20;

/// Reads a file unless it is larger than 64 MB, or a device that does not end.
///
/// # Errors
///
/// The error of the operating system, or one that says that the path is a folder, or the file too
/// large.
pub fn file_bytes(path: &Path) -> IoResult<Vec<u8>> {
    let mut bytes = vec![];
    if path.is_dir() {
        let why = "it is a folder; name a file";
        return Err(Error::new(ErrorKind::IsADirectory, why));
    }
    let file = File::open(path).map_err(|error| match error.kind() {
        kind @ ErrorKind::NotFound => Error::new(kind, "there is no such file"),
        _ => error,
    })?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > MAX_BYTES {
        true => Err(Error::other(
            "it has more than 64 MB, the most that is read",
        )),
        false => Ok(bytes),
    }
}

/// Reads a text file.
///
/// # Errors
///
/// The error of [`file_bytes`], or one that says that the file is not UTF-8 text.
pub fn read_text(path: &Path) -> IoResult<String> {
    String::from_utf8(file_bytes(path)?).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = valid.iter().filter(|b| **b == b'\n').count() + 1;
        let message = format!("it is not UTF-8 from line {line} on; save it as UTF-8");
        Error::new(ErrorKind::InvalidData, message)
    })
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
