//! Surroundings of a request, and a problem prepared for the search.

use regrasp_api::{MotionGoal, MotionRequest, PlanningScene};

use super::problem::SearchProblem;
use crate::ArmPlanner;
use crate::collision::{HAND_MARGIN_M, Surroundings};
use crate::spheres::{LinkCover, SceneOptions, SphereScene, Tree};

/// A path-planning problem.
pub struct Search<'a> {
    pub(super) arm: &'a ArmPlanner,
    pub(super) scene: SphereScene,
    pub(super) around: Surroundings,
    pub(super) bounds: Vec<[f64; 2]>,
    pub(super) start: Vec<f64>,
    pub(super) goals: Vec<Vec<f64>>,
}

impl<'a> Search<'a> {
    /// Prepares a problem. The path keeps no margin from obstacles.
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
            "start, goals and bounds need one entry per joint"
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

impl ArmPlanner {
    /// The surroundings of a request, with spheres that are checked first.
    pub(crate) fn surroundings(
        &self,
        request: &MotionRequest<'_>,
        hand_margin_m: f64,
    ) -> Surroundings {
        let own = &self.spheres().own;
        let around = self.geometry.surroundings(request, own, hand_margin_m);
        let scene = self.sphere_scene(request, &around);
        around.with_spheres(scene)
    }

    /// The surroundings of a request, for the exact shapes alone.
    pub(crate) fn bare_surroundings(&self, request: &MotionRequest<'_>) -> Surroundings {
        let own = &self.spheres().own;
        self.geometry.surroundings(request, own, HAND_MARGIN_M)
    }

    /// The robot among the obstacles as spheres, with the margins of the surroundings.
    pub(crate) fn sphere_scene(
        &self,
        request: &MotionRequest<'_>,
        around: &Surroundings,
    ) -> SphereScene {
        let geometry = &self.geometry;
        let robot = self.spheres();
        let rest = vec![0.0; geometry.arm_joints.len()];
        let q_by_joint = geometry.positions(&rest, request.gripper_width_m);
        let tree = Tree::new(&geometry.model, &geometry.arm_joints, &q_by_joint);
        let held = request.scene.attached.as_ref().zip(around.held());
        let held = held.map(|(held, (_, shape, _))| LinkCover {
            link_idx: geometry.tool_link,
            is_finger: true,
            moves: true,
            spheres: self.held_cover.of(held, shape),
        });
        let [arm_margin_m, hand_margin_m] = around.margins_m();
        let base_from_root = geometry.base_from_root();
        let options = SceneOptions {
            obstacles: &request.scene.obstacles,
            root_from_world: (request.world_from_base * base_from_root).inverse(),
            may_touch: &request.scene.may_touch,
            arm_margin_m,
            hand_margin_m,
            held,
        };
        SphereScene::new(&robot.model, tree, &robot.own, &options)
    }
}
