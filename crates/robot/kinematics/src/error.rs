//! Errors of loading a URDF and of building a chain.

use std::path::Path;

use thiserror::Error;

/// A robot that could not be loaded: "failed to load robot `panda.urdf`: …".
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[error("load robot `{urdf}`: {problem}")]
pub struct LoadError {
    /// Path of the URDF, or `<string>`.
    pub urdf: String,
    /// The fault, with the name of its element.
    pub problem: String,
}

impl LoadError {
    pub(crate) fn new(urdf: &Path, problem: String) -> Self {
        let urdf = urdf.display().to_string();
        Self { urdf, problem }
    }
}

/// Reason why two links do not span a chain: "failed to build the chain: …".
#[derive(Debug, Error, Clone, PartialEq, Eq)]
#[error("build the chain: {0}")]
pub struct ChainError(pub(crate) String);
