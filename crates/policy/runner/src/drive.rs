//! Runs an episode in which a policy controls the robot.

use std::sync::Arc;
use std::time::Instant;

use regrasp_api::{
    Action, EpisodeResult, Event, Failure, FinalReason, GripperAction, ImageSource, Phase, Policy,
    PolicyInput, PolicyStart, Pose, ToolServo,
};
use regrasp_robot::Robot;

use crate::end::{End, Stop};
use crate::steering::{Reach, is_pose, no_pose};
use crate::{ServoGoal, Steering};

/// Name of the only step of an episode, in place of a skill's name.
const STEP_NAME: &str = "policy";

/// Tolerance for rounding errors in sums of steps, s.
const ROUNDED_SECS: f64 = 1e-9;

/// Options of an episode with a policy.
#[derive(Clone, Debug, smart_default::SmartDefault)]
pub struct DriveOptions {
    /// Actions per second of simulated time. Default 20.
    #[default(20.0)]
    pub rate_hz: f64,
    /// Limit of simulated time, s. Default 60.
    #[default(60.0)]
    pub max_sim_secs: f64,
    /// Seed of all random values. Default 0.
    pub seed: u64,
    /// Servo that moves the tool to the policy's tool poses, instead of inverse kinematics. The
    /// tool pose in observations is then the pose of the servo's point. Default none.
    pub servo: Option<ToolServo>,
    /// Time before the first action in which the tool stays and the gripper opens, s. Default 0.
    pub settle_secs: f64,
    /// Check after each action; if it finds the task done, the episode ends at once. Default none.
    pub done: Option<Done>,
}

/// Function that returns true if the task is done.
#[derive(Clone, derive_more::Debug)]
#[debug("Done")]
pub struct Done(pub Arc<dyn Fn() -> bool + Send + Sync>);

/// Lets a policy control the robot until it is done, gives up, fails, or exceeds the time limit.
/// The result's success is the claim of the policy or of [`DriveOptions::done`], not verified here.
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
    let end = match Steering::new(robot) {
        Ok(steering) => {
            let mut driving = Driving {
                steering,
                servo_goal: None,
                start_secs,
                robot,
                images,
                options,
            };
            let end = driving.until_end(policy, task);
            match driving.rest() {
                Ok(()) => end,
                Err(failure) => end.or_broken(failure),
            }
        }
        Err(failure) => End::new(failure.into(), 0),
    };
    let result = end.as_step(robot);
    robot.emit(Event::step_finished(0, result));
    let Stop(final_reason, final_detail) = end.stop;
    let success = final_reason == FinalReason::PlanComplete;
    let result = EpisodeResult {
        success,
        goal_met: success,
        replans: 0,
        steps: 1,
        planner_calls: end.n_actions,
        final_reason,
        final_detail,
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

struct Driving<'a> {
    robot: &'a mut Robot,
    images: Option<Box<dyn ImageSource>>,
    options: &'a DriveOptions,
    steering: Steering,
    /// Replaces the steering while a servo moves the tool.
    servo_goal: Option<ServoGoal>,
    start_secs: f64,
}

