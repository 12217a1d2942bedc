//! Folder and recording of the current run.

use std::sync::Arc;

use parking_lot::Mutex;
use regrasp::{LoadedRobot, SceneView};
use regrasp_api::EventSink;
use regrasp_ground_truth::{Frame, FrameSink};
use regrasp_record::{EpisodeInfo, RECORDING_FILE, Recorder, RecordingInfo, RunFolder};
use regrasp_scene::Scene;
use regrasp_session::{Prepared, RunOrder, RunOutput, SetupFailure};

use crate::options::StationOptions;

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

/// Scene of the runs, as described in their folders.
pub(crate) struct Setting {
    /// Name of a simulated scene.
    pub(crate) name: Option<String>,
    pub(crate) seed: u64,
    pub(crate) scene: Scene,
    /// Rate of the recorded frames, Hz.
    pub(crate) rate_hz: f64,
}

pub(crate) struct RunStore {
    pub(crate) setting: Setting,
    folder: Option<RunFolder>,
    pub(crate) recorder: RunRecorder,
}

impl RunStore {
    pub(crate) fn of(setting: Setting) -> Self {
        Self {
            setting,
            folder: None,
            recorder: RunRecorder::default(),
        }
    }

    /// Opens the folder of a run, with all positions if `record`; `None` if runs are not kept.
    pub(crate) fn open(
        &mut self,
        (loaded, options): (&LoadedRobot, &StationOptions),
        (order, prepared): (&RunOrder, &Prepared),
        record: bool,
    ) -> Result<Option<RunOutput>, SetupFailure> {
        let Some(runs_dir) = &options.runs_dir else {
            return Ok(None);
        };
        let setting = &self.setting;
        let info = EpisodeInfo {
            task: order.text.clone(),
            scene: setting.name.clone(),
            seed: setting.seed,
            planner: prepared.planner.name().to_owned(),
            version: env!("CARGO_PKG_VERSION").into(),
            args: options.args.clone(),
            settings: serde_json::to_value(&prepared.agent).ok(),
        };
        let folder = RunFolder::create(runs_dir, &info).map_err(SetupFailure::of)?;
        let mut sinks: Vec<Box<dyn EventSink>> = vec![Box::new(folder.sink())];
        let mut recording = None;
        if record {
            let info = RecordingInfo {
                episode: info,
                rate_hz: setting.rate_hz,
                scene: &setting.scene,
                robot: loaded.file(),
            };
            let path = folder.path().join(RECORDING_FILE);
            let view = SceneView::new(loaded, &setting.scene).map_err(SetupFailure::of)?;
            let recorder = Recorder::create(&path, &info, &[], view).map_err(SetupFailure::of)?;
            sinks.push(Box::new(recorder.clone()));
            *self.recorder.0.lock() = Some(recorder);
            recording = Some(path);
        }
        let output = RunOutput {
            sink: Box::new(sinks),
            folder: folder.path().to_owned(),
            recording,
        };
        self.folder = Some(folder);
        Ok(Some(output))
    }

    pub(crate) fn close(&mut self) -> Result<(), SetupFailure> {
        let recorder = self.recorder.0.lock().take();
        let recorded = recorder.map_or(Ok(()), |recorder| recorder.finish());
        let error = self.folder.take().and_then(|folder| folder.take_error());
        recorded.map_err(SetupFailure::of)?;
        error.map_or(Ok(()), |error| Err(SetupFailure::of(error)))
    }
}
