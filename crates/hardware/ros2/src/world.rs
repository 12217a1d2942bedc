//! An arm behind ROS controllers as a world.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use regrasp_api::{
    Capabilities, GripperCommand, GripperEnd, GripperReport, GripperState, JointReadings, Knot,
    MonitorChecks, MonitorStop, MotionEnd, MotionReport, Observation, Pose, RobotError,
    RobotErrorKind, Trajectory, Watch, World,
};
use ros2_client::action::GoalStatusEnum;

use crate::client::{Client, Ended, FollowJob, GripJob, Job};
use crate::messages::{FollowGoal, FollowResult, GripGoal, GripState, JointState};
use crate::trajectory::{FollowCode, write};
use crate::{ArmSettings, FingerJoints, NodeError, RobotFacts};

type Result<T, E = RobotError> = std::result::Result<T, E>;

/// Interval of the checks during a motion.
const LOOK: Duration = Duration::from_millis(4);
/// Time for the arm to come to rest, and the speed below which it rests, rad/s.
const REST: Duration = Duration::from_millis(500);
const REST_RAD_PER_S: f64 = 0.01;
/// Time beyond its duration after which a motion is cancelled, s.
const OVERTIME_SECS: f64 = 10.0;
/// Timeout for the fingers to stop, s.
const FINGERS_SECS: f64 = 10.0;
/// Width beyond that of the closed fingers above which something is held, m.
const HELD_M: f64 = 2e-3;

/// Function from joint positions to the position of the tool point in the arm's base frame, m.
pub type ToolInBase = Box<dyn Fn(&[f64]) -> [f64; 3] + Send>;

/// Function that decides whether the first motion may begin, given its description.
pub type Approve = Box<dyn FnMut(&str) -> bool + Send>;

/// Arm behind ROS controllers.
pub struct RosArm {
    client: Client,
    facts: RobotFacts,
    settings: ArmSettings,
    tool_in_base: ToolInBase,
    approve: Approve,
    approved: bool,
    began: Instant,
    joint_names: Vec<String>,
    /// Confirmed force on the held object, N.
    grip_force_n: f64,
    last_width: Option<(f64, f64)>,
}

/// Reason why an arm behind ROS cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The node cannot be opened.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// No joint states arrive, or they name other joints.
    #[error("connect to the ROS arm: {0}")]
    States(String),
}

impl RosArm {
    /// Joins the network and waits for joint states; nothing moves.
    ///
    /// # Errors
    ///
    /// [`ConnectError`].
    pub fn connect(
        facts: RobotFacts,
        settings: ArmSettings,
        tool_in_base: ToolInBase,
        approve: Approve,
    ) -> Result<Self, ConnectError> {
        let client = Client::open(&settings)?;
        let joints = facts.arm.iter().map(|joint| joint.name.clone());
        let mut this = Self {
            joint_names: joints.collect(),
            approved: !settings.approve_first_motion,
            client,
            facts,
            settings,
            tool_in_base,
            approve,
            began: Instant::now(),
            grip_force_n: 0.0,
            last_width: None,
        };
        let patience = Duration::from_secs_f64(this.settings.connect_secs);
        while this.client.latest.lock().is_none() {
            if this.began.elapsed() >= patience {
                let (topic, secs) = (&this.settings.joint_states, this.settings.connect_secs);
                let domain = this.settings.node.domain;
                return Err(ConnectError::States(format!(
                    "no message on {topic} in {secs} s (domain {domain}); is the robot started?"
                )));
            }
            thread::sleep(LOOK);
        }
        this.observe()
            .map_err(|error| ConnectError::States(error.detail))?;
        Ok(this)
    }

    fn error(&self, kind: RobotErrorKind, detail: impl Into<String>) -> RobotError {
        RobotError::new(kind, self.time_secs(), detail)
    }

    /// Returns the newest joint state.
    fn fresh(&self) -> Result<JointState> {
        let latest = self.client.latest.lock().clone();
        let Some((state, arrived)) = latest else {
            return Err(self.error(RobotErrorKind::LinkLost, "no joint state has arrived yet"));
        };
        let (age_secs, limit) = (arrived.elapsed().as_secs_f64(), self.settings.stale_secs);
        if age_secs > limit {
            let text = format!("the last joint state is {age_secs:.2} s old");
            let error = self.error(RobotErrorKind::StaleState, text);
            return Err(error.measured("age", age_secs, Some(limit), "s"));
        }
        Ok(state)
    }

