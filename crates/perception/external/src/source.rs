//! Where lines come from.

use std::path::PathBuf;

use crate::http::HttpLines;
use crate::tail::TailFile;

/// The newest line of a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    pub(crate) text: String,
    /// Counted from 1; a URL gives one line and has no count.
    pub(crate) number: Option<u64>,
}

/// A place where somebody writes lines.
pub(crate) trait Lines: Send {
    /// As messages call it.
    fn name(&self) -> String;

    /// The newest complete line, if there is any; an error is a sentence.
    fn newest(&mut self) -> Result<Option<Line>, String>;
}

/// A source that cannot be meant.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// Encrypted, or another protocol than HTTP.
    #[error(
        "read `{url}`: only `http://` is understood; a proxy on this computer can speak the rest"
    )]
    Scheme {
        /// What was given.
        url: String,
    },
    /// The path of a folder.
    #[error("read lines from {}: it is a folder; name the file in it", path.display())]
    Folder {
        /// What was given.
        path: PathBuf,
    },
}

/// A URL if it looks like one, else a file, which may come later.
pub(crate) fn open(place: &str, deadline_secs: f64) -> Result<Box<dyn Lines>, SourceError> {
    if place.starts_with("http://") {
        return Ok(Box::new(HttpLines::new(place, deadline_secs)));
    }
    if place.contains("://") {
        return Err(SourceError::Scheme { url: place.into() });
    }
    let path = PathBuf::from(place);
    if path.is_dir() {
        return Err(SourceError::Folder { path });
    }
    Ok(Box::new(TailFile::new(path)))
}
