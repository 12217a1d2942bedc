//! Kinematic tree of links and the arm's joints.

use regrasp_api::Pose;
use regrasp_kinematics::{Joint, JointKind, Mimic, RobotModel};

use super::frame::Fixed;

/// A part of the robot that moves as one: all links fixed to the child of one joint.
#[derive(Clone, Copy, Debug)]
pub(super) struct RigidBody {
    pub(super) parent: usize,
    /// Pose of the joint in the parent, its axis rotated onto z.
    pub(super) parent_from_z: Fixed,
    pub(super) is_prismatic: bool,
    pub(super) q_idx: usize,
    pub(super) multiplier: f32,
    pub(super) offset: f32,
}

/// Rigid bodies, and the links on them, for one width of the gripper. Body 0 is the root.
#[derive(Clone, Debug)]
pub(crate) struct Tree {
    pub(super) bodies: Vec<RigidBody>,
    /// Body of each link, and the link's pose in it.
    pub(super) links: Vec<(usize, Pose)>,
}

impl Tree {
    /// Builds the tree. Joints that the arm does not move stay at `q_by_joint`.
    pub(crate) fn new(model: &RobotModel, arm_joints: &[usize], q_by_joint: &[f64]) -> Self {
        let root = RigidBody {
            parent: 0,
            parent_from_z: Fixed::from(&Pose::identity()),
            is_prismatic: false,
            q_idx: 0,
            multiplier: 0.0,
            offset: 0.0,
        };
        let mut tree = Self {
            bodies: vec![root],
            links: vec![(0, Pose::identity())],
        };
        for (joint_idx, joint) in model.joints().iter().enumerate() {
            let source = model.source(joint_idx);
            let driver = source.source_joint_idx;
            let q_idx = arm_joints.iter().position(|j| *j == driver);
            let link = match q_idx.filter(|_| joint.kind.is_movable()) {
                None => {
                    let (parent, body_from_parent) = tree.links[joint.parent_link_idx];
                    let q = source.multiplier * q_by_joint[driver] + source.offset;
                    (parent, body_from_parent * joint.parent_from_child(q))
                }
                Some(q_idx) => tree.add_body(joint, q_idx, &source),
            };
            tree.links.push(link);
        }
        tree
    }

    /// Adds a body for the child of a moving joint, and returns it with the child's pose in it.
    fn add_body(&mut self, joint: &Joint, q_idx: usize, source: &Mimic) -> (usize, Pose) {
        let (parent, body_from_parent) = self.links[joint.parent_link_idx];
        let joint_from_z = joint.joint_from_z();
        let parent_from_z = body_from_parent * joint.parent_from_joint * joint_from_z;
        self.bodies.push(RigidBody {
            parent,
            parent_from_z: Fixed::from(&parent_from_z),
            is_prismatic: joint.kind == JointKind::Prismatic,
            q_idx,
            multiplier: source.multiplier as f32,
            offset: source.offset as f32,
        });
        (self.bodies.len() - 1, joint_from_z.inverse())
    }

    /// Returns true if at most one joint moves two links relative to each other: such links overlap
    /// at the joint.
    pub(crate) fn are_neighbours(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.links[a].0, self.links[b].0);
        a == b || self.bodies[a].parent == b || self.bodies[b].parent == a
    }

    /// Returns true if two links never move relative to each other.
    pub(crate) fn move_alike(&self, a: usize, b: usize) -> bool {
        self.links[a].0 == self.links[b].0
    }

    /// The bodies from `body` up to the child of the root.
    pub(super) fn up_from(&self, body: usize) -> impl Iterator<Item = usize> {
        let up = std::iter::successors(Some(body), |b| Some(self.bodies[*b].parent));
        up.take_while(|b| *b != 0)
    }
}
