//! Backend that puts one robot into simulated scenes.

mod disturb;

use std::sync::Arc;

use regrasp::{LoadedRobot, PerceptionKind, SceneView, SightOptions};
use regrasp_api::{ApprovalPolicy, Perception};
use regrasp_bench::{EpisodeOutcome, judge};
use regrasp_faults::{
    Fault, disturbed_perception, flaky_skills, perception_disturbance, troubled_planner,
};
use regrasp_ground_truth::{FrameListener, GroundTruthSource};
use regrasp_ground_truth_perception::{GroundTruthPerception, NoiseOptions};
use regrasp_robot::{Robot, SkillSet};
use regrasp_scene::{
    Scene, TaskInstance, builtin_scene, builtin_scene_names, builtin_task, builtin_task_names,
};
use regrasp_session::{
    Backend, Catalogue, FinishedRun, Judge, LoadedScene, Prepared, RunOrder, RunOutput,
    SetupFailure, TaskEntry, Verdict,
};
use regrasp_sim::SimOptions;

use disturb::SimDisturb;

use crate::options::{StartScene, StationOptions};
use crate::run_store::{RunStore, Setting};
use crate::view::ShownScene;

/// Backend for simulated scenes, one after the other.
pub struct SimBackend {
    loaded: LoadedRobot,
    options: StationOptions,
    current: Option<CurrentScene>,
}

struct CurrentScene {
    /// The drawn task that the scene belongs to.
    task: Option<TaskInstance>,
    truth: Arc<dyn GroundTruthSource>,
    /// True if the scene had come to rest before the first order.
    was_at_rest: bool,
    runs: RunStore,
}

impl SimBackend {
    /// Creates a backend without a scene.
    pub fn new(loaded: LoadedRobot, options: StationOptions) -> Self {
        Self {
            loaded,
            options,
            current: None,
        }
    }

    fn draw(&self, name: &str, seed: u64) -> Result<(Scene, Option<TaskInstance>), SetupFailure> {
        let own = self.options.scenes.iter().find(|(known, _)| known == name);
        let drawn = match own {
            Some((_, scene)) => scene.draw(seed),
            None if builtin_scene_names().contains(&name) => {
                let scene = builtin_scene(name).map_err(SetupFailure::of)?;
                StartScene::Scene(Box::new(scene)).draw(seed)
            }
            // Only built-in names: a browser must not open files.
            None => builtin_task(name).and_then(|task| StartScene::Task(Box::new(task)).draw(seed)),
        };
        drawn.map_err(SetupFailure::of)
    }

    fn eyes(
        &self,
        current: &CurrentScene,
        name: &str,
    ) -> Result<Box<dyn Perception>, SetupFailure> {
        let truth = Arc::clone(&current.truth);
        let Setting { seed, scene, .. } = &current.runs.setting;
        if name == PerceptionKind::Rgbd.name() {
            let options = SightOptions {
                models: Arc::clone(&self.options.models),
                ..SightOptions::default()
            };
            let eyes = self.loaded.rgbd(scene, truth, &options, *seed);
            return Ok(Box::new(eyes.map_err(SetupFailure::of)?));
        }
        let noise = NoiseOptions {
            seed: *seed,
            ..NoiseOptions::default()
        };
        let eyes = GroundTruthPerception::new(truth, noise);
        Ok(Box::new(eyes.map_err(SetupFailure::of)?))
    }
}

