//! Folder of a run.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::{BenchConfig, BenchError, Key, Ledger, Record, read_records};

const CONFIG_FILE: &str = "config.json";
const RESULTS_FILE: &str = "results.jsonl";
const PICTURES: &str = "pictures";
const RECORDINGS: &str = "recordings";

/// Folder of a run:
///
/// | file | content | written |
/// |---|---|---|
/// | `config.json` | [`BenchConfig`] | at the start, atomically |
/// | `results.jsonl` | one record per line | line by line, flushed after each |
/// | `summary.json` | results that do not depend on the machine | at the end, atomically |
/// | `timing.json` | real times and the machine | at the end, atomically |
/// | `report.md`, `report.html` | reports to read | at the end, atomically |
/// | `pictures/` | failed episodes: their last state, or their key moments if they were recorded | as they end |
/// | `recordings/` | recordings of episodes, if requested | as they run |
#[derive(Clone, Debug)]
pub struct BenchFolder {
    dir: PathBuf,
    config: BenchConfig,
}

impl BenchFolder {
    /// Creates a run in a new or empty folder.
    ///
    /// # Errors
    ///
    /// [`BenchError`] if the folder is not empty or cannot be created.
    pub fn create(dir: &Path, config: BenchConfig) -> Result<Self, BenchError> {
        let failed = BenchError::writing(dir);
        fs::create_dir_all(dir).map_err(&failed)?;
        if fs::read_dir(dir).map_err(&failed)?.next().is_some() {
            let why = match dir.join(CONFIG_FILE).exists() {
                true => "the folder already has a run; continue it with --resume",
                false => "the folder is not empty; name another with --out",
            };
            let path = dir.display();
            return Err(BenchError(format!("start a run in `{path}`: {why}")));
        }
        let folder = Self {
            dir: dir.to_owned(),
            config,
        };
        folder.write_json(CONFIG_FILE, &folder.config)?;
        Ok(folder)
    }

    /// Resumes a run, or creates it if there is none.
    ///
    /// # Errors
    ///
    /// [`BenchError`] if the folder holds other files, a run with another configuration, or tasks
    /// hashed with another identity version.
    pub fn resume(dir: &Path, config: BenchConfig) -> Result<Self, BenchError> {
        let is_new = match fs::read_dir(dir) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) => error.kind() == io::ErrorKind::NotFound,
        };
        if is_new {
            return Self::create(dir, config);
        }
        let there = Self::open(dir)?;
        let path = dir.display();
        let [old, here] = [&there.config, &config].map(|config| config.identity_version);
        if old != here {
            return Err(BenchError(format!(
                "resume the run in `{path}`: it hashes its tasks in format {old} and this program \
                 in format {here}, so the tasks cannot be compared; start a new run with --out"
            )));
        }
        let differences = BenchConfig::differences(&there.config, &config);
        if !differences.is_empty() {
            return Err(BenchError(format!(
                "resume the run in `{path}`: its configuration differs: {}",
                differences.join("; ")
            )));
        }
        Ok(there)
    }

    /// Opens the folder of an existing run.
    ///
    /// # Errors
    ///
    /// [`BenchError`] if the folder does not hold a run.
    pub fn open(dir: &Path) -> Result<Self, BenchError> {
        let path = dir.join(CONFIG_FILE);
        if !path.exists() {
            let dir = dir.display();
            return Err(BenchError(format!(
                "find a run in `{dir}`: there is no config.json in it"
            )));
        }
        Ok(Self {
            dir: dir.to_owned(),
            config: read_json(&path)?,
        })
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.dir
    }

    /// Directory of the pictures.
    pub fn pictures(&self) -> PathBuf {
        self.dir.join(PICTURES)
    }

    /// Path of the picture of an episode, which need not exist.
    pub fn picture(&self, key: &Key) -> PathBuf {
        self.pictures().join(file_name(key, "png"))
    }

    /// Directory of the recordings.
    pub fn recordings(&self) -> PathBuf {
        self.dir.join(RECORDINGS)
    }

    /// Path of the recording of an episode, which need not exist.
    pub fn recording(&self, key: &Key) -> PathBuf {
        self.recordings().join(file_name(key, "mcap"))
    }

    /// Configuration of the run.
    pub fn config(&self) -> &BenchConfig {
        &self.config
    }

    /// Opens the file to which records are appended.
    ///
    /// # Errors
    ///
    /// [`BenchError`] if the file cannot be opened for writing or another process holds its lock.
    pub fn ledger(&self) -> Result<Ledger, BenchError> {
        Ledger::open(&self.dir.join(RESULTS_FILE))
    }

    /// Reads all records one after the other. Returns the keys of the episodes that are still to be
    /// run, in order.
    ///
    /// # Errors
    ///
    /// [`BenchError`] if the file cannot be read, with the line number if a line is invalid, or the
    /// first error of `each`.
    pub fn read<R: Record>(&self, each: impl FnMut(R)) -> Result<Vec<Key>, BenchError> {
        let keys = self.config.keys();
        let path = self.dir.join(RESULTS_FILE);
        let seen = if path.exists() {
            let expected = keys.iter().cloned().collect();
            read_records(&path, &expected, each)?
        } else {
            BTreeSet::new()
        };
        Ok(keys.into_iter().filter(|k| !seen.contains(k)).collect())
    }

    /// Writes a file of the folder as indented JSON.
    ///
    /// # Errors
    ///
    /// [`BenchError`] if the value cannot be encoded or the file cannot be written.
    pub fn write_json<T: Serialize>(&self, name: &str, value: &T) -> Result<(), BenchError> {
        let mut text = serde_json::to_string_pretty(value)?;
        text.push('\n');
        self.write(name, &text)
    }

    /// Writes a file of the folder atomically: to a temporary file that is then renamed.
    ///
    /// # Errors
    ///
    /// [`BenchError`] if the file cannot be written.
    pub fn write(&self, name: &str, text: &str) -> Result<(), BenchError> {
        let path = self.dir.join(name);
        let unfinished = self.dir.join(format!("{name}.tmp"));
        let written = fs::write(&unfinished, text);
        let written = written.and_then(|()| fs::rename(&unfinished, &path));
        written.map_err(BenchError::writing(&path))
    }
}

fn file_name(key: &Key, extension: &str) -> String {
    let plain = |c: char| match c {
        c if c.is_ascii_alphanumeric() || "_-.".contains(c) => c,
        _ => '+',
    };
    let group: String = key.group.chars().map(plain).collect();
    format!("{group}-seed{}.{extension}", key.seed)
}

fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, BenchError> {
    let text = fs::read(path).map_err(BenchError::reading(path))?;
    serde_json::from_slice(&text)
        .map_err(|error| BenchError::broken_line(path, error.line(), BenchError::text_of(&error)))
}
