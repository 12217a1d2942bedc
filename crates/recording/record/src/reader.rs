//! Reads run folders, including those of killed runs.

use std::fs;
use std::io;
use std::path::Path;

use regrasp_api::{EpisodeResult, Event, StampedEvent};

use crate::files::{EPISODE_FILE, EVENTS_FILE, RESULT_FILE, read_json};
use crate::{EpisodeInfo, RecordError};

/// Content of a run folder.
#[derive(Clone, Debug)]
pub struct Run {
    /// Information that was written before the start.
    pub info: EpisodeInfo,
    /// Events that were written and could be parsed.
    pub events: Vec<StampedEvent>,
    /// Result; `None` if the run was killed or has not ended.
    pub result: Option<EpisodeResult>,
    /// Lines that could not be parsed.
    pub skipped: Vec<SkippedLine>,
}

/// A line of `events.jsonl` that could not be parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedLine {
    /// Number of the line, from 1.
    pub line_number: usize,
    /// Error message.
    pub error: String,
    /// Set if the line has no newline, because the run was killed while writing the line.
    pub torn: bool,
}

/// Returns the result of a run, which its last event contains; `None` if the run did not end.
pub fn episode_result(events: &[StampedEvent]) -> Option<&EpisodeResult> {
    events.iter().rev().find_map(|event| match &event.event {
        Event::EpisodeFinished { result } => Some(result),
        _ => None,
    })
}

/// Reads a run folder.
///
/// A truncated last line and a missing result are normal for a killed run and not errors. Other
/// invalid lines, for example of another version, are skipped and listed in [`Run::skipped`].
///
/// # Errors
///
/// [`RecordError`] if `episode.json` is missing or invalid, or an existing file cannot be read.
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
    // The lines are parsed as bytes, because the last one may be truncated within a character.
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
