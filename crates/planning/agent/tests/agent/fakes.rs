//! A minimal world with sensors and skills, a planner that answers from a list, and a clock that
//! advances only when it is read or waited for.

use std::collections::VecDeque;
use std::time::Duration;

use async_trait::async_trait;
use regrasp_agent::Clock;
use regrasp_api::{
    CancelToken, Capabilities, Failure, GripperCommand, GripperReport, GripperState, Held, Knot,
    MotionFailure, MotionPlanner, MotionReport, MotionRequest, ObjectId, Observation, PastCase,
    PerceivedObject, Percept, Perception, PerceptionError, Plan, PlanRequest, PlannedMotion,
    Planner, PlannerError, Pose, PriorAttempt, Reason, Resource, Rewind, RobotError, Snapshot,
    SnapshotError, Success, ToolTarget, Trajectory, Watch, World,
};
use regrasp_robot::{Robot, Skill};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::common::{Shared, lock};

#[derive(Default)]
pub(crate) struct Scene {
    pub(crate) objects: Vec<PerceivedObject>,
    /// Number of next percepts that fail.
    pub(crate) n_blind_looks: usize,
    /// Number of percepts that fail after the next act.
    pub(crate) n_blind_after_act: usize,
    /// Ids that the next percept misses.
    pub(crate) missed_once: Vec<ObjectId>,
    /// Duration of a percept, s.
    pub(crate) latency_secs: f64,
    /// An object that rolls along x, with its speed, m/s, and the time at which it stops, s.
    pub(crate) rolls: Option<(ObjectId, f64, f64)>,
}

impl Scene {
    fn objects_at(&self, time_secs: f64) -> Vec<PerceivedObject> {
        let mut objects = self.objects.clone();
        if let Some((id, m_per_s, until_secs)) = &self.rolls {
            for object in objects.iter_mut().filter(|o| &o.id == id) {
                let way_m = m_per_s * (time_secs.min(*until_secs) - until_secs);
                object.world_from_object.translation.x += way_m;
            }
        }
        objects
    }
}

pub(crate) fn cube(id: &str, x: f64, y: f64, z: f64) -> PerceivedObject {
    let shape = regrasp_testkit::cuboid([0.02; 3]);
    regrasp_testkit::thing(id, "cube", shape, [x, y, z])
}

pub(crate) struct FakeWorld {
    pub(crate) time_secs: f64,
    /// Time until which both fingers feel an object 4 cm wide, s.
    pub(crate) grips_until_secs: f64,
}

impl FakeWorld {
    fn state(&self) -> Observation {
        let grips = self.time_secs < self.grips_until_secs;
        Observation {
            time_secs: self.time_secs,
            gripper: GripperState {
                width_m: if grips { 0.04 } else { 0.08 },
                finger_contact: Some([grips; 2]),
                ..regrasp_testkit::open_hand()
            },
            ..regrasp_testkit::observation()
        }
    }
}

impl World for FakeWorld {
    fn time_secs(&self) -> f64 {
        self.time_secs
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            finger_contacts: true,
            ..Capabilities::default()
        }
    }

    fn observe(&mut self) -> Result<Observation, RobotError> {
        Ok(self.state())
    }

    fn follow(&mut self, _: &Trajectory, _: &Watch) -> Result<MotionReport, RobotError> {
        unreachable!("no skill of these tests moves the arm")
    }

    fn command_gripper(
        &mut self,
        _: GripperCommand,
        _: &Watch,
    ) -> Result<GripperReport, RobotError> {
        unreachable!("no skill of these tests moves the fingers")
    }

    fn wait(&mut self, duration_secs: f64) -> Result<Observation, RobotError> {
        self.time_secs += duration_secs;
        Ok(self.state())
    }

    fn rewind(&mut self) -> Option<&mut dyn Rewind> {
        Some(self)
    }
}

impl Rewind for FakeWorld {
    fn snapshot(&self) -> Result<Snapshot, SnapshotError> {
        Err(SnapshotError::Corrupt("nobody needs it".into()))
    }

    fn restore(&mut self, _: &Snapshot) -> Result<(), SnapshotError> {
        Err(SnapshotError::Corrupt("nobody needs it".into()))
    }

    fn state_digest(&self) -> u64 {
        0xabc
    }
}

pub(crate) struct FakePerception(pub(crate) Shared<Scene>);

impl Perception for FakePerception {
    fn name(&self) -> &str {
        "fake"
    }

    fn perceive(&mut self, observation: &Observation) -> Result<Percept, PerceptionError> {
        let mut scene = lock(&self.0);
        if scene.n_blind_looks > 0 {
            scene.n_blind_looks -= 1;
            return Err(PerceptionError::Blind {
                detail: "the lens is covered".into(),
            });
        }
        let missed = std::mem::take(&mut scene.missed_once);
        let mut seen = scene.objects_at(observation.time_secs);
        seen.retain(|o| !missed.contains(&o.id));
        Ok(Percept {
            time_secs: observation.time_secs,
            objects: seen,
            latency_secs: scene.latency_secs,
            ..Percept::default()
        })
    }
}

pub(crate) struct NoMotion;

impl MotionPlanner for NoMotion {
    fn base_from_tool(&self, _: &[f64]) -> Pose {
        Pose::translation(0.3, 0.0, 0.4)
    }

    fn inverse(&self, _: &Pose, _: &ToolTarget, _: &[f64]) -> Result<Vec<f64>, MotionFailure> {
        Ok(vec![0.5])
    }

    fn limit_margin(&self, _: &[f64]) -> f64 {
        0.5
    }

