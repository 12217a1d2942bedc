//! Approval log: counts of approvals and incidents for each kind of step.

use regrasp_api::{ApprovalLog, StoreError};
use rusqlite::{OptionalExtension, params};

use crate::SqliteStore;
use crate::words::kept;

impl ApprovalLog for SqliteStore {
    /// Counts in a single statement, so that agents that share a store count together.
    fn record(&mut self, kind: &str, incident: bool) -> Result<(), StoreError> {
        let sql = "INSERT INTO approvals (kind, n_approved, n_incidents, clean_streak)
            VALUES (?1, 1, ?2, 1 - ?2)
            ON CONFLICT (kind) DO UPDATE SET
                n_approved = n_approved + 1,
                n_incidents = n_incidents + ?2,
                clean_streak = iif(?2, 0, clean_streak + 1)";
        let row = params![kept(kind), incident];
        self.sql(|db| db.prepare_cached(sql)?.execute(row).map(drop))
    }

    fn clean_streak(&mut self, kind: &str) -> Result<u32, StoreError> {
        let sql = "SELECT clean_streak FROM approvals WHERE kind = ?1";
        self.sql(|db| {
            let mut statement = db.prepare_cached(sql)?;
            let streak = statement.query_row([kept(kind)], |row| row.get(0));
            Ok(streak.optional()?.unwrap_or(0))
        })
    }
}
