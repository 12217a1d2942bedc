//! One episode in which a policy drives.

use std::time::Instant;

use regrasp_api::{
    Action, EpisodeResult, Event, Failure, FaultKind, FinalReason, GripperAction, GripperCommand,
    ImageSource, Knot, Phase, Policy, PolicyError, PolicyInput, PolicyStart, Pose, Reason,
    SkillResult, StateAfter, ToolTarget, Trajectory,
};
use regrasp_robot::{Robot, is_lasting};

/// What the driving is called where a skill's name is expected.
const STEP_NAME: &str = "policy";
/// A width this close to the one before is the same, m.
const SAME_WIDTH_M: f64 = 1e-4;
/// A force this close to the one before is the same, N.
const SAME_FORCE_N: f64 = 0.1;
/// No joint turns further towards one pose of the tool, rad: a pose that needs more is one that
/// another configuration of the arm reaches.
const NEAR_RAD: f64 = 0.6;
/// Within this time the arm comes to rest where it was when the episode ended, s.
const REST_SECS: f64 = 1.0;
/// The world is given this long to settle before it is judged, s.
const SETTLE_SECS: f64 = 0.5;

/// How a policy drives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriveOptions {
    /// Actions a second of simulated time. Default 20.
    pub rate_hz: f64,
    /// The episode ends after this much simulated time, s. Default 60.
    pub max_sim_secs: f64,
    /// Part of the joints' limits that may be used, in (0, 1]. Default 0.9.
    pub speed_scale: f64,
    /// Seed of everything random. Default 0.
    pub seed: u64,
}

impl Default for DriveOptions {
    fn default() -> Self {
        Self {
            rate_hz: 20.0,
            max_sim_secs: 60.0,
            speed_scale: 0.9,
            seed: 0,
        }
    }
}

/// Lets a policy drive until it is done, gives up, or the time is over. The result's claim
/// is the policy's own; nothing is verified here.
pub fn drive(
    robot: &mut Robot,
    policy: &mut dyn Policy,
    images: Option<Box<dyn ImageSource>>,
    task: &str,
    options: &DriveOptions,
    version: &str,
) -> EpisodeResult {
    let began = Instant::now();
    robot.emit(Event::EpisodeStarted {
        task: task.to_owned(),
        seed: options.seed,
        planner: policy.name(),
        perception: robot.perception.name().to_owned(),
    });
    robot.emit(Event::StepStarted {
        step_idx: 0,
        skill: STEP_NAME.to_owned(),
        args: serde_json::json!({ "policy": policy.name(), "rate_hz": options.rate_hz }),
    });
    let start_secs = robot.time_secs();
    let end = match standing(robot) {
        Ok(state) => {
            let mut driving = Driving {
                target: state.position.clone(),
                state,
                gripper: None,
                stopped: None,
                start_secs,
                robot,
                images,
                options,
            };
            let end = driving.until_end(policy, task);
            match driving.rest() {
                Ok(()) => end,
                Err(failure) => end.or_broken(&failure),
            }
        }
        Err(failure) => {
            let (reason, detail) = broken(&failure);
            End {
                reason,
                detail,
                n_actions: 0,
            }
        }
    };
    let result = end.as_step(robot);
    robot.emit(Event::StepFinished {
        step_idx: 0,
        result,
    });
    let success = end.reason == FinalReason::PlanComplete;
    let result = EpisodeResult {
        success,
        goal_met: success,
        replans: 0,
        steps: 1,
        planner_calls: end.n_actions,
        final_reason: end.reason,
        final_detail: end.detail,
        final_answer: None,
        tokens: 0,
        wall_s: began.elapsed().as_secs_f64(),
        sim_s: robot.time_secs() - start_secs,
        seed: options.seed,
        state_digest: robot.digest_text(),
        version: version.to_owned(),
    };
    robot.emit(Event::EpisodeFinished {
        result: result.clone(),
    });
    result
}

/// How the driving ended.
struct End {
    reason: FinalReason,
    /// Empty if the policy says that the task is done.
    detail: String,
    n_actions: usize,
}

struct Driving<'a> {
    robot: &'a mut Robot,
    images: Option<Box<dyn ImageSource>>,
    options: &'a DriveOptions,
    /// What the arm is commanded now.
    state: Knot,
    /// Where the policy wants it.
    target: Vec<f64>,
    /// What the policy wanted of the gripper last.
    gripper: Option<GripperAction>,
    /// Why the last motion was ended, until the policy was told.
    stopped: Option<Failure>,
    start_secs: f64,
}

