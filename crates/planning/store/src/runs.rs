//! Stored runs: claim, save, finish and resume, each protected by the run's owner.

use regrasp_api::{Checkpoint, Claim, RunStore, StoreError};
use rusqlite::{Connection, OptionalExtension, Result as SqlResult, TransactionBehavior, params};

use crate::SqliteStore;
use crate::error::at;

/// Longest key of a run, characters. Lists and messages show it.
const MAX_KEY_CHARS: usize = 200;

/// A run in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunEntry {
    /// Key of the run.
    pub key: String,
    /// Number of the run's checkpoints.
    pub revision: u64,
    /// Result as JSON, once it has finished.
    pub result: Option<String>,
}

impl RunEntry {
    /// Returns true if the run has finished.
    pub fn is_finished(&self) -> bool {
        self.result.is_some()
    }
}

impl SqliteStore {
    /// All runs, sorted by key.
    ///
    /// # Errors
    ///
    /// An error of the store.
    pub fn runs(&self) -> Result<Vec<RunEntry>, StoreError> {
        all_runs(&self.db).map_err(at(&self.path))
    }

    /// Last stored state of a run as JSON, also of a finished one, without claiming it. `None` if
    /// there is no such run, or no checkpoint yet.
    ///
    /// # Errors
    ///
    /// An error of the store.
    pub fn state(&self, key: &str) -> Result<Option<String>, StoreError> {
        state_of(&self.db, key).map_err(at(&self.path))
    }

    /// Explains why a write to a run changed no row.
    fn refusal(&self, key: &str) -> Result<StoreError, StoreError> {
        let row = owner_of(&self.db, key).map_err(at(&self.path))?;
        let key = key.to_owned();
        Ok(match row {
            None => StoreError::Other {
                path: self.path.clone(),
                detail: format!("the run `{key}` was not claimed"),
            },
            Some((owner, true)) if owner == self.owner => StoreError::AlreadyFinished { key },
            Some(_) => StoreError::ConcurrentRun { key },
        })
    }
}

impl RunStore for SqliteStore {
    fn claim(&mut self, key: &str, resume: bool) -> Result<Claim, StoreError> {
        if let Some(detail) = wrong_key(key) {
            let path = self.path.clone();
            return Err(StoreError::Other { path, detail });
        }
        let fail = at(&self.path);
        let transaction = self
            .db
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(&fail)?;
        let found = find(&transaction, key).map_err(&fail)?;
        let own = |sql: &str| {
            let mut statement = transaction.prepare_cached(sql)?;
            statement.execute(params![key, self.owner])
        };
        let claim = match found {
            None => {
                own("INSERT INTO runs (key, owner, revision) VALUES (?1, ?2, 0)").map_err(&fail)?;
                Claim::Fresh
            }
            Some(StoredRun::Finished(result)) if resume => Claim::Finished(result),
            Some(StoredRun::Finished(_)) => {
                return Err(StoreError::AlreadyFinished { key: key.into() });
            }
            Some(StoredRun::Unfinished(checkpoint)) if resume => {
                own("UPDATE runs SET owner = ?2 WHERE key = ?1").map_err(&fail)?;
                checkpoint.map_or(Claim::Fresh, Claim::Adopted)
            }
            Some(StoredRun::Unfinished(_)) => {
                return Err(StoreError::ConcurrentRun { key: key.into() });
            }
        };
        transaction.commit().map_err(&fail)?;
        Ok(claim)
    }

    fn save(&mut self, key: &str, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        let sql = "UPDATE runs SET revision = revision + 1, state = ?3, world = ?4
            WHERE key = ?1 AND owner = ?2 AND result IS NULL";
        let Checkpoint { state, world } = checkpoint;
        let mut statement = self.db.prepare_cached(sql).map_err(at(&self.path))?;
        let written = statement.execute(params![key, self.owner, state, world]);
        drop(statement);
        match written.map_err(at(&self.path))? {
            0 => Err(self.refusal(key)?),
            _ => {
                let world_len = world.as_ref().map_or(0, Vec::len);
                self.log.wrote(state.len() + world_len);
                Ok(())
            }
        }
    }

    fn finish(&mut self, key: &str, result: &str) -> Result<(), StoreError> {
        let sql = "UPDATE runs SET result = ?3, world = NULL
            WHERE key = ?1 AND owner = ?2 AND result IS NULL";
        let mut statement = self.db.prepare_cached(sql).map_err(at(&self.path))?;
        let written = statement.execute(params![key, self.owner, result]);
        match written.map_err(at(&self.path))? {
            0 => Err(self.refusal(key)?),
            _ => Ok(()),
        }
    }
}

enum StoredRun {
    /// Finished, with this result.
    Finished(String),
    /// Not finished; `None` before its first checkpoint.
    Unfinished(Option<Checkpoint>),
}

fn find(db: &Connection, key: &str) -> SqlResult<Option<StoredRun>> {
    let mut statement =
        db.prepare_cached("SELECT result, state, world FROM runs WHERE key = ?1")?;
    let found = statement.query_row([key], |row| {
        if let Some(result) = row.get(0)? {
            return Ok(StoredRun::Finished(result));
        }
        let Some(state) = row.get(1)? else {
            return Ok(StoredRun::Unfinished(None));
        };
        let world = row.get(2)?;
        Ok(StoredRun::Unfinished(Some(Checkpoint { state, world })))
    });
    found.optional()
}

/// Owner of a run, and true if it has finished.
fn owner_of(db: &Connection, key: &str) -> SqlResult<Option<(String, bool)>> {
    let sql = "SELECT owner, result IS NOT NULL FROM runs WHERE key = ?1";
    let mut statement = db.prepare_cached(sql)?;
    let row = statement.query_row([key], |row| Ok((row.get(0)?, row.get(1)?)));
    row.optional()
}

fn all_runs(db: &Connection) -> SqlResult<Vec<RunEntry>> {
    let mut statement = db.prepare("SELECT key, revision, result FROM runs ORDER BY key")?;
    let rows = statement.query_map([], |row| {
        Ok(RunEntry {
            key: row.get(0)?,
            revision: row.get::<_, i64>(1)?.unsigned_abs(),
            result: row.get(2)?,
        })
    })?;
    rows.collect()
}

fn state_of(db: &Connection, key: &str) -> SqlResult<Option<String>> {
    let mut statement = db.prepare("SELECT state FROM runs WHERE key = ?1")?;
    let state = statement.query_row([key], |row| row.get(0)).optional()?;
    Ok(state.flatten())
}

/// Returns the error of a key that does not fit on a line of a list.
fn wrong_key(key: &str) -> Option<String> {
    let n_chars = key.chars().count();
    if n_chars == 0 || n_chars > MAX_KEY_CHARS {
        return Some(format!(
            "the key of a run has 1 to {MAX_KEY_CHARS} characters, not {n_chars}"
        ));
    }
    key.chars()
        .any(char::is_control)
        .then(|| format!("the key of a run must not have control characters: {key:?}"))
}
