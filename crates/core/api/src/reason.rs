//! Reasons: why a skill call ended as it did, as slugs.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

macro_rules! reasons {
    ($($(#[$doc:meta])* $variant:ident = $slug:literal,)*) => {
        /// Why a skill failed, as a short machine-readable slug.
        ///
        /// Serialised as the slug. Users' skills may add their own with
        /// [`Reason::Custom`].
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Reason {
            $($(#[$doc])* $variant,)*
            /// A reason that a user's skill defines.
            Custom(Box<str>),
        }

        impl Reason {
            /// Every built-in reason, in declaration order.
            pub const BUILT_IN: &[Reason] = &[$(Reason::$variant),*];

            /// The slug that logs, files and planners see.
            pub fn slug(&self) -> &str {
                match self {
                    $(Reason::$variant => $slug,)*
                    Reason::Custom(slug) => slug,
                }
            }

            /// The reason for a slug; an unknown slug becomes [`Reason::Custom`].
            pub fn from_slug(slug: &str) -> Self {
                match slug {
                    $($slug => Reason::$variant,)*
                    other => Reason::Custom(other.into()),
                }
            }
        }
    };
}

reasons! {
    /// No perceived object matches the name; the detail lists what is known.
    ObjectNotFound = "object_not_found",
    /// Several objects match the name; the detail lists them.
    AmbiguousObject = "ambiguous_object",
    /// A command may ask for several things.
    AmbiguousCommand = "ambiguous_command",
    /// No joint configuration brings the tool there, obstacles or not.
    Unreachable = "unreachable",
    /// Configurations exist, but each touches something.
    GoalInCollision = "goal_in_collision",
    /// The goal is free but no collision-free path was found.
    PathBlocked = "path_blocked",
    /// The arm already touches something it should not.
    StartInCollision = "start_in_collision",
    /// Every grasp candidate was dropped; the detail counts them by cause.
    NoGraspFound = "no_grasp_found",
    /// The arm has no gripper, and the skill needs one.
    NoGripper = "no_gripper",
    /// The robot has no interface for what was asked of it.
    Unsupported = "unsupported",
    /// The fingers closed on nothing.
    GraspMissed = "grasp_missed",
    /// Something else is in the hand.
    WrongObjectGrasped = "wrong_object_grasped",
    /// The object left the hand while it was lifted.
    GraspSlipped = "grasp_slipped",
    /// The object left the hand during transport.
    ObjectDropped = "object_dropped",
    /// The object is not where it was when the plan was made.
    ObjectMoved = "object_moved",
    /// Another object rests on it.
    ObjectCovered = "object_covered",
    /// The object lies outside the cell.
    ObjectOutOfWorkspace = "object_out_of_workspace",
    /// The hand already holds something.
    GripperOccupied = "gripper_occupied",
    /// The hand holds nothing.
    GripperEmpty = "gripper_empty",
    /// The object is inside something closed.
    ContainerClosed = "container_closed",
    /// Something already stands where the object should go.
    TargetOccupied = "target_occupied",
    /// The released object did not stay.
    PlacementUnstable = "placement_unstable",
    /// Neither a declaration nor its shape says which way up the object stands.
    UprightUnknown = "upright_unknown",
    /// The object rests, but outside the tolerance.
    PlacedOffTarget = "placed_off_target",
    /// Another object was moved.
    DisturbedOther = "disturbed_other",
    /// The handle left the hand.
    HandleSlipped = "handle_slipped",
    /// The joint that should have moved did not.
    JointNotMoved = "joint_not_moved",
    /// The push moved nothing.
    PushNoMotion = "push_no_motion",
    /// What was pushed or pulled moved, but left its line or did not come to its place.
    PushDeviated = "push_deviated",
    /// Nothing that could be poured is in what the hand holds.
    NothingToPour = "nothing_to_pour",
    /// Part of what was poured landed beside its target.
    Spilled = "spilled",
    /// The post-condition does not hold, for no better-known cause.
    VerificationFailed = "verification_failed",
    /// The arm did not follow its trajectory.
    TrackingError = "tracking_error",
    /// The skill's budget of simulated time ran out.
    SkillTimeout = "skill_timeout",
    /// Somebody asked for a stop.
    Cancelled = "cancelled",
    /// The physics broke; never the robot's failure.
    SimDiverged = "sim_diverged",
    /// The controller stopped the arm, since it took something for a collision.
    Reflex = "reflex",
    /// The emergency stop is active; never the robot's failure.
    EmergencyStop = "emergency_stop",
    /// The robot does not answer; never its failure.
    LinkLost = "link_lost",
    /// What was commanded is beyond a limit of the arm.
    LimitViolated = "limit_violated",
    /// The last state that the robot sent is too old to act on.
    StaleState = "stale_state",
    /// The motion does not begin where the arm is.
    StartMismatch = "start_mismatch",
    /// The arguments do not fit the skill; the detail names field, expected, got.
    BadArguments = "bad_arguments",
    /// No skill has that name; the detail lists the known ones.
    UnknownSkill = "unknown_skill",
    /// Whoever was asked refused.
    ApprovalDenied = "approval_denied",
    /// What was looked for was pointed out beside the picture.
    PointOutsideImage = "point_outside_image",
    /// Where it was pointed out, no depth was measured.
    PointWithoutDepth = "point_without_depth",
    /// Where it was pointed out, there is only the table.
    PointOnTable = "point_on_table",
    /// Where it was pointed out, there is the robot itself.
    PointOnRobot = "point_on_robot",
    /// What perception depends on does not answer; never the robot's failure.
    PerceptionUnavailable = "perception_unavailable",
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.slug())
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.slug())
    }
}

impl<'de> Deserialize<'de> for Reason {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::from_slug(&String::deserialize(deserializer)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_slug_comes_back_as_its_reason() {
        for reason in Reason::BUILT_IN {
            assert_eq!(&Reason::from_slug(reason.slug()), reason);
        }
        assert_eq!(
            Reason::from_slug("tea_cold"),
            Reason::Custom("tea_cold".into())
        );
    }
}
