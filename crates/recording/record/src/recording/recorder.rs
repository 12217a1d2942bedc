//! Writes a recording during a run.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{EpisodeInfo, RecordError};
use mcap::records::MessageHeader;
use mcap::{Attachment, Compression, McapError, WriteOptions};
use parking_lot::Mutex;
use regrasp_api::{Event, EventSink, StampedEvent};
use regrasp_ground_truth::{Frame, FrameSink};
use schemars::schema_for;
use serde::{Deserialize, Serialize};

use super::channels;
use super::encoder::{self, Encoder, Message};
use super::foxglove::CompressedImage;
use super::geometry::Geometry;
use super::nanoseconds;

/// Maximum simulated time in one chunk, s, and so the most that a killed process loses.
pub const CHUNK_SECS: f64 = 1.0;

pub(crate) const INFO_NAME: &str = "episode.json";

/// Information on the recorded run, with everything needed to draw it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordingInfo<Scene = serde_json::Value, Robot = serde_json::Value> {
    /// Information on the episode, known before its start.
    pub episode: EpisodeInfo,
    /// Frames per second of simulated time.
    pub rate_hz: f64,
    /// Instantiated scene, in the format of the crate `scene`.
    pub scene: Scene,
    /// Robot file, in the format of the crate `scene`.
    pub robot: Robot,
}

/// Writes a recording. Clones write to the same file.
#[derive(Clone)]
pub struct Recorder {
    /// Writer, in a lock without poisoning: a panic while writing leaves at worst a truncated
    /// chunk, which readers handle.
    writer: Arc<Mutex<Writer>>,
}

/// Buffers messages until a flush writes them as one complete chunk.
type McapFile = mcap::Writer<BufWriter<File>>;

struct Writer {
    path: PathBuf,
    /// `None` after the end or an error: nothing more is written.
    file: Option<McapFile>,
    channels: Channels,
    sequence: u32,
    encoder: Encoder,
    chunk_began_secs: Option<f64>,
    error: Option<RecordError>,
}

type Channels = BTreeMap<String, u16>;

impl Recorder {
    /// Starts a recording and replaces an existing file. `cameras` are the names of the cameras
    /// whose pictures will be recorded; `geometry` is `()` if 3D viewers need not show the world.
    ///
    /// # Errors
    ///
    /// [`RecordError`] if the file cannot be created.
    pub fn create<Scene: Serialize, Robot: Serialize>(
        path: &Path,
        info: &RecordingInfo<Scene, Robot>,
        cameras: &[String],
        geometry: impl Geometry + 'static,
    ) -> Result<Self, RecordError> {
        let file = File::create(path).map_err(RecordError::to("create the recording", path))?;
        let info = serde_json::to_vec(info).map_err(RecordError::to(ENCODE, path))?;
        let begun = begin(file, &info, cameras);
        let begun = begun.map_err(reason);
        let (file, channels) = begun.map_err(RecordError::to("write the recording", path))?;
        let writer = Writer {
            path: path.to_owned(),
            file: Some(file),
            channels,
            sequence: 0,
            encoder: Encoder::new(geometry),
            chunk_began_secs: None,
            error: None,
        };
        Ok(Self {
            writer: Arc::new(Mutex::new(writer)),
        })
    }

    /// Adds a picture. Pictures of cameras that were not named at the start are dropped.
    pub fn picture(&self, camera: &str, time_secs: f64, png: &[u8]) {
        let mut writer = self.writer.lock();
        let topic = picture_topic(camera);
        if writer.channels.contains_key(&topic) {
            let image = serde_json::to_vec(&CompressedImage::png(camera, time_secs, png));
            writer.keep_error(|writer| {
                let data = image.map_err(RecordError::to(ENCODE, &writer.path))?;
                let sequence = writer.next();
                writer.write(time_secs, &topic, sequence, &data)
            });
        }
    }

    /// Ends the recording and writes its index. Later items are dropped.
    ///
    /// # Errors
    ///
    /// The first error since the start that [`Recorder::take_error`] has not returned.
    pub fn finish(&self) -> Result<(), RecordError> {
        let mut writer = self.writer.lock();
        writer.keep_error(|writer| match writer.file.take() {
            Some(file) => end(file).map_err(|source| writer.failed(source)),
            None => Ok(()),
        });
        writer.error.take().map_or(Ok(()), Err)
    }

    /// Takes the first write error, if any.
    pub fn take_error(&self) -> Option<RecordError> {
        self.writer.lock().error.take()
    }
}

fn picture_topic(camera: &str) -> String {
    format!("{}{camera}", channels::CAMERA)
}

