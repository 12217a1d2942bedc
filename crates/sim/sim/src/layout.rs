//! Handles and constants of a built world; they never change after building.

use rapier3d_f64::prelude::{ColliderHandle, JointAxis, MultibodyIndex, RigidBodyHandle};
use regrasp_api::{ObjectId, ObjectPort, Pose};
use regrasp_scene::{GripperFile, Motor, SceneJoint, SceneObject};

pub(crate) struct Layout {
    pub(crate) robot: RobotLayout,
    pub(crate) objects: Vec<ObjectLayout>,
    /// Indices of the objects that can roll or spin.
    pub(crate) round: Vec<usize>,
    pub(crate) joints: Vec<SceneJointLayout>,
    /// Ports of the objects, for insertion.
    pub(crate) ports: Vec<ObjectPort>,
    pub(crate) owners: Owners,
    /// Height at which fallen objects come to rest, in World, m.
    pub(crate) floor_z: f64,
    /// Hash that tells worlds apart, see `snapshot::identity`.
    pub(crate) identity: u64,
}

pub(crate) struct RobotLayout {
    pub(crate) multibody: MultibodyIndex,
    /// Moving bodies only, parents first; each carries one or more links.
    pub(crate) moving: Vec<RigidBodyHandle>,
    pub(crate) moving_names: Vec<String>,
    pub(crate) arm: Vec<JointLayout>,
    /// Acceleration limit of each arm joint, rad/s^2 or m/s^2.
    pub(crate) max_acceleration: Vec<f64>,
    /// Fingers: none or two.
    pub(crate) fingers: Vec<JointLayout>,
    /// Names of all links, in the order of the model.
    pub(crate) links: Vec<String>,
    pub(crate) finger_of_link: Vec<Option<usize>>,
    /// Every collision shape of the fingers, with its finger; filled in by `build`.
    pub(crate) pads: Vec<(usize, ColliderHandle)>,
    /// Link that carries the fingers. Contacts of a held object are reported at it.
    pub(crate) hand_link: usize,
    pub(crate) gripper: GripperFile,
    pub(crate) world_from_base: Pose,
    pub(crate) tool_body: RigidBodyHandle,
    pub(crate) body_from_tool: Pose,
}

pub(crate) struct JointLayout {
    pub(crate) name: String,
    /// Link of the multibody that the joint moves.
    pub(crate) link_id: usize,
    /// Index in the generalised velocity.
    pub(crate) dof: usize,
    /// Free axis: 0 for a prismatic joint, 3 for a revolute one, both along x of the joint's own
    /// frame.
    pub(crate) axis: usize,
    pub(crate) motor: Motor,
    pub(crate) max_effort: f64,
    pub(crate) max_speed: f64,
    pub(crate) lower: f64,
    pub(crate) upper: f64,
}

pub(crate) struct ObjectLayout {
    pub(crate) scene: SceneObject,
    pub(crate) body: RigidBodyHandle,
    pub(crate) jointed: bool,
}

pub(crate) struct SceneJointLayout {
    pub(crate) id: ObjectId,
    pub(crate) child: RigidBodyHandle,
    pub(crate) parent: RigidBodyHandle,
    pub(crate) scene: SceneJoint,
    pub(crate) parent_from_child_at_start: Pose,
    pub(crate) axis: JointAxis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Owner {
    /// Index into [`RobotLayout::links`].
    Link(usize),
    /// Index into [`Layout::objects`].
    Object(usize),
}

/// Owner of every collider, by the index in rapier's arena. The index is unique, since colliders
/// are never removed.
#[derive(Default)]
pub(crate) struct Owners(Vec<Option<Owner>>);

impl Owners {
    pub(crate) fn set(&mut self, collider: ColliderHandle, owner: Owner) {
        let index = collider.into_raw_parts().0 as usize;
        if self.0.len() <= index {
            self.0.resize(index + 1, None);
        }
        self.0[index] = Some(owner);
    }

    pub(crate) fn get(&self, collider: ColliderHandle) -> Option<Owner> {
        let index = collider.into_raw_parts().0 as usize;
        self.0.get(index).copied().flatten()
    }
}

impl Layout {
    pub(crate) fn object_idx(&self, id: &ObjectId) -> Option<usize> {
        self.objects.iter().position(|o| &o.scene.id == id)
    }
}

impl RobotLayout {
    /// Distance between the pads at these finger positions, m.
    pub(crate) fn width(&self, fingers: &[f64; 2]) -> f64 {
        let joints = self.fingers.iter().zip(fingers);
        let travel: f64 = joints.map(|(joint, q)| q - joint.lower).sum();
        self.gripper.min_width_m + travel
    }

    /// Distance of a finger from its lower stop at a width, m.
    pub(crate) fn travel(&self, width_m: f64) -> f64 {
        let g = &self.gripper;
        0.5 * (width_m.clamp(g.min_width_m, g.max_width_m) - g.min_width_m)
    }
}
