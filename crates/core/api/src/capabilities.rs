//! What a world can feel and do, and what a verification rested on.

use serde::{Deserialize, Serialize};

/// What a world can feel and do beyond what every arm and gripper can: joint positions and
/// speeds, the distance between the fingers, following a trajectory, pressing with a force.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capabilities {
    /// Each finger feels whether it touches something.
    pub finger_contacts: bool,
    /// The pads feel how far what they hold slides and turns.
    pub shear: bool,
    /// Forces from the outside are known by link and place.
    pub contact_forces: bool,
    /// The torques that the motors apply are measured.
    pub effort: bool,
    /// The torques at the joints that come from the outside are estimated.
    pub external_torque: bool,
    /// The arm can be made to give way ([`crate::Compliance`]).
    pub compliance: bool,
    /// Fingers can move while the arm does.
    pub gripper_while_moving: bool,
}

/// Something that tells the robot how things are.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, strum::Display,
)]
#[serde(rename_all = "snake_case")]
pub enum Sense {
    /// Perception: where objects are.
    #[strum(serialize = "sight")]
    Sight,
    /// The joints' encoders: where the hand is.
    #[strum(serialize = "joint positions")]
    Joints,
    /// The distance between the fingers.
    #[strum(serialize = "finger width")]
    FingerWidth,
    /// The fingers' pads: whether each touches something.
    #[strum(serialize = "finger contacts")]
    FingerContacts,
}

/// Names of senses, for a text: "sight, finger width".
pub fn senses_named(senses: &[Sense]) -> String {
    let names: Vec<_> = senses.iter().map(Sense::to_string).collect();
    names.join(", ")
}
