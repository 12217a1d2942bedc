//! Identifiers of objects.

use derive_more::{Display, From};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Names one object of a scene, unique within it (for example `red_cube`).
#[derive(
    Clone,
    Debug,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    JsonSchema,
    Display,
    From,
)]
#[display("{_0}")]
#[from(String, &str)]
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