    fn plan(&self, _: &MotionRequest<'_>) -> Result<PlannedMotion, MotionFailure> {
        unreachable!("no skill of these tests moves the arm")
    }

    fn steer(&self, _: &Knot, _: &[f64], _: f64, _: f64) -> Result<Trajectory, MotionFailure> {
        unreachable!("no policy drives in these tests")
    }
}

/// Skill that puts an object somewhere or fails, as its arguments say.
pub(crate) struct Act(pub(crate) Shared<Scene>);

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ActArgs {
    object: String,
    to: Option<[f64; 3]>,
    fails: Option<String>,
    retry_with: Option<serde_json::Value>,
    #[serde(default)]
    takes_secs: f64,
    #[serde(default)]
    cancels: bool,
    /// True to report the object as taken, whatever the world is like.
    #[serde(default)]
    takes: bool,
}

impl Skill for Act {
    type Args = ActArgs;
    type Task = ();
    const NAME: &'static str = "act";
    const DESCRIPTION: &'static str = "Does what its arguments say.";

    fn precondition(&self, _: &mut Robot, _: &ActArgs) -> Result<(), Failure> {
        Ok(())
    }

    fn run(&self, robot: &mut Robot, args: &ActArgs, _: &mut ()) -> Result<(), Failure> {
        robot.wait(args.takes_secs)?;
        if args.takes {
            let percept = robot.perceive()?;
            let taken = robot.find(&percept, &args.object)?;
            let tool_from_object = robot.world_from_tool()?.inverse() * taken.world_from_object;
            robot.held = Some(Held::of(taken, tool_from_object, 0.04));
        }
        let mut scene = lock(&self.0);
        scene.n_blind_looks += std::mem::take(&mut scene.n_blind_after_act);
        let id = ObjectId::new(&args.object);
        let object = scene.objects.iter_mut().find(|o| o.id == id);
        if let (Some(object), Some([x, y, z])) = (object, args.to) {
            object.world_from_object = Pose::translation(x, y, z);
        }
        if args.cancels {
            robot.cancel.cancel();
        }
        match &args.fails {
            None => Ok(()),
            Some(slug) => {
                let failure = Failure::new(Reason::from_slug(slug), "it broke").about([id]);
                Err(match &args.retry_with {
                    Some(changes) => failure.retry_with(changes.clone()),
                    None => failure,
                })
            }
        }
    }

    fn verify(&self, _: &mut Robot, _: &ActArgs, _: &()) -> Result<Success, Failure> {
        Ok(Success::new("done"))
    }
}

/// Skill that only perceives.
pub(crate) struct See;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct SeeArgs {
    object: String,
}

impl Skill for See {
    type Args = SeeArgs;
    type Task = ();
    const NAME: &'static str = "see";
    const DESCRIPTION: &'static str = "Looks for an object.";
    const CLAIMS: &'static [Resource] = &[Resource::Camera];

    fn precondition(&self, _: &mut Robot, _: &SeeArgs) -> Result<(), Failure> {
        Ok(())
    }

    fn run(&self, _: &mut Robot, _: &SeeArgs, _: &mut ()) -> Result<(), Failure> {
        Ok(())
    }

    fn verify(&self, robot: &mut Robot, args: &SeeArgs, _: &()) -> Result<Success, Failure> {
        let percept = robot.perceive()?;
        let object = robot.find(&percept, &args.object)?;
        Ok(Success::new(format!(
            "{} is at {:?}",
            object.id,
            object.position()
        )))
    }
}

/// A request that the planner received.
pub(crate) struct Asked {
    pub(crate) attempts: Vec<PriorAttempt>,
    pub(crate) past_cases: Vec<PastCase>,
    pub(crate) correction: Option<String>,
}

/// Planner that answers from a list, repeats the last answer, and records its requests.
pub(crate) struct Scripted {
    pub(crate) answers: VecDeque<Result<Plan, PlannerError>>,
    pub(crate) asked: Shared<Vec<Asked>>,
    /// Wall time of an answer by the fake clock, s.
    pub(crate) thinks_secs: f64,
    pub(crate) clock: Shared<Duration>,
}

#[async_trait]
impl Planner for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    async fn plan(&mut self, request: &PlanRequest<'_>) -> Result<Plan, PlannerError> {
        lock(&self.asked).push(Asked {
            attempts: request.attempts.to_vec(),
            past_cases: request.past_cases.to_vec(),
            correction: request.correction.map(str::to_owned),
        });
        *lock(&self.clock) += Duration::from_secs_f64(self.thinks_secs);
        if self.answers.len() > 1 {
            self.answers.pop_front().expect("several answers are left")
        } else {
            self.answers.front().cloned().expect("there is an answer")
        }
    }
}

/// Planner that requests a stop and never answers.
pub(crate) struct Endless(pub(crate) CancelToken);

#[async_trait]
impl Planner for Endless {
    fn name(&self) -> &str {
        "endless"
    }

    async fn plan(&mut self, _: &PlanRequest<'_>) -> Result<Plan, PlannerError> {
        self.0.cancel();
        std::future::pending().await
    }
}

/// A clock that advances by the time that is waited, and by 1 ms with every reading.
pub(crate) struct FakeClock(pub(crate) Shared<Duration>);

impl Clock for FakeClock {
    fn now(&self) -> Duration {
        let mut now = lock(&self.0);
        *now += Duration::from_millis(1);
        *now
    }

    fn sleep(&self, duration: Duration) {
        *lock(&self.0) += duration;
    }
}
