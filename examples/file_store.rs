//! A store of one run in one file: enough for a demo, and what a store of your own looks
//! like. `regrasp-store` has the one that people use.

use std::fs;
use std::path::{Path, PathBuf};

use regrasp::api::{Checkpoint, Claim, RunStore, StoreError};

/// Keeps the last checkpoint of one run, whatever its key.
pub(crate) struct FileStore {
    path: PathBuf,
}

impl FileStore {
    /// A store at this path, which need not be there yet.
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
        // A process that is killed while it writes leaves the last checkpoint as it was.
        let new = self.path.with_extension("new");
        fs::write(&new, bytes).map_err(|error| self.error(error))?;
        fs::rename(&new, &self.path).map_err(|error| self.error(error))
    }

    fn finish(&mut self, _: &str, _: &str) -> Result<(), StoreError> {
        fs::remove_file(&self.path).map_err(|error| self.error(error))
    }
}
