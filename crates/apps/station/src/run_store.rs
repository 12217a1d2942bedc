//! The folder and the recording of a run, while it lasts.

use std::sync::Arc;

use parking_lot::Mutex;
use regrasp_api::EventSink;
use regrasp_ground_truth::{Frame, FrameSink};
use regrasp_record::{EpisodeInfo, RECORDING_FILE, Recorder, RecordingInfo, RunFolder};
use regrasp_scene::{RobotFile, Scene};
use regrasp_session::{Prepared, RunOrder, RunOutput, SetupFailure};

use crate::options::StationOptions;

/// The recorder of the present run, if one is recorded. Frames that come between runs are dropped.
#[derive(Clone, Default)]
pub(crate) struct RunRecorder(Arc<Mutex<Option<Recorder>>>);

impl FrameSink for RunRecorder {
    fn frame(&mut self, frame: &Frame) {
        if let Some(recorder) = self.0.lock().as_mut() {
            recorder.frame(frame);
        }
    }
}

/// The scene that runs happen in, as their folders describe it.
pub(crate) struct Setting<'a> {
    /// Its name, if it is a simulated one.
    pub(crate) name: Option<&'a str>,
    pub(crate) seed: u64,
    pub(crate) scene: &'a Scene,
    pub(crate) robot: &'a RobotFile,
    /// Frames a second.
    pub(crate) rate_hz: f64,
}

/// Keeps one run after the other.
#[derive(Default)]
pub(crate) struct RunStore {
    folder: Option<RunFolder>,
    pub(crate) recorder: RunRecorder,
}

impl RunStore {
    /// Opens a folder for a run, with all positions if `record`; `None` if nothing is to be kept.
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
                robot: setting.robot,
            };
            let path = folder.path().join(RECORDING_FILE);
            let recorder = Recorder::create(&path, &info, &[]).map_err(SetupFailure::of)?;
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

    /// Completes what the last run was kept in.
    pub(crate) fn close(&mut self) -> Result<(), SetupFailure> {
        let recorder = self.recorder.0.lock().take();
        let recorded = recorder.map_or(Ok(()), |recorder| recorder.finish());
        let error = self.folder.take().and_then(|folder| folder.take_error());
        recorded.map_err(SetupFailure::of)?;
        error.map_or(Ok(()), |error| Err(SetupFailure::of(error)))
    }
}
