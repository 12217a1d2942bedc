//! The motion planner of one arm: how it is built from a robot, and what can be wrong with that robot.

use std::sync::{Arc, OnceLock};

use regrasp_api::{
    Knot, MotionFailure, MotionGoal, MotionPlanner, MotionRequest, PlannedMotion, Pose, ToolTarget,
    Trajectory,
};
use regrasp_kinematics::ik::IkOptions;
use regrasp_kinematics::{Chain, RobotModel};

use crate::collision::RobotGeometry;
use crate::route::Task;
use crate::search::RobotSpheres;
use crate::way::Way;
use crate::{JointLimits, goals, inverse, line, timing};

/// How far past a limit a measured position may be and still count as on it, rad: an arm that was
/// commanded to the limit stands up to 3 mrad off its command.
const LIMIT_SLACK_RAD: f64 = 5e-3;
/// Iterations after which an arm with a closed form counts as unable to reach a pose: where
/// that knows no way, further starts hardly ever find one.
const AFTER_CLOSED_FORM: usize = 60;

/// Plans motions for one arm.
#[derive(Clone, Debug)]
pub struct ArmPlanner {
    chain: Chain,
    geometry: RobotGeometry,
    limits: Vec<JointLimits>,
    home: Vec<f64>,
    /// Made when a search first needs them.
    spheres: Arc<OnceLock<RobotSpheres>>,
}

/// A planner that cannot be built for a robot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArmPlannerError {
    /// The robot has no such joint.
    #[error("plan motions: the robot has no joint `{joint}`")]
    UnknownJoint {
        /// The name.
        joint: String,
    },
    /// The robot has no such link.
    #[error("plan motions: the robot has no link `{link}`")]
    UnknownLink {
        /// The name.
        link: String,
    },
    /// A collision geometry spans no volume.
    #[error("plan motions: a collision geometry of link `{link}` spans no volume")]
    FlatGeometry {
        /// The link.
        link: String,
    },
    /// A list has the wrong length.
    #[error("plan motions: the arm has {expected} joints, but {got} {what} were given")]
    WrongCount {
        /// What was counted.
        what: &'static str,
        /// Joints of the arm.
        expected: usize,
        /// Entries given.
        got: usize,
    },
}

impl ArmPlanner {
    /// A planner for the arm that ends in `chain`, with one set of limits and one
    /// home position per joint of the chain.
    ///
    /// # Errors
    ///
    /// See [`ArmPlannerError`].
    pub fn new(
        model: &RobotModel,
        chain: Chain,
        limits: Vec<JointLimits>,
        home: Vec<f64>,
        finger_joints: &[String],
        finger_links: &[String],
    ) -> Result<Self, ArmPlannerError> {
        for (what, got) in [("limits", limits.len()), ("home positions", home.len())] {
            if got != chain.dof() {
                return Err(ArmPlannerError::WrongCount {
                    what,
                    expected: chain.dof(),
                    got,
                });
            }
        }
        let geometry = RobotGeometry::new(model, &chain, finger_joints, finger_links)?;
        Ok(Self {
            chain,
            geometry,
            limits,
            home,
            spheres: Arc::default(),
        })
    }

    /// The fastest motion from the first of some configurations through the others to
    /// the last, at rest at both ends only, at `scale` of the limits (velocity by
    /// `scale`, acceleration by its square, jerk by its cube). Nothing is checked for
    /// collision, nor is the curve for limits on position.
    pub fn time_through(&self, points: &[Vec<f64>], scale: f64) -> Trajectory {
        match Way::through(points, &self.limits) {
            Some(way) => way.time(&self.limits, scale),
            None => timing::stay(&points[0]),
        }
    }

    pub(crate) fn chain(&self) -> &Chain {
        &self.chain
    }

    pub(crate) fn limits(&self) -> &[JointLimits] {
        &self.limits
    }

    pub(crate) fn geometry(&self) -> &RobotGeometry {
        &self.geometry
    }

    pub(crate) fn spheres(&self) -> &RobotSpheres {
        self.spheres
            .get_or_init(|| RobotSpheres::new(&self.geometry, &self.bounds(), &self.home))
    }

    /// Lower and upper limit of each joint; a joint without limits turns once.
    pub(crate) fn bounds(&self) -> Vec<[f64; 2]> {
        let turn = std::f64::consts::PI;
        let limits = self.limits.iter();
        limits
            .map(|l| [l.lower.max(-2.0 * turn), l.upper.min(2.0 * turn)])
            .collect()
    }

