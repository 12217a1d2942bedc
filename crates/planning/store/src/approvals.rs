//! Approval log: counts of approvals and incidents for each kind of step.

use regrasp_api::{ApprovalLog, StoreError};
use rusqlite::{Connection, OptionalExtension, Result as SqlResult, params};

use crate::SqliteStore;
use crate::error::at;
use crate::words::kept;

impl ApprovalLog for SqliteStore {
    fn record(&mut self, kind: &str, incident: bool) -> Result<(), StoreError> {
        count(&self.db, kind, incident).map_err(at(&self.path))
    }

    fn clean_streak(&mut self, kind: &str) -> Result<u32, StoreError> {
        streak(&self.db, kind).map_err(at(&self.path))
    }
}

/// Counts an approved step in a single statement, so that agents that share a store count together.
fn count(db: &Connection, kind: &str, incident: bool) -> SqlResult<()> {
    let sql = "INSERT INTO approvals (kind, n_approved, n_incidents, clean_streak)
        VALUES (?1, 1, ?2, 1 - ?2)
        ON CONFLICT (kind) DO UPDATE SET
            n_approved = n_approved + 1,
            n_incidents = n_incidents + ?2,
            clean_streak = iif(?2, 0, clean_streak + 1)";
    let mut statement = db.prepare_cached(sql)?;
    statement.execute(params![kept(kind), incident])?;
    Ok(())
}

fn streak(db: &Connection, kind: &str) -> SqlResult<u32> {
    let sql = "SELECT clean_streak FROM approvals WHERE kind = ?1";
    let mut statement = db.prepare_cached(sql)?;
    let streak = statement.query_row([kept(kind)], |row| row.get(0));
    Ok(streak.optional()?.unwrap_or(0))
}
