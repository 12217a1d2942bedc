//! Opens a store: durability, busy timeout, schema version, and rejected files.

use std::fs;
use std::path::{Path, absolute};
use std::thread;
use std::time::{Duration, Instant};

use regrasp_api::StoreError;
use rusqlite::{Connection, ErrorCode, OpenFlags, Result as SqlResult};

use crate::error::at;
use crate::log::LogEmptier;
use crate::schema::{self, Kind, PAGE_BYTES};

/// Number of pages in the write-ahead log at which SQLite itself moves them into the file (64 MB)
/// while a change waits. [`LogEmptier`] does so earlier without a wait.
const LOG_PAGES: u32 = 8000;

/// Events that a change survives after it returned `Ok`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// Death of the process (SQLite's `synchronous=NORMAL`). A power cut may lose the last steps,
    /// but the file stays valid. This is the default, because a disk write after each step costs
    /// milliseconds.
    #[default]
    Process,
    /// Power cut as well (`synchronous=FULL`): every change waits for the disk.
    Power,
}

/// Options for opening a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, smart_default::SmartDefault)]
pub struct StoreOptions {
    /// Longest wait for another writer before the store counts as locked. Default 5 s. A change
    /// takes less than a millisecond, or some milliseconds with a disk write, so a longer lock
    /// means that its owner is stuck.
    #[default(Duration::from_secs(5))]
    pub busy_timeout: Duration,
    /// Events that a change survives. Default [`Durability::Process`].
    pub durability: Durability,
    /// Largest size of the file, bytes, rounded down to pages of 8 kB; beyond it the store is full.
    /// The write-ahead log, at most about 64 MB, is not included. Default: no limit.
    pub max_bytes: Option<u64>,
    /// True to create a missing file and its folder. Default true.
    #[default(true)]
    pub create: bool,
}

/// An opened store, which is one owner of runs.
///
/// Each opening is an owner of its own, also within one process. Several may have the same file
/// open at a time, and see each other's runs, cases and approvals.
#[derive(Debug)]
pub struct SqliteStore {
    pub(crate) db: Connection,
    pub(crate) path: String,
    pub(crate) owner: String,
    pub(crate) log: LogEmptier,
}

impl SqliteStore {
    /// Runs statements, and converts their error.
    pub(crate) fn sql<T>(
        &self,
        run: impl FnOnce(&Connection) -> SqlResult<T>,
    ) -> Result<T, StoreError> {
        run(&self.db).map_err(at(&self.path))
    }

    /// Opens a store, and creates it (and its folder) if it is missing.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unusable`] if the file cannot be opened and written, is not a store, or has
    /// another version. It is left unchanged then. Other errors are those of SQLite.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_with(path, StoreOptions::default())
    }

    /// Opens a store with options.
    ///
    /// # Errors
    ///
    /// As [`SqliteStore::open`]; also [`StoreError::Unusable`] if the file is missing and must not
    /// be created.
    pub fn open_with(path: impl AsRef<Path>, options: StoreOptions) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let shown = path.display().to_string();
        let unusable = |detail: String| StoreError::Unusable {
            path: shown.clone(),
            detail,
        };
        // An absolute path, because names such as `:memory:` have a meaning in SQLite.
        let file = absolute(path).map_err(|e| unusable(e.to_string()))?;
        if options.create {
            let folder = file.parent().map_or(Ok(()), fs::create_dir_all);
            folder.map_err(|e| unusable(format!("cannot create its folder: {e}")))?;
        } else if !file.exists() {
            return Err(unusable("the file does not exist".to_owned()));
        }
        let mut db = connect(&file, &options).map_err(at(&shown))?;
        match schema::kind(&db).map_err(at(&shown))? {
            Kind::Foreign(detail) => return Err(unusable(detail)),
            Kind::Empty | Kind::Store => {}
        }
        if db.is_readonly("main").map_err(at(&shown))? {
            return Err(unusable("it is read-only".to_owned()));
        }
        if !set_up(&mut db, &options).map_err(at(&shown))? {
            return Err(unusable(
                "its file system does not support a write-ahead log".to_owned(),
            ));
        }
        let owner = new_owner(&db).map_err(at(&shown))?;
        Ok(Self {
            db,
            path: shown,
            owner,
            log: LogEmptier::new(file),
        })
    }
}

/// Opens the file without changing its content.
fn connect(file: &Path, options: &StoreOptions) -> SqlResult<Connection> {
    // Without rusqlite's default `SQLITE_OPEN_URI`, so that a path is not read as a URI.
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    flags.set(OpenFlags::SQLITE_OPEN_CREATE, options.create);
    let db = Connection::open_with_flags(file, flags)?;
    db.busy_timeout(options.busy_timeout)?;
    Ok(db)
}

/// Creates missing tables and configures the connection. Returns true if the file has a write-ahead
/// log.
fn set_up(db: &mut Connection, options: &StoreOptions) -> SqlResult<bool> {
    // The page size has an effect only on an empty file.
    db.pragma_update(None, "page_size", PAGE_BYTES)?;
    if !has_log(db, options.busy_timeout)? {
        return Ok(false);
    }
    let synchronous = match options.durability {
        Durability::Process => "NORMAL",
        Durability::Power => "FULL",
    };
    db.pragma_update(None, "synchronous", synchronous)?;
    db.pragma_update_and_check(None, "wal_autocheckpoint", LOG_PAGES, |_| Ok(()))?;
    if let Some(max_bytes) = options.max_bytes {
        let n_pages = (max_bytes / u64::from(PAGE_BYTES)).clamp(1, u64::from(u32::MAX - 1));
        let n_pages = n_pages as i64;
        db.pragma_update_and_check(None, "max_page_count", n_pages, |_| Ok(()))?;
    }
    match schema::kind(db)? {
        Kind::Empty => schema::create(db)?,
        Kind::Store | Kind::Foreign(_) => {}
    }
    Ok(true)
}

/// Switches the file permanently to a write-ahead log.
///
/// SQLite does not wait for a lock here (a deadlock would be possible), so one of two processes
/// that create the same store at the same time would fail without repeated attempts.
fn has_log(db: &Connection, patience: Duration) -> SqlResult<bool> {
    let begin = Instant::now();
    loop {
        let mode =
            db.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0));
        let busy = |e: &rusqlite::Error| e.sqlite_error_code() == Some(ErrorCode::DatabaseBusy);
        match mode {
            Err(e) if busy(&e) && begin.elapsed() < patience => {
                thread::sleep(Duration::from_millis(2));
            }
            other => return Ok(other?.eq_ignore_ascii_case("wal")),
        }
    }
}

/// Creates a name that no other opening has, also on other machines and in containers: 128 bits
/// from SQLite's generator, which the operating system seeds in every process.
fn new_owner(db: &Connection) -> SqlResult<String> {
    db.query_row("SELECT hex(randomblob(16))", [], |row| row.get(0))
}