    /// The first joint outside its limits, if any.
    pub(crate) fn outside_limits(&self, q: &[f64]) -> Option<usize> {
        q.iter().zip(&self.limits).position(|(q, limit)| {
            *q < limit.lower - LIMIT_SLACK_RAD || *q > limit.upper + LIMIT_SLACK_RAD
        })
    }

    pub(crate) fn home(&self) -> &[f64] {
        &self.home
    }

    /// The way that a request asks for, `None` if there is nowhere to go, and which goal it
    /// reaches.
    fn way(&self, task: &Task<'_>) -> Result<(Option<Way>, usize), MotionFailure> {
        match &task.request.goal {
            MotionGoal::Joints(goal) => Ok((to_joints(task, goal)?, 0)),
            MotionGoal::Line(world_from_tool) => Ok((line::to_pose(task, world_from_tool)?, 0)),
            MotionGoal::AxisLine {
                position,
                axis_in_world,
            } => Ok((line::to_axis(task, *position, *axis_in_world)?, 0)),
            MotionGoal::AnyJoints(configurations) => goals::to_any_joints(task, configurations),
            MotionGoal::AnyPose(poses) => goals::to_any_pose(task, poses),
        }
    }
}

fn to_joints(task: &Task<'_>, goal: &[f64]) -> Result<Option<Way>, MotionFailure> {
    if let Some(failure) = task.leaning("goal", goal) {
        return Err(failure);
    }
    if let Some(pair) = task.touching(goal) {
        return Err(MotionFailure::GoalInCollision { pairs: vec![pair] });
    }
    let direct = task.direct(goal);
    if direct.is_empty() {
        return Ok(None);
    }
    match task.first_free(direct.into_iter().chain(task.detours(goal))) {
        Ok(way) => Ok(Some(way)),
        Err(blockers) => {
            let found = task.search(&[goal.to_vec()]);
            let (way, _) = found.ok_or(MotionFailure::PathBlocked { blockers })?;
            Ok(Some(way))
        }
    }
}

impl MotionPlanner for ArmPlanner {
    fn base_from_tool(&self, joints: &[f64]) -> Pose {
        self.chain.forward(joints)
    }

    fn inverse(
        &self,
        world_from_base: &Pose,
        target: &ToolTarget,
        seed: &[f64],
    ) -> Result<Vec<f64>, MotionFailure> {
        inverse::solve(
            &self.chain,
            world_from_base,
            target,
            seed,
            &IkOptions::default(),
        )
        .map_err(|miss| miss.told(&self.chain))
    }

    fn reaches(&self, world_from_base: &Pose, target: &ToolTarget, seed: &[f64]) -> bool {
        let mut options = IkOptions::default();
        if self.chain.panda_ik().is_some() {
            options.max_iterations = AFTER_CLOSED_FORM;
        }
        inverse::solve(&self.chain, world_from_base, target, seed, &options).is_ok()
    }

    fn configurations(
        &self,
        world_from_base: &Pose,
        world_from_tool: &Pose,
        near: &[f64],
    ) -> Result<Vec<Vec<f64>>, MotionFailure> {
        goals::configurations(self, world_from_base, world_from_tool, near)
            .map_err(|miss| miss.told(&self.chain))
    }

    fn limit_margin(&self, joints: &[f64]) -> f64 {
        let bounds = self.bounds();
        let margins = joints.iter().zip(&bounds).map(|(q, [low, high])| {
            let half = 0.5 * (high - low);
            (q - low).min(high - q) / half
        });
        margins.fold(1.0, f64::min).max(0.0)
    }

    fn plan(&self, request: &MotionRequest<'_>) -> Result<PlannedMotion, MotionFailure> {
        let task = Task::new(self, request);
        if let Some(pair) = task.touching(request.start) {
            return Err(MotionFailure::StartInCollision { pair });
        }
        if let Some(failure) = task.leaning("start", request.start) {
            return Err(failure);
        }
        let (way, goal_idx) = self.way(&task)?;
        let trajectory = match way {
            Some(way) => way.time(&self.limits, request.speed_scale),
            None => timing::stay(request.start),
        };
        Ok(PlannedMotion {
            trajectory,
            goal_idx,
        })
    }

    fn steer(
        &self,
        from: &Knot,
        toward: &[f64],
        for_secs: f64,
        speed_scale: f64,
    ) -> Result<Trajectory, MotionFailure> {
        timing::steer(from, toward, for_secs, speed_scale, &self.limits)
    }
}
