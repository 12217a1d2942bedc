//! Stored runs: claim, save, finish and resume, each protected by the run's owner.

use regrasp_api::{Checkpoint, Claim, RunStore, StoreError};
use rusqlite::{
    Connection, OptionalExtension, Params, Result as SqlResult, TransactionBehavior, params,
};

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
        self.sql(|db| {
            let mut statement =
                db.prepare("SELECT key, revision, result FROM runs ORDER BY key")?;
            let rows = statement.query_map([], |row| {
                Ok(RunEntry {
                    key: row.get(0)?,
                    revision: row.get::<_, i64>(1)?.unsigned_abs(),
                    result: row.get(2)?,
                })
            })?;
            rows.collect()
        })
    }

    /// Last stored state of a run as JSON, also of a finished one, without claiming it. `None` if
    /// there is no such run, or no checkpoint yet.
    ///
    /// # Errors
    ///
    /// An error of the store.
    pub fn state(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.sql(|db| {
            let mut statement = db.prepare("SELECT state FROM runs WHERE key = ?1")?;
            let state = statement.query_row([key], |row| row.get(0)).optional()?;
            Ok(state.flatten())
        })
    }

    /// Writes to an unfinished run of this owner. If no row changes, the error says why.
    fn write(&self, key: &str, sql: &str, row: impl Params) -> Result<(), StoreError> {
        if self.sql(|db| db.prepare_cached(sql)?.execute(row))? > 0 {
            return Ok(());
        }
        let sql = "SELECT owner, result IS NOT NULL FROM runs WHERE key = ?1";
        let found = self.sql(|db| {
            let mut statement = db.prepare_cached(sql)?;
            let row = statement.query_row([key], |row| Ok((row.get(0)?, row.get(1)?)));
            row.optional()
        })?;
        let key = key.to_owned();
        Err(match found {
            None => StoreError::Other {
                path: self.path.clone(),
                detail: format!("the run `{key}` was not claimed"),
            },
            Some::<(String, _)>((owner, true)) if owner == self.owner => {
                StoreError::AlreadyFinished { key }
            }
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
        let key = key.to_owned();
        let sql = match &found {
            None => "INSERT INTO runs (key, owner, revision) VALUES (?1, ?2, 0)",
            Some(_) if resume => "UPDATE runs SET owner = ?2 WHERE key = ?1 AND result IS NULL",
            Some(Claim::Finished(_)) => return Err(StoreError::AlreadyFinished { key }),
            Some(_) => return Err(StoreError::ConcurrentRun { key }),
        };
        let owned = transaction.execute(sql, params![key, self.owner]);
        owned.and_then(|_| transaction.commit()).map_err(&fail)?;
        Ok(found.unwrap_or(Claim::Fresh))
    }

    fn save(&mut self, key: &str, checkpoint: &Checkpoint) -> Result<(), StoreError> {
        let sql = "UPDATE runs SET revision = revision + 1, state = ?3, world = ?4
            WHERE key = ?1 AND owner = ?2 AND result IS NULL";
        let Checkpoint { state, world } = checkpoint;
        self.write(key, sql, params![key, self.owner, state, world])?;
        let world_len = world.as_ref().map_or(0, Vec::len);
        self.log.wrote(state.len() + world_len);
        Ok(())
    }

    fn finish(&mut self, key: &str, result: &str) -> Result<(), StoreError> {
        let sql = "UPDATE runs SET result = ?3, world = NULL
            WHERE key = ?1 AND owner = ?2 AND result IS NULL";
        self.write(key, sql, params![key, self.owner, result])
    }
}

/// Returns the claim of a process that resumes a run. A run without a checkpoint starts again.
fn find(db: &Connection, key: &str) -> SqlResult<Option<Claim>> {
    let mut statement =
        db.prepare_cached("SELECT result, state, world FROM runs WHERE key = ?1")?;
    let found = statement.query_row([key], |row| {
        if let Some(result) = row.get(0)? {
            return Ok(Claim::Finished(result));
        }
        let Some(state) = row.get(1)? else {
            return Ok(Claim::Fresh);
        };
        let world = row.get(2)?;
        Ok(Claim::Adopted(Checkpoint { state, world }))
    });
    found.optional()
}

/// Returns the error of a key that is empty, too long, or has control characters.
fn wrong_key(key: &str) -> Option<String> {
    let n_chars = key.chars().count();
    if n_chars == 0 || n_chars > MAX_KEY_CHARS {
        return Some(format!(
            "the key of a run must have 1 to {MAX_KEY_CHARS} characters, not {n_chars}"
        ));
    }
    key.chars()
        .any(char::is_control)
        .then(|| format!("the key of a run must not have control characters: {key:?}"))
}