    /// Waits for a joint state that arrived after an instant.
    fn newer_than(&self, instant: Instant) -> Result<JointState> {
        loop {
            let is_new = |(_, arrived): &(JointState, Instant)| *arrived > instant;
            if self.client.latest.lock().as_ref().is_some_and(is_new) {
                return self.fresh();
            }
            self.fresh()?;
            thread::sleep(LOOK);
        }
    }

    fn observation(&mut self, state: &JointState) -> Result<Observation> {
        let readings = Readings::of(state, &self.joint_names, &self.facts.fingers);
        let readings = readings.map_err(|why| {
            let text = format!("{}: {why}", self.settings.joint_states);
            self.error(RobotErrorKind::LinkLost, text)
        })?;
        let (width_m, time_secs) = (readings.width_m, self.time_secs());
        let speed_m_per_s = match self.last_width {
            Some((at_secs, last_m)) if time_secs > at_secs + 1e-3 => {
                (width_m - last_m) / (time_secs - at_secs)
            }
            _ => 0.0,
        };
        self.last_width = Some((time_secs, width_m));
        Ok(Observation {
            time_secs,
            world_from_base: Pose::identity(),
            joint_positions: readings.positions,
            joint_velocities: readings.velocities,
            joint_efforts: readings.efforts,
            gripper: GripperState {
                width_m,
                speed_m_per_s,
                grip_force_n: self.grip_force_n,
                finger_contact: None,
                slip_m: None,
            },
            contacts: vec![],
        })
    }

    /// Checks a motion against the arm's present state and the settings, stretches it, and asks for
    /// the first approval.
    fn checked(&mut self, motion: &Trajectory, now: &[f64]) -> Result<Trajectory> {
        let limit = self.settings.start_tolerance_rad;
        let joints = self.joint_names.iter().zip(now);
        for ((name, is), begins) in joints.zip(&motion.knots()[0].position) {
            let off = (is - begins).abs();
            if off > limit {
                let text = format!(
                    "{name} is at {is:.4} rad, and the motion begins at {begins:.4} rad (limit of \
                     the difference: {limit} rad)"
                );
                let error = self.error(RobotErrorKind::StartMismatch, text);
                return Err(error.measured("start_offset", off, Some(limit), "rad"));
            }
        }
        let stretched = self.stretched(motion);
        let (mut q, mut v) = (vec![0.0; now.len()], vec![0.0; now.len()]);
        let room = self.settings.workspace_in_base_m;
        let n = (stretched.duration_secs() / 0.02).ceil() as usize;
        for k in 0..=n {
            stretched.sample(k as f64 * 0.02, &mut q, &mut v);
            let at = (self.tool_in_base)(&q);
            let axes = at.iter().zip(room.min.iter().zip(&room.max));
            if axes.clone().any(|(x, (min, max))| x < min || x > max) {
                let [x, y, z] = at;
                let text = format!(
                    "the tool would leave its workspace at {x:.3}, {y:.3}, {z:.3} m \
                     (frame of the base)"
                );
                return Err(self.error(RobotErrorKind::LimitViolated, text));
            }
        }
        if !self.approved {
            let (secs, to) = (stretched.duration_secs(), stretched.last_position());
            let to: Vec<_> = to.iter().map(|q| format!("{q:.2}")).collect();
            let text = format!("{secs:.1} s to the joint positions {} rad", to.join(", "));
            if !(self.approve)(&text) {
                let text = format!("nobody approved the first motion: {text}");
                return Err(self.error(RobotErrorKind::NotApproved, text));
            }
            self.approved = true;
        }
        Ok(stretched)
    }

    /// Slows a motion down to the allowed part of the speed limits.
    fn stretched(&self, motion: &Trajectory) -> Trajectory {
        let n = motion.n_joints();
        let (mut q, mut v, mut times) = (vec![0.0; n], vec![0.0; n], 1.0_f64);
        let n_samples = (motion.duration_secs() / 0.01).ceil() as usize;
        for k in 0..=n_samples {
            motion.sample(k as f64 * 0.01, &mut q, &mut v);
            for (speed, joint) in v.iter().zip(&self.facts.arm) {
                times = times.max(speed.abs() / (self.settings.speed * joint.velocity));
            }
        }
        let by = |values: &[f64], factor: f64| values.iter().map(|x| x / factor).collect();
        let first_secs = motion.knots()[0].time_secs;
        let knots = motion.knots().iter().map(|knot| Knot {
            time_secs: (knot.time_secs - first_secs) * times,
            position: knot.position.clone(),
            velocity: by(&knot.velocity, times),
            acceleration: by(&knot.acceleration, times * times),
        });
        Trajectory::new(knots.collect())
    }

