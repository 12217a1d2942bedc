//! A robot that goes on towards targets which change on the way.

use regrasp_api::{
    Failure, GripperAction, GripperCommand, Knot, Phase, PolicyError, Pose, Reason, ToolTarget,
    Trajectory,
};
use regrasp_robot::{Robot, is_lasting};

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

/// How far the joints may turn towards one pose of the tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// A little: the pose is one of the next action.
    Near,
    /// As far as they have to.
    Any,
}

/// What a robot is on its way to, for whoever commands it piece by piece.
///
/// It holds no robot, so that whoever does can look at it between two pieces.
#[derive(Clone, Debug)]
pub struct Steering {
    /// What the arm is commanded now.
    state: Knot,
    /// Where the arm is wanted.
    target: Vec<f64>,
    /// What was wanted of the gripper last.
    gripper: Option<GripperAction>,
    /// Why the last motion was ended, until somebody took it.
    stopped: Option<Failure>,
}

impl Steering {
    /// From where the arm stands now.
    ///
    /// # Errors
    ///
    /// The robot does not answer.
    pub fn new(robot: &mut Robot) -> Result<Self, Failure> {
        let state = standing(robot)?;
        Ok(Self {
            target: state.position.clone(),
            state,
            gripper: None,
            stopped: None,
        })
    }

    /// Wants the arm there, chain order, rad or m.
    pub fn aim(&mut self, joint_positions: Vec<f64>) {
        self.target = joint_positions;
    }

    /// Wants the tool there. The target stays if the pose is not reached from where the arm is
    /// commanded now; [`Steering::take_stopped`] then says why.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] if the pose is none.
    pub fn aim_tool(
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

    /// Where the arm is commanded to be now, chain order, rad or m: a little ahead of where it is.
    pub fn commanded(&self) -> &[f64] {
        &self.state.position
    }

    /// Why the arm was stopped since somebody asked last, if it was.
    pub fn take_stopped(&mut self) -> Option<Failure> {
        self.stopped.take()
    }

    /// Tells the gripper what is new.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] if the number is none.
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
            return Err(PolicyError::new(format!("the gripper is to go to {value}")));
        }
        let value = value.clamp(limits[0], limits[1]);
        let started = robot.start_grip(match action {
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
        Ok(started.or_else(|failure| self.stopped_by(robot, failure)))
    }

    /// Moves on for a while.
    ///
    /// A monitor that ends the motion is no failure: the arm braked and stands, goes on from
    /// there, and [`Steering::take_stopped`] says why.
    ///
    /// # Errors
    ///
    /// [`PolicyError`] if the target is no configuration; inside, the failure after which nothing
    /// can go on.
    pub fn advance(
        &mut self,
        robot: &mut Robot,
        period_secs: f64,
        speed_scale: f64,
    ) -> Result<Result<(), Failure>, PolicyError> {
        let motion = &robot.motion;
        let piece = motion.steer(&self.state, &self.target, period_secs, speed_scale);
        let piece = piece.map_err(|failure| PolicyError::new(failure.to_string()))?;
        match robot.stream(&piece) {
            Ok(_) => {
                self.state = piece.knots()[piece.knots().len() - 1].clone();
                Ok(Ok(()))
            }
            Err(failure) => Ok(self.stopped_by(robot, failure)),
        }
    }

    /// Comes to rest, and lets the world do so too.
    ///
    /// # Errors
    ///
    /// It was stopped on the way.
    pub fn rest(&mut self, robot: &mut Robot) -> Result<(), Failure> {
        let moves = self.state.velocity.iter().any(|v| v.abs() > 1e-6);
        let here = &self.state.position;
        if moves && let Ok(back) = robot.motion.steer(&self.state, here, REST_SECS, 1.0) {
            robot.stream(&Trajectory::new(back.knots().to_vec()))?;
        }
        robot.wait(SETTLE_SECS)?;
        Ok(())
    }

    /// The arm braked and stands: it goes on from there, unless nothing can go on.
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

fn is_same(before: GripperAction, now: GripperAction) -> bool {
    match (before, now) {
        (GripperAction::WidthM(a), GripperAction::WidthM(b)) => (a - b).abs() < SAME_WIDTH_M,
        (GripperAction::ForceN(a), GripperAction::ForceN(b)) => (a - b).abs() < SAME_FORCE_N,
        _ => false,
    }
}

pub(crate) fn no_pose() -> PolicyError {
    PolicyError::new("the tool is to go to numbers that are not finite")
}

pub(crate) fn is_pose(pose: &Pose) -> bool {
    let numbers = pose.translation.vector.iter();
    numbers
        .chain(pose.rotation.coords.iter())
        .all(|n| n.is_finite())
}
