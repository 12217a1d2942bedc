//! Stores that refuse to save.

use regrasp_api::{Checkpoint, Claim, RunStore, StoreError};

use crate::error::FaultError;
use crate::fault::{Fault, StoreTrouble};

/// A store that accepts a number of checkpoints and results, and then fails.
struct TroubledStore {
    inner: Box<dyn RunStore>,
    trouble: StoreTrouble,
    saves_left: usize,
}

/// Makes the store of a run refuse checkpoints, if the fault concerns stores.
///
/// # Errors
///
/// [`FaultError::NothingKept`] if the fault concerns stores and the run has none.
pub fn troubled_store(
    fault: &Fault,
    store: Option<&mut Box<dyn RunStore>>,
) -> Result<(), FaultError> {
    let Fault::Store {
        trouble,
        after_saves,
    } = *fault
    else {
        return Ok(());
    };
    let store = store.ok_or(FaultError::NothingKept)?;
    let inner = std::mem::replace(store, Box::new(MemoryStore::default()));
    *store = Box::new(TroubledStore {
        inner,
        trouble,
        saves_left: after_saves,
    });
    Ok(())
}

impl TroubledStore {
    fn take(&mut self) -> Result<(), StoreError> {
        if self.saves_left > 0 {
            self.saves_left -= 1;
            return Ok(());
        }
        let path = "(injected fault)".to_owned();
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

/// Store of one run in memory.
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
