//! One episode: planner, options, result.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use regrasp_agent::{Agent, AgentOptions, RunError};
use regrasp_api::{
    ApprovalLog, CancelToken, EpisodeResult, Event, EventSink, FailureMemory, FinalReason,
    ImageSource, LastFailure, Nobody, NullSink, Person, Planner, Policy, RunStore, StampedEvent,
    Viewpoint,
};
use regrasp_faults::Fault;
use regrasp_ground_truth::{Episode, FrameListener, watch};
use regrasp_ground_truth_perception::NoiseOptions;
use regrasp_planner::{FeedbackPlanner, StubPlanner};
use regrasp_policy::{DriveOptions, drive};
use regrasp_robot::{Robot, SkillSet};
use regrasp_scene::Scene;
use regrasp_sim::{SimOptions, Unrest};

use crate::{Cell, LoadedRobot, SetupError};

/// Kind of built-in planner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum PlannerKind {
    /// Grammar with one fixed recipe per goal; ignores earlier failures.
    Stub,
    /// Grammar, search for the order of calls, and remedies for earlier failures.
    #[default]
    Feedback,
}

impl PlannerKind {
    /// Creates a planner of this kind.
    pub fn build(self) -> Box<dyn Planner> {
        match self {
            Self::Stub => Box::new(StubPlanner),
            Self::Feedback => Box::new(FeedbackPlanner::new()),
        }
    }

    /// Name on the command line and in reports.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Kind of perception.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum PerceptionKind {
    /// Objects from ground truth.
    #[default]
    GroundTruth,
    /// Objects from colour and depth pictures, without ground truth.
    Rgbd,
}