fn begin(file: File, info: &[u8], cameras: &[String]) -> Result<(McapFile, Channels), McapError> {
    let options = WriteOptions::new()
        // JSON with the same names in every message becomes six times smaller.
        .compression(Some(Compression::Zstd))
        .compression_level(1)
        .compression_threads(0)
        .library(concat!("regrasp ", env!("CARGO_PKG_VERSION")))
        // Chunks are built in memory, because a truncated chunk could not be read at all.
        .disable_seeking(true);
    let mut file = options.create(BufWriter::new(file))?;
    file.attach(&Attachment {
        log_time: 0,
        create_time: 0,
        name: INFO_NAME.into(),
        media_type: "application/json".into(),
        data: info.into(),
    })?;
    let mut ids = Channels::new();
    let mut channel = |topic: &str, name: &str, schema: &str| {
        let schema = file.add_schema(name, "jsonschema", schema.as_bytes())?;
        let id = file.add_channel(schema, topic, "json", &BTreeMap::new())?;
        ids.insert(topic.to_owned(), id);
        Ok::<_, McapError>(())
    };
    for (topic, name, schema) in encoder::channels() {
        channel(topic, name, schema)?;
    }
    let image = schema_for!(CompressedImage).to_value().to_string();
    for camera in cameras {
        channel(&picture_topic(camera), "foxglove.CompressedImage", &image)?;
    }
    // Readers expect all channels in the first chunk.
    file.flush()?;
    Ok((file, ids))
}

/// Writes the summary of a complete recording.
fn end(mut file: McapFile) -> Result<(), McapError> {
    file.finish()?;
    Ok(file.into_inner().flush()?)
}

/// Error of the operating system, without the prefix that `mcap` adds.
fn reason(error: McapError) -> io::Error {
    match error {
        McapError::Io(error) => error,
        other => io::Error::other(other),
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.break_off();
    }
}

const ENCODE: &str = "encode the recording";

impl Writer {
    fn failed(&self, error: McapError) -> RecordError {
        RecordError::to("write the recording", &self.path)(reason(error))
    }

    /// Closes the file without an end, as if the process were killed. Dropping the writer of `mcap`
    /// instead would finish the file as if it were complete.
    fn break_off(&mut self) {
        drop(self.file.take().map(McapFile::into_inner));
    }

    fn next(&mut self) -> u32 {
        self.sequence = self.sequence.wrapping_add(1);
        self.sequence
    }

    /// Runs `work`. If it fails, closes the file and keeps the error if it is the first.
    fn keep_error(&mut self, work: impl FnOnce(&mut Self) -> Result<(), RecordError>) {
        if let Err(error) = work(self) {
            self.break_off();
            self.error.get_or_insert(error);
        }
    }

    fn write(
        &mut self,
        time_secs: f64,
        topic: &str,
        sequence: u32,
        data: &[u8],
    ) -> Result<(), RecordError> {
        let Some(file) = &mut self.file else {
            return Ok(());
        };
        self.chunk_began_secs.get_or_insert(time_secs);
        let time_ns = nanoseconds(time_secs);
        let header = MessageHeader {
            channel_id: self.channels[topic],
            sequence,
            log_time: time_ns,
            publish_time: time_ns,
        };
        let written = file.write_to_known_channel(&header, data);
        written.map_err(|source| self.failed(source))
    }

    /// Writes simultaneous messages with one sequence number.
    fn write_all(
        &mut self,
        time_secs: f64,
        messages: serde_json::Result<Vec<Message>>,
    ) -> Result<(), RecordError> {
        let messages = messages.map_err(RecordError::to(ENCODE, &self.path))?;
        let sequence = self.next();
        let mut messages = messages.iter();
        messages.try_for_each(|it| self.write(time_secs, it.topic, sequence, &it.data))
    }

    fn flush(&mut self) -> Result<(), RecordError> {
        self.chunk_began_secs = None;
        let flushed = self.file.as_mut().map_or(Ok(()), |file| file.flush());
        flushed.map_err(|source| self.failed(source))
    }

    fn frame(&mut self, frame: &Frame) -> Result<(), RecordError> {
        let now = frame.time_secs;
        // A new chunk also starts if the clock was set back or jumped ahead.
        let is_full = |began: f64| !(began..began + CHUNK_SECS).contains(&now);
        if self.chunk_began_secs.is_some_and(is_full) {
            self.flush()?;
        }
        let messages = self.encoder.frame(frame);
        self.write_all(now, messages)
    }

    fn event(&mut self, event: &StampedEvent) -> Result<(), RecordError> {
        self.write_all(event.sim_secs, Encoder::event(event))?;
        if may_wait(&event.event) {
            self.flush()?;
        }
        Ok(())
    }
}

/// Returns true if the run may wait after the event while its simulated time stands still, or if
/// the event is the last one. The file is then flushed at once.
fn may_wait(event: &Event) -> bool {
    matches!(
        event,
        Event::PlanRequested { .. }
            | Event::BackingOff { .. }
            | Event::StepFinished { .. }
            | Event::EpisodeFinished { .. }
    )
}

impl FrameSink for Recorder {
    fn frame(&mut self, frame: &Frame) {
        self.writer.lock().keep_error(|writer| writer.frame(frame));
    }
}

impl EventSink for Recorder {
    fn emit(&mut self, event: &StampedEvent) {
        self.writer.lock().keep_error(|writer| writer.event(event));
    }
}
