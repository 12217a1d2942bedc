//! Search for a free path: RRT-Connect, then simplification.
//!
//! [`Search::new`] prepares a problem, [`Search::solve`] finds a path,
//! [`Search::simplify`] shortens it. Budgets count iterations and samples come from a
//! Halton sequence, so the same problem has the same answer everywhere.
//!
//! The search itself sees spheres that cover the robot, eight configurations at a time
//! ([`Checker`](edge)). A path that comes out of it is proven free along its whole
//! length with spheres that are larger by what moves between two looks. The exact shapes
//! are asked only where spheres cannot tell: at ends that come closer to something than
//! the spheres exceed the arm, and when spheres alone find no way.

mod connect;
mod edge;
mod failure;
mod halton;
mod pairs;
mod problem;
mod q;
mod simplify;
mod solve;
mod tree;
mod verify;

use regrasp_api::{MotionGoal, MotionRequest, PlanningScene};

use crate::ArmPlanner;
use crate::collision::Surroundings;
use crate::spheres::{self, LinkCover, SceneOptions, SphereScene, Tree};
pub use failure::SearchFailure;
pub(crate) use pairs::RobotSpheres;
pub use problem::{CylinderReading, SearchOptions, SearchProblem};

/// A path through joint configurations: straight lines between them.
pub type Waypoints = Vec<Vec<f64>>;

/// A prepared problem.
pub struct Search<'a> {
    arm: &'a ArmPlanner,
    spheres: &'a RobotSpheres,
    scene: SphereScene,
    around: Surroundings,
    gripper_width_m: f64,
    bounds: Vec<[f64; 2]>,
    start: Vec<f64>,
    goals: Vec<Vec<f64>>,
}

impl<'a> Search<'a> {
    /// Prepares a problem. The path may come as close to obstacles as touching them.
    ///
    /// # Panics
    ///
    /// If start, goals or bounds have not one entry for each joint.
    pub fn new(arm: &'a ArmPlanner, problem: &SearchProblem<'_>) -> Self {
        let dof = arm.chain().dof();
        let goals_fit = problem.goals.iter().all(|g| g.len() == dof);
        let bounds_fit = problem.bounds.is_none_or(|b| b.len() == dof);
        assert!(
            problem.start.len() == dof && goals_fit && bounds_fit,
            "one entry a joint"
        );
        let obstacles = problem.obstacles.iter().map(|o| problem.cylinders.of(o));
        let scene = PlanningScene {
            obstacles: obstacles.collect(),
            ..PlanningScene::default()
        };
        let request = MotionRequest {
            world_from_base: problem.world_from_base,
            start: problem.start,
            gripper_width_m: problem.gripper_width_m,
            goal: MotionGoal::Joints(vec![]),
            scene: &scene,
            speed_scale: 1.0,
        };
        let around = arm.geometry().surroundings(&request).with_margin(0.0);
        let mut search = Self::for_request(arm, &request, around, problem.goals.to_vec());
        if let Some(bounds) = problem.bounds {
            search.bounds = bounds.to_vec();
        }
        search
    }

    /// Prepares what a request asks, with its margins and what it excuses.
    pub(crate) fn for_request(
        arm: &'a ArmPlanner,
        request: &MotionRequest<'_>,
        around: Surroundings,
        goals: Vec<Vec<f64>>,
    ) -> Self {
        let geometry = arm.geometry();
        let spheres = arm.spheres();
        let rest = vec![0.0; geometry.arm_joints().len()];
        let q_by_joint = geometry.positions(&rest, request.gripper_width_m);
        let tree = Tree::new(geometry.model(), geometry.arm_joints(), &q_by_joint);
        let root_from_world = (request.world_from_base * geometry.base_from_root()).inverse();
        let held = around.held().map(|(shape, tool_from_object)| LinkCover {
            link_idx: geometry.tool_link(),
            is_finger: true,
            moves: true,
            spheres: spheres::cover_shape(shape, &crate::shapes::to_parry(tool_from_object)),
        });
        let [arm_margin_m, hand_margin_m] = around.margins_m();
        let options = SceneOptions {
            obstacles: &request.scene.obstacles,
            root_from_world,
            may_touch: &request.scene.may_touch,
            arm_margin_m,
            hand_margin_m,
            held,
        };
        Self {
            arm,
            spheres,
            scene: SphereScene::new(&spheres.model, tree, &spheres.pairs, &options),
            around,
            gripper_width_m: request.gripper_width_m,
            bounds: arm.bounds(),
            start: request.start.to_vec(),
            goals,
        }
    }
}

/// Length of a path, 2-norm over joints, rad.
pub fn cost(path: &[Vec<f64>]) -> f64 {
    path.windows(2)
        .map(|w| crate::path::distance(&w[0], &w[1]))
        .sum()
}
