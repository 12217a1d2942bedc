//! Identifiers of objects.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Names one object of a scene, unique within it (for example `red_cube`).
#[derive(
    Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct ObjectId(String);

impl ObjectId {
    /// Creates an id from a name.
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ObjectId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<String> for ObjectId {
    fn from(name: String) -> Self {
        Self(name)
    }
}

impl From<&str> for ObjectId {
    fn from(name: &str) -> Self {
        Self::new(name)
    }
}
