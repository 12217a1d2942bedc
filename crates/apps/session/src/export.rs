//! Files in other formats that can be made from a recorded run.

use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

/// Function that returns false once the file is no longer wanted. An export calls it often, and
/// stops when it returns false.
pub type Wanted<'a> = &'a dyn Fn() -> bool;

/// Function that makes a file from a recording, the first path, at the second path, which does not
/// exist yet. An error is a sentence that fits after "failed to".
pub type MakeExport = Arc<dyn Fn(&Path, &Path, Wanted<'_>) -> Result<(), String> + Send + Sync>;

/// Format of an export.
#[derive(Clone, derive_more::Debug, Serialize)]
#[debug("Export({name})")]
pub struct Export {
    /// Name in URLs, such as `video`.
    pub name: &'static str,
    /// Name for people.
    pub label: &'static str,
    /// File extension, without the dot.
    pub extension: &'static str,
    /// Media type.
    pub media_type: &'static str,
    /// Cargo feature that a build needs for this export.
    pub feature: &'static str,
    /// Function that makes the file; `None` if this build lacks the feature. Serialised as a
    /// boolean.
    #[serde(rename = "available", serialize_with = "is_some")]
    pub make: Option<MakeExport>,
}

fn is_some<S: serde::Serializer>(make: &Option<MakeExport>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_bool(make.is_some())
}
