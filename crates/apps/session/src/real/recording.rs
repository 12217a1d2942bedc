//! Recording of a real arm: joints and hand as the arm reports them, objects where they were last
//! seen.
//!
//! The true state of a real cell is not known. These recordings have no contacts and no finger
//! forces, and objects stay where they were last seen. Objects that come into view after the run
//! began are not in them.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

use parking_lot::Mutex;
use regrasp::{LoadedRobot, SceneView};
use regrasp_api::{Observation, PerceivedObject, Percept, Perception, PerceptionError};
use regrasp_franka::{ArmSample, FrankaArm, Watcher};
use regrasp_ground_truth::{Frame, FrameGripper, FrameJoints, FrameObject, FrameSink};
use regrasp_record::{EpisodeInfo, Recorder, RecordingInfo};
use regrasp_scene::{Scene, SceneObject};
use serde_json::Value;

use super::error::RealArmError;
use super::eyes::Eyes;

/// The last percept, shared with threads that draw it.
pub(super) type LastPercept = Arc<Mutex<Percept>>;

/// Perception that stores its last percept.
pub(super) struct StoringPerception {
    pub(super) inner: Box<dyn Perception>,
    pub(super) seen: LastPercept,
}

impl Perception for StoringPerception {
    delegate::delegate! {
        to self.inner {
            fn name(&self) -> &str;
            fn save(&self) -> Value;
            fn restore(&mut self, state: &Value);
        }
    }

    fn perceive(&mut self, observation: &Observation) -> Result<Percept, PerceptionError> {
        let percept = self.inner.perceive(observation)?;
        self.seen.lock().clone_from(&percept);
        Ok(percept)
    }
}

/// Recording that is written on a thread of its own, because the commanding thread must not wait
/// for a disk.
pub struct Recording {
    recorder: Recorder,
    frames: Sender<Frame>,
    thread: JoinHandle<()>,
}

impl Recording {
    /// Begins a recording with the presently seen objects; it lasts while the arm and its
    /// perception are in use.
    ///
    /// # Errors
    ///
    /// [`RealArmError`] if the file cannot be created or the scene cannot be drawn.
    pub fn begin(
        path: &Path,
        loaded: &LoadedRobot,
        (episode, rate_hz): (EpisodeInfo, f64),
        arm: FrankaArm,
        eyes: Eyes,
        (now, percept): (&Observation, Percept),
    ) -> Result<(Self, FrankaArm, Eyes), RealArmError> {
        let info = RecordingInfo {
            episode,
            rate_hz,
            scene: scene(now, &percept),
            robot: loaded.file(),
        };
        let view = SceneView::new(loaded, &info.scene)?;
        let recorder = Recorder::create(path, &info, &[], view)?;
        let (frames, taken) = channel::<Frame>();
        let mut sink = recorder.clone();
        let thread = thread::spawn(move || taken.iter().for_each(|frame| sink.frame(&frame)));
        let this = Self {
            recorder,
            frames,
            thread,
        };
        let seen: LastPercept = Arc::new(Mutex::new(percept));
        let arm = arm.watched(rate_hz, this.watcher(loaded, &seen));
        let eyes = Eyes {
            perception: Box::new(StoringPerception {
                inner: eyes.perception,
                seen,
            }),
            ..eyes
        };
        Ok((this, arm, eyes))
    }

    /// Sink for the events of the run.
    pub fn sink(&self) -> Recorder {
        self.recorder.clone()
    }

    fn watcher(&self, loaded: &LoadedRobot, seen: &LastPercept) -> Watcher {
        let (frames, seen) = (self.frames.clone(), seen.clone());
        let world_from_tool = loaded.world_from_tool();
        let mut step = 0;
        Box::new(move |sample: ArmSample| {
            step += 1;
            let percept = seen.lock();
            let mut frame = frame(&sample, &percept.objects, step);
            frame.world_from_tool = world_from_tool(&sample.observation);
            // A recording that has ended accepts no frames.
            let _ = frames.send(frame);
        })
    }

    /// Ends the recording. The arm must no longer be watched.
    ///
    /// # Errors
    ///
    /// [`RealArmError::Recording`] if not all of it could be written.
    pub fn finish(self) -> Result<(), RealArmError> {
        drop(self.frames);
        // The thread only writes and cannot panic; errors are kept in the recorder.
        let _ = self.thread.join();
        Ok(self.recorder.finish()?)
    }
}

pub(super) fn frame(sample: &ArmSample, objects: &[PerceivedObject], step: u64) -> Frame {
    let now = &sample.observation;
    Frame {
        time_secs: now.time_secs,
        step,
        joints: FrameJoints {
            position: now.joint_positions.clone(),
            velocity: now.joint_velocities.clone(),
            commanded_position: sample.commanded_position.to_vec(),
            commanded_velocity: sample.commanded_velocity.to_vec(),
        },
        gripper: FrameGripper {
            width_m: now.gripper.width_m,
            speed_m_per_s: now.gripper.speed_m_per_s,
            commanded_width_m: now.gripper.width_m,
            grip_force_n: now.gripper.grip_force_n,
            ..FrameGripper::default()
        },
        objects: objects
            .iter()
            .map(|object| FrameObject {
                id: object.id.clone(),
                world_from_object: object.world_from_object,
            })
            .collect(),
        ..Frame::default()
    }
}

/// Converts a percept to a scene that can be drawn.
pub(super) fn scene(now: &Observation, seen: &Percept) -> Scene {
    // Drawing does not use the mass.
    let mass_kg = |id| seen.known(id).and_then(|known| known.mass_kg);
    let objects = seen.objects.iter().map(|object| SceneObject {
        color: object.color.clone(),
        rgba: regrasp_scene::rgba(object.color.as_deref()),
        mass_kg: object.movable.then(|| mass_kg(&object.id).unwrap_or(0.0)),
        friction: 0.0,
        ..SceneObject::new(
            object.id.clone(),
            &object.category,
            object.shape.clone(),
            object.world_from_object,
        )
    });
    let objects = objects.collect();
    Scene {
        start_joints: Some(now.joint_positions.clone()),
        ..Scene::new(
            "real cell",
            now.world_from_base,
            now.gripper.width_m,
            objects,
        )
    }
}
