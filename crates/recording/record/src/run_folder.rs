//! Writes a run folder: `episode.json`, `events.jsonl` and `result.json`.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use regrasp_api::{EpisodeResult, Event, EventSink, StampedEvent};
use serde::{Deserialize, Serialize};

use crate::RecordError;
use crate::files::{EPISODE_FILE, EVENTS_FILE, RESULT_FILE, write_json_atomically};

/// What is known about an episode before it begins: `episode.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpisodeInfo {
    /// What was asked for.
    pub task: String,
    /// Name of the task or scene file, if there is one.
    pub scene: Option<String>,
    /// Seed of everything random in it.
    pub seed: u64,
    /// Planner in charge.
    pub planner: String,
    /// Version of the program.
    pub version: String,
    /// Arguments that the program was started with.
    pub args: Vec<String>,
    /// Every setting of the agent, wherever it came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<serde_json::Value>,
}

/// The folder of one run. Dropping it at any moment leaves a readable folder.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    writer: Arc<Mutex<Writer>>,
}

/// Writes every event into a [`RunFolder`], and the result when the episode ends.
/// Clones write into the same folder.
#[derive(Clone, Debug)]
pub struct RunSink {
    writer: Arc<Mutex<Writer>>,
}

#[derive(Debug)]
struct Writer {
    events_path: PathBuf,
    result_path: PathBuf,
    events: File,
    error: Option<RecordError>,
}

impl RunFolder {
    /// Makes a new folder under `runs_dir` (made too, if need be) and writes
    /// `episode.json`.
    ///
    /// The folder's name says task and seed and ends in a number that no other run
    /// has, so runs that start at the same time cannot share a folder.
    ///
    /// # Errors
    ///
    /// The folder or a file cannot be made.
    pub fn create(runs_dir: &Path, info: &EpisodeInfo) -> Result<Self, RecordError> {
        let made = fs::create_dir_all(runs_dir);
        let path = made.and_then(|()| create_unique(runs_dir, &prefix(info)));
        let path = path.map_err(RecordError::to("create the run folder", runs_dir))?;
        write_json_atomically(&path.join(EPISODE_FILE), info)?;
        let events_path = path.join(EVENTS_FILE);
        let events = File::create_new(&events_path).map_err(RecordError::write(&events_path))?;
        let writer = Writer {
            events_path,
            result_path: path.join(RESULT_FILE),
            events,
            error: None,
        };
        Ok(Self {
            path,
            writer: Arc::new(Mutex::new(writer)),
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A consumer to hand to the robot.
    pub fn sink(&self) -> RunSink {
        RunSink {
            writer: Arc::clone(&self.writer),
        }
    }

    /// The first thing that could not be written, if any; forgets it.
    pub fn take_error(&self) -> Option<RecordError> {
        self.sink().take_error()
    }
}

impl RunSink {
    /// The first thing that could not be written, if any; forgets it.
    pub fn take_error(&self) -> Option<RecordError> {
        self.writer.lock().error.take()
    }
}

impl EventSink for RunSink {
    fn emit(&mut self, event: &StampedEvent) {
        let mut writer = self.writer.lock();
        let mut outcome = writer.append(event);
        if let Event::EpisodeFinished { result } = &event.event {
            outcome = outcome.and(writer.finish(result));
        }
        if let Err(error) = outcome {
            writer.error.get_or_insert(error);
        }
    }
}

impl Writer {
    /// One event, one line, one write: a kill can tear only the line that is being
    /// written.
    fn append(&mut self, event: &StampedEvent) -> Result<(), RecordError> {
        let mut line = serde_json::to_vec(event).map_err(RecordError::write(&self.events_path))?;
        line.push(b'\n');
        let written = self.events.write_all(&line);
        written
            .and_then(|()| self.events.flush())
            .map_err(RecordError::write(&self.events_path))
    }

    fn finish(&mut self, result: &EpisodeResult) -> Result<(), RecordError> {
        write_json_atomically(&self.result_path, result)
    }
}

fn prefix(info: &EpisodeInfo) -> String {
    const MAX_LEN: usize = 40;
    let name = info.scene.as_deref().unwrap_or(&info.task);
    let words = name.split(|c: char| !c.is_ascii_alphanumeric());
    let words: Vec<_> = words.filter(|w| !w.is_empty()).collect();
    let mut slug = words.join("_").to_lowercase();
    slug.truncate(MAX_LEN);
    if slug.is_empty() {
        slug.push_str("run");
    }
    format!("{slug}-seed{}", info.seed)
}

/// Making a folder either succeeds or finds that it exists, also between processes:
/// that is what makes the name unique.
fn create_unique(runs_dir: &Path, prefix: &str) -> io::Result<PathBuf> {
    let mut n = 0_u64;
    for entry in fs::read_dir(runs_dir)? {
        let name = entry?.file_name();
        let name = name.to_string_lossy();
        let number = name.strip_prefix(prefix).and_then(|n| n.strip_prefix('-'));
        if let Some(taken) = number.and_then(|n| n.parse::<u64>().ok()) {
            n = n.max(taken.saturating_add(1));
        }
    }
    loop {
        let path = runs_dir.join(format!("{prefix}-{n:03}"));
        match fs::create_dir(&path) {
            Ok(()) => return Ok(path),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists && n < u64::MAX => n += 1,
            Err(e) => return Err(e),
        }
    }
}
