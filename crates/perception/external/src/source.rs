//! Selects a source of lines.

use std::path::PathBuf;

use crate::http::HttpLines;
use crate::lines::Lines;
use crate::tail::TailFile;

/// An invalid source of lines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// Another protocol than plain HTTP.
    #[error(
        "read `{0}`: only `http://` is supported; use a proxy on this computer for other protocols"
    )]
    Scheme(String),
    /// The path of a folder.
    #[error("read lines from {}: it is a folder; give a file in it", .0.display())]
    Folder(PathBuf),
}

/// Opens a URL, or else a file, which may be created later.
pub(crate) fn open(place: &str, deadline_secs: f64) -> Result<Box<dyn Lines>, SourceError> {
    if place.starts_with("http://") {
        return Ok(Box::new(HttpLines::new(place, deadline_secs)));
    }
    if place.contains("://") {
        return Err(SourceError::Scheme(place.into()));
    }
    let path = PathBuf::from(place);
    if path.is_dir() {
        return Err(SourceError::Folder(path));
    }
    Ok(Box::new(TailFile::new(path)))
}
