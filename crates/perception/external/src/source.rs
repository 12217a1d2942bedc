//! Where lines come from.

use std::path::PathBuf;

use crate::http::HttpLines;
use crate::lines::Lines;
use crate::tail::TailFile;

/// A source that cannot be meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// Encrypted, or another protocol than HTTP.
    #[error(
        "read `{0}`: only `http://` is understood; a proxy on this computer can speak the rest"
    )]
    Scheme(String),
    /// The path of a folder.
    #[error("read lines from {}: it is a folder; name the file in it", .0.display())]
    Folder(PathBuf),
}

/// A URL if it looks like one, else a file, which may come later.
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
