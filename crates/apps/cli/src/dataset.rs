//! `regrasp export` and `regrasp dataset record`: demonstrations for robot learning.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::values::mp4_size;
use crate::{CliError, ExitCode, Result, RobotArguments};

#[derive(Debug, Subcommand)]
pub(super) enum Export {
    /// Write a LeRobot data set (version 3.0) of recorded runs.
    Lerobot(LerobotArguments),
    /// Write a recorded run to a file for the Rerun viewer.
    Rerun(crate::viewer::RerunArguments),
}

#[derive(Debug, Subcommand)]
pub(super) enum Dataset {
    /// Run tasks, and make a data set of the episodes that succeed.
    Record(RecordArguments),
}

#[derive(Args, Debug)]
pub(super) struct LerobotArguments {
    /// Run folders with recordings, or recordings.
    #[arg(required = true)]
    runs: Vec<PathBuf>,
    /// Leave out runs that failed.
    #[arg(long)]
    only_successes: bool,
    #[command(flatten)]
    common: DatasetArguments,
}

#[derive(Args, Debug)]
pub(super) struct RecordArguments {
    /// Tasks by name, or task files.
    #[arg(long, num_args = 1.., value_delimiter = ',', required = true)]
    tasks: Vec<String>,
    /// Number of successful episodes of each task.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    episodes: u64,
    /// Include the ground truth of the task's environment (`regrasp.envs` with `obs_mode="state"`)
    /// as `observation.environment_state`, for policies that see no pictures.
    #[arg(long)]
    environment_state: bool,
    #[command(flatten)]
    robot: RobotArguments,
    #[command(flatten)]
    common: DatasetArguments,
}

#[derive(Args, Debug)]
struct DatasetArguments {
    /// The folder of the data set. An unfinished one is continued.
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    /// Frames per second.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=240))]
    fps: u32,
    /// Cameras whose pictures are included.
    #[arg(
        long,
        value_name = "NAME",
        value_delimiter = ',',
        default_value = "scene,wrist"
    )]
    cameras: Vec<String>,
    /// Width and height of the pictures, pixels.
    #[arg(long, num_args = 2, value_names = ["WIDTH", "HEIGHT"], default_values_t = [320, 240],
          value_parser = mp4_size)]
    size: Vec<u32>,
    /// Include no pictures.
    #[arg(long, conflicts_with_all = ["cameras", "size"])]
    no_pictures: bool,
}

#[cfg(not(feature = "dataset"))]
mod made {
    use super::{CliError, ExitCode, LerobotArguments, RecordArguments, Result};

    pub(super) fn lerobot(_: &LerobotArguments) -> Result<ExitCode> {
        Err(CliError::not_built("data sets", "dataset"))
    }

    pub(super) fn record(_: &RecordArguments) -> Result<ExitCode> {
        Err(CliError::not_built("data sets", "dataset"))
    }
}

#[cfg(feature = "dataset")]
mod made {
    use std::path::Path;
    use std::sync::{Arc, Mutex, PoisonError};

    use regrasp::bench::{Verdict, judge};
    use regrasp::ground_truth::{Frame, FrameListener, FrameSink, GroundTruth};
    use regrasp::record::EpisodeInfo;
    use regrasp::scene::{Task, find_task};
    use regrasp::{EpisodeOptions, LoadedRobot};
    use regrasp_export::{
        DemonstrationOptions, EnvironmentStates, RecordOptions, RecordedScene, ending,
    };
    use regrasp_gym::Layout;
    use regrasp_lerobot::{DatasetWriter, Ending, Finished};
    use regrasp_record::Recording;

    use super::{CliError, DatasetArguments, ExitCode, LerobotArguments, RecordArguments, Result};
    use crate::output::{complain, say};
    use crate::recording::{Footage, scratch, warn_if_truncated};

    /// Maximum number of seeds tried per requested episode, besides 10 more per task.
    const TRIES: u64 = 5;

