//! Building what a session commands.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use regrasp::{DepthNoise, Kit, PerceptionKind, SceneView};
use regrasp_api::{ApprovalPolicy, CameraView, EventSink, Perception};
use regrasp_faults::{
    Fault, disturbed_perception, flaky_skills, perception_disturbance, troubled_planner,
};
use regrasp_ground_truth::{Frame, FrameListener, FrameSink, TruthSource};
use regrasp_ground_truth_perception::{GroundTruthPerception, NoiseOptions};
use regrasp_record::{EpisodeInfo, RECORDING_FILE, Recorder, RecordingInfo, RunFolder};
use regrasp_render::Stage;
use regrasp_robot::{Robot, SkillSet};
use regrasp_scene::{
    Scene, TaskInstance, builtin_scene, builtin_scene_names, builtin_task, builtin_task_names,
};
use regrasp_session::{
    Catalogue, Judge, Place, Prepared, RunOrder, RunOutput, SetupTrouble, TaskEntry, View, Workshop,
};
use regrasp_sim::SimOptions;

use super::disturb::LiveDisturb;
use super::judge::TaskJudge;
use super::options::{Drawn, LiveOptions, StartScene};

/// Puts one robot into scenes, one after the other.
pub struct LiveWorkshop {
    kit: Kit,
    options: LiveOptions,
    here: Option<Here>,
}

/// The present scene.
struct Here {
    name: String,
    seed: u64,
    scene: Scene,
    /// The task whose scene it is, as it was drawn.
    task: Option<TaskInstance>,
    truth: Arc<dyn TruthSource>,
    /// Whether it had come to rest before anything was done.
    was_at_rest: bool,
    folder: Option<RunFolder>,
    /// Sees the world while a run is recorded.
    camera: Arc<Mutex<Option<Recorder>>>,
}

/// A listener that looks only while there is something to record.
struct WhileRecording(Arc<Mutex<Option<Recorder>>>);

impl FrameSink for WhileRecording {
    fn frame(&mut self, frame: &Frame) {
        if let Some(recorder) = lock(&self.0).as_mut() {
            recorder.frame(frame);
        }
    }
}

fn lock(camera: &Mutex<Option<Recorder>>) -> MutexGuard<'_, Option<Recorder>> {
    camera.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LiveWorkshop {
    /// A robot that is in no scene yet.
    pub fn new(kit: Kit, options: LiveOptions) -> Self {
        Self {
            kit,
            options,
            here: None,
        }
    }

    fn draw(&self, name: &str, seed: u64) -> Result<Drawn, SetupTrouble> {
        let own = self.options.scenes.iter().find(|(known, _)| known == name);
        let drawn = match own {
            Some((_, scene)) => scene.draw(seed),
            None if builtin_scene_names().contains(&name) => {
                let scene = builtin_scene(name).map_err(trouble)?;
                StartScene::Scene(Box::new(scene)).draw(seed)
            }
            // Files are not for whoever sits at a browser: only built-in names get through.
            None => builtin_task(name).and_then(|task| StartScene::Task(Box::new(task)).draw(seed)),
        };
        drawn.map_err(trouble)
    }

    fn eyes(&self, here: &Here, name: &str) -> Result<Box<dyn Perception>, SetupTrouble> {
        let truth = Arc::clone(&here.truth);
        if name == PerceptionKind::Rgbd.name() {
            let noise = DepthNoise::default();
            let eyes = self.kit.rgbd(&here.scene, truth, noise, here.seed);
            return Ok(Box::new(eyes.map_err(trouble)?));
        }
        let noise = NoiseOptions {
            seed: here.seed,
            ..NoiseOptions::default()
        };
        let eyes = GroundTruthPerception::new(truth, noise);
        Ok(Box::new(eyes.map_err(trouble)?))
    }

    fn skill_names(&self) -> Vec<String> {
        let specs = (self.options.skills)().specs().into_iter();
        specs.map(|spec| spec.name).collect()
    }
}

