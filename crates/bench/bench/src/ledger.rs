//! `results.jsonl`: one record per line, appended as episodes end.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{BenchError, Seeds};

/// Identifies an episode within a run.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, derive_more::Display)]
#[display("{group} seed {seed}")]
pub struct Key {
    /// Name of the group: a task, or a class of faults with a strategy.
    pub group: String,
    /// Seed of the episode.
    pub seed: u64,
}

impl Key {
    /// Keys of all seeds of each group, in order.
    pub fn all(
        groups: impl IntoIterator<Item = String>,
        seeds: &Seeds,
    ) -> impl Iterator<Item = Self> {
        let with = |group: String| {
            let seeds = seeds.as_slice().iter();
            seeds.map(move |&seed| Self {
                group: group.clone(),
                seed,
            })
        };
        groups.into_iter().flat_map(with)
    }
}

/// Record of an episode that has ended.
pub trait Record: Serialize + DeserializeOwned + Send {
    /// Key of the episode.
    fn key(&self) -> Key;
}

/// Appends records to a file, which is locked against other processes.
#[derive(Debug)]
pub struct Ledger {
    file: File,
    path: PathBuf,
}

impl Ledger {
    /// Opens or creates the file and drops an incomplete last line, left by a killed process.
    ///
    /// # Errors
    ///
    /// [`BenchError`] if the file cannot be written or another process holds the lock.
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
            // The file system has no locks: continue without one.
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

    /// Appends one record as one line with a single write, so that a kill can only truncate the
    /// line being written.
    ///
    /// # Errors
    ///
    /// [`BenchError`] if the record cannot be written.
    pub fn append<R: Record>(&mut self, record: &R) -> Result<(), BenchError> {
        let mut line = serde_json::to_vec(record)?;
        line.push(b'\n');
        let written = self.file.write_all(&line);
        let written = written.and_then(|()| self.file.flush());
        written.map_err(BenchError::writing(&self.path))
    }
}

/// Number of bytes up to and including the last newline.
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

/// Reads records one after the other without keeping them. Ignores an incomplete last line. Returns
/// the keys of the episodes.
///
/// # Errors
///
/// [`BenchError`] with the line number for an invalid record, a duplicate, or an episode that is
/// not in `expected`.
pub fn read_records<R: Record>(
    path: &Path,
    expected: &BTreeSet<Key>,
    mut each: impl FnMut(R),
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
        let record = serde_json::from_slice::<R>(text);
        let record = record.map_err(|e| broken(BenchError::text_of(&e)))?;
        let key = record.key();
        if !expected.contains(&key) {
            return Err(broken(format!("`{key}` is not an episode of this run")));
        }
        if !seen.insert(key.clone()) {
            return Err(broken(format!("`{key}` appears twice")));
        }
        each(record);
    }
    Ok(seen)
}
