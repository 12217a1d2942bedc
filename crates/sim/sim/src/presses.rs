//! Joints between objects, and presses of their buttons.

use rapier3d_f64::prelude::{PhysicsWorld, RigidBodyHandle};
use regrasp_api::ObjectJoint;
use regrasp_geometry_parry::from_parry;
use serde::{Deserialize, Serialize};

use crate::layout::{Layout, SceneJointLayout};

/// Number of presses of a button.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PressCount {
    pub(crate) count: u32,
    /// Set while the button is down; the button must come halfway back before it counts again.
    is_down: bool,
}

pub(crate) fn object_joints(
    physics: &PhysicsWorld,
    layout: &Layout,
    presses: &[PressCount],
) -> Vec<ObjectJoint> {
    let pose = |body: RigidBodyHandle| Some(from_parry(physics.bodies.get(body)?.position()));
    let joint = |(joint, pressed): (&SceneJointLayout, &PressCount)| {
        let (parent, child) = (pose(joint.parent)?, pose(joint.child)?);
        let start = &joint.parent_from_child_at_start;
        let mut now = joint.scene.at(start, &parent, &child);
        if let Some(presses) = &mut now.presses {
            presses.count = pressed.count;
        }
        Some(now)
    };
    let joints = layout.joints.iter().zip(presses);
    joints.filter_map(joint).collect()
}

/// Counts buttons that went down in this step.
pub(crate) fn count(physics: &PhysicsWorld, layout: &Layout, presses: &mut [PressCount]) {
    if layout.joints.iter().all(|j| j.scene.spring.is_none()) {
        return;
    }
    for joint in object_joints(physics, layout, presses) {
        let Some(at) = joint.presses.map(|presses| presses.at) else {
            continue;
        };
        let idx = layout.joints.iter().position(|j| j.id == joint.id);
        if let Some(press) = idx.and_then(|idx| presses.get_mut(idx)) {
            let was_down = press.is_down;
            press.is_down = joint.opening >= if was_down { 0.5 * at } else { at };
            press.count += u32::from(press.is_down && !was_down);
        }
    }
}
