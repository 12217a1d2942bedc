//! Converts recordings to episodes of a data set.

use std::collections::BTreeMap;

use regrasp::LoadedRobot;
use regrasp_ground_truth::Frame;
use regrasp_lerobot::{Camera, DatasetSpec, DatasetWriter, Ending, EpisodeWriter};
use regrasp_record::{Cues, RecordError, Recording};
use regrasp_render::SoftwareRenderer;

use crate::at_rate::{SLACK, at_rate};
use crate::{ExportError, RecordedScene};

/// Selection of the data that each recorded run contributes.
#[derive(Clone, Debug, PartialEq, Eq, smart_default::SmartDefault)]
pub struct DemonstrationOptions {
    /// Frames per second. Default 30.
    #[default(30)]
    pub fps: u32,
    /// Cameras whose pictures are rendered. Default `scene` and `wrist`.
    #[default(vec!["scene".into(), "wrist".into()])]
    pub cameras: Vec<String>,
    /// Width and height of the pictures in pixels, even. Default 320 x 240.
    #[default([320, 240])]
    pub size: [u32; 2],
    /// Names of the numbers of [`EnvironmentStates`]. Default none.
    pub environment_names: Vec<String>,
}

/// States of the robot's environment by simulation step ([`Frame::step`]). They are ground truth
/// that a recording does not contain.
pub type EnvironmentStates = BTreeMap<u64, Vec<f32>>;

impl DemonstrationOptions {
    /// Specification of the data set for a robot. Its state holds the measured joint positions and
    /// gripper width, its action the commanded ones.
    pub fn spec(&self, loaded: &LoadedRobot) -> DatasetSpec {
        let joints = loaded.file().arm_joints.iter();
        let mut names: Vec<String> = joints.map(|joint| format!("{joint}.pos")).collect();
        names.push("gripper.width".into());
        let camera = |name: &String| Camera {
            name: name.clone(),
            width: self.size[0],
            height: self.size[1],
        };
        DatasetSpec {
            fps: self.fps,
            robot: loaded.file().name.clone(),
            state_names: names.clone(),
            environment_names: self.environment_names.clone(),
            action_names: names,
            cameras: self.cameras.iter().map(camera).collect(),
        }
    }

    /// Adds a recording as an episode. The state of frame k is measured k / rate after the first
    /// recorded frame; its
    /// action is the command one frame later, in response to that state (for the last frame, the
    /// command at its own time). A frame without an entry in `environment` gets the latest earlier
    /// entry.
    ///
    /// # Errors
    ///
    /// [`ExportError`] if the recording cannot be read or drawn, a camera does not exist, or the
    /// episode cannot be written. The data set is then unchanged.
    pub fn add(
        &self,
        dataset: &mut DatasetWriter,
        source: &str,
        recording: &mut Recording,
        environment: &EnvironmentStates,
        ending: Ending,
    ) -> Result<usize, ExportError> {
        let scene = RecordedScene::of(recording)?;
        scene.view.check_camera_names(&self.cameras)?;
        let cues = Cues::of(&recording.events()?);
        let mut episode = Demonstration {
            options: self,
            environment,
            writer: dataset.begin(source)?,
            scene,
            renderer: SoftwareRenderer::default(),
            cues,
            n_taken: 0,
            waiting: None,
        };
        at_rate(recording, self.fps, -SLACK, |frame, now_secs| {
            episode.take(frame, now_secs)
        })?;
        let n_frames = episode.n_taken;
        episode.finish(ending)?;
        Ok(n_frames)
    }
}

/// Returns how a recorded run ended; `None` if it was killed.
///
/// # Errors
///
/// [`RecordError`] if the recording cannot be read.
pub fn ending(recording: &mut Recording) -> Result<Option<Ending>, RecordError> {
    let run = recording.run()?;
    Ok(run.result.map(|result| Ending {
        task: run.info.task,
        success: result.success,
        reason: result.final_reason.to_string(),
    }))
}

struct Demonstration<'a> {
    options: &'a DemonstrationOptions,
    environment: &'a EnvironmentStates,
    writer: EpisodeWriter<'a>,
    scene: RecordedScene,
    renderer: SoftwareRenderer,
    cues: Cues,
    n_taken: usize,
    /// Last taken frame and its time, s. The next frame contains its action.
    waiting: Option<(Frame, f64)>,
}

impl Demonstration<'_> {
    fn take(&mut self, frame: &Frame, now_secs: f64) -> Result<(), ExportError> {
        self.n_taken += 1;
        if let Some((before, secs)) = self.waiting.replace((frame.clone(), now_secs)) {
            self.write(&before, frame, secs)?;
        }
        Ok(())
    }

    fn write(&mut self, now: &Frame, next: &Frame, now_secs: f64) -> Result<(), ExportError> {
        let narrow = |values: &[f64], width: f64| -> Vec<f32> {
            let values = values.iter().chain([&width]);
            values.map(|value| *value as f32).collect()
        };
        let state = narrow(&now.joints.position, now.gripper.width_m);
        let commanded = &next.joints.commanded_position;
        let action = narrow(commanded, next.gripper.commanded_width_m);
        let names = self.options.cameras.iter();
        let views = names.map(|name| self.scene.camera(name, now, self.options.size));
        let views = views.collect::<Result<Vec<_>, _>>()?;
        let stage = self.scene.view.stage_from_frame(now);
        let pictures = self.renderer.render(&stage, &views);
        let pictures: Vec<&[u8]> = pictures.iter().map(|p| p.rgb.as_slice()).collect();
        let known = self.environment.range(..=now.step).next_back();
        let environment = known.map_or(&[][..], |(_, numbers)| numbers);
        let subtask = self.cues.at(now_secs).call.clone().unwrap_or_default();
        let writer = &mut self.writer;
        Ok(writer.push(&state, environment, &action, &pictures, &subtask)?)
    }

    fn finish(mut self, ending: Ending) -> Result<(), ExportError> {
        if let Some((last, secs)) = self.waiting.take() {
            self.write(&last, &last, secs)?;
        }
        Ok(self.writer.finish(ending)?)
    }
}
