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
pub(crate) struct Setting<'a> {
    /// Name of a simulated scene.
    pub(crate) name: Option<&'a str>,
    pub(crate) seed: u64,
    pub(crate) scene: &'a Scene,
    pub(crate) loaded: &'a LoadedRobot,
    /// Rate of the recorded frames, Hz.
    pub(crate) rate_hz: f64,
}

#[derive(Default)]
pub(crate) struct RunStore {
    folder: Option<RunFolder>,
    pub(crate) recorder: RunRecorder,
}

impl RunStore {
    /// Opens the folder of a run, with all positions if `record`; `None` if runs are not kept.
    pub(crate) fn open(
        &mut self,
        options: &StationOptions,
        setting: &Setting<'_>,
        (order, prepared): (&RunOrder, &Prepared),
        record: bool,
    ) -> Result<Option<RunOutput>, SetupFailure> {
        let Some(runs_dir) = &options.runs_dir else {
            return Ok(None);
        };
        let info = EpisodeInfo {
            task: order.text.clone(),
            scene: setting.name.map(str::to_owned),
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
                scene: setting.scene,
                robot: setting.loaded.file(),
            };
            let path = folder.path().join(RECORDING_FILE);
            let view = SceneView::new(setting.loaded, setting.scene).map_err(SetupFailure::of)?;
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