    impl DatasetArguments {
        fn options(&self) -> DemonstrationOptions {
            DemonstrationOptions {
                fps: self.fps,
                cameras: match self.no_pictures {
                    true => vec![],
                    false => self.cameras.clone(),
                },
                size: [self.size[0], self.size[1]],
                environment_names: vec![],
            }
        }
    }

    pub(super) fn lerobot(arguments: &LerobotArguments) -> Result<ExitCode> {
        let options = arguments.common.options();
        let mut dataset = None;
        for run in &arguments.runs {
            let mut footage = Footage::recorded(run)?;
            let recording = &mut footage.recording;
            warn_if_truncated(recording);
            let Some(ending) = ending(recording)? else {
                complain(&format!(
                    "{} is left out: the run did not end",
                    run.display()
                ));
                continue;
            };
            if arguments.only_successes && !ending.success {
                continue;
            }
            if dataset.is_none() {
                let loaded = RecordedScene::of(recording)?.loaded;
                let spec = options.spec(&loaded);
                dataset = Some(DatasetWriter::open(&arguments.common.out, &spec)?);
            }
            let Some(dataset) = &mut dataset else {
                continue;
            };
            let source = source(run, recording)?;
            if !dataset.has(&source) {
                let none = EnvironmentStates::new();
                options.add(dataset, &source, recording, &none, ending)?;
            }
        }
        let dataset = dataset.ok_or_else(|| {
            let why = "no given run ended (with --only-successes: ended successfully)";
            CliError::file(format_args!("make a data set: {why}"))
        })?;
        print_summary(&arguments.common.out, dataset.finish()?);
        Ok(ExitCode::Ok)
    }

    /// Identifies a run by its name and the digest of its final state, wherever its folder is.
    fn source(run: &Path, recording: &mut Recording) -> Result<String> {
        let name = match run.is_dir() {
            true => run.file_name(),
            false => run.file_stem(),
        };
        let result = recording.run()?.result;
        let digest = result.map_or(String::new(), |result| result.state_digest);
        let name = name.unwrap_or_default().to_string_lossy();
        Ok(format!("{name}@{digest}"))
    }

    fn print_summary(out: &Path, finished: Finished) {
        let (episodes, frames, tasks) = (finished.episodes, finished.frames, finished.tasks);
        let shown = out.display();
        say(&format!(
            "data set: {shown} ({episodes} episodes, {frames} frames, {tasks} tasks)"
        ));
    }

    pub(super) fn record(arguments: &RecordArguments) -> Result<ExitCode> {
        let robot = arguments.robot.load()?;
        let tasks = arguments.tasks.iter().map(|name| find_task(name, &robot));
        let tasks = tasks.collect::<Result<Vec<_>, _>>()?;
        let loaded = LoadedRobot::new(robot)?;
        let out = &arguments.common.out;
        let mut options = arguments.common.options();
        let layout = match arguments.environment_state {
            true => Some(common_layout(&loaded, &tasks)?),
            false => None,
        };
        if let Some(layout) = &layout {
            options.environment_names.clone_from(&layout.state_names);
        }
        let mut dataset = DatasetWriter::open(out, &options.spec(&loaded))?;
        let source = Source {
            loaded: &loaded,
            layout,
            options,
        };
        for task in &tasks {
            source.successes(task, arguments.episodes, &mut dataset)?;
        }
        print_summary(out, dataset.finish()?);
        Ok(ExitCode::Ok)
    }

    /// Layout of the environment's state that all tasks have.
    fn common_layout(loaded: &LoadedRobot, tasks: &[Task]) -> Result<Layout> {
        let layouts = tasks.iter().map(|task| Layout::of(loaded, task));
        let mut layouts = layouts.collect::<Result<Vec<_>, _>>()?;
        let first = layouts.swap_remove(0);
        match layouts.iter().all(|layout| *layout == first) {
            true => Ok(first),
            false => Err(CliError::usage(
                "make a data set with --environment-state: the tasks have different objects; make a \
                 data set of each",
            )),
        }
    }

