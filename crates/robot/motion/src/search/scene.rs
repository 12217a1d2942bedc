//! Surroundings of a request.

use regrasp_api::MotionRequest;
use regrasp_geometry_parry::to_parry;

use crate::ArmPlanner;
use crate::collision::Surroundings;
use crate::spheres::{self, LinkCover, SceneOptions, SphereScene, Tree};

impl ArmPlanner {
    /// The surroundings of a request, with spheres that are checked first.
    pub(crate) fn surroundings(&self, request: &MotionRequest<'_>) -> Surroundings {
        let around = self.bare_surroundings(request);
        let scene = self.sphere_scene(request, &around);
        around.with_spheres(scene)
    }

    /// The surroundings of a request, for the exact shapes alone.
    pub(crate) fn bare_surroundings(&self, request: &MotionRequest<'_>) -> Surroundings {
        self.geometry.surroundings(request, &self.spheres().own)
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
        let held = around.held().map(|(_, shape, tool_from_object)| LinkCover {
            link_idx: geometry.tool_link,
            is_finger: true,
            moves: true,
            spheres: spheres::cover_shape(shape, &to_parry(tool_from_object), spheres::EXCESS_M),
        });
        let mut pairs = robot.pairs.clone();
        if held.is_some() {
            pairs.extend(robot.held_pairs());
        }
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
        SphereScene::new(&robot.model, tree, &pairs, &options)
    }
}