impl Workshop for LiveWorkshop {
    fn catalogue(&self) -> Catalogue {
        let own = self.options.scenes.iter();
        let own_scenes = own
            .clone()
            .filter(|(_, s)| matches!(s, StartScene::Scene(_)));
        let scenes = builtin_scene_names().into_iter().map(str::to_owned);
        let entry = |name: &str, prompt: &str, description: Option<&str>| TaskEntry {
            name: name.to_owned(),
            prompt: prompt.to_owned(),
            description: description.map(str::to_owned),
        };
        let own_tasks = own.filter_map(|(name, scene)| match scene {
            StartScene::Task(task) => Some(entry(name, task.prompt_template(), task.description())),
            StartScene::Scene(_) => None,
        });
        let tasks = builtin_task_names().into_iter().filter_map(|name| {
            // A test loads them all.
            let task = builtin_task(name).ok()?;
            Some(entry(name, task.prompt_template(), task.description()))
        });
        let eyes = [PerceptionKind::GroundTruth, PerceptionKind::Rgbd];
        Catalogue {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scenes: own_scenes
                .map(|(name, _)| name.clone())
                .chain(scenes)
                .collect(),
            tasks: own_tasks.chain(tasks).collect(),
            planners: self
                .options
                .planners
                .iter()
                .map(|(name, _)| name.clone())
                .collect(),
            perceptions: eyes.map(|kind| kind.name().to_owned()).into(),
            skills: (self.options.skills)().specs(),
            joints: self.kit.file().arm_joints.clone(),
            exports: self.options.exports.clone(),
        }
    }

    fn place(&mut self, name: &str, seed: u64) -> Result<Place, SetupTrouble> {
        let Drawn { scene, task } = self.draw(name, seed)?;
        let prompt = task.as_ref().map(|task| task.prompt.clone());
        let noise = NoiseOptions {
            seed,
            ..NoiseOptions::default()
        };
        let cell = self.kit.cell(&scene, SimOptions::default(), noise);
        let cell = cell.map_err(trouble)?;
        let robot = cell.robot;
        let not_simulated = || trouble(regrasp::SetupError::NotSimulated);
        let sim = cell.sim.ok_or_else(not_simulated)?;
        let view = SceneView::new(&self.kit, &scene).map_err(trouble)?;
        let camera = Arc::default();
        let disturb = LiveDisturb {
            faults: sim.faults,
            joints: robot.info.joint_names.clone(),
            skills: self.skill_names(),
            seed,
        };
        self.here = Some(Here {
            name: name.to_owned(),
            seed,
            scene,
            task,
            truth: Arc::clone(&sim.truth),
            was_at_rest: sim.unrest.is_none(),
            folder: None,
            camera: Arc::clone(&camera),
        });
        let observer = sim.observer;
        let recorded = FrameListener::usual(WhileRecording(camera));
        observer.listen(recorded).map_err(trouble)?;
        Ok(Place {
            prompt,
            robot,
            truth: sim.truth,
            listen: Box::new(move |listener| observer.listen(listener).map_err(trouble)),
            view: Arc::new(LiveView(view)),
            disturb: Arc::new(disturb),
            hardware: None,
        })
    }

    fn prepare(
        &mut self,
        robot: &mut Robot,
        order: &RunOrder,
        faults: &[Fault],
    ) -> Result<Prepared, SetupTrouble> {
        let here = self.here.as_ref().ok_or_else(nowhere)?;
        let known = self.catalogue().perceptions;
        let perception = order.perception.as_ref().unwrap_or(&known[0]);
        if !known.contains(perception) {
            return Err(SetupTrouble(format!(
                "find the perception `{perception}` (perceptions: {})",
                known.join(", ")
            )));
        }
        let mut planner = self.options.planner(order.planner.as_deref())?;
        let mut skills = (self.options.skills)();
        let mut eyes = self.eyes(here, perception)?;
        let now = here.truth.truth();
        let mut disturbances = vec![];
        for (fault, n) in faults.iter().zip(0..) {
            disturbances.extend(perception_disturbance(&now, fault).map_err(trouble)?);
            planner = troubled_planner(fault, planner);
            let seed = here.seed.wrapping_add(n);
            skills = flaky_skills(fault, skills, seed).map_err(trouble)?;
        }
        eyes = disturbed_perception(eyes, disturbances);
        robot.perception = eyes;
        Ok(Prepared {
            planner,
            skills,
            agent: self.options.agent_of(here.seed, self.kit.file()),
            perception: perception.clone(),
        })
    }