    /// Ground truth of a running episode.
    struct TruthLog {
        layout: Layout,
        goal: Option<[f64; 3]>,
        frame: Frame,
        states: EnvironmentStates,
    }

    impl FrameSink for TruthLog {
        fn frame(&mut self, frame: &Frame) {
            self.frame.clone_from(frame);
        }

        fn truth(&mut self, now: &dyn Fn() -> GroundTruth) {
            let state = self.layout.state(&self.frame, &now(), self.goal);
            self.states.insert(self.frame.step, state);
        }
    }

    struct Source<'a> {
        loaded: &'a LoadedRobot,
        /// Layout of the environment's state, if it is recorded.
        layout: Option<Layout>,
        options: DemonstrationOptions,
    }

    impl Source<'_> {
        /// Adds episodes of a task until there are `n_wanted`.
        fn successes(&self, task: &Task, n_wanted: u64, dataset: &mut DatasetWriter) -> Result<()> {
            let (name, mut n_there) = (task.name(), 0);
            for seed in 0..TRIES * n_wanted + 10 {
                let source = format!("{name}#{seed}");
                if dataset.has(&source) || self.demonstration(task, seed, dataset, &source)? {
                    n_there += 1;
                }
                if n_there == n_wanted {
                    return Ok(());
                }
            }
            Err(CliError::task_failed(format_args!(
                "make a data set: only {n_there} of {n_wanted} episodes of `{name}` succeeded"
            )))
        }

        /// Runs one episode and adds it if the judge calls it a success.
        fn demonstration(
            &self,
            task: &Task,
            seed: u64,
            dataset: &mut DatasetWriter,
            source: &str,
        ) -> Result<bool> {
            let Self {
                loaded, options, ..
            } = self;
            let instance = task.instantiate(seed)?;
            let log = self.layout.clone().map(|layout| {
                Arc::new(Mutex::new(TruthLog {
                    layout,
                    goal: instance.goal,
                    frame: Frame::default(),
                    states: EnvironmentStates::new(),
                }))
            });
            let scratch = scratch()?;
            let mut run = EpisodeOptions {
                seed,
                // Conditions that must hold for a time are judged while the world is watched.
                watch_secs: instance.success.watch_secs(),
                skills: crate::skills::skills(),
                ..EpisodeOptions::default()
            };
            run.listeners.extend(log.iter().map(|log| FrameListener {
                rate_hz: f64::from(options.fps),
                sink: Box::new(Arc::clone(log)),
            }));
            let record = RecordOptions {
                rate_hz: f64::from(options.fps),
                ..RecordOptions::default()
            };
            let info = EpisodeInfo {
                task: instance.prompt.clone(),
                scene: Some(instance.name.clone()),
                seed,
                ..EpisodeInfo::default()
            };
            let recorder = record.begin(&scratch, loaded, &instance.scene, info, &mut run)?;
            let episode = loaded.episode(&instance.scene, &instance.prompt, run)?;
            recorder.finish()?;
            if judge(&instance, &episode) != Verdict::Success {
                return Ok(false);
            }
            let ending = Ending {
                task: instance.prompt.clone(),
                success: true,
                reason: episode.result.final_reason.to_string(),
            };
            let mut recording = Recording::open(&scratch)?;
            let environment = log.map(|log| {
                let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
                std::mem::take(&mut log.states)
            });
            let environment = environment.unwrap_or_default();
            options.add(dataset, source, &mut recording, &environment, ending)?;
            Ok(true)
        }
    }
}

pub(super) fn export(what: &Export) -> Result<ExitCode> {
    match what {
        Export::Lerobot(arguments) => made::lerobot(arguments),
        Export::Rerun(arguments) => crate::viewer::rerun(arguments),
    }
}

pub(super) fn dataset(what: &Dataset) -> Result<ExitCode> {
    match what {
        Dataset::Record(arguments) => made::record(arguments),
    }
}
