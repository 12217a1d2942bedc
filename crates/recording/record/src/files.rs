//! File names of a run folder, and atomic writing of JSON.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::RecordError;

pub(crate) const EPISODE_FILE: &str = "episode.json";
pub(crate) const EVENTS_FILE: &str = "events.jsonl";
pub(crate) const RESULT_FILE: &str = "result.json";

/// Writes a JSON file atomically, by renaming a temporary file.
pub(crate) fn write_json_atomically<T: Serialize>(
    path: &Path,
    value: &T,
) -> Result<(), RecordError> {
    let mut text = serde_json::to_vec_pretty(value).map_err(RecordError::write(path))?;
    text.push(b'\n');
    let unfinished = path.with_extension("json.tmp");
    let write = || {
        let mut file = File::create(&unfinished)?;
        file.write_all(&text)?;
        // Without `sync_all`, a power failure could leave an empty file under the final name.
        file.sync_all()?;
        fs::rename(&unfinished, path)
    };
    write().map_err(RecordError::write(path))
}

pub(crate) fn read_json<T: DeserializeOwned>(path: &Path) -> Result<T, RecordError> {
    let text = fs::read(path).map_err(RecordError::read(path))?;
    serde_json::from_slice(&text).map_err(RecordError::to("parse", path))
}
