//! Writing a recording while the run goes on.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{EpisodeInfo, RecordError};
use mcap::records::MessageHeader;
use mcap::{Attachment, McapError, WriteOptions};
use parking_lot::Mutex;
use regrasp_api::{Event, EventSink, StampedEvent};
use regrasp_ground_truth::{Frame, FrameSink};
use serde::{Deserialize, Serialize};

use super::channels::{self, ContactOut, Image, Joints, ObjectOut};
use super::texts::Texts;

/// Longest simulated time that one chunk holds, s; a kill loses no more.
pub const CHUNK_SECS: f64 = 1.0;

pub(crate) const INFO_NAME: &str = "episode.json";

/// The run that was recorded, and all that is needed to draw it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RecordingInfo<Scene = serde_json::Value, Robot = serde_json::Value> {
    /// The episode as it was known before it began.
    pub episode: EpisodeInfo,
    /// Frames a second of simulated time.
    pub rate_hz: f64,
    /// The scene, instantiated, as the crate `scene` writes it.
    pub scene: Scene,
    /// The robot file, likewise.
    pub robot: Robot,
}

/// Writes a recording. Clones write into the same file.
#[derive(Clone)]
pub struct Recorder {
    /// A panic while writing leaves at worst a cut chunk, which readers expect.
    writer: Arc<Mutex<Writer>>,
}

/// The file: what it was told is in it after the next flush, as one whole chunk.
type McapFile = mcap::Writer<BufWriter<File>>;

struct Writer {
    path: PathBuf,
    /// Absent once it is finished, or after an error: then nothing more is written.
    file: Option<McapFile>,
    channels: Channels,
    sequence: u32,
    /// The objects of the last frame as they were written, and its contacts.
    objects: Texts<ObjectOut>,
    contacts: Texts<ContactOut>,
    /// Begin of the chunk that is being filled, s.
    chunk_began_secs: Option<f64>,
    /// A message while it is encoded.
    text: Vec<u8>,
    error: Option<RecordError>,
}

/// Numbers of the channels by their topics.
type Channels = BTreeMap<String, u16>;

impl Recorder {
    /// Begins a recording. `cameras` names those of which pictures will come. A file of that
    /// name is replaced.
    ///
    /// # Errors
    ///
    /// [`RecordError`] if the file cannot be made.
    pub fn create<Scene: Serialize, Robot: Serialize>(
        path: &Path,
        info: &RecordingInfo<Scene, Robot>,
        cameras: &[String],
    ) -> Result<Self, RecordError> {
        let file = File::create(path).map_err(RecordError::to("make the recording", path))?;
        let info = serde_json::to_vec(info).map_err(RecordError::to(ENCODE, path))?;
        let begun = begin(file, &info, cameras);
        let begun = begun.map_err(reason);
        let (file, channels) = begun.map_err(RecordError::to("write the recording", path))?;
        let writer = Writer {
            path: path.to_owned(),
            file: Some(file),
            channels,
            sequence: 0,
            objects: Texts::default(),
            contacts: Texts::default(),
            chunk_began_secs: None,
            text: Vec::new(),
            error: None,
        };
        Ok(Self {
            writer: Arc::new(Mutex::new(writer)),
        })
    }

    /// Adds a picture of a camera that was named at the start; of others it drops them.
    pub fn picture(&self, camera: &str, time_secs: f64, png: &[u8]) {
        let mut writer = self.writer.lock();
        let topic = picture_topic(camera);
        if writer.channels.contains_key(&topic) {
            let image = Image::png(camera, nanoseconds(time_secs), png);
            let sequence = writer.next();
            writer.keep_error(|writer| writer.write(&topic, sequence, time_secs, &image));
        }
    }

    /// Ends the recording with its index. What comes later is dropped.
    ///
    /// # Errors
    ///
    /// The first thing that went wrong since the start.
    pub fn finish(&self) -> Result<(), RecordError> {
        let mut writer = self.writer.lock();
        writer.keep_error(|writer| match writer.file.take() {
            Some(file) => end(file).map_err(|source| writer.failed(source)),
            None => Ok(()),
        });
        writer.error.take().map_or(Ok(()), Err)
    }

    /// The first thing that could not be written, if any; forgets it.
    pub fn take_error(&self) -> Option<RecordError> {
        self.writer.lock().error.take()
    }
}

fn picture_topic(camera: &str) -> String {
    format!("{}{camera}", channels::CAMERA)
}

