//! Capabilities of a world, and the senses behind a verification.

use serde::{Deserialize, Serialize};

/// Capabilities of a world beyond those of every arm and gripper: joint positions and speeds, the
/// distance between the fingers, following a trajectory, pressing with a force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capabilities {
    /// Each finger reports contact.
    pub finger_contacts: bool,
    /// The pads measure slip and turn of the held object.
    pub shear: bool,
    /// External forces are known by link and point.
    pub contact_forces: bool,
    /// The torques that the motors apply are measured.
    pub effort: bool,
    /// External torques at the joints are estimated.
    pub external_torque: bool,
    /// The arm can be compliant ([`crate::Compliance`]).
    pub compliance: bool,
    /// The fingers can move while the arm moves.
    pub gripper_while_moving: bool,
}

/// Source of the robot's knowledge about the world.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::Display,
)]
#[serde(rename_all = "snake_case")]
pub enum Sense {
    /// Perception: poses of objects.
    #[strum(serialize = "sight")]
    Sight,
    /// Encoders of the joints: pose of the hand.
    #[strum(serialize = "joint positions")]
    Joints,
    /// Distance between the fingers.
    #[strum(serialize = "finger width")]
    FingerWidth,
    /// Contact of each finger's pad.
    #[strum(serialize = "finger contacts")]
    FingerContacts,
}

/// Returns the names of senses as text: "sight, finger width".
pub fn senses_named(senses: &[Sense]) -> String {
    let names: Vec<_> = senses.iter().map(Sense::to_string).collect();
    names.join(", ")
}
