//! The initial ground truth, from the scene alone.

use regrasp_api::ObjectJoint;
use regrasp_ground_truth::{GroundTruth, GroundTruthObject};

use crate::{RobotFile, Scene, SceneJoint, SceneObject, geometry};

/// Largest gap between touching surfaces, m: the gap that a resting object leaves.
const TOUCH_GAP_M: f64 = 0.001;

impl SceneObject {
    /// Ground truth of the object at its pose in the scene, at rest and without contacts.
    pub fn at_rest(&self) -> GroundTruthObject {
        let (id, shape, pose) = (self.id.clone(), self.shape.clone(), self.world_from_object);
        GroundTruthObject {
            color: self.color.clone(),
            mass_kg: self.mass_kg.unwrap_or(0.0),
            mass_center: self.mass_center(),
            movable: self.is_movable(),
            upright: self.upright,
            zones: self.zones.clone(),
            part_of: self.part_of.clone(),
            group: self.group.clone(),
            ..GroundTruthObject::at_rest(id, &self.category, shape, pose)
        }
    }
}

impl Scene {
    /// Ground truth before anything has moved: all objects at rest and in contact with their
    /// supports, the hand empty. It serves to check that no goal holds yet; an episode is judged by
    /// the simulator's ground truth after settling.
    ///
    /// `world_from_tool` is the base's pose, since this crate has no forward kinematics.
    pub fn initial_truth(&self, robot: &RobotFile) -> GroundTruth {
        let n = robot.arm_joints.len();
        GroundTruth {
            objects: self.objects.iter().map(|o| self.true_object(o)).collect(),
            joints: self.joints.iter().filter_map(|j| self.joint(j)).collect(),
            ports: self.ports.clone(),
            joint_positions: self.start_joints.as_ref().unwrap_or(&robot.home).clone(),
            joint_velocities: vec![0.0; n],
            world_from_tool: self.world_from_base,
            gripper_width_m: self.start_width_m,
            ..GroundTruth::default()
        }
    }

    fn joint(&self, joint: &SceneJoint) -> Option<ObjectJoint> {
        let find = |id| self.objects.iter().find(|o| &o.id == id);
        let (parent, child) = (find(&joint.parent)?, find(&joint.child)?);
        let (parent, child) = (&parent.world_from_object, &child.world_from_object);
        Some(joint.at(&(parent.inverse() * child), parent, child))
    }

    fn true_object(&self, object: &SceneObject) -> GroundTruthObject {
        let others = self.objects.iter().filter(|o| o.id != object.id);
        let touches = others.filter(|o| {
            let [at, at_other] = [object, o].map(|o| &o.world_from_object);
            geometry::within(&object.shape, at, &o.shape, at_other, TOUCH_GAP_M)
        });
        GroundTruthObject {
            touches: touches.map(|o| o.id.clone()).collect(),
            ..object.at_rest()
        }
    }
}
