//! Reads a recording, complete or truncated.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Display;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::{RecordError, Run, episode_result};
use regrasp_api::StampedEvent;
use regrasp_ground_truth::Frame;

use super::RecordingInfo;
use super::channels::Parts;
use super::item::Item;
use super::recorder::INFO_NAME;
use super::scan::{ChunkRef, Entry, chunk_entries, scan};

/// Recording on the disk. It can be read from any simulated time on, in constant memory.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    file: File,
    info: RecordingInfo,
    chunks: Vec<ChunkRef>,
    topics: BTreeMap<u16, String>,
    is_complete: bool,
}

impl Recording {
    /// Opens a recording. If its writer was killed, it ends with the last complete chunk.
    ///
    /// # Errors
    ///
    /// [`RecordError`] if the file cannot be read or is not a recording of a run.
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let mut file = File::open(path).map_err(unread(path))?;
        let no_recording = |why: String| {
            let why = format!("it is not a recording of a run ({why})");
            unread(path)(why)
        };
        let scan = scan(&mut file).map_err(unread(path))?;
        let scan = scan.ok_or_else(|| no_recording("it is not an MCAP file".into()))?;
        if let Some(offset) = scan.damaged {
            let why = "an attachment is too short, or its checksum does not match";
            return Err(damaged(path, offset, why));
        }
        let mut attachments = scan.attachments.into_iter();
        let info = attachments.find(|(name, _)| name == INFO_NAME);
        let (_, info) = info.ok_or_else(|| {
            no_recording(if scan.is_complete {
                format!("it has no attachment {INFO_NAME}")
            } else {
                "it is truncated before the description of its run".into()
            })
        })?;
        let info = serde_json::from_slice(&info)
            .map_err(|error| no_recording(format!("its attachment {INFO_NAME}: {error}")))?;
        let mut recording = Self {
            path: path.to_owned(),
            file,
            info,
            chunks: scan.chunks,
            topics: BTreeMap::new(),
            is_complete: scan.is_complete,
        };
        if !recording.chunks.is_empty() {
            // The first chunk describes the channels.
            recording.chunk(0)?;
        }
        Ok(recording)
    }

    /// Information on the recorded run.
    pub fn info(&self) -> &RecordingInfo {
        &self.info
    }

    /// Returns true if the recording was finished.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Last simulated time in the recording, s.
    pub fn end_secs(&self) -> f64 {
        let ends = self.chunks.iter().map(|chunk| chunk.end_ns);
        ends.max().unwrap_or(0) as f64 * 1e-9
    }

    /// Names of the recorded cameras.
    pub fn cameras(&self) -> Vec<String> {
        let cameras = self.topics.values();
        let cameras = cameras.filter_map(|t| t.strip_prefix(super::channels::CAMERA));
        cameras.map(str::to_owned).collect()
    }

    /// All items in order of time.
    pub fn items(&mut self) -> Items<'_> {
        self.items_from(0.0)
    }

    /// All items from a simulated time on, in order of time. Earlier chunks are not read.
    pub fn items_from(&mut self, from_secs: f64) -> Items<'_> {
        let from_ns = (from_secs * 1e9).floor().max(0.0) as u64;
        let chunks = self.chunks.iter();
        let next_chunk = chunks.take_while(|chunk| chunk.end_ns < from_ns).count();
        Items {
            recording: self,
            next_chunk,
            from_secs,
            ready: VecDeque::new(),
        }
    }

    /// Returns the last frame at or before a simulated time, or the first frame if all are later.
    /// `None` if the recording has no frames.
    ///
    /// # Errors
    ///
    /// [`RecordError`] if the file cannot be read.
    pub fn frame_at(&mut self, time_secs: f64) -> Result<Option<Frame>, RecordError> {
        let time_ns = (time_secs * 1e9).round().max(0.0) as u64;
        let chunks = self.chunks.iter();
        let n_begun = chunks.take_while(|chunk| chunk.start_ns <= time_ns).count();
        for idx in (0..n_begun).rev() {
            let mut frames = self.chunk(idx)?.into_iter().filter_map(only_frame);
            let last = frames.rfind(|frame| super::nanoseconds(frame.time_secs) <= time_ns);
            if last.is_some() {
                return Ok(last);
            }
        }
        self.frames().next().transpose()
    }

    /// All frames in order of time.
    pub fn frames(&mut self) -> impl Iterator<Item = Result<Frame, RecordError>> {
        self.items()
            .filter_map(|item| item.map(only_frame).transpose())
    }

    /// Reads all events.
    ///
    /// # Errors
    ///
    /// [`RecordError`] if the file cannot be read.
    pub fn events(&mut self) -> Result<Vec<StampedEvent>, RecordError> {
        let events = self.items();
        let events = events.filter_map(|item| item.map(only_event).transpose());
        events.collect()
    }

    /// Reads information, events and result of the run, like [`crate::read_run`] for a run folder.
    ///
    /// # Errors
    ///
    /// [`RecordError`] if the file cannot be read.
    pub fn run(&mut self) -> Result<Run, RecordError> {
        let events = self.events()?;
        let result = episode_result(&events).cloned();
        Ok(Run {
            info: self.info.episode.clone(),
            events,
            result,
            skipped: vec![],
        })
    }

    fn chunk(&mut self, idx: usize) -> Result<Vec<Item>, RecordError> {
        let ChunkRef { offset, length, .. } = self.chunks[idx];
        let mut content = vec![0; length as usize];
        let found = self.file.seek(SeekFrom::Start(offset));
        let read = found.and_then(|_| self.file.read_exact(&mut content));
        read.map_err(unread(&self.path))?;
        let damaged = |why: String| damaged(&self.path, offset, why);
        let mut items = Vec::new();
        let mut parts = Parts::default();
        let topics = &mut self.topics;
        let entries = chunk_entries(&content, |entry| {
            match entry {
                Entry::Channel { id, topic } => {
                    topics.insert(id, topic);
                }
                Entry::Message {
                    channel,
                    time_ns,
                    data,
                } => {
                    if let Some(topic) = topics.get(&channel) {
                        items.extend(parts.read(topic, time_ns as f64 * 1e-9, data)?);
                    }
                }
            }
            Ok(())
        });
        entries.map_err(damaged)?;
        Ok(items)
    }
}

fn unread<E: Display>(path: &Path) -> impl Fn(E) -> RecordError {
    RecordError::to("read the recording", path)
}

fn damaged(path: &Path, offset: u64, why: impl Display) -> RecordError {
    unread(path)(format!("it is damaged at byte {offset}: {why}"))
}

fn only_frame(item: Item) -> Option<Frame> {
    match item {
        Item::Frame(frame) => Some(*frame),
        Item::Event(_) | Item::Picture(_) => None,
    }
}

fn only_event(item: Item) -> Option<StampedEvent> {
    match item {
        Item::Event(event) => Some(*event),
        Item::Frame(_) | Item::Picture(_) => None,
    }
}

/// Items of a recording, in order of time.
pub struct Items<'a> {
    recording: &'a mut Recording,
    next_chunk: usize,
    from_secs: f64,
    ready: VecDeque<Item>,
}

impl Iterator for Items<'_> {
    type Item = Result<Item, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.ready.pop_front() {
                return Some(Ok(item));
            }
            if self.next_chunk >= self.recording.chunks.len() {
                return None;
            }
            self.next_chunk += 1;
            match self.recording.chunk(self.next_chunk - 1) {
                Ok(items) => {
                    let from_secs = self.from_secs;
                    let wanted = items.into_iter().filter(|i| i.time_secs() >= from_secs);
                    self.ready.extend(wanted);
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
