//! Forward kinematics of the whole tree.

use nalgebra::{Isometry3, Translation3, UnitQuaternion};

use crate::{Joint, JointKind, RobotModel};

impl Joint {
    /// `parent_from_child` with this joint at `position` (radians or metres; ignored
    /// if the joint is fixed).
    #[must_use]
    pub fn parent_from_child(&self, position: f64) -> Isometry3<f64> {
        let joint_from_child = match self.kind {
            JointKind::Fixed => return self.parent_from_joint,
            JointKind::Revolute | JointKind::Continuous => Isometry3::from_parts(
                Translation3::identity(),
                UnitQuaternion::from_axis_angle(&self.axis, position),
            ),
            JointKind::Prismatic => Isometry3::from_parts(
                Translation3::from(self.axis.into_inner() * position),
                UnitQuaternion::identity(),
            ),
        };
        self.parent_from_joint * joint_from_child
    }
}

impl RobotModel {
    /// Poses of all links in the frame of the root, in the order of [`RobotModel::links`]. See
    /// [`RobotModel::link_poses_into`].
    ///
    /// # Panics
    ///
    /// If `q_by_joint` does not have one entry per joint.
    #[must_use]
    pub fn link_poses(&self, q_by_joint: &[f64]) -> Vec<Isometry3<f64>> {
        let mut root_from_link = vec![Isometry3::identity(); self.links.len()];
        self.link_poses_into(q_by_joint, &mut root_from_link);
        root_from_link
    }

    /// Writes `root_from_link` of every link, without allocating.
    ///
    /// `q_by_joint` has one position per joint, in the order of [`RobotModel::joints`] (radians or
    /// metres). Entries of fixed joints and of joints that mimic another are ignored: a mimic's
    /// position follows from its source.
    ///
    /// # Panics
    ///
    /// If the slices do not have one entry per joint and per link.
    pub fn link_poses_into(&self, q_by_joint: &[f64], root_from_link: &mut [Isometry3<f64>]) {
        assert_eq!(q_by_joint.len(), self.joints.len(), "one position a joint");
        assert_eq!(root_from_link.len(), self.links.len(), "one pose a link");
        root_from_link[0] = Isometry3::identity();
        for (joint_idx, joint) in self.joints.iter().enumerate() {
            let parent_from_child = joint.parent_from_child(self.position(q_by_joint, joint_idx));
            root_from_link[joint.child_link_idx] =
                root_from_link[joint.parent_link_idx] * parent_from_child;
        }
    }

    /// Positions of all joints, in the order of [`RobotModel::joints`]: the named ones as given,
    /// all others zero, and mimics following their source.
    ///
    /// # Errors
    ///
    /// The names that belong to no joint of this robot.
    pub fn joint_positions<'a>(
        &self,
        named: impl IntoIterator<Item = (&'a str, f64)>,
    ) -> Result<Vec<f64>, Vec<String>> {
        let mut q_by_joint = vec![0.0; self.joints.len()];
        let mut unknown = Vec::new();
        for (name, position) in named {
            match self.joint_idx(name) {
                Some(joint_idx) => q_by_joint[joint_idx] = position,
                None => unknown.push(name.to_owned()),
            }
        }
        if !unknown.is_empty() {
            return Err(unknown);
        }
        Ok((0..self.joints.len())
            .map(|joint_idx| self.position(&q_by_joint, joint_idx))
            .collect())
    }

    /// Position of a joint, resolved through its mimics. Loading has ensured that these end.
    fn position(&self, q_by_joint: &[f64], joint_idx: usize) -> f64 {
        match self.joints[joint_idx].mimic {
            Some(mimic) => {
                mimic.multiplier * self.position(q_by_joint, mimic.source_joint_idx) + mimic.offset
            }
            None => q_by_joint[joint_idx],
        }
    }
}