    fn keep(
        &mut self,
        order: &RunOrder,
        prepared: &Prepared,
        record: bool,
    ) -> Result<Option<RunOutput>, SetupTrouble> {
        let Some(runs_dir) = &self.options.runs_dir else {
            return Ok(None);
        };
        let here = self.here.as_mut().ok_or_else(nowhere)?;
        let info = EpisodeInfo {
            task: order.text.clone(),
            scene: Some(here.name.clone()),
            seed: here.seed,
            planner: prepared.planner.name().to_owned(),
            version: env!("CARGO_PKG_VERSION").into(),
            args: self.options.args.clone(),
            settings: serde_json::to_value(&prepared.agent).ok(),
        };
        let folder = RunFolder::create(runs_dir, &info).map_err(trouble)?;
        let mut sinks: Vec<Box<dyn EventSink>> = vec![Box::new(folder.sink())];
        let mut recording = None;
        if record {
            let info = RecordingInfo {
                episode: info,
                rate_hz: FrameListener::USUAL_HZ,
                scene: serde_json::to_value(&here.scene).map_err(trouble)?,
                robot: serde_json::to_value(self.kit.file()).map_err(trouble)?,
            };
            let path = folder.path().join(RECORDING_FILE);
            let recorder = Recorder::create(&path, &info, &[]).map_err(trouble)?;
            sinks.push(Box::new(recorder.clone()));
            *lock(&here.camera) = Some(recorder);
            recording = Some(path);
        }
        let output = RunOutput {
            sink: Box::new(sinks),
            folder: folder.path().to_owned(),
            recording,
        };
        here.folder = Some(folder);
        Ok(Some(output))
    }

    fn kept(&mut self) -> Result<(), SetupTrouble> {
        let Some(here) = &mut self.here else {
            return Ok(());
        };
        let recorder = lock(&here.camera).take();
        let recorded = recorder.map_or(Ok(()), |recorder| recorder.finish());
        let error = here.folder.take().and_then(|folder| folder.take_error());
        recorded.map_err(trouble)?;
        error.map_or(Ok(()), |error| Err(trouble(error)))
    }

    fn skills(&self) -> SkillSet {
        (self.options.skills)()
    }

    fn approval(&self) -> ApprovalPolicy {
        self.options.approval(self.kit.file())
    }

    fn judge(&self, order: &RunOrder) -> Option<Box<dyn Judge>> {
        let task = self.here.as_ref()?.task.as_ref()?;
        // Another text than the task's own is not what the task's judge is about.
        let is_it = order.text.trim() == task.prompt.trim();
        let was_at_rest = self.here.as_ref().is_some_and(|here| here.was_at_rest);
        is_it.then(|| -> Box<dyn Judge> {
            Box::new(TaskJudge {
                task: task.clone(),
                was_at_rest,
            })
        })
    }
}

/// A scene as it is shown.
struct LiveView(SceneView);

impl View for LiveView {
    fn stage(&self, frame: &Frame) -> Stage {
        self.0.stage_from_frame(frame)
    }

    fn cameras(&self, joint_positions: &[f64], gripper_width_m: f64) -> Vec<CameraView> {
        self.0.views(joint_positions, gripper_width_m)
    }
}

fn trouble(error: impl std::fmt::Display) -> SetupTrouble {
    SetupTrouble(error.to_string())
}

fn nowhere() -> SetupTrouble {
    SetupTrouble("find the robot: it is in no scene".into())
}
