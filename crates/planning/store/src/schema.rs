//! Tables of a store, and its identification among other files.

use rusqlite::{Connection, Result, TransactionBehavior};

/// Identifies an SQLite file as a store (`application_id`): "RGSP".
const APPLICATION_ID: i32 = 0x5247_5350;

/// Version of the tables (`user_version`).
const VERSION: i32 = 1;

/// Page size of a new file, bytes. Larger pages are somewhat faster for checkpoints, smaller ones
/// for the few words of a case.
pub(crate) const PAGE_BYTES: u32 = 8192;

/// Tables of a store. The blobs are the last columns, so that reading the others does not pass
/// through them.
///
/// The index stores no text of its own (`content='cases'`). Rows never change, so the two stay
/// consistent.
const TABLES: &str = "
    CREATE TABLE runs (
        id INTEGER PRIMARY KEY,
        key TEXT NOT NULL UNIQUE,
        owner TEXT NOT NULL,
        revision INTEGER NOT NULL,
        result TEXT,
        state TEXT,
        world BLOB
    ) STRICT;
    CREATE TABLE cases (
        id INTEGER PRIMARY KEY,
        reason TEXT NOT NULL,
        skill TEXT NOT NULL,
        task TEXT NOT NULL,
        scene TEXT NOT NULL,
        detail TEXT NOT NULL,
        fix TEXT NOT NULL,
        worked INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX cases_by_reason ON cases (reason);
    CREATE VIRTUAL TABLE case_text USING fts5 (
        task, scene, skill,
        content = 'cases', content_rowid = 'id', tokenize = 'porter unicode61'
    );
    CREATE TABLE approvals (
        kind TEXT PRIMARY KEY,
        n_approved INTEGER NOT NULL,
        n_incidents INTEGER NOT NULL,
        clean_streak INTEGER NOT NULL
    ) STRICT;
";

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An empty file.
    Empty,
    /// A store of this version.
    Store,
    /// Another file, with an explanation.
    Foreign(String),
}

/// Identifies a file without changing it.
pub(crate) fn kind(db: &Connection) -> Result<Kind> {
    let sql = "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_schema)
        FROM pragma_application_id, pragma_user_version";
    let header = db.query_row(sql, [], |row| {
        Ok((row.get(0)?, row.get(1)?, row.get::<_, i64>(2)?))
    })?;
    Ok(match header {
        (APPLICATION_ID, VERSION, _) => Kind::Store,
        (0, 0, 0) => Kind::Empty,
        (APPLICATION_ID, version, _) => Kind::Foreign(format!(
            "it has version {version}, but this program reads only version {VERSION}"
        )),
        _ => Kind::Foreign("it is a database of another program".to_owned()),
    })
}

/// Creates the tables, unless another process was faster.
pub(crate) fn create(db: &mut Connection) -> Result<()> {
    let transaction = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if kind(&transaction)? == Kind::Empty {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", VERSION)?;
    }
    transaction.commit()
}
