//! Files of other kinds that can be made from a recorded run.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use serde::Serialize;

/// Says whether a file is still wanted; whoever makes it asks often, and stops if it is not.
pub type Wanted<'a> = &'a dyn Fn() -> bool;

/// Makes a file: from a recording, into a path that is not there yet. What went wrong is a
/// sentence that fits after "failed to".
pub type MakeExport = Arc<dyn Fn(&Path, &Path, Wanted<'_>) -> Result<(), String> + Send + Sync>;

/// A kind of file.
#[derive(Clone, Serialize)]
pub struct Export {
    /// Its name in addresses, such as `video`.
    pub name: &'static str,
    /// What people call it.
    pub label: &'static str,
    /// The end of the file's name, without the dot.
    pub extension: &'static str,
    /// Its media type.
    pub media_type: &'static str,
    /// The feature that a build needs to make it.
    pub feature: &'static str,
    /// Makes it; `None` if this build lacks the feature. As JSON, whether it can be made.
    #[serde(rename = "available", serialize_with = "is_some")]
    pub make: Option<MakeExport>,
}

fn is_some<S: serde::Serializer>(make: &Option<MakeExport>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_bool(make.is_some())
}

impl fmt::Debug for Export {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, make, .. } = self;
        let make = make.as_ref().map(|_| "…");
        f.debug_struct("Export")
            .field("name", name)
            .field("make", &make)
            .finish_non_exhaustive()
    }
}
