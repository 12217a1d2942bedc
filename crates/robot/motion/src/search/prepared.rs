//! A problem, prepared for the search.

use regrasp_api::{MotionGoal, MotionRequest, PlanningScene};

use super::problem::SearchProblem;
use crate::ArmPlanner;
use crate::collision::Surroundings;
use crate::spheres::SphereScene;

/// A prepared problem.
pub struct Search<'a> {
    pub(super) arm: &'a ArmPlanner,
    pub(super) scene: SphereScene,
    pub(super) around: Surroundings,
    pub(super) bounds: Vec<[f64; 2]>,
    pub(super) start: Vec<f64>,
    pub(super) goals: Vec<Vec<f64>>,
}

impl<'a> Search<'a> {
    /// Prepares a problem. The path may come as close to obstacles as touching them.
    ///
    /// # Panics
    ///
    /// If start, goals or bounds do not have one entry per joint.
    pub fn new(arm: &'a ArmPlanner, problem: &SearchProblem<'_>) -> Self {
        let dof = arm.chain.dof();
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
