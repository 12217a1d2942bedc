//! Motion planner of one arm.

use std::sync::{Arc, OnceLock};

use regrasp_api::Trajectory;
use regrasp_kinematics::{Chain, RobotModel};

use crate::collision::RobotGeometry;
use crate::error::ArmPlannerError;
use crate::search::RobotSpheres;
use crate::spheres::HeldCover;
use crate::untimed::UntimedMotion;
use crate::{JointLimits, timing};

/// Distance past a limit at which a measured position still counts as on it, rad. An arm commanded
/// to its limit stands up to 3 mrad off the command.
pub(crate) const START_SLACK_RAD: f64 = 5e-3;

/// Motion planner for one arm.
#[derive(Clone, Debug)]
pub struct ArmPlanner {
    pub(crate) chain: Chain,
    pub(crate) geometry: RobotGeometry,
    pub(crate) limits: Vec<JointLimits>,
    pub(crate) home: Vec<f64>,
    /// Spheres of the robot, built when a search first needs them.
    spheres: Arc<OnceLock<RobotSpheres>>,
    pub(crate) held_cover: Arc<HeldCover>,
}

impl ArmPlanner {
    /// Builds a planner for the arm of `model` whose joints are those of `chain`, with one set of
    /// limits and one home position per joint of the chain. The finger joints and links are those
    /// of its gripper.
    ///
    /// # Errors
    ///
    /// If the numbers of limits or home positions differ from that of the joints, a finger joint or
    /// link does not exist, or a collision shape spans no volume.
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
                let n = chain.dof();
                let mut joints = model.joints().iter();
                let follows =
                    joints.find(|j| j.mimic.is_some() && !finger_joints.contains(&j.name));
                let counts = format!("the arm has {n} joints, but {got} {what} were given");
                let why = match follows.map(|joint| &joint.name) {
                    Some(name) => format!(
                        "joint `{name}` mimics another, but arm joints must be independent: {counts}"
                    ),
                    None => counts,
                };
                return Err(ArmPlannerError(why));
            }
        }
        let geometry = RobotGeometry::new(model, &chain, finger_joints, finger_links)?;
        Ok(Self {
            chain,
            geometry,
            limits,
            home,
            spheres: Arc::default(),
            held_cover: Arc::default(),
        })
    }

    /// Returns the fastest motion through `points`, at rest only at the first and the last, at
    /// `scale` of the limits (velocity by `scale`, acceleration by its square, jerk by its cube).
    ///
    /// Neither collisions nor position limits along the curve are checked.
    pub fn time_through(&self, points: &[Vec<f64>], scale: f64) -> Trajectory {
        match UntimedMotion::through(points, &self.limits) {
            Some(motion) => motion.time(&self.limits, scale),
            None => timing::stay(&points[0]),
        }
    }

    pub(crate) fn spheres(&self) -> &RobotSpheres {
        self.spheres
            .get_or_init(|| RobotSpheres::new(&self.geometry, &self.bounds(), &self.home))
    }

    /// Lower and upper limit of each joint, at most one turn to either side.
    pub(crate) fn bounds(&self) -> Vec<[f64; 2]> {
        let turn = std::f64::consts::PI;
        let limits = self.limits.iter();
        let spans = limits.map(|l| [l.lower.max(-2.0 * turn), l.upper.min(2.0 * turn)]);
        spans.collect()
    }

    pub(crate) fn outside_limits(&self, q: &[f64]) -> Option<usize> {
        q.iter().zip(&self.limits).position(|(q, limit)| {
            *q < limit.lower - START_SLACK_RAD || *q > limit.upper + START_SLACK_RAD
        })
    }
}
