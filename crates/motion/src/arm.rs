use std::sync::{Arc, OnceLock};

use regrasp_api::{
    CollisionPair, MotionFailure, MotionGoal, MotionPlanner, MotionRequest, PlannedMotion, Pose,
    ToolTarget,
};
use regrasp_kinematics::ik::IkOptions;
use regrasp_kinematics::{Chain, RobotModel};

use crate::collision::{RobotGeometry, Surroundings};
use crate::path::Path;
use crate::search::RobotSpheres;
use crate::{JointLimits, inverse, route, timing};

/// How far past a limit a measured position may be and still count as on it, rad.
const LIMIT_SLACK_RAD: f64 = 1e-3;

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

    pub(crate) fn chain(&self) -> &Chain {
        &self.chain
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

    fn path(
        &self,
        request: &MotionRequest<'_>,
        around: &Surroundings,
    ) -> Result<(Option<Path>, usize), MotionFailure> {
        let (base, start) = (&request.world_from_base, request.start);
        match &request.goal {
            MotionGoal::Joints(goal) => {
                if let Some(pair) = self.geometry.first_contact(goal, around) {
                    return Err(MotionFailure::GoalInCollision { pairs: vec![pair] });
                }
                let direct = route::between(self, around, base, start, goal);
                let path = match direct {
                    Err(MotionFailure::PathBlocked { blockers }) => {
                        let goals = std::slice::from_ref(goal);
                        let found = route::search(self, request, around, goals);
                        let (path, _) = found.ok_or(MotionFailure::PathBlocked { blockers })?;
                        Some(path)
                    }
                    other => other?,
                };
                Ok((path, 0))
            }
            MotionGoal::Line(world_from_tool) => {
                Ok((route::line(self, around, base, start, world_from_tool)?, 0))
            }
            MotionGoal::AnyPose(poses) => self.path_to_any(request, around, poses),
        }
    }

    /// Tries the poses in order; the first that can be reached on a free path wins. If
    /// none can be reached directly, a path to any of them is searched for.
    /// Otherwise the failure that came closest to success is told.
    fn path_to_any(
        &self,
        request: &MotionRequest<'_>,
        around: &Surroundings,
        poses: &[Pose],
    ) -> Result<(Option<Path>, usize), MotionFailure> {
        let mut unreachable: Option<MotionFailure> = None;
        let mut touching: Vec<CollisionPair> = vec![];
        let mut blocked: Vec<CollisionPair> = vec![];
        let mut free_goals: Vec<(usize, Vec<f64>)> = vec![];
        for (goal_idx, pose) in poses.iter().enumerate() {
            for seed in [request.start, &self.home] {
                let goal =
                    match self.inverse(&request.world_from_base, &ToolTarget::Pose(*pose), seed) {
                        Ok(goal) => goal,
                        Err(failure) => {
                            unreachable = nearer(unreachable, failure);
                            break;
                        }
                    };
                if let Some(pair) = self.geometry.first_contact(&goal, around) {
                    touching.push(pair);
                    continue;
                }
                match route::between(self, around, &request.world_from_base, request.start, &goal) {
                    Ok(path) => return Ok((path, goal_idx)),
                    Err(failure) => match failure {
                        MotionFailure::PathBlocked { blockers } => {
                            blocked.extend(blockers);
                            free_goals.push((goal_idx, goal));
                        }
                        other => unreachable = nearer(unreachable, other),
                    },
                }
            }
        }
        let goals: Vec<_> = free_goals.iter().map(|(_, goal)| goal.clone()).collect();
        if let Some((path, reached)) = route::search(self, request, around, &goals) {
            return Ok((Some(path), free_goals[reached].0));
        }
        touching.dedup();
        blocked.dedup();
        Err(if !blocked.is_empty() {
            MotionFailure::PathBlocked { blockers: blocked }
        } else if !touching.is_empty() {
            MotionFailure::GoalInCollision { pairs: touching }
        } else {
            unreachable.unwrap_or_else(no_goal)
        })
    }
}

fn no_goal() -> MotionFailure {
    MotionFailure::Unreachable {
        detail: "no goal was given".into(),
        pos_err_m: f64::INFINITY,
        tol_m: 0.0,
    }
}

/// Of two unreachable goals, the one that was missed by less.
fn nearer(known: Option<MotionFailure>, new: MotionFailure) -> Option<MotionFailure> {
    let miss_m = |failure: &MotionFailure| match failure {
        MotionFailure::Unreachable { pos_err_m, .. } => *pos_err_m,
        _ => f64::INFINITY,
    };
    match known {
        Some(known) if miss_m(&known) <= miss_m(&new) => Some(known),
        _ => Some(new),
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
        let around = self.geometry.surroundings(request);
        if let Some(pair) = self.geometry.first_contact(request.start, &around) {
            return Err(MotionFailure::StartInCollision { pair });
        }
        let (path, goal_idx) = self.path(request, &around)?;
        let trajectory = match path {
            Some(path) => timing::time(&path, &self.limits, request.speed_scale),
            None => timing::stay(request.start),
        };
        Ok(PlannedMotion {
            trajectory,
            goal_idx,
        })
    }
}