impl Backend for SimBackend {
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
            // Built-in tasks always load; a test checks that.
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
            planners: self.options.planner_names(),
            perceptions: eyes.map(|kind| kind.name().to_owned()).into(),
            skills: (self.options.skills)().specs(),
            joints: self.loaded.file().arm_joints.clone(),
            exports: self.options.exports.clone(),
        }
    }

    fn load(&mut self, name: &str, seed: u64) -> Result<LoadedScene, SetupFailure> {
        let (scene, task) = self.draw(name, seed)?;
        let prompt = task.as_ref().map(|task| task.prompt.clone());
        let noise = NoiseOptions {
            seed,
            ..NoiseOptions::default()
        };
        let cell = self.loaded.cell(&scene, SimOptions::default(), noise);
        let cell = cell.map_err(SetupFailure::of)?;
        let robot = cell.robot;
        let not_simulated = || SetupFailure::of(regrasp::SetupError::NotSimulated);
        let sim = cell.sim.ok_or_else(not_simulated)?;
        let view = SceneView::new(&self.loaded, &scene).map_err(SetupFailure::of)?;
        let specs = (self.options.skills)().specs().into_iter();
        let disturb = SimDisturb {
            faults: sim.faults,
            joints: robot.info.joint_names.clone(),
            skills: specs.map(|spec| spec.name).collect(),
            seed,
        };
        let runs = RunStore::of(Setting {
            name: Some(name.to_owned()),
            seed,
            scene,
            rate_hz: FrameListener::USUAL_HZ,
        });
        let recorder = runs.recorder.clone();
        self.current = Some(CurrentScene {
            task,
            truth: Arc::clone(&sim.truth),
            was_at_rest: sim.unrest.is_none(),
            runs,
        });
        let observer = sim.observer;
        observer
            .listen(FrameListener::usual(recorder))
            .map_err(SetupFailure::of)?;
        Ok(LoadedScene {
            prompt,
            robot,
            truth: sim.truth,
            listen: Box::new(move |listener| observer.listen(listener).map_err(SetupFailure::of)),
            view: Arc::new(ShownScene(view)),
            disturb: Some(Arc::new(disturb)),
            hardware: None,
        })
    }

    fn prepare(
        &mut self,
        robot: &mut Robot,
        order: &RunOrder,
        faults: &[Fault],
    ) -> Result<Prepared, SetupFailure> {
        let current = self.current.as_ref().ok_or_else(nowhere)?;
        let seed = current.runs.setting.seed;
        let known = self.catalogue().perceptions;
        let perception = order.perception.as_ref().unwrap_or(&known[0]);
        if !known.contains(perception) {
            return Err(SetupFailure(format!(
                "find the perception `{perception}` (perceptions: {})",
                known.join(", ")
            )));
        }
        let mut planner = self.options.planner(order.planner.as_deref())?;
        let mut skills = (self.options.skills)();
        let mut eyes = self.eyes(current, perception)?;
        let now = current.truth.truth();
        let mut disturbances = vec![];
        for (fault, n) in faults.iter().zip(0..) {
            disturbances.extend(perception_disturbance(&now, fault).map_err(SetupFailure::of)?);
            planner = troubled_planner(fault, planner);
            let skills_of = flaky_skills(fault, skills, seed.wrapping_add(n));
            skills = skills_of.map_err(SetupFailure::of)?;
        }
        eyes = disturbed_perception(eyes, disturbances);
        robot.perception = eyes;
        Ok(Prepared {
            planner,
            skills,
            agent: self.options.agent_of(seed, self.loaded.file()),
            perception: perception.clone(),
        })
    }

    fn open_output(
        &mut self,
        order: &RunOrder,
        prepared: &Prepared,
        record: bool,
    ) -> Result<Option<RunOutput>, SetupFailure> {
        let current = self.current.as_mut().ok_or_else(nowhere)?;
        let here = (&self.loaded, &self.options);
        current.runs.open(here, (order, prepared), record)
    }

    fn close_output(&mut self) -> Result<(), SetupFailure> {
        let current = self.current.as_mut();
        current.map_or(Ok(()), |current| current.runs.close())
    }

    fn skills(&self) -> SkillSet {
        (self.options.skills)()
    }

    fn approval(&self) -> ApprovalPolicy {
        self.options.approval(self.loaded.file())
    }

    fn judge(&self, order: &RunOrder) -> Option<Box<dyn Judge>> {
        let current = self.current.as_ref()?;
        let task = current.task.as_ref()?;
        // The task's judge only judges runs of its own prompt.
        let is_it = order.text.trim() == task.prompt.trim();
        is_it.then(|| -> Box<dyn Judge> {
            Box::new(TaskJudge {
                task: task.clone(),
                was_at_rest: current.was_at_rest,
            })
        })
    }
}

fn nowhere() -> SetupFailure {
    SetupFailure("find the robot: no scene is loaded".into())
}

/// Adapter for the benchmark's judge.
struct TaskJudge {
    task: TaskInstance,
    /// True if the scene had come to rest before the first order.
    was_at_rest: bool,
}

impl Judge for TaskJudge {
    fn watch_secs(&self) -> f64 {
        self.task.success.watch_secs()
    }

    fn verdict(&self, seen: FinishedRun<'_>) -> Verdict {
        if !self.was_at_rest {
            return Verdict::NotJudged;
        }
        let outcome = EpisodeOutcome {
            result: seen.result.clone(),
            last_failure: seen.last_failure,
            first: seen.first,
            last: seen.last,
            after: seen.after,
            first_met: None,
        };
        match judge(&self.task, &outcome) {
            regrasp_bench::Verdict::Success => Verdict::Success,
            regrasp_bench::Verdict::Infrastructure => Verdict::NotJudged,
            regrasp_bench::Verdict::Failure {
                unmet,
                false_success,
            } => Verdict::Failure {
                unmet,
                false_success,
            },
        }
    }
}