impl Driving<'_> {
    fn until_end(&mut self, policy: &mut dyn Policy, task: &str) -> End {
        let mut n_actions = 0;
        let (reason, detail) = match self.actions(policy, task, &mut n_actions) {
            Ok(end) => end,
            Err(error) => (FinalReason::PolicyUnavailable, error.to_string()),
        };
        End {
            reason,
            detail,
            n_actions,
        }
    }

    fn actions(
        &mut self,
        policy: &mut dyn Policy,
        task: &str,
        n_actions: &mut usize,
    ) -> Result<(FinalReason, String), PolicyError> {
        let world_from_base = match self.robot.observe() {
            Ok(now) => now.world_from_base,
            Err(failure) => return Ok(broken(&failure)),
        };
        policy.reset(&PolicyStart {
            world_from_base,
            task,
            seed: self.options.seed,
            rate_hz: self.options.rate_hz,
            robot: &self.robot.info,
        })?;
        loop {
            if let Some(end) = self.is_over() {
                return Ok(end);
            }
            let input = match self.input(*n_actions as u64, policy.wants_objects()) {
                Ok(input) => input,
                Err(failure) => return Ok(broken(&failure)),
            };
            let action = policy.act(&input)?;
            *n_actions += 1;
            match action {
                Some(Action::Done) => return Ok((FinalReason::PlanComplete, String::new())),
                Some(Action::GiveUp { why }) => return Ok((FinalReason::GaveUp, why)),
                Some(Action::Move {
                    joint_positions,
                    gripper,
                }) => {
                    if let Some(target) = joint_positions {
                        self.target = target;
                    }
                    if let Some(end) = self.grip(gripper)? {
                        return Ok(end);
                    }
                }
                Some(Action::MoveTool {
                    world_from_tool,
                    gripper,
                }) => {
                    self.aim(&world_from_base, world_from_tool)?;
                    if let Some(end) = self.grip(gripper)? {
                        return Ok(end);
                    }
                }
                // The robot goes on towards the targets before.
                None => {}
            }
            if let Some(end) = self.advance()? {
                return Ok(end);
            }
        }
    }

    fn is_over(&mut self) -> Option<(FinalReason, String)> {
        if self.robot.cancel.is_cancelled() {
            return Some((FinalReason::Cancelled, "a stop was asked for".into()));
        }
        let took_secs = self.robot.time_secs() - self.start_secs;
        let limit_secs = self.options.max_sim_secs;
        (took_secs >= limit_secs).then(|| {
            let detail = format!("{took_secs:.1} simulated seconds passed (limit {limit_secs} s)");
            (FinalReason::Timeout, detail)
        })
    }

    fn input(&mut self, step: u64, wants_objects: bool) -> Result<PolicyInput, Failure> {
        let looks = wants_objects || self.images.is_some();
        let percept = match looks {
            true => self.robot.perceive()?,
            false => regrasp_api::Percept::default(),
        };
        let now = self.robot.observe()?;
        let images = match &mut self.images {
            None => vec![],
            Some(source) => source
                .images(&now, &percept)
                .map_err(|e| Failure::new(e.reason(), e.to_string()).in_phase(Phase::Perceive))?,
        };
        Ok(PolicyInput {
            step,
            time_secs: now.time_secs - self.start_secs,
            world_from_tool: self.robot.world_from_tool()?,
            joint_positions: now.joint_positions,
            joint_velocities: now.joint_velocities,
            gripper: now.gripper,
            objects: if wants_objects {
                percept.objects
            } else {
                vec![]
            },
            images,
            stopped: self.stopped.take(),
        })
    }

    /// Aims at a pose of the tool, near where the arm is commanded now; the targets stay if it
    /// is not reached from there.
    fn aim(&mut self, world_from_base: &Pose, world_from_tool: Pose) -> Result<(), PolicyError> {
        if !is_pose(&world_from_tool) {
            return Err(PolicyError::new(
                "the tool is to go to numbers that are not finite",
            ));
        }
        let here = &self.state.position;
        let target = ToolTarget::Pose(world_from_tool);
        let failure = match self.robot.motion.inverse(world_from_base, &target, here) {
            Ok(joints) => {
                let pairs = joints.iter().zip(here).map(|(to, from)| (to - from).abs());
                let furthest_rad = pairs.fold(0.0, f64::max);
                if furthest_rad <= NEAR_RAD {
                    self.target = joints;
                    return Ok(());
                }
                Failure::new(
                    Reason::Unreachable,
                    format!(
                        "a joint would turn by {furthest_rad:.2} rad to the pose of the next \
                         action (limit {NEAR_RAD} rad)"
                    ),
                )
            }
            Err(failure) => Failure::new(Reason::Unreachable, failure.to_string()),
        };
        self.stopped = Some(failure.in_phase(Phase::Execute));
        Ok(())
    }

    /// Tells the gripper what is new.
    fn grip(
        &mut self,
        wanted: Option<GripperAction>,
    ) -> Result<Option<(FinalReason, String)>, PolicyError> {
        let Some(action) = wanted else {
            return Ok(None);
        };
        if self.gripper.is_some_and(|before| is_same(before, action)) {
            return Ok(None);
        }
        let info = &self.robot.info.gripper;
        let speed_m_per_s = info.default_speed_m_per_s;
        let (value, limits) = match action {
            GripperAction::WidthM(width) => (width, [info.min_width_m, info.max_width_m]),
            GripperAction::ForceN(force) => (force, [0.0, info.max_force_n]),
        };
        if !value.is_finite() {
            return Err(PolicyError::new(format!("the gripper is to go to {value}")));
        }
        let value = value.clamp(limits[0], limits[1]);
        let started = self.robot.start_grip(match action {
            GripperAction::WidthM(_) => GripperCommand::MoveTo {
                width_m: value,
                speed_m_per_s,
            },
            GripperAction::ForceN(_) => GripperCommand::Grasp {
                force_n: value,
                speed_m_per_s,
            },
        });
        self.gripper = Some(action);
        Ok(started.err().and_then(|failure| self.stopped_by(failure)))
    }

    /// Moves on until the next action is due.
    fn advance(&mut self) -> Result<Option<(FinalReason, String)>, PolicyError> {
        let period_secs = self.options.rate_hz.recip();
        let piece = self.robot.motion.steer(
            &self.state,
            &self.target,
            period_secs,
            self.options.speed_scale,
        );
        let piece = piece.map_err(|failure| PolicyError::new(failure.to_string()))?;
        match self.robot.stream(&piece) {
            Ok(_) => {
                self.state = piece.knots()[piece.knots().len() - 1].clone();
                Ok(None)
            }
            Err(failure) => Ok(self.stopped_by(failure)),
        }
    }

    /// The arm braked and stands: the policy is told and goes on from there, unless nothing
    /// can go on.
    fn stopped_by(&mut self, failure: Failure) -> Option<(FinalReason, String)> {
        if is_lasting(&failure.reason) {
            return Some(broken(&failure));
        }
        match self.robot.recover().and_then(|()| standing(self.robot)) {
            Ok(state) => {
                self.state = state;
                self.target.clone_from(&self.state.position);
                self.stopped = Some(failure);
                None
            }
            Err(fault) => Some(broken(&fault)),
        }
    }

    /// Comes to rest, and lets the world do so too.
    fn rest(&mut self) -> Result<(), Failure> {
        let moves = self.state.velocity.iter().any(|v| v.abs() > 1e-6);
        let (motion, here) = (&self.robot.motion, &self.state.position);
        if moves && let Ok(back) = motion.steer(&self.state, here, REST_SECS, 1.0) {
            self.robot.stream(&Trajectory::new(back.knots().to_vec()))?;
        }
        self.robot.wait(SETTLE_SECS)?;
        Ok(())
    }
}

