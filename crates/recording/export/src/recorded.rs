//! Recording of episodes, and drawing of recordings.

use std::path::Path;

use regrasp::{EpisodeOptions, LoadedRobot, NoSuchCamera, SceneView, SetupError};
use regrasp_api::{CameraView, EventSink};
use regrasp_ground_truth::{Frame, FrameListener, FrameSink};
use regrasp_record::{EpisodeInfo, RecordError, Recorder, Recording, RecordingInfo};
use regrasp_render::{SoftwareRenderer, png_bytes};
use regrasp_scene::Scene;

/// Data to record in addition to events.
#[derive(Clone, Debug, PartialEq, smart_default::SmartDefault)]
pub struct RecordOptions {
    /// Frames per second of simulated time. Default 60.
    #[default(FrameListener::USUAL_HZ)]
    pub rate_hz: f64,
    /// Cameras to record. Default none, because pictures can be rendered from the frames later.
    pub cameras: Vec<String>,
    /// Pictures per second of simulated time. Default 5.
    #[default(5.0)]
    pub camera_hz: f64,
}

/// Reason why a recording cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum RecordSetupError {
    /// The file cannot be created.
    #[error(transparent)]
    Recording(#[from] RecordError),
    /// Scene and robot do not match, or a camera does not exist.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl RecordOptions {
    /// Starts to record an episode. Call the recorder's `finish` at the end of the episode.
    ///
    /// # Errors
    ///
    /// [`RecordSetupError`] if the file cannot be created or the scene lacks a camera.
    pub fn begin(
        &self,
        path: &Path,
        loaded: &LoadedRobot,
        scene: &Scene,
        episode: EpisodeInfo,
        options: &mut EpisodeOptions,
    ) -> Result<Recorder, RecordSetupError> {
        let view = self.view(loaded, scene)?;
        let info = RecordingInfo {
            episode,
            rate_hz: self.rate_hz,
            scene,
            robot: loaded.file(),
        };
        let recorder = Recorder::create(path, &info, &self.cameras, view.clone())?;
        let sink = std::mem::replace(&mut options.sink, Box::new(regrasp_api::NullSink));
        let sinks: Vec<Box<dyn EventSink>> = vec![sink, Box::new(recorder.clone())];
        options.sink = Box::new(sinks);
        options.listeners.push(FrameListener {
            rate_hz: self.rate_hz,
            sink: Box::new(recorder.clone()),
        });
        if !self.cameras.is_empty() {
            let sink = photographer(view, self.cameras.clone(), recorder.clone());
            options.listeners.push(FrameListener {
                rate_hz: self.camera_hz,
                sink: Box::new(sink),
            });
        }
        Ok(recorder)
    }

    /// Checks that the scene has all requested cameras.
    ///
    /// # Errors
    ///
    /// [`SetupError::Camera`] with the existing cameras.
    pub fn check(&self, loaded: &LoadedRobot, scene: &Scene) -> Result<(), SetupError> {
        self.view(loaded, scene).map(|_| ())
    }

    fn view(&self, loaded: &LoadedRobot, scene: &Scene) -> Result<SceneView, SetupError> {
        let view = SceneView::new(loaded, scene)?;
        view.check_camera_names(&self.cameras)?;
        Ok(view)
    }
}

/// Records the pictures of cameras.
fn photographer(view: SceneView, cameras: Vec<String>, recorder: Recorder) -> impl FrameSink {
    let mut renderer = SoftwareRenderer::default();
    move |frame: &Frame| {
        let views = cameras.iter();
        let views = views.filter_map(|name| view.view_from_frame(name, frame).ok());
        let views: Vec<_> = views.collect();
        let stage = view.stage_from_frame(frame);
        for picture in renderer.render(&stage, &views) {
            let intrinsics = &picture.view.intrinsics;
            // The buffer always matches the size, so that encoding cannot fail.
            if let Ok(png) = png_bytes(intrinsics.width, intrinsics.height, &picture.rgb) {
                recorder.picture(&picture.view.name, frame.time_secs, &png);
            }
            renderer.recycle(picture);
        }
    }
}

/// Robot and scene of a recording, ready to be drawn.
pub struct RecordedScene {
    /// The robot.
    pub loaded: LoadedRobot,
    /// Scene in its initial state.
    pub scene: Scene,
    /// Visual geometry of robot and scene.
    pub view: SceneView,
}

/// Reason why the scene of a recording cannot be drawn.
#[derive(Debug, thiserror::Error)]
pub enum RecordedSceneError {
    /// The recording has another version of the scene or robot format.
    #[error("parse the scene of the recording: {0}")]
    Decode(#[from] serde_json::Error),
    /// The robot's files are missing or do not match the scene.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

impl RecordedScene {
    /// Reads robot and scene from a recording.
    ///
    /// # Errors
    ///
    /// [`RecordedSceneError`] if they have another format version, or if the robot's URDF, which
    /// only the built-in robot includes, is missing.
    pub fn of(recording: &Recording) -> Result<Self, RecordedSceneError> {
        let info = recording.info();
        let scene: Scene = serde_json::from_value(info.scene.clone())?;
        let loaded = LoadedRobot::new(serde_json::from_value(info.robot.clone())?)?;
        let view = SceneView::new(&loaded, &scene)?;
        Ok(Self {
            loaded,
            scene,
            view,
        })
    }

    pub(crate) fn camera(
        &self,
        name: &str,
        frame: &Frame,
        [width, height]: [u32; 2],
    ) -> Result<CameraView, NoSuchCamera> {
        let mut view = self.view.view_from_frame(name, frame)?;
        view.intrinsics = view.intrinsics.resized(width, height);
        Ok(view)
    }
}
