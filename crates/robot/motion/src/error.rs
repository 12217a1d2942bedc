//! What can be wrong with a robot whose motions are to be planned.

/// A planner that cannot be built for a robot.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ArmPlannerError {
    /// The robot has no such joint.
    #[error("plan motions: the robot has no joint `{joint}`")]
    UnknownJoint {
        /// The name.
        joint: String,
    },
    /// The robot has no such link.
    #[error("plan motions: the robot has no link `{link}`")]
    UnknownLink {
        /// The name.
        link: String,
    },
    /// A collision geometry spans no volume.
    #[error("plan motions: a collision geometry of link `{link}` spans no volume")]
    FlatGeometry {
        /// The link.
        link: String,
    },
    /// A list has the wrong length.
    #[error("plan motions: the arm has {expected} joints, but {got} {what} were given")]
    WrongCount {
        /// What was counted.
        what: &'static str,
        /// Joints of the arm.
        expected: usize,
        /// Entries given.
        got: usize,
    },
}