impl PerceptionKind {
    /// Name on the command line and in reports.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// Options of an episode. The defaults are the feedback planner, seed 0, perfect perception, no
/// person, and no stored data.
#[derive(smart_default::SmartDefault)]
pub struct EpisodeOptions {
    /// Planner of the episode.
    #[default(PlannerKind::default().build())]
    pub planner: Box<dyn Planner>,
    /// Skills that the planner can call.
    #[default(regrasp_skills::standard())]
    pub skills: SkillSet,
    /// Budgets, rules and policies of the agent. The episode sets its seed and version.
    pub agent: AgentOptions,
    /// Seed of everything random.
    pub seed: u64,
    /// Kind of perception.
    pub perception: PerceptionKind,
    /// Noise of the ground-truth perception.
    pub noise: NoiseOptions,
    /// Noise and models of perception from pixels. The episode's seed replaces that of the noise.
    pub sight: crate::SightOptions,
    /// Pictures for a planner that uses them. Default none.
    pub pictures: Option<crate::PictureOptions>,
    /// Options of the simulation.
    pub sim: SimOptions,
    /// Sink of the events.
    #[default(Box::new(NullSink))]
    pub sink: Box<dyn EventSink>,
    /// Observers of the running world, which cannot affect the result. Default none.
    pub listeners: Vec<FrameListener>,
    /// Cancels the episode.
    pub cancel: CancelToken,
    /// Person who is asked for approvals and answers.
    #[default(Box::new(Nobody))]
    pub person: Box<dyn Person>,
    /// Memory of failures and remedies.
    pub memory: Option<Box<dyn FailureMemory>>,
    /// Memory of approvals.
    pub approvals: Option<Box<dyn ApprovalLog>>,
    /// Storage of the run, so that another process can resume it.
    pub keep: Option<KeepRun>,
    /// Simulated time for which the world is watched after the end, for conditions that have to
    /// keep holding, s. Default 0.
    pub watch_secs: f64,
    /// Faults in addition to those of the scene.
    pub faults: Vec<Fault>,
    /// Policy that drives the robot instead of planner and skills.
    pub policy: Option<PolicyOptions>,
    /// Changes the cell before the episode begins, for example its perception.
    pub prepare: Option<Box<Prepare>>,
}

/// Options of a policy that replaces planner and skills.
pub struct PolicyOptions {
    /// Policy that commands the arm.
    pub policy: Box<dyn Policy>,
    /// Rate and limits of the policy. The seed is that of the episode.
    pub drive: DriveOptions,
    /// Cameras whose pictures the policy gets before each action. Default none.
    pub cameras: Vec<String>,
}

/// Changes a robot's cell in a scene before an episode begins.
pub type Prepare = dyn FnOnce(&LoadedRobot, &Scene, Cell) -> Result<Cell, SetupError> + Send;

/// Storage of a run.
pub struct KeepRun {
    /// Store in which runs and their states are kept.
    pub store: Box<dyn RunStore>,
    /// Key of the run in the store.
    pub key: String,
    /// True to resume a run that has this key already.
    pub resume: bool,
}

/// Failure to run an episode to its end.
#[derive(Debug, thiserror::Error)]
pub enum EpisodeError {
    /// The scene, its faults or its cameras cannot be set up.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// The run cannot be stored or resumed.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// Result of an episode that does not begin because its scene is not at rest: a comparison with the
/// initial poses would be meaningless.
fn not_begun(
    robot: &mut Robot,
    driver: &str,
    command: &str,
    seed: u64,
    unrest: &Unrest,
) -> EpisodeResult {
    robot.emit(Event::EpisodeStarted {
        task: command.to_owned(),
        seed,
        planner: driver.to_owned(),
        perception: robot.perception.name().to_owned(),
    });
    let result = EpisodeResult {
        success: false,
        goal_met: false,
        replans: 0,
        steps: 0,
        planner_calls: 0,
        final_reason: FinalReason::SceneNotAtRest,
        final_detail: unrest.to_string(),
        final_answer: None,
        tokens: 0,
        wall_s: 0.0,
        sim_s: 0.0,
        seed,
        state_digest: robot.digest_text(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    };
    robot.emit(Event::EpisodeFinished {
        result: result.clone(),
    });
    result
}

/// Formats the result as a block of lines for people.
pub fn verdict_block(result: &EpisodeResult) -> String {
    let EpisodeResult {
        success,
        replans,
        steps,
        final_reason,
        final_detail,
        wall_s,
        ..
    } = result;
    format!(
        "\nFINAL VERDICT\n  success:      {success}\n  replans:      {replans}\n  steps:        \
         {steps}\n  final reason: {final_reason}\n  detail:       {final_detail}\n  wall:         \
         {wall_s:.2}s"
    )
}

impl LoadedRobot {
    /// Runs one command in a simulated scene, with an agent or with a policy.
    ///
    /// # Errors
    ///
    /// [`EpisodeError`] if the scene cannot be simulated or the run cannot be stored. All other
    /// failures are in the result.
    pub fn episode(
        &self,
        scene: &Scene,
        command: &str,
        mut options: EpisodeOptions,
    ) -> Result<Episode, EpisodeError> {
        if options.agent.viewpoint == Viewpoint::Robot {
            options.agent.viewpoint = scene.viewpoint;
        }
        let mut faults = scene.faults.clone();
        faults.append(&mut options.faults);
        let mut options = options.with_faults(&faults).map_err(SetupError::from)?;
        let Cell { mut robot, sim } = self.prepared(scene, &mut options)?;
        let sim = sim.ok_or(SetupError::NotSimulated)?;
        let (truth, unrest) = (sim.truth, sim.unrest);
        for listener in options.listeners.drain(..) {
            sim.observer.listen(listener).map_err(SetupError::from)?;
        }
        robot.cancel = options.cancel.clone();
        let last_failure = Arc::new(Mutex::new(None::<LastFailure>));
        let happened = Arc::new(AtomicBool::new(false));
        let anything = Arc::clone(&happened);
        let sinks: Vec<Box<dyn EventSink>> = vec![
            std::mem::replace(&mut options.sink, Box::new(NullSink)),
            Box::new(Arc::clone(&last_failure)),
            Box::new(move |_: &StampedEvent| anything.store(true, Ordering::SeqCst)),
        ];
        robot.set_sink(Box::new(sinks));
        let (seed, watch_secs) = (options.seed, options.watch_secs);
        let first = truth.truth();
        let (result, last, after) = if let Some(unrest) = unrest {
            let driver = options.policy.as_ref().map(|it| it.policy.name());
            let driver = driver.unwrap_or_else(|| options.planner.name().to_owned());
            let result = not_begun(&mut robot, &driver, command, seed, &unrest);
            (result, first.clone(), vec![])
        } else if let Some(mut policy) = options.policy {
            let images = self.policy_images(scene, &truth, &policy)?;
            policy.drive.seed = seed;
            let (policy, how) = (policy.policy.as_mut(), &policy.drive);
            let version = env!("CARGO_PKG_VERSION");
            let result = drive(&mut robot, policy, images, command, how, version);
            let last = truth.truth();
            let wait = |secs| robot.world.wait(secs);
            (result, last, watch(&*truth, watch_secs, wait))
        } else {
            let keep = options.keep.take();
            let mut agent = self.agent(robot, options);
            let result = match keep {
                None => agent.run(command),
                Some(mut keep) => {
                    agent.run_kept(command, keep.store.as_mut(), &keep.key, keep.resume)?
                }
            };
            let last = truth.truth();
            let wait = |secs| agent.robot_mut().world.wait(secs);
            (result, last, watch(&*truth, watch_secs, wait))
        };
        Ok(Episode {
            result,
            first,
            last,
            after,
            last_failure: last_failure.lock().ok().and_then(|mut it| it.take()),
            first_met: None,
            is_from_store: !happened.load(Ordering::SeqCst),
        })
    }

    /// Creates the cell of an episode with its perception, and applies `options.prepare`.
    fn prepared(&self, scene: &Scene, options: &mut EpisodeOptions) -> Result<Cell, SetupError> {
        let noise = NoiseOptions {
            seed: options.seed,
            ..options.noise
        };
        let mut cell = self.cell(scene, options.sim, noise)?;
        self.add_cameras(scene, &mut cell, options)?;
        match options.prepare.take() {
            Some(prepare) => prepare(self, scene, cell),
            None => Ok(cell),
        }
    }

    /// Adds camera perception and pictures for the planner, if the options ask for them.
    fn add_cameras(
        &self,
        scene: &Scene,
        cell: &mut Cell,
        options: &mut EpisodeOptions,
    ) -> Result<(), SetupError> {
        if options.perception == PerceptionKind::Rgbd {
            let truth = Arc::clone(&cell.sim()?.truth);
            let sight = options.sight.seeded(options.seed);
            let eyes = self.rgbd(scene, truth, &sight, options.seed)?;
            cell.robot.perception = Box::new(eyes);
        }
        if let Some(pictures) = &options.pictures {
            let pictures = self.pictures(scene, Arc::clone(&cell.sim()?.truth), pictures)?;
            options.planner.show(Box::new(pictures));
        }
        Ok(())
    }

    fn agent(&self, robot: Robot, options: EpisodeOptions) -> Agent {
        let approval = options.agent.approval;
        let agent_options = AgentOptions {
            seed: options.seed,
            approval: approval.or_else(|| Some(self.file().approval.clone())),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            ..options.agent
        };
        let mut agent = Agent::new(robot, options.skills, options.planner, agent_options)
            .with_person(options.person);
        if let Some(memory) = options.memory {
            agent = agent.with_memory(memory);
        }
        if let Some(approvals) = options.approvals {
            agent = agent.with_approvals(approvals);
        }
        agent
    }

    /// Pictures for a policy, if it uses cameras.
    fn policy_images(
        &self,
        scene: &Scene,
        truth: &Arc<dyn regrasp_ground_truth::GroundTruthSource>,
        policy: &PolicyOptions,
    ) -> Result<Option<Box<dyn ImageSource>>, SetupError> {
        if policy.cameras.is_empty() {
            return Ok(None);
        }
        let options = crate::PictureOptions {
            cameras: policy.cameras.clone(),
            marks: false,
        };
        let pictures = self.pictures(scene, Arc::clone(truth), &options)?;
        Ok(Some(Box::new(pictures)))
    }
}
