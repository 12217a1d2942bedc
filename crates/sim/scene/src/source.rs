//! Source of a file's text: the file system, or the program itself.

use std::path::{Component, Path, PathBuf};

use regrasp_mesh::read_text;

use crate::{Result, SceneError};

/// A file on disk, or one built into the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    File(PathBuf),
    /// A path below `assets`, with `/` as the separator.
    Builtin(String),
}

impl Source {
    pub(crate) fn file(path: &Path) -> Self {
        Self::File(path.to_owned())
    }

    pub(crate) fn name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Builtin(path) => path.clone(),
        }
    }

    /// Resolves a path relative to this file.
    pub(crate) fn join(&self, relative: &str) -> Self {
        match self {
            Self::File(path) => Self::File(path.parent().unwrap_or(Path::new("")).join(relative)),
            Self::Builtin(path) => {
                let folder = Path::new(path).parent().unwrap_or(Path::new(""));
                Self::Builtin(normalized(&folder.join(relative)))
            }
        }
    }

    pub(crate) fn read(&self) -> Result<String> {
        let unreadable = |message: String| SceneError::Unreadable {
            file: self.name(),
            message,
        };
        match self {
            Self::File(path) => read_text(path).map_err(|error| unreadable(error.to_string())),
            Self::Builtin(path) => regrasp_assets::find(path)
                .map(str::to_owned)
                .ok_or_else(|| unreadable("no such built-in file".to_owned())),
        }
    }
}

/// Removes `.` and `..`. Built-in files contain no symbolic links, so the path keeps its target.
fn normalized(path: &Path) -> String {
    let mut parts: Vec<String> = Vec::new();
    for component in path.components() {
        match component {
            Component::ParentDir => {
                parts.pop();
            }
            Component::Normal(part) => parts.push(part.to_string_lossy().into_owned()),
            _ => {}
        }
    }
    parts.join("/")
}