fn begin(file: File, info: &[u8], cameras: &[String]) -> Result<(McapFile, Channels), McapError> {
    let options = WriteOptions::new()
        .compression(None)
        .library(concat!("regrasp ", env!("CARGO_PKG_VERSION")))
        // Chunks are put together in memory: of one that was cut no part could be read.
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
    for (topic, name, schema) in channels::SCHEMAS.iter() {
        channel(topic, name, schema)?;
    }
    let image = channels::image_schema();
    for camera in cameras {
        let topic = picture_topic(camera);
        channel(&topic, "foxglove.CompressedImage", &image)?;
    }
    // Readers find all channels in the first chunk.
    file.flush()?;
    Ok((file, ids))
}

/// The summary of a whole recording.
fn end(mut file: McapFile) -> Result<(), McapError> {
    file.finish()?;
    Ok(file.into_inner().flush()?)
}

/// The reason that the system gives, without the library's words around it.
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

const ENCODE: &str = "encode what belongs into the recording";

impl Writer {
    fn failed(&self, error: McapError) -> RecordError {
        RecordError::to("write the recording", &self.path)(reason(error))
    }

    /// Closes a file that was not finished, as after a kill. Dropped as it is, the library would
    /// end it as if it were whole.
    fn break_off(&mut self) {
        drop(self.file.take().map(McapFile::into_inner));
    }

    fn next(&mut self) -> u32 {
        self.sequence = self.sequence.wrapping_add(1);
        self.sequence
    }

    /// Does something; after an error nothing more is done.
    fn keep_error(&mut self, work: impl FnOnce(&mut Self) -> Result<(), RecordError>) {
        if let Err(error) = work(self) {
            self.break_off();
            self.error.get_or_insert(error);
        }
    }

    fn write(
        &mut self,
        topic: &str,
        sequence: u32,
        time_secs: f64,
        message: &impl Serialize,
    ) -> Result<(), RecordError> {
        self.text.clear();
        let encoded = serde_json::to_writer(&mut self.text, message);
        encoded.map_err(RecordError::to(ENCODE, &self.path))?;
        self.chunk_began_secs.get_or_insert(time_secs);
        self.write_text(topic, sequence, time_secs, |writer| &writer.text)
    }

    fn flush(&mut self) -> Result<(), RecordError> {
        self.chunk_began_secs = None;
        let flushed = self.file.as_mut().map_or(Ok(()), |file| file.flush());
        flushed.map_err(|source| self.failed(source))
    }

    fn frame(&mut self, frame: &Frame) -> Result<(), RecordError> {
        let now = frame.time_secs;
        // The clock may also have been set back, or far ahead.
        let is_full = |began: f64| !(began..began + CHUNK_SECS).contains(&now);
        if self.chunk_began_secs.is_some_and(is_full) {
            self.flush()?;
        }
        let sequence = self.next();
        let arm = Joints {
            time_secs: now,
            step: frame.step,
            joints: Cow::Borrowed(&frame.joints),
            world_from_tool: Cow::Borrowed(&frame.world_from_tool),
        };
        self.write(channels::JOINTS, sequence, now, &arm)?;
        self.write(channels::GRIPPER, sequence, now, &frame.gripper)?;
        let things = frame.objects.iter();
        self.objects
            .update("objects", things, ObjectOut::is, ObjectOut::of);
        self.write_text(channels::OBJECTS, sequence, now, |it| it.objects.text())?;
        let touches = frame.contacts.iter();
        self.contacts
            .update("contacts", touches, ContactOut::is, ContactOut::of);
        self.write_text(channels::CONTACTS, sequence, now, |it| it.contacts.text())
    }

    /// Writes a message that is encoded already.
    fn write_text(
        &mut self,
        topic: &str,
        sequence: u32,
        time_secs: f64,
        text: impl FnOnce(&Self) -> &[u8],
    ) -> Result<(), RecordError> {
        let Some(mut file) = self.file.take() else {
            return Ok(());
        };
        let time_ns = nanoseconds(time_secs);
        let header = MessageHeader {
            channel_id: self.channels[topic],
            sequence,
            log_time: time_ns,
            publish_time: time_ns,
        };
        let written = file.write_to_known_channel(&header, text(self));
        self.file = Some(file);
        written.map_err(|source| self.failed(source))
    }

    fn event(&mut self, event: &StampedEvent) -> Result<(), RecordError> {
        let sequence = self.next();
        self.write(channels::EVENTS, sequence, event.sim_secs, event)?;
        if may_wait(&event.event) {
            self.flush()?;
        }
        Ok(())
    }
}

/// True if real time may pass after it although no simulated time does, or nothing follows.
fn may_wait(event: &Event) -> bool {
    matches!(
        event,
        Event::PlanRequested { .. }
            | Event::BackingOff { .. }
            | Event::StepFinished { .. }
            | Event::EpisodeFinished { .. }
    )
}

fn nanoseconds(secs: f64) -> u64 {
    (secs * 1e9).round() as u64
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