    /// Observes the arm, and returns the stop of the first monitor that fires.
    fn look(
        &mut self,
        checks: &mut MonitorChecks,
        (lag, speed_error): (&[f64], &[f64]),
        watch: &Watch,
        at_secs: f64,
    ) -> Result<Option<MonitorStop>> {
        let readings = JointReadings {
            width_m: self.observe()?.gripper.width_m,
            external_torque: &[],
            lag,
            speed_error,
        };
        let fired = checks.look(&readings, (at_secs * 1e3) as u64);
        Ok(fired.map(|fired| fired.stop(watch, at_secs, &self.joint_names)))
    }

    /// Waits for the end of a motion, watching it, and until the arm rests.
    fn await_motion(
        &mut self,
        job: &FollowJob,
        motion: &Trajectory,
        watch: &Watch,
    ) -> Result<MotionReport> {
        let began = Instant::now();
        let mut checks = MonitorChecks::of(&watch.monitors);
        let mut peak_error: f64 = 0.0;
        // Reason of an early end; `Ok(None)` is a cancellation.
        let mut early: Option<Result<Option<MonitorStop>>> = None;
        let limit_secs = motion.duration_secs() + OVERTIME_SECS;
        loop {
            let at_secs = began.elapsed().as_secs_f64();
            if let Some(ended) = job.ended() {
                let end = match early {
                    Some(stop) => {
                        stop?.map_or(MotionEnd::Cancelled { at_secs }, MotionEnd::Stopped)
                    }
                    None => self.judge(ended).map(|()| MotionEnd::Completed)?,
                };
                return Ok(MotionReport {
                    end,
                    duration_secs: at_secs,
                    peak_tracking_error: peak_error,
                    after: self.settle()?,
                });
            }
            if early.is_none() {
                let (lag, speed_error) = deviations(job);
                let look = self.look(&mut checks, (&lag, &speed_error), watch, at_secs);
                if look.is_ok() {
                    peak_error = lag.iter().fold(peak_error, |most, x| most.max(x.abs()));
                }
                early = look.map(|stop| stop.map(Some)).transpose();
                if watch.cancel.is_cancelled() {
                    early = early.or(Some(Ok(None)));
                }
                if at_secs > limit_secs {
                    let text = format!("the controller has not ended the motion in {at_secs:.1} s");
                    early = Some(Err(self.error(RobotErrorKind::StaleState, text)));
                }
                if early.is_some() {
                    job.cancel();
                }
            } else if at_secs > limit_secs + self.settings.answer_secs {
                let text = "the controller does not answer a request to cancel";
                return Err(self.error(RobotErrorKind::LinkLost, text));
            }
            thread::sleep(LOOK);
        }
    }

    /// Judges the end of a motion that this program did not stop.
    fn judge(&self, ended: Ended<FollowResult>) -> Result<()> {
        let (status, result) = self.answer(ended, &self.settings.arm_action, "motion")?;
        let (error_code, error_string) = (result.error_code, result.error_string);
        if status == GoalStatusEnum::Canceled {
            let text = "another client or the controller cancelled the motion";
            return Err(self.error(RobotErrorKind::Reflex, text));
        }
        if status == GoalStatusEnum::Succeeded && error_code == 0 {
            return Ok(());
        }
        let words = FollowCode::words(error_code);
        let kind = match error_code {
            -3..=-1 => RobotErrorKind::LimitViolated,
            _ => RobotErrorKind::Reflex,
        };
        let text = format!("the controller ended the motion: {words} ({error_string})");
        Err(self.error(kind, text))
    }

