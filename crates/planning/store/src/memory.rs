//! Failure memory: recorded cases, and ranked fixes for a similar failure.

use regrasp_api::{Case, CaseQuery, FailureMemory, PastCase, Reason, StoreError};
use rusqlite::{Connection, Result as SqlResult, TransactionBehavior, named_params, params};

use crate::SqliteStore;
use crate::error::at;
use crate::words::{any_word_of, kept};

/// Groups the cases of a reason by skill and fix, and ranks the groups.
///
/// SQLite's `bm25` is the negative of the usual score, so smaller is better. A case without a
/// common word has similarity 0, below all others. Word weights depend on all cases, also those of
/// other reasons. `task` breaks ties between equally similar cases.
const SIMILAR: &str = "
    WITH alike AS MATERIALIZED (
        SELECT rowid AS id, -bm25(case_text) AS likeness
        FROM case_text WHERE case_text MATCH :words
    ), scored AS (
        SELECT skill, fix, task, worked, coalesce(likeness, 0.0) AS likeness
        FROM cases LEFT JOIN alike USING (id)
        WHERE reason = :reason
    ), ranked AS (
        SELECT skill, fix, task, likeness,
            count(*) OVER tries AS n_tried,
            sum(worked) OVER tries AS n_worked,
            row_number() OVER (PARTITION BY skill, fix ORDER BY likeness DESC, task) AS nth
        FROM scored
        WINDOW tries AS (PARTITION BY skill, fix)
    )
    SELECT skill, task, fix, n_tried, n_worked
    FROM ranked WHERE nth = 1
    ORDER BY skill = :skill DESC, likeness DESC, n_worked * 1.0 / n_tried DESC, n_tried DESC,
        fix, skill
    LIMIT :limit
";

impl SqliteStore {
    /// All cases in the order of recording.
    ///
    /// # Errors
    ///
    /// An error of the store.
    pub fn cases(&self) -> Result<Vec<Case>, StoreError> {
        let sql = "SELECT reason, skill, task, scene, detail, fix, worked FROM cases ORDER BY id";
        self.sql(|db| {
            let mut statement = db.prepare(sql)?;
            let rows = statement.query_map([], |row| {
                Ok(Case {
                    reason: Reason::from_slug(row.get_ref(0)?.as_str()?),
                    skill: row.get(1)?,
                    task: row.get(2)?,
                    scene: row.get(3)?,
                    detail: row.get(4)?,
                    fix: row.get(5)?,
                    worked: row.get(6)?,
                })
            })?;
            rows.collect()
        })
    }
}

impl FailureMemory for SqliteStore {
    fn record(&mut self, case: &Case) -> Result<(), StoreError> {
        insert(&mut self.db, case).map_err(at(&self.path))
    }

    fn similar(&mut self, query: &CaseQuery<'_>) -> Result<Vec<PastCase>, StoreError> {
        let skill = query.skill.unwrap_or_default();
        let parameters = named_params! {
            ":words": any_word_of([skill, query.task, query.scene]),
            ":reason": kept(query.reason.slug()),
            ":skill": kept(skill),
            ":limit": i64::try_from(query.limit).unwrap_or(i64::MAX),
        };
        self.sql(|db| {
            let mut statement = db.prepare_cached(SIMILAR)?;
            let rows = statement.query_map(parameters, |row| {
                Ok(PastCase {
                    reason: query.reason.clone(),
                    skill: row.get(0)?,
                    task: row.get(1)?,
                    fix: row.get(2)?,
                    n_tried: row.get(3)?,
                    n_worked: row.get(4)?,
                })
            })?;
            rows.collect()
        })
    }
}

fn insert(db: &mut Connection, case: &Case) -> SqlResult<()> {
    let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let [skill, task, scene] = [&case.skill, &case.task, &case.scene].map(|text| kept(text));
    let reason = kept(case.reason.slug());
    let (detail, fix) = (kept(&case.detail), kept(&case.fix));
    let sql = "INSERT INTO cases (reason, skill, task, scene, detail, fix, worked)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
    let row = params![reason, skill, task, scene, detail, fix, case.worked];
    transaction.prepare_cached(sql)?.execute(row)?;
    let id = transaction.last_insert_rowid();
    let sql = "INSERT INTO case_text (rowid, task, scene, skill) VALUES (?1, ?2, ?3, ?4)";
    let row = params![id, task, scene, skill];
    transaction.prepare_cached(sql)?.execute(row)?;
    transaction.commit()
}
