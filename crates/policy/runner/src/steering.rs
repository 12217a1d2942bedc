//! Motion towards targets that change on the way.

use regrasp_api::{
    Failure, GripperAction, GripperCommand, Knot, Phase, PolicyError, Pose, Reason, ToolTarget,
    Trajectory,
};
use regrasp_robot::{Robot, is_lasting};

/// Fraction of the joints' motion limits that is used on the way.
const SPEED_SCALE: f64 = 0.9;
/// Tolerance within which two width commands are the same, m.
const SAME_WIDTH_M: f64 = 1e-4;
/// Tolerance within which two force commands are the same, N.
const SAME_FORCE_N: f64 = 0.1;
/// Maximum rotation of a joint towards a tool pose, rad. A pose that needs more requires another
/// arm configuration.
const NEAR_RAD: f64 = 0.6;
/// Time in which the arm comes to rest at the end of an episode, s.
const REST_SECS: f64 = 1.0;
/// Time for the world to settle before it is judged, s.
const SETTLE_SECS: f64 = 0.5;

/// Limit on the joint motion that may lead to a tool pose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Small motion, as for the next action of a policy.
    Near,
    /// No limit.
    Any,
}

/// State of a motion that moves a robot piece by piece towards changing targets.
///
/// It does not borrow the robot, which can therefore be used between two pieces.
#[derive(Clone, Debug)]
pub struct Steering {
    /// Current command of the arm.
    state: Knot,
    target: Vec<f64>,
    gripper: Option<GripperAction>,
    /// See [`Steering::take_stopped`].
    stopped: Option<Failure>,
}

impl Steering {
    /// Creates a steering that starts at the current state of the arm.
    ///
    /// # Errors
    ///
    /// If the robot does not respond.
    pub fn new(robot: &mut Robot) -> Result<Self, Failure> {
        let state = standing(robot)?;
        Ok(Self {
            target: state.position.clone(),
            state,
            gripper: None,
            stopped: None,
        })
    }

    /// Sets the target of the arm, chain order, rad or m.
    pub fn set_target(&mut self, joint_positions: Vec<f64>) {
        self.target = joint_positions;
    }

    /// Sets a tool pose as target. The previous target remains if the pose cannot be reached from
    /// the current command; [`Steering::take_stopped`] then returns the reason.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] if the pose is invalid.
    pub fn set_tool_target(
        &mut self,
        robot: &Robot,
        world_from_base: &Pose,
        world_from_tool: Pose,
        reach: Reach,
    ) -> Result<(), PolicyError> {
        if !is_pose(&world_from_tool) {
            return Err(no_pose());
        }
        let here = &self.state.position;
        let target = ToolTarget::Pose(world_from_tool);
        let failure = match robot.motion.inverse(world_from_base, &target, here) {
            Ok(joints) => {
                let pairs = joints.iter().zip(here).map(|(to, from)| (to - from).abs());
                let furthest_rad = pairs.fold(0.0, f64::max);
                if reach == Reach::Any || furthest_rad <= NEAR_RAD {
                    self.target = joints;
                    return Ok(());
                }
                let detail = format!(
                    "a joint would turn by {furthest_rad:.2} rad to the pose of the next action \
                     (limit {NEAR_RAD} rad)"
                );
                Failure::new(Reason::Unreachable, detail)
            }
            Err(failure) => Failure::new(Reason::Unreachable, failure.to_string()),
        };
        self.stopped = Some(failure.in_phase(Phase::Execute));
        Ok(())
    }

    /// Current command of the joints, chain order, rad or m; the measured positions lag slightly.
    pub fn commanded(&self) -> &[f64] {
        &self.state.position
    }

    /// Takes the last failure that stopped a motion or rejected a tool target, if any.
    pub fn take_stopped(&mut self) -> Option<Failure> {
        self.stopped.take()
    }

