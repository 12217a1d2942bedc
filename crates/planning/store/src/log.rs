//! Empties the write-ahead log in the background.

use std::path::{Path, PathBuf};
use std::thread::{self, JoinHandle};

use rusqlite::{Connection, OpenFlags, Result as SqlResult};

/// Number of bytes after which the log is moved into the file (about 200 steps of 75 kB).
const EMPTY_EVERY_BYTES: u64 = 16 << 20;

/// Moves the write-ahead log into the file now and then, on a background thread.
///
/// Moving it waits about 30 ms for the disk, longer than all writes in between. SQLite lets one
/// connection move the log while another appends to it, so no step waits. After a failure, SQLite
/// itself moves the longer log later, and a step waits for that.
#[derive(Debug)]
pub(crate) struct LogEmptier {
    file: PathBuf,
    n_bytes: u64,
    at_work: Option<JoinHandle<()>>,
}

impl LogEmptier {
    pub(crate) fn new(file: PathBuf) -> Self {
        Self {
            file,
            n_bytes: 0,
            at_work: None,
        }
    }

    /// Counts written bytes, and starts the thread if there are enough.
    pub(crate) fn wrote(&mut self, n_bytes: usize) {
        self.n_bytes += n_bytes as u64;
        let is_at_work = self.at_work.as_ref().is_some_and(|t| !t.is_finished());
        if self.n_bytes < EMPTY_EVERY_BYTES || is_at_work {
            return;
        }
        self.n_bytes = 0;
        let file = self.file.clone();
        let thread = thread::Builder::new().name("store log".to_owned());
        // After an error the log is unchanged, and SQLite empties it later.
        self.at_work = thread.spawn(move || drop(empty(&file))).ok();
    }
}

impl Drop for LogEmptier {
    /// Waits for the thread, since the caller may delete the folder next.
    fn drop(&mut self) {
        if let Some(thread) = self.at_work.take() {
            // The thread returns nothing.
            let _ = thread.join();
        }
    }
}

fn empty(file: &Path) -> SqlResult<()> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let db = Connection::open_with_flags(file, flags)?;
    db.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))
}

#[cfg(test)]
mod tests {
    use crate::SqliteStore;
    use regrasp_api::{Checkpoint, RunStore};

    #[test]
    fn what_was_saved_is_in_the_file_itself_after_a_while() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("store.db");
        let mut store = SqliteStore::open(&path).expect("a store");
        store.claim("run", false).expect("a new run");
        let checkpoint = Checkpoint {
            state: "{}".to_owned(),
            world: Some(vec![7; 1 << 20]),
        };
        for _ in 0..17 {
            store.save("run", &checkpoint).expect("the write succeeds");
        }
        let thread = store.log.at_work.take();
        thread
            .expect("a thread was started")
            .join()
            .expect("no panic");
        let bytes = std::fs::metadata(&path).expect("a file").len();
        assert!(bytes > 1 << 20, "the file has {bytes} bytes");
        assert_eq!(
            store.log.n_bytes,
            1 << 20 | 2,
            "bytes are counted from the last move"
        );
    }
}
