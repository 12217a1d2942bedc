//! Search for a free path: RRT-Connect, then simplification.
//!
//! [`Search::new`] prepares a problem, [`Search::solve`] finds a path,
//! [`Search::simplify`] shortens it, [`Search::time`] turns it into a motion. Samples come from a
//! Halton sequence and budgets count them, so the same problem has the same answer
//! everywhere, unless a budget in time is asked for as well ([`SearchBudget`]).
//!
//! The search itself sees spheres that cover the robot, eight configurations at a time
//! (`edge`). A path that comes out of it is proven free along its whole
//! length with spheres that are larger by what moves between two looks. The exact shapes
//! are asked only where spheres cannot tell: at ends that come closer to something than
//! the spheres exceed the arm, and when spheres alone find no way.

mod budget;
mod connect;
mod edge;
mod failure;
mod halton;
mod pairs;
mod problem;
mod q;
mod scene;
mod simplify;
mod solve;
mod timed;
mod tree;
mod verify;

use regrasp_api::{MotionGoal, MotionRequest, PlanningScene};

use crate::ArmPlanner;
use crate::collision::Surroundings;
use crate::spheres::SphereScene;
pub use failure::SearchFailure;
pub(crate) use pairs::RobotSpheres;
pub use problem::{RanOut, SearchBudget, SearchOptions, SearchProblem};
pub use timed::{TimedAlong, TimedPath};

/// A path through joint configurations: straight lines between them.
pub type Waypoints = Vec<Vec<f64>>;

/// A prepared problem.
pub struct Search<'a> {
    arm: &'a ArmPlanner,
    scene: SphereScene,
    around: Surroundings,
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
        let scene = PlanningScene {
            obstacles: problem.obstacles.to_vec(),
            ..PlanningScene::default()
        };
        let request = MotionRequest {
            world_from_base: problem.world_from_base,
            start: problem.start,
            gripper_width_m: problem.gripper_width_m,
            goal: MotionGoal::Joints(vec![]),
            scene: &scene,
            speed_scale: 1.0,
            keep_up: None,
        };
        let mut around = arm.bare_surroundings(&request).with_margin(0.0);
        around.allow(&problem.allowed);
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
        Self {
            arm,
            scene: arm.sphere_scene(request, &around),
            around,
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
