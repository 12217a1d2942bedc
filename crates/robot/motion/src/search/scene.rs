//! Surroundings of a request.

use regrasp_api::MotionRequest;

use crate::ArmPlanner;
use crate::collision::Surroundings;
use crate::spheres::{LinkCover, SceneOptions, SphereScene, Tree};

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
        let held = request.scene.attached.as_ref().zip(around.held());
        let held = held.map(|(held, (_, shape, _))| LinkCover {
            link_idx: geometry.tool_link,
            is_finger: true,
            moves: true,
            spheres: self.held_cover.of(held, shape),
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