    /// Commands the gripper if the command differs from the previous one. The value is clamped to
    /// the gripper's limits.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] if the value is not finite; the inner error is a failure after which the
    /// episode cannot continue.
    pub fn grip(
        &mut self,
        robot: &mut Robot,
        action: GripperAction,
    ) -> Result<Result<(), Failure>, PolicyError> {
        if self.gripper.is_some_and(|before| is_same(before, action)) {
            return Ok(Ok(()));
        }
        let info = &robot.info.gripper;
        let speed_m_per_s = info.default_speed_m_per_s;
        let (value, limits) = match action {
            GripperAction::WidthM(width) => (width, [info.min_width_m, info.max_width_m]),
            GripperAction::ForceN(force) => (force, [0.0, info.max_force_n]),
        };
        if !value.is_finite() {
            return Err(PolicyError::new(format!(
                "the gripper command {value} is not finite"
            )));
        }
        let value = value.clamp(limits[0], limits[1]);
        let started = robot.start_grip(match action {
            GripperAction::WidthM(_) => GripperCommand::move_to(value, speed_m_per_s),
            GripperAction::ForceN(_) => GripperCommand::grasp(value, speed_m_per_s),
        });
        self.gripper = Some(action);
        Ok(started.or_else(|failure| self.stopped_by(robot, failure)))
    }

    /// Moves towards the target for `period_secs`.
    ///
    /// If a monitor stops the motion, this is not an error: the arm brakes and continues from
    /// there, and [`Steering::take_stopped`] returns the reason.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] if the target is not a configuration; the inner error is a failure after
    /// which the episode cannot continue.
    pub fn advance(
        &mut self,
        robot: &mut Robot,
        period_secs: f64,
    ) -> Result<Result<(), Failure>, PolicyError> {
        let motion = &robot.motion;
        let piece = motion.steer(&self.state, &self.target, period_secs, SPEED_SCALE);
        let piece = piece.map_err(|failure| PolicyError::new(failure.to_string()))?;
        match robot.stream(&piece) {
            Ok(_) => {
                self.state = piece.knots()[piece.knots().len() - 1].clone();
                Ok(Ok(()))
            }
            Err(failure) => Ok(self.stopped_by(robot, failure)),
        }
    }

    /// Brings the arm to rest, and waits for the world to settle.
    ///
    /// # Errors
    ///
    /// If the motion is stopped.
    pub fn rest(&mut self, robot: &mut Robot) -> Result<(), Failure> {
        let moves = self.state.velocity.iter().any(|v| v.abs() > 1e-6);
        let here = &self.state.position;
        if moves && let Ok(back) = robot.motion.steer(&self.state, here, REST_SECS, 1.0) {
            robot.stream(&Trajectory::new(back.knots().to_vec()))?;
        }
        robot.wait(SETTLE_SECS)?;
        Ok(())
    }

    /// Stores the failure, and makes the position at which the arm stopped the new target. Returns
    /// the failure as an error if it is lasting.
    fn stopped_by(&mut self, robot: &mut Robot, failure: Failure) -> Result<(), Failure> {
        if is_lasting(&failure.reason) {
            return Err(failure);
        }
        self.state = robot.recover().and_then(|()| standing(robot))?;
        self.target.clone_from(&self.state.position);
        self.stopped = Some(failure);
        Ok(())
    }
}

fn standing(robot: &mut Robot) -> Result<Knot, Failure> {
    Ok(Knot::at_rest(0.0, robot.observe()?.joint_positions))
}

fn is_same(before: GripperAction, now: GripperAction) -> bool {
    match (before, now) {
        (GripperAction::WidthM(a), GripperAction::WidthM(b)) => (a - b).abs() < SAME_WIDTH_M,
        (GripperAction::ForceN(a), GripperAction::ForceN(b)) => (a - b).abs() < SAME_FORCE_N,
        _ => false,
    }
}

pub(crate) fn no_pose() -> PolicyError {
    PolicyError::new("the tool pose has numbers that are not finite")
}

pub(crate) fn is_pose(pose: &Pose) -> bool {
    let numbers = pose.translation.vector.iter();
    numbers
        .chain(pose.rotation.coords.iter())
        .all(|n| n.is_finite())
}
