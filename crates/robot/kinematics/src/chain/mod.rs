//! A serial chain: the path from one link out to another, with fixed joints merged.

mod build;
mod forward;
mod limits;
mod segment;
#[cfg(test)]
mod tests;

use nalgebra::{OMatrix, U6};

pub(crate) use forward::Sweep;
pub(crate) use segment::{Segment, Step, segment};

use crate::{JointLimits, ik::PandaIk};

/// Largest number of moving joints of a chain, so that workspaces fit on the stack.
pub const MAX_DOF: usize = 16;

/// A 6 x n matrix with rows `[v; w]` and one column per joint: linear velocity of the tip's origin
/// (m/s), then angular velocity (rad/s), both in the axes of the chain's base, per unit of joint
/// speed.
pub type Jacobian = OMatrix<f64, U6, nalgebra::Dyn>;

/// The moving joints between a base and a tip link.
///
/// Joint positions are slices `q` of [`Chain::dof`] numbers, radians or metres, in the order of
/// [`Chain::joint_names`], from base to tip. Joints that mimic another joint of the chain have no
/// entry.
#[derive(Debug, Clone, PartialEq)]
pub struct Chain {
    base_link: String,
    tip_link: String,
    joint_names: Vec<String>,
    joint_idxs: Vec<usize>,
    limits: Vec<JointLimits>,
    steps: Vec<Step>,
    end: Segment,
    panda_ik: Option<Box<PandaIk>>,
}

impl Chain {
    /// Number of independently moving joints.
    #[must_use]
    pub fn dof(&self) -> usize {
        self.joint_names.len()
    }

    /// Name of the link in whose frame poses are expressed.
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

    /// Limits of the joints, from base to tip. If a joint mimics another one of the chain, the
    /// other's range is narrowed so that both stay within their limits.
    #[must_use]
    pub fn limits(&self) -> &[JointLimits] {
        &self.limits
    }

    /// Closed-form inverse kinematics, if the chain is built like a Franka Panda
    /// ([`PandaIk::recognise`]).
    #[must_use]
    pub fn panda_ik(&self) -> Option<&PandaIk> {
        self.panda_ik.as_deref()
    }

    /// The moving joints, and the transform after the last one.
    pub(crate) fn parts(&self) -> (&[Step], Segment) {
        (&self.steps, self.end)
    }
}
