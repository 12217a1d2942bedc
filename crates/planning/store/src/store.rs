//! Opens a store: durability, busy timeout, schema version, and what is refused.

use std::fs;
use std::path::{Path, absolute};
use std::thread;
use std::time::{Duration, Instant};

use regrasp_api::StoreError;
use rusqlite::{Connection, ErrorCode, OpenFlags, Result as SqlResult};

use crate::error::at;
use crate::log::LogEmptier;
use crate::schema::{self, Kind, PAGE_BYTES};

/// Pages in the write-ahead log before SQLite itself moves them into the file (64 MB), and a
/// change waits for that; [`LogEmptier`] does so earlier, and nothing waits.
const LOG_PAGES: u32 = 8000;

/// What a change outlives once it was answered with `Ok`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durability {
    /// The death of the process (SQLite's `synchronous=NORMAL`). A power cut may lose the
    /// last steps, never the soundness of the file. The default, because a write to disk
    /// after each step costs milliseconds.
    #[default]
    Process,
    /// A power cut too (`synchronous=FULL`): every change waits for the disk.
    Power,
}

/// How to open a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreOptions {
    /// How long to wait for another writer before the store counts as locked. Default 5 s:
    /// a change takes below a millisecond, or some milliseconds where it waits for the
    /// disk, so somebody who holds the lock for longer is stuck.
    pub busy_timeout: Duration,
    /// What a change outlives. Default [`Durability::Process`].
    pub durability: Durability,
    /// The file grows no larger than this, rounded down to pages of 8 kB; beyond, the
    /// store is full. The write-ahead log, at most some 64 MB, comes on top. Default: no limit.
    pub max_bytes: Option<u64>,
    /// True if a missing file, and its folder, are made. Default: yes.
    pub create: bool,
}

impl Default for StoreOptions {
    fn default() -> Self {
        Self {
            busy_timeout: Duration::from_secs(5),
            durability: Durability::default(),
            max_bytes: None,
            create: true,
        }
    }
}

/// An opened store, and one owner of runs.
///
/// Each opening is an owner of its own, also within one process. Several may have the
/// same file open at a time, and see each other's runs, cases and approvals.
#[derive(Debug)]
pub struct SqliteStore {
    pub(crate) db: Connection,
    /// The file, for messages.
    pub(crate) path: String,
    /// Unique to this opening.
    pub(crate) owner: String,
    pub(crate) log: LogEmptier,
}

impl SqliteStore {
    /// Opens a store, and makes it (and its folder) if it is not there.
    ///
    /// # Errors
    ///
    /// [`StoreError::Unusable`] if the file cannot be opened and written, is something
    /// else than a store, or of another version; it is left as it is then. Other trouble
    /// as SQLite tells it.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_with(path, StoreOptions::default())
    }

    /// [`SqliteStore::open`], with other options.
    ///
    /// # Errors
    ///
    /// As [`SqliteStore::open`]; also [`StoreError::Unusable`] if the file is missing and
    /// may not be made.
    pub fn open_with(path: impl AsRef<Path>, options: StoreOptions) -> Result<Self, StoreError> {
        let path = path.as_ref();
        let shown = path.display().to_string();
        let unusable = |detail: String| StoreError::Unusable {
            path: shown.clone(),
            detail,
        };
        // An absolute path, because SQLite gives names such as `:memory:` a meaning.
        let file = absolute(path).map_err(|e| unusable(e.to_string()))?;
        if options.create {
            let folder = file.parent().map_or(Ok(()), fs::create_dir_all);
            folder.map_err(|e| unusable(format!("make its folder: {e}")))?;
        } else if !file.exists() {
            return Err(unusable("there is no such file".to_owned()));
        }
        let mut db = connect(&file, &options).map_err(at(&shown))?;
        match schema::kind(&db).map_err(at(&shown))? {
            Kind::Foreign(detail) => return Err(unusable(detail)),
            Kind::Empty | Kind::Store => {}
        }
        if db.is_readonly("main").map_err(at(&shown))? {
            return Err(unusable("it may not be written".to_owned()));
        }
        if !set_up(&mut db, &options).map_err(at(&shown))? {
            return Err(unusable(
                "its file system cannot hold a write-ahead log".to_owned(),
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

/// Opens the file; changes nothing in it.
fn connect(file: &Path, options: &StoreOptions) -> SqlResult<Connection> {
    // Without rusqlite's default `SQLITE_OPEN_URI`: a path is a path.
    let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    flags.set(OpenFlags::SQLITE_OPEN_CREATE, options.create);
    let db = Connection::open_with_flags(file, flags)?;
    db.busy_timeout(options.busy_timeout)?;
    Ok(db)
}

/// Makes the tables if they are missing and sets what a connection needs. Answers whether
/// the file has a write-ahead log.
fn set_up(db: &mut Connection, options: &StoreOptions) -> SqlResult<bool> {
    // Counts for a file without content only.
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

/// Switches the file to a write-ahead log, which it keeps.
///
/// SQLite does not wait for a lock here (it could be a deadlock), so two processes that
/// make the same store at the same moment would fail without these attempts.
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

/// A name that no other opening has, on this machine or in another container: 128 bits
/// from SQLite's generator, which the operating system seeds in every process.
fn new_owner(db: &Connection) -> SqlResult<String> {
    db.query_row("SELECT hex(randomblob(16))", [], |row| row.get(0))
}
