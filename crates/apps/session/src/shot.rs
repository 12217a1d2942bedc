//! Positions of everything at one instant.

use std::sync::Arc;

use nalgebra::{Quaternion, Translation3, UnitQuaternion};
use regrasp_api::Pose;

/// Position (x, y, z, m) and orientation (quaternion x, y, z, w) in World; NaN for an absent node.
pub type NodePose = [f32; 7];

/// Poses of all nodes of the scene: links of the robot and objects.
#[derive(Clone, Debug, PartialEq)]
pub struct Shot {
    /// Number of the world.
    pub world: u64,
    /// Simulated time, s.
    pub sim_secs: f64,
    /// Joint positions of the arm, rad.
    pub joint_positions: Vec<f64>,
    /// Distance between the finger pads, m.
    pub gripper_width_m: f64,
    /// One pose per node, in the order of the scene.
    pub poses: Arc<[NodePose]>,
}

impl Shot {
    /// Encodes as little endian: world (u32), number of nodes (u32), simulated time (f64), width of
    /// the gripper (f64), then seven f32 per node.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Self::bytes_for(self.poses.len()));
        bytes.extend((self.world as u32).to_le_bytes());
        bytes.extend((self.poses.len() as u32).to_le_bytes());
        bytes.extend(self.sim_secs.to_le_bytes());
        bytes.extend(self.gripper_width_m.to_le_bytes());
        for number in self.poses.iter().flatten() {
            bytes.extend(number.to_le_bytes());
        }
        bytes
    }

    /// Length of [`Shot::to_bytes`] for `n_nodes` nodes, bytes.
    pub fn bytes_for(n_nodes: usize) -> usize {
        24 + n_nodes * 28
    }
}

pub(crate) fn node_pose(pose: &Pose) -> NodePose {
    let t = pose.translation.vector;
    let q = pose.rotation.coords;
    [t.x, t.y, t.z, q.x, q.y, q.z, q.w].map(|number| number as f32)
}

/// Pose of an absent node.
pub(crate) const NOWHERE: NodePose = [f32::NAN; 7];

/// Pose of a node; `None` if it is absent.
pub(crate) fn pose_of(node: &NodePose) -> Option<Pose> {
    let [x, y, z, i, j, k, w] = node.map(f64::from);
    if !x.is_finite() {
        return None;
    }
    let rotation = UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k));
    Some(Pose::from_parts(Translation3::new(x, y, z), rotation))
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;

    #[test]
    fn a_pose_survives_and_what_is_gone_stays_gone() {
        let pose = Pose::new(Vector3::new(0.4, -0.2, 0.1), Vector3::new(0.3, 1.1, -0.4));
        let back = pose_of(&node_pose(&pose)).expect("the node is present");
        assert!((back.inverse() * pose).rotation.angle() < 1e-6);
        assert!((back.translation.vector - pose.translation.vector).norm() < 1e-6);
        assert_eq!(pose_of(&NOWHERE), None);
    }

    #[test]
    fn bytes_have_the_declared_length() {
        let shot = Shot {
            world: 3,
            sim_secs: 1.5,
            joint_positions: vec![0.0; 7],
            gripper_width_m: 0.08,
            poses: Arc::from([[0.5_f32; 7], NOWHERE]),
        };
        let bytes = shot.to_bytes();
        assert_eq!(bytes.len(), Shot::bytes_for(2));
        assert_eq!(bytes[..8], [3, 0, 0, 0, 2, 0, 0, 0]);
        assert_eq!(bytes[8..16], 1.5_f64.to_le_bytes());
    }
}
