//! A store for one run in one file. It is enough for a demo and a template for other stores; use
//! `regrasp-store` in production.

use std::fs;
use std::path::{Path, PathBuf};

use regrasp::api::{Checkpoint, Claim, RunStore, StoreError};

/// Store that keeps the last checkpoint of a single run and ignores its key.
pub(crate) struct FileStore {
    path: PathBuf,
}

impl FileStore {
    /// Creates a store in the file at this path, which need not exist yet.
    pub(crate) fn new(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
        }
    }

    fn error(&self, error: impl ToString) -> StoreError {
        StoreError::Other {
            path: self.path.display().to_string(),
            detail: error.to_string(),
        }
    }
}

impl RunStore for FileStore {
    fn claim(&mut self, _: &str, _: bool) -> Result<Claim, StoreError> {
        if !self.path.exists() {
            return Ok(Claim::Fresh);
        }
        let bytes = fs::read(&self.path).map_err(|error| self.error(error))?;
        let checkpoint = serde_json::from_slice(&bytes).map_err(|error| self.error(error))?;
        Ok(Claim::Adopted(checkpoint))
    }

    fn save(&mut self, _: &str, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        let bytes = serde_json::to_vec(checkpoint).map_err(|error| self.error(error))?;
        // If the process is killed while writing, the previous checkpoint stays intact.
        let new = self.path.with_extension("new");
        fs::write(&new, bytes).map_err(|error| self.error(error))?;
        fs::rename(&new, &self.path).map_err(|error| self.error(error))
    }

    fn finish(&mut self, _: &str, _: &str) -> Result<(), StoreError> {
        fs::remove_file(&self.path).map_err(|error| self.error(error))
    }
}
