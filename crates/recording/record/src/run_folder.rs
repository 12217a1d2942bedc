//! Writes a run folder: `episode.json`, `events.jsonl` and `result.json`.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use regrasp_api::{Event, EventSink, StampedEvent};
use serde::{Deserialize, Serialize};

use crate::RecordError;
use crate::files::{EPISODE_FILE, EVENTS_FILE, RESULT_FILE, write_json_atomically};

/// Information on an episode before it starts: `episode.json`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EpisodeInfo {
    /// Text of the task.
    pub task: String,
    /// Name of the task or scene file, if any.
    pub scene: Option<String>,
    /// Seed of all random values.
    pub seed: u64,
    /// Name of the planner.
    pub planner: String,
    /// Version of the program.
    pub version: String,
    /// Arguments of the program.
    pub args: Vec<String>,
    /// All settings of the agent, from any source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<serde_json::Value>,
}

/// Folder of one run. It stays readable if the process is killed at any time.
#[derive(Debug)]
pub struct RunFolder {
    path: PathBuf,
    sink: RunSink,
}

/// Writes the events and the result of a run to a [`RunFolder`]. Clones write to the same folder.
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
    /// Creates a folder under `runs_dir`, which is created if necessary, and writes `episode.json`.
    ///
    /// The name of the folder consists of the scene's name (or else the task), the seed and a
    /// unique number, so that simultaneous runs cannot share a folder.
    ///
    /// # Errors
    ///
    /// [`RecordError`] if the folder or a file cannot be created.
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
        let writer = Arc::new(Mutex::new(writer));
        let sink = RunSink { writer };
        Ok(Self { path, sink })
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns a sink that writes events to the folder.
    pub fn sink(&self) -> RunSink {
        self.sink.clone()
    }

    /// Takes the first write error, if any.
    pub fn take_error(&self) -> Option<RecordError> {
        self.sink.take_error()
    }
}

impl RunSink {
    /// Takes the first write error, if any.
    pub fn take_error(&self) -> Option<RecordError> {
        self.writer.lock().error.take()
    }
}

impl EventSink for RunSink {
    fn emit(&mut self, event: &StampedEvent) {
        let mut writer = self.writer.lock();
        let mut outcome = writer.append(event);
        if let Event::EpisodeFinished { result } = &event.event {
            outcome = outcome.and(write_json_atomically(&writer.result_path, result));
        }
        if let Err(error) = outcome {
            writer.error.get_or_insert(error);
        }
    }
}

impl Writer {
    /// Writes one event as one line in one write, so that a kill truncates at most this line.
    fn append(&mut self, event: &StampedEvent) -> Result<(), RecordError> {
        let mut line = serde_json::to_vec(event).map_err(RecordError::write(&self.events_path))?;
        line.push(b'\n');
        let written = self.events.write_all(&line);
        written
            .and_then(|()| self.events.flush())
            .map_err(RecordError::write(&self.events_path))
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

/// Creates a folder with an unused number. Because `create_dir` fails for existing folders, two
/// processes cannot get the same one.
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