impl Driving<'_> {
    fn until_end(&mut self, policy: &mut dyn Policy, task: &str) -> End {
        let mut n_actions = 0;
        let stop = match self.actions(policy, task, &mut n_actions) {
            Ok(stop) | Err(stop) => stop,
        };
        End::new(stop, n_actions)
    }

    fn actions(
        &mut self,
        policy: &mut dyn Policy,
        task: &str,
        n_actions: &mut usize,
    ) -> Result<Stop, Stop> {
        let world_from_base = self.robot.observe()?.world_from_base;
        self.settle()?;
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
            let input = self.input(*n_actions as u64, &*policy)?;
            let action = policy.act(&input)?;
            *n_actions += 1;
            match action {
                Some(Action::Done) => return Ok(Stop::done()),
                Some(Action::GiveUp { why }) => return Ok(Stop(FinalReason::GaveUp, why)),
                Some(Action::Move {
                    joint_positions,
                    gripper,
                }) => {
                    if let Some(target) = joint_positions {
                        if self.servo_goal.take().is_some() {
                            self.steering = Steering::new(self.robot)?;
                        }
                        self.steering.set_target(target);
                    }
                    self.grip(gripper)?;
                }
                Some(Action::MoveTool {
                    world_from_tool,
                    gripper,
                }) => {
                    self.set_tool_target(&world_from_base, world_from_tool)?;
                    self.grip(gripper)?;
                }
                // The previous targets remain.
                None => {}
            }
            self.advance(self.options.rate_hz.recip())?;
            if self.is_done() {
                return Ok(Stop::done());
            }
        }
    }

    fn settle(&mut self) -> Result<(), Stop> {
        if let Some(servo) = &self.options.servo {
            self.servo_goal = Some(ServoGoal::new(self.robot, servo.clone())?);
        }
        if self.options.settle_secs <= 0.0 {
            return Ok(());
        }
        let open = GripperAction::WidthM(self.robot.info.gripper.max_width_m);
        self.grip(Some(open))?;
        self.advance(self.options.settle_secs)
    }

    fn set_tool_target(&mut self, world_from_base: &Pose, world_to_tool: Pose) -> Result<(), Stop> {
        let Some(servo) = &self.options.servo else {
            let steering = &mut self.steering;
            steering.set_tool_target(self.robot, world_from_base, world_to_tool, Reach::Near)?;
            return Ok(());
        };
        if !is_pose(&world_to_tool) {
            return Err(no_pose().into());
        }
        let mut servo_goal = match self.servo_goal.take() {
            Some(servo_goal) => servo_goal,
            None => ServoGoal::new(self.robot, servo.clone())?,
        };
        servo_goal.set(self.robot, world_to_tool)?;
        self.servo_goal = Some(servo_goal);
        Ok(())
    }

    fn advance(&mut self, period_secs: f64) -> Result<(), Stop> {
        match &self.servo_goal {
            Some(servo_goal) => servo_goal.advance(self.robot, period_secs)?,
            None => self.steering.advance(self.robot, period_secs)??,
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        let done = self.options.done.as_ref();
        done.is_some_and(|Done(is_done)| is_done())
    }

    /// Brings the arm to rest, unless the check finds the task done: then the world must not change
    /// before it is judged.
    fn rest(&mut self) -> Result<(), Failure> {
        if self.is_done() {
            return Ok(());
        }
        if self.servo_goal.take().is_some() {
            self.steering = Steering::new(self.robot)?;
        }
        self.steering.rest(self.robot)
    }

    fn grip(&mut self, wanted: Option<GripperAction>) -> Result<(), Stop> {
        if let Some(action) = wanted {
            self.steering.grip(self.robot, action)??;
        }
        Ok(())
    }

    fn is_over(&mut self) -> Option<Stop> {
        if self.robot.cancel.is_cancelled() {
            return Some(Stop(FinalReason::Cancelled, "a stop was requested".into()));
        }
        let took_secs = self.robot.time_secs() - self.start_secs;
        let limit_secs = self.options.max_sim_secs;
        (took_secs >= limit_secs - ROUNDED_SECS).then(|| {
            let detail = format!("{took_secs:.1} simulated seconds passed (limit {limit_secs} s)");
            Stop(FinalReason::Timeout, detail)
        })
    }

    fn input(&mut self, step: u64, policy: &dyn Policy) -> Result<PolicyInput, Failure> {
        let stopped = self.steering.take_stopped();
        let wants_objects = policy.wants_objects();
        let shown = self.images.as_mut();
        let mut shown = shown.filter(|_| policy.wants_images(stopped.is_some()));
        let percept = match wants_objects || shown.is_some() {
            true => self.robot.perceive()?,
            false => regrasp_api::Percept::default(),
        };
        let now = self.robot.observe()?;
        let images = match &mut shown {
            None => vec![],
            Some(source) => source
                .images(&now, &percept)
                .map_err(|e| Failure::new(e.reason(), e.to_string()).in_phase(Phase::Perceive))?,
        };
        Ok(PolicyInput {
            step,
            time_secs: now.time_secs - self.start_secs,
            world_from_tool: match &self.options.servo {
                Some(servo) => self.robot.world_from_tool()? * servo.tool_from_point,
                None => self.robot.world_from_tool()?,
            },
            joint_positions: now.joint_positions,
            joint_velocities: now.joint_velocities,
            gripper: now.gripper,
            objects: match wants_objects {
                true => percept.objects,
                false => vec![],
            },
            images,
            stopped,
        })
    }
}
