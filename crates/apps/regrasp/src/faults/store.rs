//! Stores that take no more.

use regrasp_api::{Checkpoint, Claim, RunStore, StoreError};
use regrasp_ground_truth::StoreTrouble;

/// A store that takes so many checkpoints, and no more.
pub struct TroubledStore {
    inner: Box<dyn RunStore>,
    trouble: StoreTrouble,
    saves_left: usize,
}

impl TroubledStore {
    /// Lets `inner` take so many checkpoints.
    pub fn new(inner: Box<dyn RunStore>, trouble: StoreTrouble, saves_left: usize) -> Self {
        Self {
            inner,
            trouble,
            saves_left,
        }
    }

    fn take(&mut self) -> Result<(), StoreError> {
        if self.saves_left > 0 {
            self.saves_left -= 1;
            return Ok(());
        }
        let path = "on purpose".to_owned();
        Err(match self.trouble {
            StoreTrouble::Full => StoreError::Full { path },
            StoreTrouble::Locked => StoreError::Locked { path },
        })
    }
}

impl RunStore for TroubledStore {
    fn claim(&mut self, key: &str, resume: bool) -> Result<Claim, StoreError> {
        self.inner.claim(key, resume)
    }

    fn save(&mut self, key: &str, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        self.take()?;
        self.inner.save(key, checkpoint)
    }

    fn finish(&mut self, key: &str, result: &str) -> Result<(), StoreError> {
        self.take()?;
        self.inner.finish(key, result)
    }
}

/// Keeps one run, for as long as it lives itself.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    checkpoint: Option<Checkpoint>,
    result: Option<String>,
}

impl RunStore for MemoryStore {
    fn claim(&mut self, _: &str, _: bool) -> Result<Claim, StoreError> {
        let finished = self.result.clone().map(Claim::Finished);
        let adopted = || self.checkpoint.clone().map(Claim::Adopted);
        Ok(finished.or_else(adopted).unwrap_or(Claim::Fresh))
    }

    fn save(&mut self, _: &str, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        self.checkpoint = Some(checkpoint.clone());
        Ok(())
    }

    fn finish(&mut self, _: &str, result: &str) -> Result<(), StoreError> {
        self.result = Some(result.to_owned());
        Ok(())
    }
}