/// The arm's state, at rest.
fn standing(robot: &mut Robot) -> Result<Knot, Failure> {
    let position = robot.observe()?.joint_positions;
    let still = vec![0.0; position.len()];
    Ok(Knot {
        time_secs: 0.0,
        position,
        velocity: still.clone(),
        acceleration: still,
    })
}

fn is_pose(pose: &Pose) -> bool {
    let numbers = pose.translation.vector.iter();
    numbers
        .chain(pose.rotation.coords.iter())
        .all(|n| n.is_finite())
}

fn is_same(before: GripperAction, now: GripperAction) -> bool {
    match (before, now) {
        (GripperAction::WidthM(a), GripperAction::WidthM(b)) => (a - b).abs() < SAME_WIDTH_M,
        (GripperAction::ForceN(a), GripperAction::ForceN(b)) => (a - b).abs() < SAME_FORCE_N,
        _ => false,
    }
}

fn broken(failure: &Failure) -> (FinalReason, String) {
    let is_fault = FaultKind::of(&failure.reason).is_some();
    let fault = is_fault.then_some(FinalReason::RobotUnavailable);
    let reason = FinalReason::forced_by(&failure.reason).or(fault);
    let reason = reason.unwrap_or(FinalReason::PolicyUnavailable);
    (reason, failure.detail.to_string())
}

impl End {
    /// What broke while the arm came to rest goes before the policy's own word.
    fn or_broken(self, failure: &Failure) -> Self {
        if !is_lasting(&failure.reason) || self.reason == FinalReason::Cancelled {
            return self;
        }
        let (reason, detail) = broken(failure);
        Self {
            reason,
            detail,
            ..self
        }
    }

    fn as_step(&self, robot: &mut Robot) -> SkillResult {
        let reason = match self.reason {
            FinalReason::PlanComplete => None,
            FinalReason::Timeout => Some(Reason::SkillTimeout),
            FinalReason::Cancelled => Some(Reason::Cancelled),
            FinalReason::SimDiverged => Some(Reason::SimDiverged),
            other => Some(Reason::from_slug(other.slug())),
        };
        SkillResult {
            success: reason.is_none(),
            reason,
            reason_detail: self.detail.clone(),
            phase: Phase::Execute,
            moment: None,
            entities: vec![],
            measured: vec![],
            world_changed: robot.take_moved(),
            state_after: StateAfter::default(),
            hints: vec![],
            retry_with: None,
            artifacts: vec![],
            verified_by: vec![],
        }
    }
}
