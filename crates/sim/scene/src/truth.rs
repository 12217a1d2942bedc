//! The world's truth at the start, from the scene alone.

use regrasp_api::ObjectJoint;
use regrasp_ground_truth::{TrueObject, WorldTruth};

use crate::{RobotFile, Scene, SceneJoint, SceneObject, geometry};

/// Surfaces closer than this touch, m: what standing on something leaves open.
const TOUCH_GAP_M: f64 = 0.001;

impl Scene {
    /// The truth before anything has moved: everything at rest, touching what it
    /// stands on, nothing in the hand. It serves to check that no goal holds yet; a
    /// simulator's own truth after settling replaces it for judging.
    ///
    /// `world_from_tool` is the base's place: forward kinematics is not known here.
    pub fn initial_truth(&self, robot: &RobotFile) -> WorldTruth {
        let n = robot.arm_joints.len();
        WorldTruth {
            time_secs: 0.0,
            objects: self.objects.iter().map(|o| self.true_object(o)).collect(),
            joints: self.joints.iter().filter_map(|j| self.joint(j)).collect(),
            ports: self.ports.clone(),
            joint_positions: self
                .start_joints
                .clone()
                .unwrap_or_else(|| robot.home.clone()),
            joint_velocities: vec![0.0; n],
            world_from_tool: self.world_from_base,
            gripper_width_m: self.start_width_m,
            contacts: Vec::new(),
            was_held: Vec::new(),
        }
    }

    fn joint(&self, joint: &SceneJoint) -> Option<ObjectJoint> {
        let find = |id| self.objects.iter().find(|o| &o.id == id);
        let (parent, child) = (find(&joint.parent)?, find(&joint.child)?);
        let (parent, child) = (&parent.world_from_object, &child.world_from_object);
        Some(joint.at(&(parent.inverse() * child), parent, child))
    }

    fn true_object(&self, object: &SceneObject) -> TrueObject {
        let others = self.objects.iter().filter(|o| o.id != object.id);
        let touches = others.filter(|o| {
            geometry::within(
                &object.shape,
                &object.world_from_object,
                &o.shape,
                &o.world_from_object,
                TOUCH_GAP_M,
            )
        });
        TrueObject {
            touches: touches.map(|o| o.id.clone()).collect(),
            id: object.id.clone(),
            category: object.category.clone(),
            color: object.color.clone(),
            shape: object.shape.clone(),
            world_from_object: object.world_from_object,
            linear_velocity: [0.0; 3],
            angular_velocity: [0.0; 3],
            mass_kg: object.mass_kg.unwrap_or(0.0),
            movable: object.is_movable(),
            touches_links: Vec::new(),
            grasped: false,
            upright: object.upright,
            zones: object.zones.clone(),
            part_of: object.part_of.clone(),
            group: object.group.clone(),
        }
    }
}
