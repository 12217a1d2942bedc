//! Sources of lines from another process: a growing file, or a URL.

use std::path::PathBuf;

use crate::http::Client;
use crate::tail::{Line, TailFile};

/// An invalid source of lines.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// A protocol other than plain HTTP.
    #[error(
        "read `{0}`: only `http://` is supported; use a proxy on this computer for other protocols"
    )]
    Scheme(String),
    /// The path of a folder.
    #[error("read lines from {}: it is a folder; give a file in it", .0.display())]
    Folder(PathBuf),
}

pub(crate) enum Source {
    File(TailFile),
    /// A URL that answers with its newest line last.
    Url(String, Client),
}

impl Source {
    /// Opens a URL, or else a file, which may be created later.
    pub(crate) fn open(place: &str, deadline_secs: f64) -> Result<Self, SourceError> {
        if place.starts_with("http://") {
            return Ok(Self::Url(place.to_owned(), Client::new(deadline_secs)));
        }
        if place.contains("://") {
            return Err(SourceError::Scheme(place.into()));
        }
        let path = PathBuf::from(place);
        if path.is_dir() {
            return Err(SourceError::Folder(path));
        }
        Ok(Self::File(TailFile::new(path)))
    }

    /// Name of the source in messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::File(file) => file.path.display().to_string(),
            Self::Url(url, _) => url.clone(),
        }
    }

    /// Returns the newest complete line, if there is any. An error is a sentence.
    pub(crate) fn newest(&mut self) -> Result<Option<Line>, String> {
        let (url, client) = match self {
            Self::File(file) => return file.newest(),
            Self::Url(url, client) => (url, client),
        };
        let text = String::from_utf8(client.get(url)?)
            .map_err(|_| format!("get {url}: the answer is not UTF-8 text"))?;
        let last = text.lines().rfind(|line| !line.trim().is_empty());
        Ok(last.map(|line| Line {
            text: line.to_owned(),
            number: None,
        }))
    }
}
