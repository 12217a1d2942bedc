//! Joints between objects, and presses of their buttons.

use rapier3d_f64::prelude::RigidBodyHandle;
use regrasp_api::ObjectJoint;
use regrasp_geometry_parry::from_parry;
use serde::{Deserialize, Serialize};

use crate::layout::SceneJointLayout;
use crate::simulation::Simulation;

/// Number of presses of a button.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub(crate) struct PressCount {
    pub(crate) count: u32,
    /// Set while the button is down; it must come halfway back before it counts again.
    is_down: bool,
}

impl Simulation {
    pub(crate) fn object_joints(&self) -> Vec<ObjectJoint> {
        let bodies = &self.physics.bodies;
        let pose = |body: RigidBodyHandle| Some(from_parry(bodies.get(body)?.position()));
        let joint = |(joint, pressed): (&SceneJointLayout, &PressCount)| {
            let (parent, child) = (pose(joint.parent)?, pose(joint.child)?);
            let start = &joint.parent_from_child_at_start;
            let mut now = joint.scene.at(start, &parent, &child);
            if let Some(presses) = &mut now.presses {
                presses.count = pressed.count;
            }
            Some(now)
        };
        let joints = self.layout.joints.iter().zip(&self.state.presses);
        joints.filter_map(joint).collect()
    }

    /// Counts buttons that went down in this step.
    pub(crate) fn count_presses(&mut self) {
        let joints = &self.layout.joints;
        if joints.iter().all(|j| j.scene.spring.is_none()) {
            return;
        }
        for joint in self.object_joints() {
            let Some(at) = joint.presses.map(|presses| presses.at) else {
                continue;
            };
            let idx = joints.iter().position(|j| j.scene.id == joint.id);
            if let Some(press) = idx.and_then(|idx| self.state.presses.get_mut(idx)) {
                let was_down = press.is_down;
                press.is_down = joint.opening >= if was_down { 0.5 * at } else { at };
                press.count += u32::from(press.is_down && !was_down);
            }
        }
    }
}
