//! Encodes frames and events as messages of a recording's channels.

use regrasp_api::{ObjectId, StampedEvent};
use regrasp_ground_truth::Frame;
use serde::Serialize;

use super::channels::{self, State};
use super::foxglove::{self, FrameTransforms, JointStates, Log, SceneUpdate};
use super::geometry::Geometry;

/// A message on one of the [channels].
pub struct Message {
    /// Topic of the channel.
    pub topic: &'static str,
    /// JSON that conforms to the channel's schema.
    pub data: Vec<u8>,
}

impl Message {
    fn new(topic: &'static str, value: &impl Serialize) -> serde_json::Result<Self> {
        let data = serde_json::to_vec(value)?;
        Ok(Self { topic, data })
    }
}

/// Returns the topic, the schema's name and the JSON schema of each channel, without cameras.
pub fn channels() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    let schemas = channels::SCHEMAS.iter();
    schemas.map(|(topic, name, schema)| (*topic, *name, schema.as_str()))
}

/// Encodes the frames and events of one world.
pub struct Encoder {
    geometry: Box<dyn Geometry>,
    joint_names: Vec<String>,
    /// Objects in the last scene; `None` if the next frame has to contain the scene.
    shown: Option<Vec<ObjectId>>,
}

impl Encoder {
    /// Creates an encoder for a world with this geometry; `()` if viewers need not show the world.
    pub fn new(geometry: impl Geometry + 'static) -> Self {
        Self {
            joint_names: geometry.joint_names(),
            geometry: Box::new(geometry),
            shown: None,
        }
    }

    /// Sends the whole scene again with the next frame, for a viewer that joins late.
    pub fn repeat_scene(&mut self) {
        self.shown = None;
    }

    /// Encodes a frame. The scene's surfaces are added to the first frame, and to each frame in
    /// which objects appear or disappear.
    ///
    /// # Errors
    ///
    /// An error of the JSON encoder for values that JSON cannot represent.
    pub fn frame(&mut self, frame: &Frame) -> serde_json::Result<Vec<Message>> {
        let now = frame.time_secs;
        let objects = frame.objects.iter();
        let ids: Vec<_> = objects.map(|object| object.id.clone()).collect();
        let mut messages = vec![];
        if self.shown.as_ref() != Some(&ids) {
            let (surfaces, shared) = (self.geometry.surfaces(), foxglove::shared_fields(now));
            let scene = SceneUpdate::of(&surfaces, &ids, &shared);
            messages.push(Message::new(channels::SCENE, &scene)?);
            self.shown = Some(ids);
        }
        let joints = |positions: &[f64], velocities: &[f64]| {
            JointStates::of(now, &self.joint_names, positions, velocities)
        };
        let at = &frame.joints;
        let is = joints(&at.position, &at.velocity);
        let commanded = joints(&at.commanded_position, &at.commanded_velocity);
        let links = self.geometry.links(frame);
        messages.extend([
            Message::new(channels::STATE, &State::of(frame))?,
            Message::new(channels::JOINTS, &is)?,
            Message::new(channels::COMMANDS, &commanded)?,
            // Readers expect the transforms as the last message of a frame.
            Message::new(channels::TRANSFORMS, &FrameTransforms::of(frame, &links))?,
        ]);
        Ok(messages)
    }

    /// Encodes an event, and its remarks as log messages.
    ///
    /// # Errors
    ///
    /// An error of the JSON encoder for values that JSON cannot represent.
    pub fn event(event: &StampedEvent) -> serde_json::Result<Vec<Message>> {
        let remarks = event.event.remarks().into_iter();
        let logged = remarks.map(|it| Message::new(channels::LOG, &Log::of(event.sim_secs, it)));
        let event = Message::new(channels::EVENTS, event);
        std::iter::once(event).chain(logged).collect()
    }
}
