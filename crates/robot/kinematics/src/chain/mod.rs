//! A serial chain: the path from one link out to another, fixed joints merged away.

mod build;
mod forward;
mod limits;
mod segment;
#[cfg(test)]
mod tests;

use nalgebra::{OMatrix, U6};

pub(crate) use forward::Sweep;
pub(crate) use segment::{Segment, Step};

use crate::{JointLimits, ik::PandaIk};

/// Most joints that may move on a chain. Keeps workspaces on the stack.
pub const MAX_DOF: usize = 16;

/// A 6 x n matrix with rows `[v; w]` and one column a joint: velocity of the tip's
/// origin (m/s), then angular velocity (rad/s), both in the axes of the chain's base,
/// for each unit of joint speed.
pub type Jacobian = OMatrix<f64, U6, nalgebra::Dyn>;

/// The joints that move between a base and a tip link.
///
/// Joint positions are slices `q` of [`Chain::dof`] numbers, radians or metres, in the
/// order of [`Chain::joint_names`], from base to tip. Joints that mimic another joint
/// of the chain have no number of their own.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    base_link: String,
    tip_link: String,
    joint_names: Vec<String>,
    /// Indices of the chain's joints in the model.
    joint_idxs: Vec<usize>,
    limits: Vec<JointLimits>,
    steps: Vec<Step>,
    /// From the last joint's frame to the tip.
    end: Segment,
    /// The closed form of the inverse kinematics, if the chain has one.
    panda_ik: Option<Box<PandaIk>>,
}

impl Chain {
    /// How many joints move independently.
    #[must_use]
    pub fn dof(&self) -> usize {
        self.joint_names.len()
    }

    /// Name of the link that poses are expressed in.
    #[must_use]
    pub fn base_link(&self) -> &str {
        &self.base_link
    }

    /// Name of the link whose pose is computed.
    #[must_use]
    pub fn tip_link(&self) -> &str {
        &self.tip_link
    }

    /// Names of the joints, from base to tip.
    #[must_use]
    pub fn joint_names(&self) -> &[String] {
        &self.joint_names
    }

    /// Indices of the joints in [`crate::RobotModel::joints`], from base to tip.
    #[must_use]
    pub fn joint_idxs(&self) -> &[usize] {
        &self.joint_idxs
    }

    /// Bounds of the joints, from base to tip. Where a joint of the chain mimics
    /// another, the other's positions are narrowed so that both stay within theirs.
    #[must_use]
    pub fn limits(&self) -> &[JointLimits] {
        &self.limits
    }

    /// The closed form of the inverse kinematics, if the chain is built like a Franka
    /// Panda ([`PandaIk::recognise`]).
    #[must_use]
    pub fn panda_ik(&self) -> Option<&PandaIk> {
        self.panda_ik.as_deref()
    }

    /// The moving joints and what comes after the last one.
    pub(crate) fn parts(&self) -> (&[Step], Segment) {
        (&self.steps, self.end)
    }
}
