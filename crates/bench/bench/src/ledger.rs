//! `results.jsonl`: one record a line, written as episodes end.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::BenchError;

/// Which episode it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The task, or whatever else makes up a group.
    pub group: String,
    /// The seed.
    pub seed: u64,
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} seed {}", self.group, self.seed)
    }
}

/// What is known of an episode that has ended.
pub trait Record: Serialize + DeserializeOwned + Send {
    /// Which episode it is.
    fn key(&self) -> Key;
}

/// Appends records to a file. One process at a time has it.
#[derive(Debug)]
pub struct Ledger {
    file: File,
    path: PathBuf,
}

impl Ledger {
    /// Opens or makes the file, and drops a last line that a kill has torn.
    ///
    /// # Errors
    ///
    /// [`BenchError`] if it cannot be written, or another process is writing it.
    pub fn open(path: &Path) -> Result<Self, BenchError> {
        let failed = BenchError::writing(path);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(path).map_err(&failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let path = path.display();
                return Err(BenchError(format!(
                    "write `{path}`: another process is writing it"
                )));
            }
            // A file system without locks: better unguarded than not at all.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {}
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let whole = whole_lines(&mut file).map_err(&failed)?;
        file.set_len(whole).map_err(&failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        Ok(Self {
            file,
            path: path.to_owned(),
        })
    }

    /// One record, one line, one write: a kill can tear only the line that is being written.
    ///
    /// # Errors
    ///
    /// [`BenchError`] if it cannot be written.
    pub fn append<R: Record>(&mut self, record: &R) -> Result<(), BenchError> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        let written = self.file.write_all(&line);
        let written = written.and_then(|()| self.file.flush());
        written.map_err(BenchError::writing(&self.path))
    }
}

/// Bytes up to the end of the last line that has one.
fn whole_lines(file: &mut File) -> io::Result<u64> {
    const CHUNK: u64 = 4096;
    let mut end = file.seek(SeekFrom::End(0))?;
    while end > 0 {
        let start = end.saturating_sub(CHUNK);
        file.seek(SeekFrom::Start(start))?;
        let mut chunk = vec![];
        (&*file).take(end - start).read_to_end(&mut chunk)?;
        if let Some(idx) = chunk.iter().rposition(|byte| *byte == b'\n') {
            return Ok(start + idx as u64 + 1);
        }
        end = start;
    }
    Ok(0)
}

/// Reads records one after the other, and keeps none. A torn last line is left out. Returns
/// whose episodes they are.
///
/// # Errors
///
/// [`BenchError`] with the line: what is no record, what is there twice, and what `expected`
/// does not hold.
pub fn read_records<R: Record>(
    path: &Path,
    expected: &BTreeSet<Key>,
    mut each: impl FnMut(R) -> Result<(), BenchError>,
) -> Result<BTreeSet<Key>, BenchError> {
    let failed = BenchError::reading(path);
    let mut seen = BTreeSet::new();
    let mut lines = BufReader::new(File::open(path).map_err(&failed)?);
    let mut line = vec![];
    for line_number in 1.. {
        line.clear();
        lines.read_until(b'\n', &mut line).map_err(&failed)?;
        if !line.ends_with(b"\n") {
            break;
        }
        let broken = |why: String| BenchError::broken_line(path, line_number, why);
        let text = line.trim_ascii_end();
        let record: R = serde_json::from_slice(text).map_err(|e| broken(BenchError::said(&e)))?;
        let key = record.key();
        if !expected.contains(&key) {
            return Err(broken(format!("`{key}` is no episode of this run")));
        }
        if !seen.insert(key.clone()) {
            return Err(broken(format!("`{key}` is there for the second time")));
        }
        each(record)?;
    }
    Ok(seen)
}