    /// Returns what the controller of an action answered to an order.
    fn answer<R>(&self, ended: Ended<R>, action: &str, order: &str) -> Result<(GoalStatusEnum, R)> {
        let (kind, what) = match ended {
            Ended::With(status, result) => return Ok((status, result)),
            Ended::NoAnswer => (RobotErrorKind::LinkLost, "does not answer".to_owned()),
            Ended::Rejected => (
                RobotErrorKind::LimitViolated,
                format!("rejected the {order}"),
            ),
        };
        Err(self.error(kind, format!("the controller of {action} {what}")))
    }

    /// Waits until the arm rests, by a joint state that is newer than the end of its motion.
    fn settle(&mut self) -> Result<Observation> {
        let began = Instant::now();
        loop {
            let state = self.newer_than(began)?;
            let now = self.observation(&state)?;
            let mut speeds = now.joint_velocities.iter().map(|v| v.abs());
            if speeds.all(|speed| speed < REST_RAD_PER_S) || began.elapsed() >= REST {
                return Ok(now);
            }
            thread::sleep(LOOK);
        }
    }

    /// Sends a gripper command; the force of an earlier grasp no longer counts.
    fn send_grip(&mut self, command: GripperCommand) -> Arc<GripJob> {
        let (fingers, least_m) = (&self.facts.fingers, self.facts.gripper.min_width_m);
        let (width_m, force_n) = match command {
            GripperCommand::MoveTo { width_m, .. } => (width_m, 0.0),
            GripperCommand::Grasp { force_n, .. } => (least_m, force_n),
        };
        // A grasp begins near the object, so the present width determines the effort.
        let now_m = self.last_width.map_or(least_m, |(_, width_m)| width_m);
        self.grip_force_n = 0.0;
        let job = Job::new(GripGoal {
            position: fingers.position(width_m),
            max_effort: force_n * fingers.effort_by_force(now_m),
        });
        self.client.grip(&job);
        job
    }

    fn grip_end(&mut self, command: GripperCommand, ended: Ended<GripState>) -> Result<GripperEnd> {
        let (_, result) = self.answer(ended, &self.settings.gripper_action, "command")?;
        let least_m = self.facts.gripper.min_width_m + HELD_M;
        let is_between = result.stalled && self.facts.fingers.width_m(result.position) > least_m;
        if let GripperCommand::Grasp { force_n, .. } = command
            && is_between
        {
            self.grip_force_n = force_n;
        }
        Ok(match result {
            _ if is_between => GripperEnd::Stalled,
            GripState {
                reached_goal: true, ..
            }
            | GripState { stalled: true, .. } => GripperEnd::Reached,
            _ => GripperEnd::TimedOut,
        })
    }
}

/// Joint state in the order of the arm's joints.
struct Readings {
    positions: Vec<f64>,
    velocities: Vec<f64>,
    efforts: Vec<f64>,
    width_m: f64,
}

impl Readings {
    /// Reads a state that lists joints in any order. Velocities and efforts may be missing, then
    /// they are 0; the width follows from one finger joint, and is 0 for a hand without fingers.
    fn of(state: &JointState, arm: &[String], fingers: &FingerJoints) -> Result<Self, String> {
        let value = |list: &[f64], name: &String| {
            let place = state.name.iter().position(|known| known == name);
            place.and_then(|i| list.get(i)).copied()
        };
        let all = |list: &[f64]| {
            let values: Option<Vec<f64>> = arm.iter().map(|name| value(list, name)).collect();
            values.filter(|values| values.iter().all(|x| x.is_finite()))
        };
        let missing = |joint: &str| {
            let (names, n) = (state.name.join(", "), state.position.len());
            format!("it has no position of {joint} (joints: {names}; {n} positions)")
        };
        for name in arm {
            match value(&state.position, name) {
                Some(position) if position.is_finite() => {}
                Some(position) => {
                    return Err(format!("the position of {name} is {position}"));
                }
                None => return Err(missing(name)),
            }
        }
        let position = fingers
            .names
            .iter()
            .find_map(|name| value(&state.position, name));
        let width_m = match position {
            Some(position) if position.is_finite() => fingers.width_m(position),
            None if fingers.names.is_empty() => 0.0,
            _ => {
                return Err(missing(&fingers.names.join(" or ")));
            }
        };
        let still = || vec![0.0; arm.len()];
        Ok(Self {
            positions: all(&state.position).unwrap_or_default(),
            velocities: all(&state.velocity).unwrap_or_else(still),
            efforts: all(&state.effort).unwrap_or_else(still),
            width_m,
        })
    }
}

