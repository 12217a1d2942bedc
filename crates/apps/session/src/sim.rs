//! Backend that puts one robot into simulated scenes.

use std::sync::Arc;

use regrasp::{LoadedRobot, PerceptionKind, SceneView, SightOptions};
use regrasp_api::Perception;
use regrasp_bench::judge;
use regrasp_faults::{
    Fault, disturbed_perception, flaky_skills, perception_disturbance, troubled_planner,
};
use regrasp_ground_truth::{Episode, FrameListener, GroundTruthSource};
use regrasp_ground_truth_perception::{GroundTruthPerception, NoiseOptions};
use regrasp_robot::Robot;
use regrasp_scene::{
    Scene, TaskInstance, builtin_scene, builtin_scene_names, builtin_task, builtin_task_names,
};
use regrasp_sim::SimOptions;

use crate::disturb::SimDisturb;
use crate::options::{StartScene, StationOptions, perception_of};
use crate::run_store::{RunRecorder, SceneSetup};
use crate::{
    Backend, Catalogue, Judge, LoadedScene, Prepared, RunOrder, SetupFailure, TaskEntry, Verdict,
};

/// Backend for simulated scenes, one after the other.
pub struct SimBackend {
    loaded: Arc<LoadedRobot>,
    options: Arc<StationOptions>,
}

const PERCEPTIONS: [PerceptionKind; 2] = [PerceptionKind::GroundTruth, PerceptionKind::Rgbd];

impl SimBackend {
    /// Creates a backend without a scene.
    pub fn new(loaded: LoadedRobot, options: StationOptions) -> Self {
        Self {
            loaded: Arc::new(loaded),
            options: Arc::new(options),
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
        Catalogue {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            scenes: own_scenes
                .map(|(name, _)| name.clone())
                .chain(scenes)
                .collect(),
            tasks: own_tasks.chain(tasks).collect(),
            planners: self.options.planner_names(),
            perceptions: PERCEPTIONS.map(|kind| kind.name().to_owned()).into(),
            skills: (self.options.skills)().specs(),
            joints: self.loaded.file().arm_joints.clone(),
            exports: self.options.exports.clone(),
        }
    }

    fn load(&mut self, name: &str, seed: u64) -> Result<LoadedScene, SetupFailure> {
        let (scene, task) = self.draw(name, seed)?;
        let noise = NoiseOptions::seeded(seed);
        let cell = self.loaded.cell(&scene, SimOptions::default(), noise);
        let cell = cell.map_err(SetupFailure::of)?;
        let robot = cell.robot;
        let not_simulated = || SetupFailure::of(regrasp::SetupError::NotSimulated);
        let sim = cell.sim.ok_or_else(not_simulated)?;
        let view = SceneView::new(&self.loaded, &scene).map_err(SetupFailure::of)?;
        let skills = (self.options.skills)();
        let disturb = SimDisturb {
            faults: sim.faults,
            joints: robot.info.joint_names.clone(),
            skills: skills.specs().into_iter().map(|spec| spec.name).collect(),
            seed,
        };
        let setup = Arc::new(SceneSetup {
            loaded: Arc::clone(&self.loaded),
            options: Arc::clone(&self.options),
            name: Some(name.to_owned()),
            seed,
            scene,
        });
        let recorder = RunRecorder::default();
        let runs = setup.runs(&recorder, FrameListener::USUAL_HZ);
        let observer = sim.observer;
        observer
            .listen(FrameListener::usual(recorder))
            .map_err(SetupFailure::of)?;
        let (truth, was_at_rest) = (Arc::clone(&sim.truth), sim.unrest.is_none());
        Ok(LoadedScene {
            prompt: task.as_ref().map(|task| task.prompt.clone()),
            robot,
            truth: sim.truth,
            listen: Box::new(move |listener| observer.listen(listener).map_err(SetupFailure::of)),
            view: Arc::new(view),
            disturb: Some(Arc::new(disturb)),
            hardware: None,
            skills: Arc::new(skills),
            approval: self.options.approval(self.loaded.file()),
            prepare: Box::new(move |robot, order, faults| {
                setup.prepare(&truth, robot, order, faults)
            }),
            runs,
            judge: task.map(|task| Judge {
                watch_secs: task.success.watch_secs(),
                verdict: Box::new(move |episode| match was_at_rest {
                    true => verdict(&task, episode),
                    false => Verdict::NotJudged,
                }),
            }),
        })
    }
}

impl SceneSetup {
    /// Builds the parts of a run in a simulated scene. `faults` do not act on the world.
    fn prepare(
        &self,
        truth: &Arc<dyn GroundTruthSource>,
        robot: &mut Robot,
        order: &RunOrder,
        faults: &[Fault],
    ) -> Result<Prepared, SetupFailure> {
        let perception = perception_of(order, &PERCEPTIONS.map(PerceptionKind::name))?;
        let mut planner = self.options.planner(order.planner.as_deref())?;
        let mut skills = (self.options.skills)();
        let eyes = self.eyes(truth, &perception)?;
        let now = truth.truth();
        let mut disturbances = vec![];
        for (fault, n) in faults.iter().zip(0..) {
            disturbances.extend(perception_disturbance(&now, fault).map_err(SetupFailure::of)?);
            planner = troubled_planner(fault, planner);
            let skills_of = flaky_skills(fault, skills, self.seed.wrapping_add(n));
            skills = skills_of.map_err(SetupFailure::of)?;
        }
        robot.perception = disturbed_perception(eyes, disturbances);
        Ok(Prepared {
            planner,
            skills,
            agent: self.options.agent_of(self.seed, self.loaded.file()),
            perception,
        })
    }

    fn eyes(
        &self,
        truth: &Arc<dyn GroundTruthSource>,
        name: &str,
    ) -> Result<Box<dyn Perception>, SetupFailure> {
        let (truth, seed) = (Arc::clone(truth), self.seed);
        if name == PerceptionKind::Rgbd.name() {
            let options = SightOptions {
                models: Arc::clone(&self.options.models),
                ..SightOptions::default()
            };
            let eyes = self.loaded.rgbd(&self.scene, truth, &options, seed);
            return Ok(Box::new(eyes.map_err(SetupFailure::of)?));
        }
        let eyes = GroundTruthPerception::new(truth, NoiseOptions::seeded(seed));
        Ok(Box::new(eyes.map_err(SetupFailure::of)?))
    }
}

/// Verdict of the benchmark's judge.
fn verdict(task: &TaskInstance, episode: &Episode) -> Verdict {
    match judge(task, episode) {
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
