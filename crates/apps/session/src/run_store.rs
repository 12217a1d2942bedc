//! Folders and recordings of the runs in a scene.

use std::path::PathBuf;
use std::sync::Arc;

use parking_lot::Mutex;
use regrasp::{LoadedRobot, SceneView};
use regrasp_api::EventSink;
use regrasp_ground_truth::{Frame, FrameSink};
use regrasp_record::{EpisodeInfo, RECORDING_FILE, Recorder, RecordingInfo, RunFolder};
use regrasp_scene::Scene;

use crate::RunOrder;
use crate::options::StationOptions;
use crate::prepared::{Prepared, SetupFailure};

/// Recorder of the current run, if it is recorded. Frames between runs are dropped.
#[derive(Clone, Default)]
pub(crate) struct RunRecorder(Arc<Mutex<Option<Recorder>>>);

impl FrameSink for RunRecorder {
    fn frame(&mut self, frame: &Frame) {
        if let Some(recorder) = self.0.lock().as_mut() {
            recorder.frame(frame);
        }
    }
}

/// A scene with the robot in it, and the options of the session.
pub(crate) struct SceneSetup {
    pub(crate) loaded: Arc<LoadedRobot>,
    pub(crate) options: Arc<StationOptions>,
    /// Name of a simulated scene.
    pub(crate) name: Option<String>,
    pub(crate) seed: u64,
    pub(crate) scene: Scene,
}

impl SceneSetup {
    /// Keeper of the runs' data, if they are kept. `recorder` gets frames at this rate, Hz.
    pub(crate) fn runs(self: &Arc<Self>, recorder: &RunRecorder, rate_hz: f64) -> Option<RunStore> {
        Some(RunStore {
            setup: Arc::clone(self),
            runs_dir: self.options.runs_dir.clone()?,
            rate_hz,
            folder: None,
            recorder: recorder.clone(),
        })
    }
}

/// Keeper of the folders and recordings of a scene's runs.
pub struct RunStore {
    setup: Arc<SceneSetup>,
    runs_dir: PathBuf,
    rate_hz: f64,
    folder: Option<RunFolder>,
    recorder: RunRecorder,
}

impl RunStore {
    /// Opens the data of a run. Returns the sink of its events, and its folder. With `record`, all
    /// positions are recorded, too, to [`RECORDING_FILE`] in the folder.
    pub(crate) fn open(
        &mut self,
        order: &RunOrder,
        prepared: &Prepared,
        record: bool,
    ) -> Result<(Box<dyn EventSink>, PathBuf), SetupFailure> {
        let setup = &*self.setup;
        let info = EpisodeInfo {
            task: order.text.clone(),
            scene: setup.name.clone(),
            seed: setup.seed,
            planner: prepared.planner.name().to_owned(),
            version: env!("CARGO_PKG_VERSION").into(),
            args: setup.options.args.clone(),
            settings: serde_json::to_value(&prepared.agent).ok(),
        };
        let folder = RunFolder::create(&self.runs_dir, &info).map_err(SetupFailure::of)?;
        let mut sinks: Vec<Box<dyn EventSink>> = vec![Box::new(folder.sink())];
        if record {
            let info = RecordingInfo {
                episode: info,
                rate_hz: self.rate_hz,
                scene: &setup.scene,
                robot: setup.loaded.file(),
            };
            let path = folder.path().join(RECORDING_FILE);
            let view = SceneView::new(&setup.loaded, &setup.scene).map_err(SetupFailure::of)?;
            let recorder = Recorder::create(&path, &info, &[], view).map_err(SetupFailure::of)?;
            sinks.push(Box::new(recorder.clone()));
            *self.recorder.0.lock() = Some(recorder);
        }
        let path = folder.path().to_owned();
        self.folder = Some(folder);
        Ok((Box::new(sinks), path))
    }

    /// Completes the data of the run that has ended.
    pub(crate) fn close(&mut self) -> Result<(), SetupFailure> {
        let recorder = self.recorder.0.lock().take();
        let recorded = recorder.map_or(Ok(()), |recorder| recorder.finish());
        let error = self.folder.take().and_then(|folder| folder.take_error());
        recorded.map_err(SetupFailure::of)?;
        error.map_or(Ok(()), |error| Err(SetupFailure::of(error)))
    }
}
