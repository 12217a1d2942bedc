//! Reads a run folder back, also one whose run was killed.

use std::fs;
use std::io;
use std::path::Path;

use regrasp_api::{EpisodeResult, Event, StampedEvent};

use crate::files::{EPISODE_FILE, EVENTS_FILE, RESULT_FILE, read_json};
use crate::{EpisodeInfo, RecordError};

/// A run folder, read back.
#[derive(Clone, Debug)]
pub struct Run {
    /// The run as it was known at the start.
    pub info: EpisodeInfo,
    /// Its events, as far as they were written.
    pub events: Vec<StampedEvent>,
    /// Its result; absent when the run was killed.
    pub result: Option<EpisodeResult>,
    /// Lines that are no event.
    pub skipped: Vec<SkippedLine>,
}

/// A line of `events.jsonl` that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedLine {
    /// Counts from 1.
    pub line_number: usize,
    /// The trouble with it.
    pub error: String,
    /// True if it lacks its end: the run was killed while it was written.
    pub torn: bool,
}

/// The result among the events of a run; `None` if it did not come to its end.
pub fn episode_result(events: &[StampedEvent]) -> Option<&EpisodeResult> {
    events.iter().rev().find_map(|event| match &event.event {
        Event::EpisodeFinished { result } => Some(result),
        _ => None,
    })
}

/// Reads a run folder.
///
/// A torn last line and a missing result are how a killed run looks, so neither is
/// an error. A damaged line elsewhere (or one from another version) is skipped and
/// listed in [`Run::skipped`].
///
/// # Errors
///
/// There is no readable `episode.json`, or a file that is there cannot be read.
pub fn read_run(dir: &Path) -> Result<Run, RecordError> {
    let info = read_json(&dir.join(EPISODE_FILE))?;
    let (events, skipped) = read_events(&dir.join(EVENTS_FILE))?;
    let result_path = dir.join(RESULT_FILE);
    let is_over = result_path.exists();
    let result = is_over.then(|| read_json(&result_path)).transpose()?;
    Ok(Run {
        info,
        events,
        result,
        skipped,
    })
}

fn read_events(path: &Path) -> Result<(Vec<StampedEvent>, Vec<SkippedLine>), RecordError> {
    let text = match fs::read(path) {
        Ok(text) => text,
        // The run was killed before its first event.
        Err(e) if e.kind() == io::ErrorKind::NotFound => vec![],
        Err(e) => return Err(RecordError::read(path)(e)),
    };
    let (mut events, mut skipped) = (vec![], vec![]);
    // Bytes, not text: a line may be torn within a character.
    for (idx, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
        match serde_json::from_slice(line) {
            Ok(event) => events.push(event),
            Err(error) => skipped.push(SkippedLine {
                line_number: idx + 1,
                error: error.to_string(),
                torn: !line.ends_with(b"\n"),
            }),
        }
    }
    Ok((events, skipped))
}