fn deviations(job: &FollowJob) -> (Vec<f64>, Vec<f64>) {
    let error = job.feedback().map(|feedback| feedback.error);
    error.map_or_else(Default::default, |error| {
        (error.positions, error.velocities)
    })
}

impl World for RosArm {
    fn time_secs(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            gripper_while_moving: true,
            ..Capabilities::default()
        }
    }

    fn observe(&mut self) -> Result<Observation> {
        let state = self.fresh()?;
        self.observation(&state)
    }

    fn follow(&mut self, trajectory: &Trajectory, watch: &Watch) -> Result<MotionReport> {
        let now = self.observe()?;
        if watch.cancel.is_cancelled() {
            return Ok(MotionReport {
                end: MotionEnd::Cancelled { at_secs: 0.0 },
                duration_secs: 0.0,
                peak_tracking_error: 0.0,
                after: now,
            });
        }
        let motion = self.checked(trajectory, &now.joint_positions)?;
        let job = Job::new(FollowGoal {
            trajectory: write(&motion, &self.joint_names),
            ..FollowGoal::default()
        });
        self.client.follow(&job);
        self.await_motion(&job, &motion, watch)
    }

    fn command_gripper(&mut self, command: GripperCommand, watch: &Watch) -> Result<GripperReport> {
        let after = self.observe()?;
        if watch.cancel.is_cancelled() {
            let end = GripperEnd::Cancelled;
            return Ok(GripperReport { end, after });
        }
        let job = self.send_grip(command);
        let began = Instant::now();
        let mut checks = MonitorChecks::of(&watch.monitors);
        let end = loop {
            if let Some(ended) = job.ended() {
                break self.grip_end(command, ended)?;
            }
            let at_secs = began.elapsed().as_secs_f64();
            let early = match self.look(&mut checks, (&[], &[]), watch, at_secs)? {
                Some(stop) => Some(GripperEnd::Stopped(stop)),
                None if watch.cancel.is_cancelled() => Some(GripperEnd::Cancelled),
                None if at_secs > FINGERS_SECS => Some(GripperEnd::TimedOut),
                None => None,
            };
            if let Some(end) = early {
                job.cancel();
                break end;
            }
            thread::sleep(LOOK);
        };
        // The result may arrive before the joint state of the same instant.
        let state = self.newer_than(Instant::now())?;
        let after = self.observation(&state)?;
        Ok(GripperReport { end, after })
    }

    fn start_gripper(&mut self, command: GripperCommand) -> Result<()> {
        self.observe()?;
        self.send_grip(command);
        Ok(())
    }

    fn wait(&mut self, duration_secs: f64) -> Result<Observation> {
        let until_secs = self.time_secs() + duration_secs;
        loop {
            let now = self.observe()?;
            if self.time_secs() >= until_secs {
                return Ok(now);
            }
            thread::sleep(LOOK);
        }
    }

    fn recover(&mut self) -> Result<()> {
        self.fresh().map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_without_a_usable_position_is_refused() {
        let names = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let arm = names(&["a", "b"]);
        let fingers = FingerJoints::sliding(names(&["finger"]), 0.08);
        let read = |listed: &[&str], position: &[f64]| {
            let state = JointState {
                name: names(listed),
                position: position.to_vec(),
                velocity: vec![f64::NAN; position.len()],
                ..JointState::default()
            };
            Readings::of(&state, &arm, &fingers)
        };
        let found = read(&["finger", "b", "a"], &[0.02, 2.0, 1.0]).expect("all are there");
        assert_eq!(found.positions, [1.0, 2.0]);
        assert_eq!((found.width_m, found.velocities), (0.04, vec![0.0; 2]));
        let (all, no_finger) = (&["a", "b", "finger"][..], "no position of finger");
        for (listed, position, word) in [
            (&["a", "finger"][..], &[1.0, 0.02][..], "no position of b"),
            (all, &[1.0, 2.0], no_finger),
            (all, &[f64::NAN, 2.0, 0.02], "of a is NaN"),
            (&["a", "b"], &[1.0, 2.0], no_finger),
            (all, &[1.0, 2.0, f64::NAN], no_finger),
        ] {
            let refused = read(listed, position).err().expect(word);
            assert!(refused.contains(word), "{listed:?}: {refused}");
        }
    }
}
